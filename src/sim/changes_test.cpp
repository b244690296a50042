#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/agents.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/wake_key.hpp"
#include "sim/engine_world_test.hpp"

// Changes of records from their transaction to the agents that they wake, through the real engine and the real store,
// in time that the test gives.
namespace belfry::sim {
namespace {

using model::WakeState;

// Counts the statements that read agents, and how many of them each asks for.
class CountingDatabase final : public store::Database {
public:
    CountingDatabase(std::unique_ptr<store::Database> inner, std::vector<std::size_t>& reads)
        : inner_(std::move(inner)), reads_(reads) {}

    [[nodiscard]] const store::Dialect& dialect() const override { return inner_->dialect(); }
    [[nodiscard]] std::string place() override { return inner_->place(); }
    base::Result<std::int64_t> run(const store::Sql& sql, std::span<const store::Param> params,
                                   const store::RowSink& sink) override {
        count(sql, 1);
        return inner_->run(sql, params, sink);
    }
    base::Result<void> run_many(const store::Sql& sql, std::span<const std::vector<store::Param>> sets,
                                const store::RowSink& sink) override {
        count(sql, sets.size());
        return inner_->run_many(sql, sets, sink);
    }
    base::Result<void> script(const std::string& text) override { return inner_->script(text); }
    base::Result<void> begin_write() override { return inner_->begin_write(); }
    base::Result<void> begin_read() override { return inner_->begin_read(); }
    ports::CommitResult commit() override { return inner_->commit(); }
    void rollback() override { inner_->rollback(); }
    base::Result<void> overwrite_deleted(bool on) override { return inner_->overwrite_deleted(on); }
    base::Result<bool> return_space(std::int64_t pages) override { return inner_->return_space(pages); }
    base::Result<std::pair<std::int64_t, std::int64_t>> sizes() override { return inner_->sizes(); }

private:
    void count(const store::Sql& sql, std::size_t sets) {
        const std::string_view text = sql.text;
        const bool reads_agents = text.starts_with("SELECT") && text.find("FROM agents") != std::string_view::npos;
        if (reads_agents) reads_.push_back(sets);
    }

    std::unique_ptr<store::Database> inner_;
    std::vector<std::size_t>& reads_;
};

class Changes : public EngineWorld {
protected:
    Changes() { open_counting(); }

    void open_counting() {
        store::SqlStoreOptions options;
        options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
            store::SqliteOptions sqlite;
            sqlite.path = folder_ + "/belfry.db";
            TRY_ASSIGN(auto database, store::open_sqlite(std::move(sqlite)));
            return std::unique_ptr<store::Database>(
                std::make_unique<CountingDatabase>(std::move(database), agent_reads_));
        };
        store_ = std::make_unique<store::SqlStore>(std::move(options), random_);
        engine_ = std::make_unique<engine::Engine>(*store_, random_, held_, options_);
        const auto opened = engine_->open(now_);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
    }
    void crash_and_open() {
        forget();
        open_counting();
    }

