#include "rules/sync_bodies.hpp"

#include <gtest/gtest.h>

#include "rules/merge_record.hpp"
#include "rules/wake_key.hpp"

namespace belfry::rules {
namespace {

base::Uuid id_of(std::uint8_t last) {
    base::Uuid id;
    id.bytes = {1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, last};
    return id;
}

model::RawJson json(std::string text) {
    return model::RawJson::trusted(std::move(text));
}

model::Agent an_agent() {
    model::Agent agent;
    agent.id = "fixer";
    agent.user_id = "ada";
    agent.kind = "coach";
    agent.display_name = "The \"Fixer\"";
    agent.lifecycle = model::AgentLifecycle::dormant;
    agent.mode = model::AgentMode::autonomous;
    agent.allowed_category_ids = {"gym", "work"};
    agent.capabilities = {"memory_read"};
    agent.tool_policies = {{"*", model::ToolPolicy::ask}, {"create_task", model::ToolPolicy::run}};
    agent.config = {2, "m", "", json(R"({"acme.colour":"red"})")};
    agent.memory.hot_messages = 7;
    agent.memory.summarizer = model::Summarizer::rules;
    agent.workflow = model::WorkflowKind::script;
    agent.workflow_settings = json(R"({"steps":[]})");
    agent.state_id = id_of(1);
    agent.created_at = {17};
    return agent;
}

TEST(SyncBodies, an_agent_comes_back_as_it_was_without_what_is_its_states) {
    const model::Agent agent = an_agent();
    const model::RawJson body = agent_body(agent);
    EXPECT_FALSE(body.member("lifecycle"));
    model::Agent read;
    read.id = "fixer";
    read.lifecycle = agent.lifecycle;
    ASSERT_TRUE(read_agent_body(body.view(), read).ok());
    EXPECT_EQ(read, agent);
    EXPECT_EQ(agent_body(read), body);
}

TEST(SyncBodies, a_state_comes_back_with_the_lifecycle_of_its_agent) {
    model::Agent agent = an_agent();
    agent.destroyed_at = base::Timestamp{99};
    model::AgentState state;
    state.last_wake_at = base::Timestamp{5};
    state.sleep_until = base::Timestamp{6};
    state.recent_head_message_id = id_of(3);
    state.processed_counter_by_host = {{"a.1", 4}, {"b.2", 9}};
    state.slots.primary_goal = "run";
    state.slots.open_loop_ids = {"x", "y"};
    state.slots.preferences = {{"tone \"of\" voice", "dry"}, {"empty", ""}};
    const model::RawJson body = agent_state_body(agent, state);
    model::Agent read_agent;
    model::AgentState read;
    ASSERT_TRUE(read_agent_state_body(body.view(), read_agent, read).ok());
    EXPECT_EQ(read, state);
    EXPECT_EQ(read_agent.lifecycle, model::AgentLifecycle::dormant);
    EXPECT_EQ(read_agent.destroyed_at, agent.destroyed_at);
    EXPECT_EQ(agent_state_body(read_agent, read), body);
}

TEST(SyncBodies, a_preference_that_was_taken_away_is_null_as_long_as_its_stamp_is_known) {
    model::RecordKnowledge knowledge;
    knowledge.stamps["slot.preference.tone"] = {3, "a.1", 7};
    const model::RawJson body = agent_state_body({}, {}, knowledge);
    ASSERT_TRUE(body.member("slot.preference.tone"));
    EXPECT_EQ(body.member("slot.preference.tone")->text, "null");
    model::Agent agent;
    model::AgentState state;
    ASSERT_TRUE(read_agent_state_body(body.view(), agent, state).ok());
    EXPECT_TRUE(state.slots.preferences.empty());
}

TEST(SyncBodies, a_message_comes_back_with_all_that_was_said_and_not_its_place) {
    model::AgentMessage message;
    message.id = id_of(9);
    message.agent_id = "fixer";
    message.thread_id = "fixer:session:s";
    message.kind = model::AgentMessageKind::tool_result;
    message.position = 77;
    message.created_at = {5};
    message.prev_message_id = id_of(8);
    message.trigger_source_id = "t";
    message.tokens_approx = 12;
    message.metadata = {id_of(7), "op", model::ToolStatus::error, "E", "it broke", json(R"({"acme.x":1})")};
    message.tool_result = model::ResultEnvelope{{"task1"}, {"key:TASK"}};
    message.content = json(R"({"text":"no"})");
    const model::RawJson body = message_body(message);
    model::AgentMessage read;
    read.id = message.id;
    read.position = message.position;
    ASSERT_TRUE(read_message_body(body.view(), read).ok());
    EXPECT_EQ(read, message);
    EXPECT_EQ(body.bytes().find("77"), std::string::npos);
    EXPECT_TRUE(is_forgotten(forgotten_body().view()));
    EXPECT_FALSE(is_forgotten(body.view()));
}

TEST(SyncBodies, rules_and_timers_come_back) {
    model::WakeSubscription rule;
    rule.agent_id = "fixer";
    rule.tokens = {"key:TASK"};
    rule.window = base::seconds(3);
    rule.synced = true;
    model::WakeSubscription read_rule;
    ASSERT_TRUE(read_subscription_body(subscription_body(rule).view(), read_rule).ok());
    EXPECT_EQ(read_rule, rule);

    model::AgentTimer timer;
    timer.id = {id_of(0xab)};
    timer.agent_id = "fixer";
    timer.name = "morning";
    timer.schedule = {model::Daily{{7, 30}}, "Europe/Berlin"};
    timer.begun_at = {11};
    model::AgentTimer read;
    read.id = timer.id;
    ASSERT_TRUE(read_timer_body(timer_body(timer).view(), read).ok());
    EXPECT_EQ(read, timer);

    model::AgentTimer beside = timer;
    beside.name = timer_name_beside(timer.name, timer.id);
    EXPECT_NE(beside.name, timer.name);
    EXPECT_EQ(timer_body(beside), timer_body(timer));
    const model::RawJson dead = with_deleted_at(timer_body(timer), {44});
    EXPECT_TRUE(is_deleted(dead.view()));
    EXPECT_FALSE(is_deleted(timer_body(timer).view()));
}

TEST(SyncBodies, every_kind_of_the_journal_comes_back) {
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    plan.blocks = {{"b1", "gym", {1}, {2}, "warm up", ""}};
    plan.pinned_task_ids = {"t"};
    const std::vector<model::JournalBody> bodies{
        model::Category{"Gym", "#112233"},
        model::Entry{model::EntryType::workout, "", base::Timestamp{3}, {}, "", 60, "running", 5, {}, "", ""},
        model::Task{"Run", "", model::TaskStatus::blocked, model::TaskPriority::p0, "2026-11-17", 5, "de", {"l"}},
        model::ChecklistItem{"c", "shoes", true, 4},
        model::TimeEntry{"t", "", {1}, base::Timestamp{2}, ""},
        plan,
        model::Rating{model::RatingTarget::day, "2026-11-16", 4, "good"}};
    for (const model::JournalBody& one : bodies) {
        model::JournalRecord record;
        record.id = "r";
        record.user_id = "ada";
        record.category_id = "gym";
        record.created_at = {1};
        record.deleted_at = base::Timestamp{9};
        record.extension = json(R"({"acme.x":true})");
        record.body = one;
        model::JournalRecord read;
        read.id = record.id;
        read.user_id = record.user_id;
        read.body = model::empty_body(record.kind());
        ASSERT_TRUE(read_journal_body(journal_body(record).view(), read).ok());
        EXPECT_EQ(read, record);
    }
}

TEST(SyncBodies, what_is_none_names_its_field) {
    model::JournalRecord record;
    record.body = model::Task{};
    const auto wrong = read_journal_body(json(R"({"title":"x","status":"flying","priority":"p1"})").view(), record);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().field, "status");
    EXPECT_EQ(wrong.error().code, base::Code::invalid);
    EXPECT_FALSE(read_journal_body(json("[]").view(), record).ok());
    model::AgentMessage message;
    const auto foreign = read_message_body(
        json(R"({"agent_id":"a","thread_id":"b:run:1","kind":"thought","content":{}})").view(), message);
    ASSERT_FALSE(foreign.ok());
    EXPECT_EQ(foreign.error().field, "thread_id");
}

TEST(SyncBodies, a_plan_whose_block_is_none_names_the_blocks_field) {
    const auto field = [](std::string blocks) {
        model::JournalRecord record;
        record.body = model::DayPlan{};
        const auto read = read_journal_body(json(R"({"blocks":)" + std::move(blocks) + '}').view(), record);
        return read.ok() ? "none" : read.error().field;
    };
    EXPECT_EQ(field(R"([{"id":"b","start_at":1,"end_at":2}])"), "none");
    EXPECT_EQ(field(R"([{"id":"b","start_at":"soon","end_at":2}])"), "blocks.start_at");
    EXPECT_EQ(field(R"([{"id":"b"},{"id":7}])"), "blocks.id");
    EXPECT_EQ(field(R"(["b"])"), "blocks");
    EXPECT_EQ(field(R"({"id":"b"})"), "blocks");
}

TEST(SyncBodies, a_link_of_a_relation_that_belfry_makes_is_refused) {
    const auto field = [](std::string relation) {
        model::Link link;
        link.relation = std::move(relation);
        link.from_id = "t";
        link.to_id = "p";
        const model::SyncRecord record{
            std::string(model::link_kind), link_key(link.relation, "t", "p"), "ada", {}, link_body(link)};
        const auto checked = check_sync_body(record);
        return checked.ok() ? "none" : checked.error().field;
    };
    EXPECT_EQ(field("project"), "none");
    for (const std::string_view relation : model::agent_relations) EXPECT_EQ(field(std::string(relation)), "relation");
}

}  // namespace
}  // namespace belfry::rules
