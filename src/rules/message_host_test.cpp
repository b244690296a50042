#include "rules/message_host.hpp"

#include <gtest/gtest.h>

#include "rules/merge_record.hpp"
#include "rules/message_fork.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::RawJson;

AgentMessage action_of(const std::string& host, const std::string& title,
                       CallOutcome outcome = CallOutcome::succeeded) {
    AgentMessage message;
    message.kind = AgentMessageKind::action;
    message.agent_id = "coach";
    message.thread_id = "coach:run:1";
    message.metadata.operation_id = "op";
    message.action.emplace();
    message.content = RawJson::trusted(R"({"title":")" + title + R"("})");
    set_host(message, host, outcome);
    return message;
}

model::SyncRecord record_of(const AgentMessage& message) {
    return {"agent_message", "00000000-0000-8000-8000-000000000001", "ada", {}, message_body(message)};
}

TEST(MessageHost, is_written_into_actions_and_results_and_nothing_else) {
    AgentMessage message = action_of("a.1", "x");
    message.metadata.extension = RawJson::trusted(R"({"acme.x":1,"belfry.host":"forged"})");
    set_host(message, "b.2", CallOutcome::succeeded);
    EXPECT_EQ(message.metadata.extension.bytes(), R"({"acme.x":1,"belfry.host":"b.2"})");
    EXPECT_EQ(given_extension(message).bytes(), R"({"acme.x":1})");
    set_host(message, "b.2", CallOutcome::failed_or_open);
    EXPECT_EQ(message.metadata.extension.bytes(), R"({"acme.x":1,"belfry.tried_on":"b.2"})");
    EXPECT_EQ(given_extension(message).bytes(), R"({"acme.x":1})");
    AgentMessage thought;
    thought.kind = AgentMessageKind::thought;
    set_host(thought, "b.2", CallOutcome::succeeded);
    EXPECT_EQ(thought.metadata.extension, RawJson());
}

TEST(MessageHost, decides_which_of_two_messages_of_one_operation_all_devices_keep) {
    const model::SyncRecord small = record_of(action_of("a.1", "a"));
    const model::SyncRecord great = record_of(action_of("b.1", "z"));
    EXPECT_EQ(merge_records(small, great).record.body, great.body);
    EXPECT_EQ(merge_records(great, small).record.body, great.body);
    const model::SyncRecord nobodys = record_of(action_of("", "0"));
    EXPECT_EQ(merge_records(nobodys, small).record.body, small.body);
    EXPECT_EQ(merge_records(small, nobodys).record.body, small.body);
}

TEST(MessageHost, of_a_success_and_a_failure_the_success_is_kept) {
    const model::SyncRecord made = record_of(action_of("a.1", "a"));
    const model::SyncRecord failed = record_of(action_of("b.1", "b", CallOutcome::failed_or_open));
    EXPECT_EQ(merge_records(made, failed).record.body, made.body);
    EXPECT_EQ(merge_records(failed, made).record.body, made.body);
    const model::SyncRecord other = record_of(action_of("a.1", "0", CallOutcome::failed_or_open));
    EXPECT_EQ(merge_records(other, failed).record.body, failed.body) << "of two failures that of the greater host";
}

TEST(MessageHost, an_action_has_the_outcome_of_its_result) {
    std::vector<AgentMessage> batch{action_of("", "a"), {}};
    EXPECT_EQ(outcome_in(std::span(batch).first(1), batch[0]), CallOutcome::failed_or_open) << "it is not known yet";
    batch[0].id = *base::parse_uuid("00000000-0000-8000-8000-000000000001");
    batch[1].id = *base::parse_uuid("00000000-0000-8000-8000-000000000002");
    batch[1].kind = AgentMessageKind::tool_result;
    batch[1].metadata.action_ref_id = batch[0].id;
    batch[1].metadata.status = model::ToolStatus::error;
    EXPECT_EQ(outcome_in(batch, batch[0]), CallOutcome::failed_or_open);
    EXPECT_EQ(outcome_in(batch, batch[1]), CallOutcome::failed_or_open);
    batch[1].metadata.status = model::ToolStatus::partial;
    EXPECT_EQ(outcome_in(batch, batch[0]), CallOutcome::succeeded) << "it has changed something";
    batch[1].metadata.status = model::ToolStatus::success;
    EXPECT_EQ(outcome_in(batch, batch[0]), CallOutcome::succeeded);
    EXPECT_EQ(outcome_in(batch, batch[1]), CallOutcome::succeeded);
}

TEST(MessageHost, does_not_bring_back_what_was_forgotten) {
    model::SyncRecord forgotten = record_of(action_of("a.1", "a"));
    forgotten.body = forgotten_body();
    const model::SyncRecord great = record_of(action_of("b.1", "z"));
    EXPECT_EQ(merge_records(forgotten, great).record.body, forgotten.body);
    EXPECT_EQ(merge_records(great, forgotten).record.body, forgotten.body);
}

}  // namespace
}  // namespace belfry::rules
