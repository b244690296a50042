#pragma once

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "engine/engine.hpp"
#include "sim/random.hpp"
#include "sim/subscribers.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// The real engine on the real store, in time that the test gives. Only tests include it.
namespace belfry::sim {

using model::InjectAt;
using model::Priority;

class EngineWorld : public ::testing::Test {
protected:
    EngineWorld() {
        std::string path = (std::filesystem::temp_directory_path() / "belfry-sim-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) std::abort();
        folder_ = path;
    }
    ~EngineWorld() override {
        forget();
        std::filesystem::remove_all(folder_);
    }

    void listen(std::vector<model::Subscriber> subscribers) {
        model::Catalogue catalogue;
        catalogue.subscribers = std::move(subscribers);
        std::ranges::sort(catalogue.subscribers, {}, &model::Subscriber::id);
        held_.hold(std::move(catalogue));
    }

    static model::Subscriber subscriber(std::string id, std::string type) {
        model::Subscriber made;
        made.id = std::move(id);
        made.name = made.id;
        made.description = "of a test";
        made.version = "1.0.0";
        made.types = {std::move(type)};
        return made;
    }

    void open() {
        store::SqlStoreOptions options;
        options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
            store::SqliteOptions sqlite;
            sqlite.path = folder_ + "/belfry.db";
            return store::open_sqlite(std::move(sqlite));
        };
        store_ = std::make_unique<store::SqlStore>(std::move(options), random_);
        engine_ = std::make_unique<engine::Engine>(*store_, random_, held_, options_);
        const auto opened = engine_->open(now_);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
    }
    // As a crash would: nothing is flushed, nothing is said.
    void forget() {
        engine_.reset();
        store_.reset();
    }
    void crash() {
        forget();
        open();
    }

    template <class C>
    typename C::Reply ask(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        auto effects = engine_->step(now_, std::move(group));
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
        return asked->result().ok() ? asked->result().value() : typename C::Reply{};
    }

    // Says whose the session is, before anybody works in it.
    void name_session() {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = "s";
        command->user_id = "ada";
        ask(std::move(command));
    }
    void emit(const std::string& type, const std::string& source = "t",
              model::Severity severity = model::Severity::info, int times = 1) {
        auto command = std::make_unique<ports::EmitEvents>();
        for (int i = 0; i < times; ++i) {
            model::Event event;
            event.type = type;
            event.source = source;
            event.severity = severity;
            event.session_id = "s";
            event.user_id = "ada";
            event.payload = model::RawJson::trusted(R"({"message":"m"})");
            command->entries.push_back({std::move(event), {}});
        }
        ask(std::move(command));
    }

    static model::Event event_of_ada(const std::string& type) {
        model::Event event;
        event.type = type;
        event.source = "t";
        event.session_id = "s";
        event.user_id = "ada";
        event.payload = model::RawJson::trusted(R"({"message":"m"})");
        return event;
    }

    void erase_user(const std::string& user) {
        auto erase = std::make_unique<ports::EraseUser>();
        erase->user_id = user;
        ask(std::move(erase));
        const auto effects = engine_->tend(now_);
        ASSERT_EQ(effects.owed.size(), 1U);
        for (bool finished = false; !finished;) {
            auto slice = std::make_unique<ports::EraseSlice>();
            slice->obligation = effects.owed[0].id;
            slice->fence = effects.owed[0].fence;
            finished = ask(std::move(slice)).finished;
        }
    }

    ports::PullReply pull(InjectAt point = InjectAt::turn_start, base::Duration lease = base::limits::lease_default) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->point = point;
        command->lease = lease;
        return ask(std::move(command));
    }

    void pass(base::Duration span) {
        now_ = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= now_) engine_->tend(now_);
    }

    static std::vector<std::int64_t> counts(const ports::PulledItem& item) {
        std::vector<std::int64_t> all;
        for (const model::NotifiedEvent& event : item.notification.events) all.push_back(event.count);
        return all;
    }

    std::uint64_t waiting_rows() {
        EXPECT_TRUE(store_->begin().ok());
        const auto rows = store_->waiting().load();
        store_->rollback();
        return rows.ok() ? rows->size() : 0;
    }

    std::string folder_;
    SeededRandom random_{7};
    HeldSubscribers held_;
    base::Timestamp now_{1'800'000'000'000'000};
    std::unique_ptr<store::SqlStore> store_;
    engine::EngineOptions options_;  // of the next opening
    std::unique_ptr<engine::Engine> engine_;
};

}  // namespace belfry::sim
