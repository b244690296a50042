#include "codec/event_bodies.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/hash.hpp"
#include "base/limits.hpp"

namespace belfry::codec {
namespace {

using base::Code;

const std::string cloud = R"({"specversion":"1.0","id":"1","source":"s","type":"a.b"})";

EventBodies split(std::string_view type, std::string_view body) {
    auto bodies = split_events(type, body);
    EXPECT_TRUE(bodies.ok()) << bodies.error().message;
    return bodies.ok() ? std::move(*bodies) : EventBodies{};
}

base::Error refused(std::string_view type, std::string_view body) {
    auto bodies = split_events(type, body);
    EXPECT_FALSE(bodies.ok());
    return bodies.ok() ? base::Error{} : bodies.error();
}

TEST(SplitEvents, knows_the_form_by_content_type_and_first_byte) {
    EXPECT_EQ(split("application/json", " {} ").form, EventForm::single);
    EXPECT_EQ(split("", "[{}]").form, EventForm::array);
    EXPECT_EQ(split("application/x-www-form-urlencoded", "{}").form, EventForm::single) << "as `curl -d` has it";
    EXPECT_EQ(split("Application/JSON; charset=\"UTF-8\"", "{}").form, EventForm::single);
    EXPECT_EQ(split("application/x-ndjson", "{}").form, EventForm::ndjson);
    EXPECT_EQ(split("application/ndjson", "{}").form, EventForm::ndjson);
    EXPECT_EQ(split("application/jsonl;charset=utf-8", "{}").form, EventForm::ndjson);
    EXPECT_EQ(split("application/cloudevents+json", cloud).form, EventForm::cloudevent);
    EXPECT_EQ(split("application/cloudevents-batch+json", "[" + cloud + "]").form, EventForm::cloudevent_batch);
}

TEST(SplitEvents, refuses_other_media_types_and_charsets) {
    for (const char* type :
         {"text/plain", "application/xml", "application/json; charset=latin1", "json", "a/b/c", "/"}) {
        EXPECT_EQ(refused(type, "{}").code, Code::unsupported) << type;
    }
}

TEST(SplitEvents, gives_each_entry_of_an_array_its_own_result) {
    const EventBodies bodies =
        split("application/json", R"( [ {"type":"a.b"} , {"type":5} , 7 , {"tokens":[1],"x":{}} ,{"type":"c.d"}])");
    ASSERT_EQ(bodies.entries.size(), 5U);
    EXPECT_EQ(bodies.entries[0].event->type, "a.b");
    EXPECT_EQ(bodies.entries[0].bytes, R"({"type":"a.b"})");
    EXPECT_EQ(bodies.entries[1].event.error().field, "type");
    EXPECT_EQ(bodies.entries[2].event.error().code, Code::invalid);
    EXPECT_EQ(bodies.entries[2].event.error().field, "");
    EXPECT_EQ(bodies.entries[3].event.error().field, "tokens[0]");
    EXPECT_EQ(bodies.entries[4].event->type, "c.d");
}

TEST(SplitEvents, refuses_a_broken_array_as_a_whole) {
    const base::Error error = refused("application/json", "[{\"type\":\"a.b\"},\n{\"type\":]");
    EXPECT_EQ(error.code, Code::malformed);
    EXPECT_EQ(error.message, "line 2, column 9: this is no value");
    EXPECT_EQ(refused("application/json", "[{}] x").code, Code::malformed);
    EXPECT_EQ(refused("application/json", "").code, Code::malformed);
}

TEST(SplitEvents, refuses_what_is_neither_object_nor_array) {
    EXPECT_EQ(refused("", "\"text\"").code, Code::invalid);
    EXPECT_EQ(refused("", "nul").code, Code::malformed);
    EXPECT_EQ(refused("application/cloudevents-batch+json", cloud).code, Code::invalid);
}

TEST(SplitEvents, takes_the_good_lines_of_ndjson_and_names_the_bad_ones) {
    const EventBodies bodies =
        split("application/x-ndjson", "{\"type\":\"a.b\"}\r\n\n  \n{oops\n{\"type\":5}\n{\"type\":\"c.d\"}");
    ASSERT_EQ(bodies.entries.size(), 4U);
    EXPECT_TRUE(bodies.entries[0].event.ok());
    EXPECT_EQ(bodies.entries[1].event.error().message, "line 4, column 2: a name in quotes is expected");
    EXPECT_EQ(bodies.entries[2].event.error().field, "type");
    EXPECT_EQ(bodies.entries[3].event->type, "c.d");
}

TEST(SplitEvents, refuses_an_empty_batch) {
    EXPECT_EQ(refused("", "[]").code, Code::invalid);
    EXPECT_EQ(refused("application/x-ndjson", "\n \r\n").code, Code::invalid);
    EXPECT_EQ(refused("application/cloudevents-batch+json", "[ ]").code, Code::invalid);
}

TEST(SplitEvents, refuses_more_entries_than_a_request_may_have) {
    std::string array = "[{}";
    std::string lines = "{}\n";
    for (std::size_t i = 1; i < base::limits::event_batch_max; ++i) {
        array += ",{}";
        lines += "{}\n";
    }
    EXPECT_EQ(split("", array + "]").entries.size(), base::limits::event_batch_max);
    EXPECT_EQ(split("application/x-ndjson", lines).entries.size(), base::limits::event_batch_max);
    const base::Error error = refused("", array + ",{}]");
    EXPECT_EQ(error.code, Code::too_large);
    EXPECT_NE(error.message.find("1000"), std::string::npos);
    EXPECT_EQ(refused("application/x-ndjson", lines + "{}").code, Code::too_large);
}

TEST(SplitEvents, refuses_a_large_event_alone_and_only_that_entry_in_a_batch) {
    const std::string large = "{\"x\":\"" + std::string(base::limits::event_bytes_max, 'x') + "\"}";
    EXPECT_EQ(refused("", large).code, Code::too_large);
    const EventBodies bodies = split("", "[" + large + ",{}]");
    EXPECT_EQ(bodies.entries[0].event.error().code, Code::too_large);
    EXPECT_TRUE(bodies.entries[1].event.ok());
}

TEST(SplitEvents, takes_fingerprints_only_of_events_with_an_id) {
    const EventBodies bodies = split("", R"([{"id":"x"},{"type":"a.b"}])");
    EXPECT_EQ(bodies.entries[0].fingerprint, base::fingerprint(R"({"id":"x"})"));
    EXPECT_EQ(bodies.entries[1].fingerprint, (std::array<std::uint8_t, 16>{}));
}

TEST(SplitEvents, allows_an_event_in_a_batch_to_be_as_deep_as_alone) {
    const std::size_t inner = base::limits::json_depth_max - 2;
    const auto deep = [](std::size_t n) {
        return "{\"payload\":{\"x\":" + std::string(n, '[') + std::string(n, ']') + "}}";
    };
    EXPECT_TRUE(split_events("", deep(inner)).ok());
    EXPECT_TRUE(split_events("", "[" + deep(inner) + "]").ok());
    EXPECT_FALSE(split_events("", deep(inner + 1)).ok());
    EXPECT_FALSE(split_events("", "[" + deep(inner + 1) + "]").ok());
}

TEST(SplitEvents, reads_a_batch_of_cloudevents) {
    const EventBodies bodies = split("application/cloudevents-batch+json", "[" + cloud + ",{\"specversion\":\"0.3\"}]");
    ASSERT_EQ(bodies.entries.size(), 2U);
    EXPECT_EQ(bodies.entries[0].event->source_id, "1");
    EXPECT_EQ(bodies.entries[1].event.error().field, "specversion");
}

}  // namespace
}  // namespace belfry::codec