    void make_agent(const std::string& id, const std::string& kind = "", const std::string& user = "ada") {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = user;
        command->draft.kind = kind;
        ask(std::move(command));
    }
    // An agent whose making is told already.
    void settle_agent(const std::string& id, const std::string& kind = "") {
        make_agent(id, kind);
        live(base::seconds(1));
    }
    model::WakeSubscription watch(const std::string& agent, std::vector<std::string> tokens, base::Duration window = {},
                                  const std::string& predicate = {}, bool synced = false) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = agent;
        command->draft.tokens = std::move(tokens);
        command->draft.window = window;
        command->draft.predicate = predicate;
        command->draft.synced = synced;
        return ask(std::move(command));
    }
    void rename(const std::string& agent, const std::string& name) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = agent;
        command->patch.display_name = name;
        ask(std::move(command));
    }
    void set_goal(const std::string& agent, const std::string& goal) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = agent;
        command->state.slots = model::AgentSlots{};
        command->state.slots->primary_goal = goal;
        ask(std::move(command));
    }
    base::Result<model::AgentRecord> set_own_goal(const model::Wake& wake, const std::string& goal) {
        auto command = std::make_unique<ports::ChangeOwnState>();
        command->wake_id = wake.id;
        command->fence = wake.fence;
        command->state.slots = model::AgentSlots{};
        command->state.slots->primary_goal = goal;
        return try_to(std::move(command));
    }
    std::optional<ports::WakeGrant> claim(const std::string& agent) {
        live({});
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent};
        command->holder = "w";
        return ask(std::move(command)).grant;
    }
    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    void end(const model::Wake& wake, std::optional<model::RunError> error = {}) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = std::move(error);
        EXPECT_TRUE(try_to(std::move(command)).ok());
    }
    model::Wake wake_now(const std::string& agent, const std::string& request) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = agent;
        command->request_id = request;
        return ask(std::move(command)).wake;
    }
    // As time goes: whatever is due on the way is done when it is.
    void live(base::Duration span) {
        const base::Timestamp until = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= until) {
            now_ = std::max(now_, *engine_->next_due());
            engine_->tend(now_);
        }
        now_ = until;
    }

    template <class Ask>
    auto in_store(Ask ask) {
        EXPECT_TRUE(store_->begin().ok());
        auto answer = ask(store_->changes());
        EXPECT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
        EXPECT_TRUE(answer.ok());
        return std::move(answer).value();
    }
    std::string host() {
        const ports::Host here = in_store([](ports::ChangeTable& table) { return table.host(); });
        return here.device + "." + here.incarnation;
    }
    std::vector<model::Change> unbatched(const std::string& user = "ada", bool synced = false) {
        return in_store([&](ports::ChangeTable& table) { return table.unbatched_of(user, synced, 1000); });
    }
    std::uint64_t settled(const std::string& of) {
        const auto all = in_store([](ports::ChangeTable& table) { return table.settled(); });
        const auto at = all.find(of);
        return at == all.end() ? 0 : at->second;
    }
    model::AgentRecord agent(const std::string& id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agents().find(std::span(&id, 1));
        store_->rollback();
        return found.ok() && !found->empty() ? found->front() : model::AgentRecord{};
    }
    std::uint64_t processed(const std::string& id, const std::string& of) {
        const auto all = agent(id).state.processed_counter_by_host;
        const auto at = all.find(of);
        return at == all.end() ? 0 : static_cast<std::uint64_t>(at->second);
    }
    // What another device did, as it is recorded here when it comes.
    static model::Change foreign(std::uint64_t counter, const std::string& id) {
        model::Change change;
        change.unit = {"phone.1", counter, "agent", id};
        change.user_id = "ada";
        change.origin = {model::ChangeOrigin::Kind::sync, {}};
        change.tokens = {*model::ChangeToken::parse("key:agentChanged"), *model::ChangeToken::parse("id:" + id)};
        return change;
    }
    void receive(const std::vector<model::Change>& changes) {
        EXPECT_TRUE(store_->begin().ok());
        std::vector<model::Change> rows = changes;
        const auto last = store_->changes().last_number();
        EXPECT_TRUE(last.ok());
        std::int64_t number = *last;
        for (model::Change& row : rows) {
            row.number = ++number;
            row.changed_at = now_;
        }
        EXPECT_TRUE(store_->changes().add(rows).ok());
        EXPECT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
        crash_and_open();
    }

    std::vector<std::size_t> agent_reads_;
};

