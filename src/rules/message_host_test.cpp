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

AgentMessage action_of(const std::string& host, const std::string& title) {
    AgentMessage message;
    message.kind = AgentMessageKind::action;
    message.agent_id = "coach";
    message.thread_id = "coach:run:1";
    message.metadata.operation_id = "op";
    message.action.emplace();
    message.content = RawJson::trusted(R"({"title":")" + title + R"("})");
    set_host(message, host);
    return message;
}

model::SyncRecord record_of(const AgentMessage& message) {
    return {"agent_message", "00000000-0000-8000-8000-000000000001", "ada", {}, message_body(message)};
}

TEST(MessageHost, is_written_into_actions_and_results_and_nothing_else) {
    AgentMessage message = action_of("a.1", "x");
    message.metadata.extension = RawJson::trusted(R"({"acme.x":1,"belfry.host":"forged"})");
    set_host(message, "b.2");
    EXPECT_EQ(message.metadata.extension.bytes(), R"({"acme.x":1,"belfry.host":"b.2"})");
    EXPECT_EQ(given_extension(message).bytes(), R"({"acme.x":1})");
    AgentMessage thought;
    thought.kind = AgentMessageKind::thought;
    set_host(thought, "b.2");
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

TEST(MessageHost, does_not_bring_back_what_was_forgotten) {
    model::SyncRecord forgotten = record_of(action_of("a.1", "a"));
    forgotten.body = forgotten_body();
    const model::SyncRecord great = record_of(action_of("b.1", "z"));
    EXPECT_EQ(merge_records(forgotten, great).record.body, forgotten.body);
    EXPECT_EQ(merge_records(great, forgotten).record.body, forgotten.body);
}

}  // namespace
}  // namespace belfry::rules
