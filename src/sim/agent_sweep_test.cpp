#include <set>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/timers.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// What agents leave behind goes when it is old, and nothing that is not.
namespace belfry::sim {
namespace {

namespace limits = base::limits;

class AgentSweep : public EngineWorld {
protected:
    AgentSweep() { open(); }

    bool make_agent(const std::string& id) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->principal = model::house_principal();
        const ports::CreateAgent* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->result().ok() && asked->result()->is_new;
    }
    void add_timer(const std::string& name, model::ScheduleWords schedule) {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = "coach";
        command->name = name;
        command->schedule = std::move(schedule);
        ask(std::move(command));
    }
    std::set<std::string> timers() {
        EXPECT_TRUE(store_->begin().ok());
        std::set<std::string> names;
        for (const char* const name : {"once", "stopped", "daily"}) {
            const auto found = store_->timers().find_name("coach", name);
            if (found.ok() && *found) names.insert(name);
        }
        store_->rollback();
        return names;
    }
    // A rule of the agent that was merged with the same rule of another device.
    void watch_with_note(const std::string& agent) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = agent;
        command->draft.types = {"ci.failed"};
        model::MergeNote note;
        note.kind = model::agent_subscription_kind;
        note.id = base::format_uuid(ask(std::move(command)).id.uuid);
        note.user_id = "ada";
        note.field = agent;
        ASSERT_TRUE(store_->begin().ok());
        note.number = *store_->sync().last_note() + 1;
        ASSERT_TRUE(store_->sync().add_notes(std::span(&note, 1)).ok());
        ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }
    std::multiset<std::string> noted_rules() {
        EXPECT_TRUE(store_->begin().ok());
        const auto notes = store_->sync().notes_of_kind(model::agent_subscription_kind);
        store_->rollback();
        std::multiset<std::string> fields;
        for (const model::MergeNote& note : *notes) fields.insert(note.field);
        return fields;
    }
    // A day at a time: whatever is due is done within it.
    void pass_days(int days) {
        for (int day = 0; day < days; ++day) pass(base::days(1));
    }
    void work_and_remember() {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "coach";
        wake->request_id = "r";
        ask(std::move(wake));
        auto claim = std::make_unique<ports::ClaimWake>();
        claim->agents = {"coach"};
        claim->holder = "w";
        const auto grant = ask(std::move(claim)).grant;
        ASSERT_TRUE(grant);
        for (int round = 0; round < 3; ++round) {
            auto say = std::make_unique<ports::AppendAgentMessages>();
            say->id = grant->wake.id;
            say->fence = grant->wake.fence;
            for (int i = 0; i < 100; ++i) {
                model::AgentMessage thought;
                thought.kind = model::AgentMessageKind::thought;
                thought.content = model::RawJson::trusted("\"" + std::string(i == 0 ? 20'000 : 1, 'x') + "\"");
                say->drafts.push_back(std::move(thought));
            }
            ask(std::move(say));
        }
    }
    // How much one agent remembers, and how many wakes there were.
    std::size_t remembered() {
        EXPECT_TRUE(store_->begin().ok());
        const auto wake = store_->wakes().find(1);
        const std::string thread = wake.ok() && *wake ? (*wake)->thread_id : thread_;
        const auto found = store_->agent_messages().newest(thread, 1000);
        store_->rollback();
        thread_ = thread;
        return found.ok() ? found->size() : 0;
    }
    // Edges between its messages, and to what lies apart.
    std::int64_t edges() {
        static constexpr store::Sql count{"SELECT count(*) FROM links"};
        std::int64_t found = -1;
        EXPECT_TRUE(store_->begin().ok());
        EXPECT_TRUE(store_->database().run(count, {}, [&](const store::Row& row) { found = row.number(0); }).ok());
        store_->rollback();
        return found;
    }
    std::string thread_;
};

TEST_F(AgentSweep, a_timer_that_was_to_fire_once_goes_90_days_after_it_did) {
    make_agent("coach");
    model::ScheduleWords once;
    once.kind = "at";
    once.at = now_ + base::hours(1);
    add_timer("once", once);
    once.at = now_ + base::days(400);
    add_timer("stopped", once);
    model::ScheduleWords daily;
    daily.kind = "daily";
    daily.time = "07:00";
    add_timer("daily", daily);
    pass_days(89);
    EXPECT_EQ(timers(), (std::set<std::string>{"daily", "once", "stopped"}));
    pass_days(3);
    EXPECT_EQ(timers(), (std::set<std::string>{"daily", "stopped"})) << "those that may fire stay";
}

TEST_F(AgentSweep, a_destroyed_agent_goes_after_90_days_with_all_that_it_remembered) {
    ASSERT_TRUE(make_agent("coach"));
    ASSERT_TRUE(make_agent("other"));
    work_and_remember();
    for (const std::string agent : {"coach", "other"}) watch_with_note(agent);
    ASSERT_EQ(noted_rules(), (std::multiset<std::string>{"coach", "other"}));
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "coach";
    ask(std::move(destroy));
    pass_days(89);
    EXPECT_FALSE(make_agent("coach")) << "its name is kept";
    EXPECT_EQ(remembered(), 300U);
    EXPECT_GT(edges(), 0);
    pass_days(3);
    for (int slice = 0; slice < 10; ++slice) pass(base::seconds(2));
    EXPECT_EQ(remembered(), 0U);
    EXPECT_EQ(edges(), 0);
    EXPECT_FALSE(make_agent("coach")) << "a device of a backup may still have it";
    EXPECT_FALSE(make_agent("other")) << "who lives stays";
    EXPECT_EQ(noted_rules(), std::multiset<std::string>{"other"}) << "and so do the notes of its merged rules";
}

}  // namespace
}  // namespace belfry::sim
