#include "ports/commands/runs.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <unistd.h>

#include "engine/engine.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "sim/random.hpp"
#include "sim/subscribers.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// Runs through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

using model::RunId;
using model::RunState;

class Runs : public ::testing::Test {
protected:
    Runs() {
        std::string path = (std::filesystem::temp_directory_path() / "belfry-sim-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) std::abort();
        folder_ = path;
        options_.runs.capacity = 2;
        options_.runs.kept = base::hours(1);
        open();
    }
    ~Runs() override {
        engine_.reset();
        store_.reset();
        std::filesystem::remove_all(folder_);
    }

    void open() {
        engine_.reset();
        store_.reset();
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
    void tend() {
        for (int i = 0; i < 20 && engine_->next_due() && *engine_->next_due() <= now_; ++i) note(engine_->tend(now_));
    }

    template <class C>
    base::Result<typename C::Reply> ask(std::unique_ptr<C> command) {
        return ask_as(model::house_principal(), std::move(command));
    }
    template <class C>
    base::Result<typename C::Reply> ask_as(const model::Principal& who, std::unique_ptr<C> command) {
        command->principal = who;
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        auto effects = engine_->step(now_, std::move(group));
        auto result = asked->ports::template CommandOf<typename C::Reply>::result();
        note(effects);
        return result;
    }
    void note(const engine::Effects& effects) {
        for (const model::SharedBlock& block : effects.published) {
            for (const model::LogEntry& entry : block->entries) {
                said_[entry.stream].emplace_back(entry.facets.type);
            }
        }
        removed_.insert(removed_.end(), effects.removed.begin(), effects.removed.end());
        owed_.insert(owed_.end(), effects.owed.begin(), effects.owed.end());
    }

    RunId make(RunId parent = 0, bool tree = false, const std::string& user = "ada") {
        auto wish = std::make_unique<ports::CreateRun>();
        wish->user_id = user;
        wish->parent_id = parent;
        wish->tree = tree;
        const auto made = ask(std::move(wish));
        EXPECT_TRUE(made.ok()) << made.error().message;
        return made.ok() ? made->run.id : 0;
    }
    model::Run state(RunId id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->runs().find(std::vector<RunId>{id});
        store_->rollback();
        EXPECT_TRUE(found.ok() && found->size() == 1);
        return found.ok() && !found->empty() ? found->front() : model::Run{};
    }
    base::Result<model::Run> cancel(RunId id) {
        auto wish = std::make_unique<ports::CancelRun>();
        wish->run_id = id;
        wish->reason = "why";
        return ask(std::move(wish));
    }
    base::Result<model::Run> complete(RunId id) {
        auto wish = std::make_unique<ports::FinishRun>();
        wish->run_id = id;
        return ask(std::move(wish));
    }
    base::Result<ports::EmittedRunEvents> emit(RunId id, int count = 1,
                                               std::optional<model::Sequence> expected = std::nullopt) {
        auto wish = std::make_unique<ports::EmitRunEvents>();
        wish->expect_first = expected;
        wish->run_id = id;
        wish->events.text = "a.b{}";
        for (int i = 0; i < count; ++i) wish->events.drafts.push_back({{0, 3}, {3, 2}, {}, {}, {}});
        return ask(std::move(wish));
    }
    std::vector<std::string> said(const std::string& stream) {
        for (const model::StreamInfo& info : engine_->streams()) {
            if (info.name == stream) return said_[info.id];
        }
        return {};
    }

    engine::EngineOptions options_;
    base::Timestamp now_{1'000'000'000'000};
    std::map<model::StreamId, std::vector<std::string>> said_;
    std::vector<model::StreamId> removed_;
    std::vector<ports::Obligation> owed_;
    std::unique_ptr<store::SqlStore> store_;
    std::unique_ptr<engine::Engine> engine_;

private:
    std::string folder_;
    SeededRandom random_{7};
    HeldSubscribers held_;
};

using Words = std::vector<std::string>;

TEST_F(Runs, wait_for_a_place_and_get_it_in_their_order) {
    const RunId first = make();
    make();
    const RunId third = make();
    const RunId fourth = make();
    EXPECT_EQ(state(third).state, RunState::pending);
    EXPECT_EQ(emit(third).error().reason, "not_running");
    open();  // a crash changes nothing of it
    tend();
    ASSERT_TRUE(complete(first).ok());
    EXPECT_EQ(state(third).state, RunState::running);
    EXPECT_EQ(state(fourth).state, RunState::pending);
    EXPECT_EQ(said("run:3"), (Words{"lifecycle.queued", "lifecycle.started"}));
}

TEST_F(Runs, start_by_themselves_where_there_are_more_places_after_a_restart) {
    for (int i = 0; i < 5; ++i) make();
    options_.runs.capacity = 4;
    open();
    tend();
    EXPECT_EQ(state(4).state, RunState::running);
    EXPECT_EQ(state(5).state, RunState::pending);
}

TEST_F(Runs, are_cancelled_with_their_kin_and_their_tree_ends_with_the_last) {
    options_.runs.capacity = 10;
    open();
    const RunId root = make(0, true);
    const RunId child = make(root);
    const RunId grandchild = make(child);
    ASSERT_TRUE(complete(child).ok());
    open();  // the ended one between them is known from the store
    ASSERT_TRUE(cancel(root).ok());
    EXPECT_EQ(state(grandchild).state, RunState::cancelled);
    EXPECT_EQ(state(child).state, RunState::completed);
    EXPECT_EQ(said("tree:1"),
              (Words{"lifecycle.started", "lifecycle.started", "lifecycle.started", "lifecycle.completed",
                     "lifecycle.cancelled", "lifecycle.cancelled", "tree.closed"}));
    EXPECT_EQ(cancel(grandchild).error().reason, "ended");
    auto late = std::make_unique<ports::CreateRun>();
    late->parent_id = root;
    EXPECT_EQ(ask(std::move(late)).error().reason, "ended");
}

TEST_F(Runs, go_on_counting_their_events_after_a_crash) {
    const RunId id = make();
    EXPECT_EQ(emit(id, 5)->last, 6U);
    open();
    EXPECT_EQ(emit(id)->first, 7U);
    EXPECT_EQ(complete(id)->events, 8);
}

TEST_F(Runs, end_once_whoever_comes_first_in_a_group) {
    const RunId id = make();
    std::vector<ports::AnyCommand> group;
    auto first = std::make_unique<ports::CancelRun>();
    first->run_id = id;
    first->principal = model::house_principal();
    auto second = std::make_unique<ports::FinishRun>();
    second->run_id = id;
    second->principal = model::house_principal();
    auto* const cancelled = first.get();
    auto* const finished = second.get();
    group.push_back(std::move(first));
    group.push_back(std::move(second));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_TRUE(cancelled->result().ok());
    EXPECT_EQ(finished->ports::CommandOf<model::Run>::result().error().reason, "ended");
    EXPECT_EQ(state(id).state, RunState::cancelled);
}

TEST_F(Runs, expire_with_their_streams_and_are_gone_from_then_on) {
    const RunId root = make(0, true);
    const RunId child = make(root);
    ASSERT_TRUE(cancel(root).ok());
    now_ = now_ + base::minutes(59);
    tend();
    EXPECT_EQ(emit(root).error().reason, "ended");
    now_ = now_ + base::minutes(2);
    tend();
    EXPECT_EQ(removed_.size(), 3U) << "two runs and their tree";
    EXPECT_EQ(emit(root).error().code, base::Code::gone);
    EXPECT_EQ(emit(child).error().code, base::Code::gone);
    EXPECT_EQ(emit(child + 1).error().code, base::Code::not_found);
    open();
    EXPECT_EQ(emit(child).error().code, base::Code::gone);
    const RunId next = make();
    EXPECT_EQ(next, child + 1);
    EXPECT_EQ(said("run:3"), (Words{"lifecycle.started"})) << "a stream of its own, not what is left of another";
    EXPECT_EQ(emit(next)->first, 2U);
}

TEST_F(Runs, of_an_erased_person_leave_their_places_to_others) {
    make(0, false, "ada");
    make(0, true, "ada");
    const RunId waiting = make(0, false, "bob");
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ada";
    ASSERT_TRUE(ask(std::move(erase)).ok());
    tend();
    ASSERT_EQ(owed_.size(), 1U);
    for (bool finished = false; !finished;) {
        auto slice = std::make_unique<ports::EraseSlice>();
        slice->obligation = owed_[0].id;
        slice->fence = owed_[0].fence;
        finished = ask(std::move(slice))->finished;
    }
    EXPECT_EQ(removed_.size(), 3U) << "two runs and a tree";
    EXPECT_EQ(emit(1).error().code, base::Code::gone);
    EXPECT_EQ(state(waiting).state, RunState::running);
    EXPECT_TRUE(emit(waiting).ok());
    open();
    EXPECT_EQ(emit(1).error().code, base::Code::gone);
    EXPECT_TRUE(emit(waiting).ok());
}

TEST_F(Runs, are_cancelled_also_below_one_that_has_expired) {
    options_.runs.capacity = 10;
    open();
    const RunId root = make(0, true);
    const RunId child = make(root);
    const RunId grandchild = make(child);
    ASSERT_TRUE(complete(child).ok());
    now_ = now_ + base::hours(2);
    tend();
    EXPECT_EQ(emit(child).error().code, base::Code::gone);
    EXPECT_EQ(state(grandchild).parent_id, root) << "who is left above it";
    open();
    ASSERT_TRUE(cancel(root).ok());
    EXPECT_EQ(state(grandchild).state, RunState::cancelled);
}

TEST_F(Runs, give_their_reason_once_and_not_to_each_of_their_kin) {
    options_.runs.capacity = 10;
    open();
    const RunId root = make(0, true);
    const RunId child = make(root);
    auto wish = std::make_unique<ports::CancelRun>();
    wish->run_id = root;
    wish->reason = std::string(base::limits::run_reason_bytes_max + 1, 'x');
    const auto refused = ask(std::move(wish));
    EXPECT_EQ(refused.error().field, "reason");
    auto signal = std::make_unique<ports::SignalRun>();
    signal->run_id = root;
    signal->reason = std::string(base::limits::run_reason_bytes_max + 1, 'x');
    EXPECT_EQ(ask(std::move(signal)).error().field, "reason");
    ASSERT_TRUE(cancel(root).ok());
    EXPECT_EQ(state(root).cancel_reason, "why");
    EXPECT_EQ(state(child).cancel_reason, "its parent was cancelled");
}

TEST_F(Runs, hand_out_what_is_under_their_key_only_to_whom_it_may_concern) {
    const auto create = [this](const model::Principal& who, const std::string& session) {
        auto wish = std::make_unique<ports::CreateRun>();
        wish->session_id = session;
        wish->user_id = "ada";
        wish->run_key = "nightly";
        return ask_as(who, std::move(wish));
    };
    const auto there = create(model::house_principal(), "B");
    model::Principal agent;
    agent.id = "token:a";
    agent.role = model::Role::agent;
    agent.bounds.users = {"ada"};
    agent.bounds.sessions = {"A"};
    const auto refused = create(agent, "A");
    ASSERT_FALSE(refused.ok()) << "the run of session B";
    EXPECT_EQ(refused.error().reason, "taken");
    ASSERT_TRUE(complete(there->run.id).ok());
    EXPECT_FALSE(create(agent, "A").ok()) << "nor one that has ended";
    agent.bounds.sessions = {"A", "B"};
    EXPECT_EQ(create(agent, "A")->run.id, there->run.id);
}

TEST_F(Runs, pause_only_once_they_run) {
    make();
    make();
    const RunId waiting = make();
    const auto pause = [this](RunId id) {
        auto wish = std::make_unique<ports::PauseRun>();
        wish->run_id = id;
        return ask(std::move(wish));
    };
    EXPECT_EQ(pause(waiting).error().reason, "not_running");
    EXPECT_FALSE(state(waiting).paused);
    EXPECT_TRUE(pause(1)->paused);
}

TEST_F(Runs, are_of_the_user_of_their_parent_and_of_their_session) {
    const RunId parent = make();
    auto child = std::make_unique<ports::CreateRun>();
    child->parent_id = parent;
    child->user_id = "bob";
    const auto strange = ask(std::move(child));
    ASSERT_FALSE(strange.ok());
    EXPECT_EQ(strange.error().field, "user_id");
    EXPECT_EQ(strange.error().code, base::Code::conflict);
    const auto in_session = [this](const std::string& user) {
        auto wish = std::make_unique<ports::CreateRun>();
        wish->session_id = "s";
        wish->user_id = user;
        return ask(std::move(wish));
    };
    ASSERT_TRUE(in_session("ada").ok());
    const auto elsewhere = in_session("bob");
    ASSERT_FALSE(elsewhere.ok());
    EXPECT_EQ(elsewhere.error().field, "user_id");
    EXPECT_EQ(elsewhere.error().code, base::Code::conflict);
    EXPECT_EQ(in_session("")->run.user_id, "ada");
}

TEST_F(Runs, take_events_only_where_they_are_expected) {
    const RunId id = make();
    EXPECT_EQ(emit(id, 2, 2)->last, 3U);
    const auto again = emit(id, 2, 2);
    EXPECT_FALSE(again->is_taken) << "the answer was lost, the events were not";
    EXPECT_EQ(again->last, 3U);
    EXPECT_FALSE(emit(id, 1, 9)->is_taken);
    EXPECT_EQ(emit(id, 1, 4)->last, 4U);
    EXPECT_EQ(said("run:1").size(), 4U);
}

TEST_F(Runs, of_which_nothing_is_heard_fail_and_leave_their_place) {
    options_.runs.silence = base::hours(24);
    open();
    const RunId dead = make();
    const RunId alive = make();
    const RunId waiting = make();
    now_ = now_ + base::hours(23);
    tend();
    ASSERT_TRUE(emit(alive).ok());
    now_ = now_ + base::hours(1);
    tend();
    EXPECT_EQ(state(dead).state, RunState::failed);
    EXPECT_EQ(state(dead).error->type, "silence");
    EXPECT_EQ(state(dead).error->message, "nothing was heard of this run for 1d");
    EXPECT_EQ(said("run:1").back(), "lifecycle.failed");
    EXPECT_EQ(state(alive).state, RunState::running);
    EXPECT_EQ(state(waiting).state, RunState::running) << "its place is free";
    now_ = now_ + base::hours(23) + base::minutes(2);
    tend();
    EXPECT_EQ(state(alive).state, RunState::failed);
    EXPECT_EQ(state(waiting).state, RunState::running) << "it began later";
}

TEST_F(Runs, may_be_silent_while_they_are_paused_or_where_nobody_minds) {
    options_.runs.silence = base::hours(24);
    open();
    const RunId id = make();
    auto pause = std::make_unique<ports::PauseRun>();
    pause->run_id = id;
    ASSERT_TRUE(ask(std::move(pause)).ok());
    now_ = now_ + base::days(3);
    tend();
    EXPECT_EQ(state(id).state, RunState::running);
    auto resume = std::make_unique<ports::PauseRun>();
    resume->run_id = id;
    resume->paused = false;
    ASSERT_TRUE(ask(std::move(resume)).ok());
    options_.runs.silence = {};
    open();
    now_ = now_ + base::days(300);
    tend();
    EXPECT_EQ(state(id).state, RunState::running);
}

TEST_F(Runs, whose_session_is_heard_of_are_alive) {
    options_.runs.silence = base::hours(24);
    open();
    auto wish = std::make_unique<ports::CreateRun>();
    wish->session_id = "s";
    const RunId id = ask(std::move(wish))->run.id;
    for (int i = 0; i < 5; ++i) {
        now_ = now_ + base::hours(20);
        auto beat = std::make_unique<ports::Heartbeat>();
        beat->session_id = "s";
        ASSERT_TRUE(ask(std::move(beat)).ok());
        tend();
    }
    EXPECT_EQ(state(id).state, RunState::running);
    now_ = now_ + base::hours(25);
    tend();
    EXPECT_EQ(state(id).state, RunState::failed);
}

TEST_F(Runs, obey_a_signal_where_it_is_clear_which_is_meant) {
    const auto signal = [this](ports::RunSignal what, RunId id = 0) {
        auto wish = std::make_unique<ports::SignalRun>();
        wish->session_id = "s";
        wish->run_id = id;
        wish->signal = what;
        return ask(std::move(wish));
    };
    const auto in_session = [this] {
        auto wish = std::make_unique<ports::CreateRun>();
        wish->session_id = "s";
        return ask(std::move(wish))->run.id;
    };
    EXPECT_EQ(signal(ports::RunSignal::pause).error().code, base::Code::not_found);
    const RunId first = in_session();
    EXPECT_TRUE(signal(ports::RunSignal::pause)->paused);
    EXPECT_FALSE(signal(ports::RunSignal::resume)->paused);
    const RunId second = in_session();
    EXPECT_EQ(signal(ports::RunSignal::cancel).error().reason, "ambiguous");
    EXPECT_EQ(signal(ports::RunSignal::cancel, second)->state, RunState::cancelled);
    EXPECT_EQ(signal(ports::RunSignal::cancel)->id, first);
    const RunId elsewhere = make();
    EXPECT_EQ(signal(ports::RunSignal::cancel, elsewhere).error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::sim
