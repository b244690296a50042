#include "codec/event.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"

namespace belfry::codec {
namespace {

using base::Code;

base::Error refused(std::string_view json) {
    auto event = parse_event(json);
    EXPECT_FALSE(event.ok()) << json;
    return event.ok() ? base::Error{} : event.error();
}

TEST(ParseEvent, reads_every_member) {
    auto event = parse_event(R"({"id":"a-1","type":"tool.call.failure","source":"ci","severity":"error",
        "timestamp":"2026-11-15T08:30:00.25+01:00","payload":{ "x" : [1, 2] },"dedupe_key":"k","user_id":"u","session_id":"s",
        "run_id":7,"agent_id":"a","tokens":["t1","t\n2"]})");
    ASSERT_TRUE(event.ok()) << event.error().message;
    EXPECT_EQ(event->source_id, "a-1");
    EXPECT_EQ(event->type, "tool.call.failure");
    EXPECT_EQ(event->source, "ci");
    EXPECT_EQ(event->severity, model::Severity::error);
    EXPECT_EQ(base::format_timestamp(*event->timestamp), "2026-11-15T07:30:00.250Z");
    EXPECT_EQ(event->payload.bytes(), R"({"x":[1,2]})");
    EXPECT_EQ(event->dedupe_key, "k");
    EXPECT_EQ(event->user_id, "u");
    EXPECT_EQ(event->session_id, "s");
    EXPECT_EQ(event->run_id, 7);
    EXPECT_EQ(event->agent_id, "a");
    EXPECT_EQ(event->tokens, (std::vector<std::string>{"t1", "t\n2"}));
    EXPECT_EQ(event->extensions, "");
}

TEST(ParseEvent, leaves_open_what_is_left_out_or_null) {
    auto event = parse_event(
        R"({"type":"a.b","id":null,"severity":null,"timestamp":null,"payload":null,"run_id":null,"tokens":null})");
    ASSERT_TRUE(event.ok()) << event.error().message;
    EXPECT_FALSE(event->severity);
    EXPECT_FALSE(event->timestamp);
    EXPECT_EQ(event->payload.bytes(), "{}");
    EXPECT_EQ(event->run_id, 0);
    EXPECT_TRUE(event->source_id.empty());
}

TEST(ParseEvent, keeps_unknown_members_compacted_and_in_order) {
    auto event = parse_event("{\"b\" : [1, {\"c\":\" \"}],\"type\":\"a.b\",\n\"\\u0061\":null}");
    ASSERT_TRUE(event.ok());
    EXPECT_EQ(event->extensions, R"("b":[1,{"c":" "}],"\u0061":null)");
}

TEST(ParseEvent, refuses_a_value_of_another_kind_and_names_the_field) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"id":5})", "id"},
        {R"({"type":["a"]})", "type"},
        {R"({"source":{}})", "source"},
        {R"({"severity":"loud"})", "severity"},
        {R"({"severity":3})", "severity"},
        {R"({"timestamp":"yesterday"})", "timestamp"},
        {R"({"timestamp":1700000000})", "timestamp"},
        {R"({"payload":[]})", "payload"},
        {R"({"payload":"x"})", "payload"},
        {R"({"dedupe_key":true})", "dedupe_key"},
        {R"({"run_id":0})", "run_id"},
        {R"({"run_id":-1})", "run_id"},
        {R"({"run_id":1.5})", "run_id"},
        {R"({"run_id":"7"})", "run_id"},
        {R"({"run_id":9223372036854775808})", "run_id"},
        {R"({"tokens":"t"})", "tokens"},
        {R"({"tokens":["a",{"b":["c"]},"d"],"run_id":1})", "tokens[1]"},
    };
    for (const auto& [json, field] : cases) {
        const base::Error error = refused(json);
        EXPECT_EQ(error.code, Code::invalid) << json;
        EXPECT_EQ(error.field, field) << json;
    }
}

TEST(ParseEvent, refuses_a_member_that_stands_twice_known_or_not) {
    EXPECT_EQ(refused(R"({"payload":{},"payload":{}})"),
              base::error(Code::invalid, "this name stands twice in one object", "payload"));
    EXPECT_EQ(refused(R"({"x":1,"\u0078":2})").field, "x");
    EXPECT_TRUE(parse_event(R"({"payload":{"x":1,"x":2}})").ok());
}

TEST(ParseEvent, takes_its_own_output_back_as_the_same_event) {
    auto event = parse_event(
        R"({"id":"mine","type":"a.b","source":"s","severity":"info","timestamp":"2026-01-01T00:00:00Z","x":[1]})");
    ASSERT_TRUE(event.ok());
    std::string text;
    model::append_event_json(text, *event);
    auto again = parse_event(text);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->source_id, "mine");
    EXPECT_EQ(again->extensions, R"("x":[1])");
}

TEST(ParseEvent, refuses_what_is_no_object) {
    EXPECT_EQ(refused("[1]").code, Code::invalid);
    EXPECT_EQ(refused("{\"type\":\"a.b\"} 1").code, Code::malformed);
    EXPECT_EQ(refused("{\"type\":}").message, "line 1, column 9: this is no value");
    EXPECT_EQ(refused("").code, Code::malformed);
}

TEST(ParseEvent, tells_a_broken_text_from_a_wrong_kind_even_when_both_are_there) {
    EXPECT_EQ(refused(R"({"run_id":"x","type":"a)").code, Code::malformed);
}

TEST(ParseEvent, refuses_more_bytes_than_an_event_may_have) {
    const std::string frame = R"({"type":"a.b","payload":{"x":""}})";
    std::string fits = frame;
    fits.insert(frame.size() - 3, base::limits::event_bytes_max - frame.size(), 'x');
    EXPECT_TRUE(parse_event(fits).ok());
    fits.insert(frame.size() - 3, 1, 'x');
    EXPECT_EQ(refused(fits).code, Code::too_large);
}

TEST(ParseEvent, refuses_an_id_that_is_too_long) {
    EXPECT_TRUE(parse_event("{\"id\":\"" + std::string(base::limits::event_source_id_bytes_max, 'i') + "\"}").ok());
    EXPECT_EQ(refused("{\"id\":\"" + std::string(base::limits::event_source_id_bytes_max + 1, 'i') + "\"}").field,
              "id");
}

TEST(ParseEvent, keeps_no_more_tokens_than_the_rule_needs_to_refuse_them) {
    std::string text = "{\"tokens\":[\"\"";
    for (int i = 0; i < 10000; ++i) text += ",\"\"";
    auto event = parse_event(text + "]}");
    ASSERT_TRUE(event.ok());
    EXPECT_EQ(event->tokens.size(), base::limits::event_tokens_max + 1);
}

}  // namespace
}  // namespace belfry::codec
