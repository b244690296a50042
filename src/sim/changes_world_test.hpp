#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/agents.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/wake_key.hpp"
#include "sim/engine_world_test.hpp"

// Changes of records from their transaction to the agents that they wake, through the real engine and the real store,
// in time that the test gives. Only tests include it.
namespace belfry::sim {

// Counts the statements that read agents, or other tables whose names begin so, and how many rows each asks for.
class CountingDatabase final : public store::Database {
public:
    CountingDatabase(std::unique_ptr<store::Database> inner, const std::string& of, std::vector<std::size_t>& reads)
        : inner_(std::move(inner)), of_(of), reads_(reads) {}

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
        const bool is_read = text.starts_with("SELECT") && text.find("FROM " + of_) != std::string_view::npos;
        if (is_read) reads_.push_back(sets);
    }

    std::unique_ptr<store::Database> inner_;
    const std::string& of_;
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
                std::make_unique<CountingDatabase>(std::move(database), reads_of_, agent_reads_));
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

    std::string reads_of_ = "agents";
    std::vector<std::size_t> agent_reads_;
};

}  // namespace belfry::sim