TEST_F(Changes, a_users_edit_is_recorded_with_it_and_wakes_who_watches_after_100_ms) {
    settle_agent("coach");
    settle_agent("pupil", "student");
    const auto rule = watch("coach", {"key:agentChanged"});
    rename("pupil", "Pip");
    const std::vector<model::Change> open = unbatched();
    ASSERT_EQ(open.size(), 1U) << "the state is as it was";
    EXPECT_EQ(open[0].unit.kind, "agent");
    EXPECT_EQ(open[0].unit.id, "pupil");
    EXPECT_EQ(open[0].unit.host, host());
    EXPECT_EQ(open[0].origin, model::ChangeOrigin{});
    EXPECT_EQ(open[0].clock.counter_of(host()), open[0].unit.counter);
    std::vector<std::string> tokens;
    for (const model::ChangeToken& token : open[0].tokens) tokens.push_back(model::to_text(token));
    EXPECT_EQ(tokens, (std::vector<std::string>{"key:agentChanged", "sub:agent/student", "id:pupil"}));
    live(base::milliseconds(99));
    EXPECT_FALSE(claim("coach"));
    live(base::milliseconds(1));
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->signals.size(), 1U);
    const std::string batch = rules::batch_id(std::vector{open[0].unit});
    EXPECT_EQ(granted->signals[0].kind, model::SignalKind::change);
    EXPECT_EQ(granted->signals[0].key, batch);
    EXPECT_EQ(granted->wake.run_key, rules::subscription_run_key("coach", base::format_uuid(rule.id.uuid), batch));
}

TEST_F(Changes, what_changes_nothing_is_no_change) {
    settle_agent("coach");
    rename("coach", "coach");
    EXPECT_TRUE(unbatched().empty());
}

TEST_F(Changes, those_of_one_moment_are_one_batch_and_one_run) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    watch("coach", {"id:pupil"});
    rename("pupil", "a");
    live(base::milliseconds(60));
    rename("pupil", "b");
    set_goal("pupil", "rest");
    live(base::milliseconds(40));
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->signals.size(), 2U) << "of two subscriptions";
    EXPECT_EQ(granted->signals[0].key, granted->signals[1].key);
    end(granted->wake);
    live(base::seconds(10));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Changes, only_its_persons_records_wake_an_agent) {
    settle_agent("coach");
    make_agent("others", "", "bob");
    live(base::seconds(1));
    watch("coach", {"key:agentChanged"});
    rename("others", "x");
    live(base::seconds(1));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Changes, tokens_match_without_any_changed_record_being_read) {
    settle_agent("coach");
    for (int i = 0; i < 5; ++i) settle_agent("p" + std::to_string(i), "student");
    watch("coach", {"sub:agent/student"});
    for (int i = 0; i < 5; ++i) rename("p" + std::to_string(i), "new");
    agent_reads_.clear();
    now_ = now_ + base::milliseconds(100);
    engine_->tend(now_);
    EXPECT_EQ(agent_reads_, std::vector<std::size_t>{1}) << "who is woken, and nobody else";
    ASSERT_TRUE(claim("coach"));
}

TEST_F(Changes, predicates_see_the_changed_records_which_are_read_in_one_go) {
    settle_agent("coach");
    settle_agent("idler");
    for (int i = 0; i < 5; ++i) settle_agent("p" + std::to_string(i), "student");
    watch("coach", {"key:agentChanged"}, {}, R"(agent.kind == "student" and agent.display_name == "new3")");
    watch("idler", {"key:agentStateChanged"}, {}, R"(agent_state.slots.primary_goal == "sleep")");
    for (int i = 0; i < 5; ++i) rename("p" + std::to_string(i), "new" + std::to_string(i));
    set_goal("p1", "run");
    agent_reads_.clear();
    now_ = now_ + base::milliseconds(100);
    engine_->tend(now_);
    EXPECT_EQ(agent_reads_, (std::vector<std::size_t>{2, 5})) << "those who watch, and all that was changed";
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    const auto changes = granted->signals.at(0).body.member("changes");
    ASSERT_TRUE(changes);
    EXPECT_NE(changes->text.find("\"p3\""), std::string_view::npos);
    EXPECT_EQ(changes->text.find("\"p2\""), std::string_view::npos) << "only what holds";
    EXPECT_FALSE(claim("idler"));
    set_goal("p1", "sleep");
    live(base::milliseconds(100));
    EXPECT_TRUE(claim("idler"));
}

