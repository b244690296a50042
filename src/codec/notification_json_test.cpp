#include "codec/notification_json.hpp"

#include <gtest/gtest.h>

#include "codec/session_json.hpp"

namespace belfry::codec {
namespace {

const base::Uuid some_id = *base::parse_uuid("018f0000-0000-7000-8000-000000000001");
const base::Uuid other_id = *base::parse_uuid("018f0000-0000-7000-8000-000000000002");
const base::Timestamp noon = *base::parse_timestamp("2026-11-15T12:00:00Z");

template <class Append>
std::string written(Append append) {
    std::string out;
    model::JsonWriter writer(out);
    append(writer);
    return out;
}

TEST(NotificationJson, a_fresh_notification_shows_what_it_has_not_as_null) {
    model::Notification notification;
    notification.id.uuid = some_id;
    notification.ordinal = 4;
    notification.scope.user_id = "ada";
    notification.subscriber_id = "tool_failure";
    notification.content = "tool_fail: \"a\nb\"";
    notification.text = "A tool failed";
    notification.events = {{{other_id}, 9, 3, "key"}};
    notification.model_tokens = 6;
    notification.created_at = noon;
    EXPECT_EQ(
        written([&](auto& writer) { append_notification(writer, notification); }),
        R"({"id":"018f0000-0000-7000-8000-000000000001","ordinal":4,"user_id":"ada","session_id":null,)"
        R"("agent_id":null,"subscriber":"tool_failure","priority":"normal","inject_at":"turn_start",)"
        R"("severity":"info","address":"session","target":"agent","handler":"system",)"
        R"("content":"tool_fail: \"a\nb\"","text":"A tool failed","directive":null,)"
        R"("events":[{"id":"018f0000-0000-7000-8000-000000000002","sequence":9,"count":3}],"follow_up":false,)"
        R"("tokens":6,"version":1,"created_at":"2026-11-15T12:00:00Z","state":"pending","outcome":null,)"
        R"("ended_at":null,"handed_to":null,"handle":null,"lease":1,"holder":null,"lease_until":null,"pull_id":null,)"
        R"("passed_over":0,"emitter":null,"deduplication_key":null,"tone_hint":null,"metadata":{},)"
        R"("ttl_s":null,"deadline":null,"depth":0,"caused_by":null,"follows":null,"retry_of":null,"seen_at":null,)"
        R"("acted_at":null,"dismissed_at":null,"narration":null,"used_tools":[],"answered_at":null})");
}

TEST(NotificationJson, one_that_was_handed_over_shows_who_has_it) {
    model::Notification notification;
    notification.state = model::DeliveryState::locked;
    notification.handed_to = "s1";
    notification.handle = 7;
    notification.lease = 2;
    notification.holder = "token:a";
    notification.lease_until = noon;
    notification.pull_id = some_id;
    const std::string json = written([&](auto& writer) { append_notification(writer, notification); });
    EXPECT_NE(
        json.find(
            R"("state":"locked","outcome":null,"ended_at":null,"handed_to":"s1","handle":"n7","lease":2,)"
            R"("holder":"token:a","lease_until":"2026-11-15T12:00:00Z","pull_id":"018f0000-0000-7000-8000-000000000001","passed_over":0,)"),
        std::string::npos)
        << json;
}

TEST(NotificationJson, one_that_was_emitted_shows_where_it_comes_from) {
    model::Notification notification;
    notification.emitter = "token:ci";
    notification.deduplication_key = "build";
    notification.tone_hint = "calm";
    notification.metadata = model::RawJson::trusted(R"({"a":1})");
    notification.ttl = base::seconds(60);
    notification.deadline = noon;
    notification.depth = 2;
    notification.caused_by = model::NotificationId{some_id};
    notification.seen_at = noon;
    notification.narration = "Done.";
    notification.used_tools = {"send_mail", "call"};
    notification.answered_at = noon;
    const std::string json = written([&](auto& writer) { append_notification(writer, notification); });
    EXPECT_TRUE(json.ends_with(
        R"("emitter":"token:ci","deduplication_key":"build","tone_hint":"calm","metadata":{"a":1},"ttl_s":60,)"
        R"("deadline":"2026-11-15T12:00:00Z","depth":2,"caused_by":"018f0000-0000-7000-8000-000000000001",)"
        R"("follows":null,"retry_of":null,"seen_at":"2026-11-15T12:00:00Z","acted_at":null,"dismissed_at":null,)"
        R"("narration":"Done.","used_tools":["send_mail","call"],"answered_at":"2026-11-15T12:00:00Z"})"))
        << json;
}

TEST(NotificationJson, an_item_of_an_inbox_is_what_an_interface_shows_and_what_became_of_it) {
    model::Notification notification;
    notification.id.uuid = some_id;
    notification.ordinal = 4;
    notification.scope.user_id = "ada";
    notification.created_at = noon;
    notification.dismissed_at = noon;
    const std::string json = written([&](auto& writer) { append_inbox_item(writer, notification); });
    EXPECT_TRUE(json.starts_with(R"({"id":"018f0000-0000-7000-8000-000000000001","session_id":null,"content":"",)"))
        << json;
    EXPECT_TRUE(json.ends_with(
        R"("timestamp":"2026-11-15T12:00:00Z","ordinal":4,"user_id":"ada","outcome":null,"ended_at":null,)"
        R"("seen_at":null,"acted_at":null,"dismissed_at":"2026-11-15T12:00:00Z","narration":null})"))
        << json;
}

TEST(SubscriberJson, a_subscriber_shows_its_file) {
    model::Subscriber subscriber;
    subscriber.id = "ci";
    subscriber.name = "CI";
    subscriber.description = "Builds";
    subscriber.version = "1.0.0";
    subscriber.types = {"ci.*"};
    subscriber.severity_min = model::Severity::error;
    subscriber.template_name = "templates/ci.toon.j2";
    subscriber.target = model::Target::user;
    subscriber.ttl = base::seconds(60);
    subscriber.origin = "ci.toml";
    EXPECT_EQ(
        written([&](auto& writer) { append_subscriber(writer, subscriber, false, "ada"); }),
        R"({"id":"ci","name":"CI","description":"Builds","version":"1.0.0","types":["ci.*"],)"
        R"("severity_filter":"error","sources":[],"priority":"normal","inject_at":"turn_start","core":false,)"
        R"("enabled":false,"core_reason":null,"user_id":"ada","visible":true,"window_ms":2000,"max_size":10,"dedupe_key":"type:source:payload.*",)"
        R"("dedupe_window_ms":5000,"template":"templates/ci.toon.j2","address":null,"target":"user",)"
        R"("handler":null,"ttl_s":60,"directive":null,"origin":"ci.toml"})");
}

TEST(SubscriberJson, a_core_one_is_enabled_whatever_was_said_and_what_is_not_known_is_null) {
    model::Subscriber subscriber;
    const auto json = [&](std::optional<bool> enabled) {
        return written([&](auto& writer) { append_subscriber(writer, subscriber, enabled); });
    };
    EXPECT_NE(json(std::nullopt).find(R"("enabled":null,"core_reason":null,"visible")"), std::string::npos);
    EXPECT_NE(json(true).find(R"("enabled":true)"), std::string::npos);
    subscriber.core = true;
    EXPECT_NE(json(false).find(R"("core":true,"enabled":true)"), std::string::npos);
    EXPECT_NE(json(std::nullopt).find(R"("enabled":true)"), std::string::npos);
}

TEST(SubscriberJson, a_problem_names_its_place) {
    const model::SubscriberProblem problem{"a.toml", 3, 7, "", "no \"id\"", false};
    EXPECT_EQ(written([&](auto& writer) { append_subscriber_problem(writer, problem); }),
              R"({"file":"a.toml","line":3,"column":7,"field":null,"message":"no \"id\"","fatal":false})");
}

