#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "engine/engine.hpp"
#include "engine/sink_calls.hpp"
#include "sim/random.hpp"
#include "sim/sent.hpp"
#include "sim/sinks.hpp"
#include "sim/subscribers.hpp"
#include "store/row_reader.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// What the simulation found in the delivery of notifications, told once more in a few steps each.
namespace belfry::sim {
namespace {

class Delivered : public ::testing::Test {
protected:
    Delivered() {
        std::string path = (std::filesystem::temp_directory_path() / "belfry-sim-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) std::abort();
        folder_ = path;
        store::SqlStoreOptions options;
        options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
            store::SqliteOptions sqlite;
            sqlite.path = folder_ + "/belfry.db";
            return store::open_sqlite(std::move(sqlite));
        };
        model::SinkCatalogue sinks;
        sinks.sinks.emplace_back().id = "desk";
        sinks_.hold(std::move(sinks));
        store_ = std::make_unique<store::SqlStore>(std::move(options), random_);
        engine::EngineOptions engine_options;
        engine_options.sinks = &sinks_;
        engine_ = std::make_unique<engine::Engine>(*store_, random_, held_, std::move(engine_options));
        EXPECT_TRUE(engine_->open(now_).ok());
    }
    ~Delivered() override {
        engine_.reset();
        store_.reset();
        std::filesystem::remove_all(folder_);
    }

    template <class C>
    typename C::Reply ask(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        now_ = now_ + base::milliseconds(1);
        const auto effects = engine_->step(now_, std::move(group));
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
        return asked->result().ok() ? asked->result().value() : typename C::Reply{};
    }

    static std::unique_ptr<ports::EmitNotification> for_ada(const std::string& session) {
        auto emit = std::make_unique<ports::EmitNotification>();
        emit->principal = model::house_principal();
        emit->draft.scope = {"ada", session, {}};
        emit->draft.address = session.empty() ? model::Address::user : model::Address::session;
        emit->draft.target = model::Target::user;
        emit->draft.text = "it rings";
        return emit;
    }
    void make_session(const std::string& id, const std::string& user) {
        auto session = std::make_unique<ports::PutSession>();
        session->session_id = id;
        session->user_id = user;
        ask(std::move(session));
    }
    std::int64_t count(const char* sql) {
        std::int64_t found = -1;
        const store::Sql statement{sql};
        EXPECT_TRUE(store_->database().run(statement, {}, [&](const store::Row& row) { found = row.number(0); }).ok());
        return found;
    }

    std::string folder_;
    SeededRandom random_{1};
    HeldSubscribers held_;
    HeldSinks sinks_;
    base::Timestamp now_{1'700'000'000'000'000};
    std::unique_ptr<store::SqlStore> store_;
    std::unique_ptr<engine::Engine> engine_;
};

TEST_F(Delivered, an_update_for_a_session_that_is_gone_lives_with_its_user) {
    make_session("s", "ada");
    auto first = for_ada("");
    first->draft.deduplication_key = "k";
    const auto made = ask(std::move(first));
    auto gone = std::make_unique<ports::DeleteSession>();
    gone->session_id = "s";
    ask(std::move(gone));
    auto update = for_ada("s");
    update->draft.deduplication_key = "k";
    const auto updated = ask(std::move(update));
    EXPECT_EQ(updated.notification.id, made.notification.id);
    EXPECT_EQ(updated.notification.address, model::Address::user);
    EXPECT_EQ(updated.notification.scope.session_id, "");
}

TEST_F(Delivered, an_update_stays_out_of_somebody_elses_session) {
    make_session("s", "grace");
    auto first = for_ada("");
    first->draft.deduplication_key = "k";
    ask(std::move(first));
    auto update = for_ada("s");
    update->draft.deduplication_key = "k";
    EXPECT_EQ(ask(std::move(update)).notification.scope.session_id, "");
}

TEST_F(Delivered, a_sink_rings_for_the_inbox_and_not_for_a_conversation) {
    make_session("s", "ada");
    ask(for_ada("s"));
    EXPECT_EQ(count("SELECT count(*) FROM outbox"), 0);
    ask(for_ada(""));
    EXPECT_EQ(count("SELECT count(*) FROM outbox"), 1);
}

TEST_F(Delivered, a_sink_rings_for_what_comes_into_the_inbox_later) {
    make_session("s", "ada");
    ask(for_ada("s"));
    auto moved = for_ada("s");
    moved->draft.deduplication_key = "k";
    ask(std::move(moved));
    moved = for_ada("");
    moved->draft.deduplication_key = "k";
    ask(std::move(moved));
    EXPECT_EQ(count("SELECT count(*) FROM outbox"), 1) << "by its emitter";
    auto end = std::make_unique<ports::DeleteSession>();
    end->session_id = "s";
    ask(std::move(end));
    EXPECT_EQ(count("SELECT count(*) FROM outbox"), 2) << "by the end of its session";
}

TEST_F(Delivered, an_emit_that_is_run_again_begins_with_what_was_sent) {
    auto emit = for_ada("");
    const model::Notification as_sent = emit->draft;
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(emit));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(static_cast<const ports::EmitNotification&>(*effects.answered[0]).draft, as_sent);
}

TEST_F(Delivered, what_one_group_did_before_it_erased_its_person_leaves_no_steps) {
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ada";
    ask(std::move(erase));
    const auto owed = engine_->tend(now_).owed;
    ASSERT_EQ(owed.size(), 1U);
    std::vector<ports::AnyCommand> group;
    group.push_back(for_ada(""));
    auto slice = std::make_unique<ports::EraseSlice>();
    slice->principal = model::house_principal();
    slice->obligation = owed[0].id;
    slice->fence = owed[0].fence;
    group.push_back(std::move(slice));
    engine_->step(now_, std::move(group));
    EXPECT_EQ(count("SELECT count(*) FROM notifications"), 0);
    EXPECT_EQ(count("SELECT count(*) FROM transitions"), 0);
}

}  // namespace
}  // namespace belfry::sim