TEST_F(Changes, an_agents_own_write_does_not_wake_it_and_a_users_edit_in_mid_run_wakes_it_once_more) {
    settle_agent("coach");
    watch("coach", {"key:agentStateChanged"});
    set_goal("coach", "begin");
    live(base::milliseconds(100));
    const auto first = claim("coach");
    ASSERT_TRUE(first);
    ASSERT_TRUE(set_own_goal(first->wake, "mine").ok());
    live(base::seconds(5));
    set_goal("coach", "theirs");
    ASSERT_TRUE(set_own_goal(first->wake, "mine again").ok());
    live(base::seconds(5));
    end(first->wake);
    const auto second = claim("coach");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->wake.signals, 1);
    end(second->wake);
    live(base::hours(1));
    EXPECT_FALSE(claim("coach"));
    EXPECT_EQ(set_own_goal(second->wake, "late").error().reason, "stale_claim");
}

TEST_F(Changes, an_agents_write_wakes_another_and_what_belfry_notes_of_runs_wakes_nobody) {
    settle_agent("a");
    settle_agent("b");
    watch("a", {"key:agentStateChanged", "key:agentChanged"});
    watch("b", {"key:agentStateChanged", "key:agentChanged"});
    wake_now("a", "r");
    const auto first = claim("a");
    ASSERT_TRUE(first);
    ASSERT_TRUE(set_own_goal(first->wake, "mine").ok());
    end(first->wake);
    live(base::milliseconds(100));
    const auto second = claim("b");
    ASSERT_TRUE(second);
    end(second->wake);
    live(base::hours(1));
    EXPECT_FALSE(claim("a"));
    EXPECT_FALSE(claim("b"));
}

TEST_F(Changes, synced_ones_are_collected_for_a_second_and_wake_only_who_asks_for_them) {
    settle_agent("here");
    settle_agent("both");
    watch("here", {"key:agentChanged"});
    watch("both", {"key:agentChanged"}, {}, {}, true);
    receive({foreign(1, "pupil")});
    live(base::milliseconds(999));
    EXPECT_FALSE(claim("both"));
    live(base::milliseconds(1));
    const auto granted = claim("both");
    ASSERT_TRUE(granted);
    model::Change local = foreign(1, "pupil");
    local.origin = {};
    EXPECT_EQ(granted->signals[0].key, rules::batch_id(std::vector{local.unit})) << "as its author has it";
    EXPECT_FALSE(claim("here"));
}

TEST_F(Changes, a_crash_before_the_batch_loses_none_and_makes_the_same_batch) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    rename("pupil", "a");
    const std::string batch = rules::batch_id(std::vector{unbatched().at(0).unit});
    crash_and_open();
    const auto granted = [&] {
        live(base::milliseconds(100));
        return claim("coach");
    }();
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->signals[0].key, batch);
    crash_and_open();
    live(base::minutes(2));
    EXPECT_EQ(granted->wake.run_key, claim("coach")->wake.run_key) << "the batch is not made twice";
}

TEST_F(Changes, a_clock_that_is_set_back_does_not_make_a_batch_wait) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    rename("pupil", "a");
    now_ = now_ - base::hours(2);
    engine_->clock_was_set_back(base::hours(2));
    live(base::milliseconds(100));
    EXPECT_TRUE(unbatched().empty());
    rename("pupil", "b");
    now_ = now_ - base::hours(2);
    crash_and_open();
    live(base::milliseconds(100));
    EXPECT_TRUE(unbatched().empty());
}

TEST_F(Changes, at_or_below_what_was_processed_wake_nobody) {
    settle_agent("coach");
    watch("coach", {"key:agentChanged"}, {}, {}, true);
    model::AgentRecord record = agent("coach");
    record.state.processed_counter_by_host["phone.1"] = 2;
    ASSERT_TRUE(store_->begin().ok());
    ASSERT_TRUE(store_->agents().put(std::span(&record, 1)).ok());
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    receive({foreign(1, "x"), foreign(2, "y")});
    live(base::seconds(2));
    EXPECT_FALSE(claim("coach"));
    receive({foreign(3, "z")});
    live(base::seconds(2));
    EXPECT_TRUE(claim("coach"));
}