TEST(SessionJson, a_session_shows_budget_and_progress) {
    model::Session session;
    session.id = "s1";
    session.user_id = "ada";
    session.metadata = model::RawJson::trusted(R"({"k":[1]})");
    session.budget.tokens = 50000;
    session.progress.turn = 3;
    session.progress.in_turn = true;
    session.progress.tokens_used = 42;
    session.progress.context_used = 7;
    session.progress.counting_since = noon;
    session.head.uuid = some_id;
    session.created_at = session.updated_at = noon;
    EXPECT_EQ(written([&](auto& writer) { append_session(writer, session); }),
              R"({"id":"s1","user_id":"ada","agent_id":null,"title":null,"metadata":{"k":[1]},)"
              R"("budget":{"tokens":50000,"iterations":null,"timeout_s":null,"context_tokens":null},)"
              R"("progress":{"turn":3,"in_turn":true,"tokens_used":42,"context_tokens":7,)"
              R"("counting_since":"2026-11-15T12:00:00Z"},"head":"018f0000-0000-7000-8000-000000000001",)"
              R"("last_turn_started_at":null,"last_turn_ended_at":null,"created_at":"2026-11-15T12:00:00Z",)"
              R"("updated_at":"2026-11-15T12:00:00Z"})");
}

TEST(SessionJson, a_node_holds_its_messages_and_its_system_messages) {
    model::ContextNode node;
    node.id.uuid = some_id;
    node.created_at = noon;
    node.system_messages = model::RawJson::trusted(R"([{"role":"system"}])");
    model::SessionMessage message;
    message.id.uuid = other_id;
    message.node = node.id;
    message.ordinal = 2;
    message.role = model::MessageRole::tool;
    message.content = "done";
    message.created_at = noon;
    EXPECT_EQ(written([&](auto& writer) { append_node(writer, node, {&message, 1}); }),
              R"({"id":"018f0000-0000-7000-8000-000000000001","parent_id":null,"created_at":"2026-11-15T12:00:00Z",)"
              R"("messages":[{"id":"018f0000-0000-7000-8000-000000000002",)"
              R"("node_id":"018f0000-0000-7000-8000-000000000001","ordinal":2,"role":"tool","content":"done",)"
              R"("metadata":{},"created_at":"2026-11-15T12:00:00Z"}],"system_messages":[{"role":"system"}]})");
    node.parent = model::NodeId{other_id};
    const std::string child = written([&](auto& writer) { append_node(writer, node, {}); });
    EXPECT_NE(child.find(R"("parent_id":"018f0000-0000-7000-8000-000000000002")"), std::string::npos);
}

}  // namespace
}  // namespace belfry::codec