TEST_F(Changes, what_was_processed_grows_after_a_run_that_went_well_and_no_other) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"id:pupil"});
    rename("pupil", "a");
    const std::uint64_t counter = unbatched().at(0).unit.counter;
    live(base::milliseconds(100));
    auto granted = claim("coach");
    ASSERT_TRUE(granted);
    EXPECT_EQ(processed("coach", host()), 0U);
    end(granted->wake, model::RunError{"t", "m"});
    EXPECT_EQ(processed("coach", host()), 0U);
    live(base::minutes(1));
    granted = claim("coach");
    ASSERT_TRUE(granted);
    end(granted->wake);
    EXPECT_GE(processed("coach", host()), counter);
    EXPECT_EQ(processed("coach", host()), settled(host()));
}

TEST_F(Changes, what_was_processed_never_passes_a_change_whose_job_has_not_ended) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"id:pupil"}, base::seconds(120));
    const model::Wake by_hand = wake_now("coach", "r");
    const auto running = claim("coach");
    ASSERT_TRUE(running);
    live(base::seconds(1));
    rename("pupil", "a");
    const std::uint64_t counter = unbatched().at(0).unit.counter;
    live(base::seconds(1));
    rename("coach", "b");
    live(base::seconds(1));
    EXPECT_GT(settled(host()), counter);
    end(running->wake);
    EXPECT_EQ(processed("coach", host()), counter - 1) << "its job waits";
    crash_and_open();
    wake_now("coach", "s");
    const auto folded = claim("coach");
    ASSERT_TRUE(folded);
    EXPECT_EQ(folded->signals.size(), 2U) << "what waited is done along with it";
    end(folded->wake);
    EXPECT_GT(processed("coach", host()), counter);
    const auto carried = in_store([](ports::ChangeTable& table) { return table.load_carried(); });
    EXPECT_TRUE(carried.empty());
}

TEST_F(Changes, what_was_processed_never_passes_a_gap) {
    settle_agent("coach");
    watch("coach", {"key:agentChanged"}, {}, {}, true);
    receive({foreign(1, "x"), foreign(3, "z")});
    live(base::seconds(1));
    auto granted = claim("coach");
    ASSERT_TRUE(granted);
    end(granted->wake);
    EXPECT_EQ(processed("coach", "phone.1"), 1U);
    receive({foreign(2, "y")});
    live(base::seconds(1));
    granted = claim("coach");
    ASSERT_TRUE(granted) << "what came late wakes all the same";
    end(granted->wake);
    EXPECT_EQ(processed("coach", "phone.1"), 3U);
}

TEST_F(Changes, of_somebody_who_is_erased_leave_no_word_and_no_gap) {
    settle_agent("coach");
    make_agent("bobs", "bobskind", "bob");
    erase_user("bob");
    live(base::seconds(1));
    EXPECT_TRUE(unbatched("bob").empty());
    rename("coach", "after");
    live(base::seconds(1));
    const std::string here = host();
    const auto last = in_store([&](ports::ChangeTable& table) { return table.last_counter(here); });
    EXPECT_EQ(settled(here), last);
}

TEST_F(Changes, that_are_old_and_told_are_dropped) {
    settle_agent("coach");
    rename("coach", "a");
    live(base::seconds(1));
    const auto skip = [&](base::Duration span) {
        now_ = now_ + span;
        live({});
    };
    skip(base::days(29));
    EXPECT_GT(in_store([](ports::ChangeTable& table) { return table.last_number(); }), 0);
    skip(base::days(2));
    EXPECT_EQ(in_store([](ports::ChangeTable& table) { return table.last_number(); }), 0);
    const std::uint64_t before = settled(host());
    crash_and_open();
    rename("coach", "b");
    EXPECT_EQ(unbatched().at(0).unit.counter, before + 1) << "counters are never given twice";
}

}  // namespace
}  // namespace belfry::sim
