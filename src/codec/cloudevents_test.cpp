#include "codec/cloudevents.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/limits.hpp"

namespace belfry::codec {
namespace {

using base::Code;

base::Result<model::Event> parse_cloudevent(std::string_view json) {
    TRY_ASSIGN(EventBodies bodies, split_events("application/cloudevents+json", json));
    return std::move(bodies.entries.at(0).event);
}

model::Event parsed(std::string_view members) {
    const std::string json =
        R"({"specversion":"1.0","id":"1","source":"/s","type":"a.b",)" + std::string(members) + "}";
    auto event = parse_cloudevent(json);
    EXPECT_TRUE(event.ok()) << json << event.error().message;
    return event.ok() ? std::move(*event) : model::Event{};
}

base::Error refused(std::string_view members) {
    auto event =
        parse_cloudevent(R"({"specversion":"1.0","id":"1","source":"/s","type":"a.b",)" + std::string(members) + "}");
    EXPECT_FALSE(event.ok()) << members;
    return event.ok() ? base::Error{} : event.error();
}

TEST(CloudEvent, maps_attributes_by_name) {
    const model::Event event = parsed(
        R"("time":"2026-11-15T08:30:00Z","severity":"warning","userid":"u","sessionid":"se","runid":12,"agentid":"ag","dedupekey":"k","data":{"x": 1})");
    EXPECT_EQ(event.source_id, "1");
    EXPECT_EQ(event.source, "/s");
    EXPECT_EQ(event.type, "a.b");
    EXPECT_EQ(base::format_timestamp(*event.timestamp), "2026-11-15T08:30:00Z");
    EXPECT_EQ(event.severity, model::Severity::warning);
    EXPECT_EQ(event.user_id, "u");
    EXPECT_EQ(event.session_id, "se");
    EXPECT_EQ(event.run_id, 12);
    EXPECT_EQ(event.agent_id, "ag");
    EXPECT_EQ(event.dedupe_key, "k");
    EXPECT_EQ(event.payload.bytes(), R"({"x":1})");
    EXPECT_EQ(event.extensions, "");
}

TEST(CloudEvent, wraps_data_that_is_no_object) {
    EXPECT_EQ(parsed(R"("data":[1, 2])").payload.bytes(), R"({"data":[1,2]})");
    EXPECT_EQ(parsed(R"("data":"t\n","datacontenttype":"text/plain")").payload.bytes(), R"({"data":"t\n"})");
    EXPECT_EQ(parsed(R"("data":5)").payload.bytes(), R"({"data":5})");
    EXPECT_EQ(parsed(R"("data":null)").payload.bytes(), "{}");
    EXPECT_EQ(parsed(R"("subject":"x")").payload.bytes(), "{}");
    EXPECT_EQ(parsed(R"("data_base64":"AQI=")").payload.bytes(), R"({"data_base64":"AQI="})");
}

TEST(CloudEvent, keeps_all_other_attributes) {
    EXPECT_EQ(
        parsed(
            R"("subject":"x","dataschema":"d","datacontenttype":"application/json","traceparent":"t","n": 5,"b":true,"gone":null)")
            .extensions,
        R"("subject":"x","dataschema":"d","datacontenttype":"application/json","traceparent":"t","n":5,"b":true)");
}

TEST(CloudEvent, keeps_attributes_that_are_called_like_an_events_members_apart) {
    model::Event event =
        parsed(R"("payload":1,"timestamp":"x","tokens":true,"severity":"info","time":"2026-01-01T00:00:00Z")");
    EXPECT_EQ(event.extensions, R"("ce_payload":1,"ce_timestamp":"x","ce_tokens":true)");
}

TEST(CloudEvent, takes_a_run_id_as_text_or_integer) {
    EXPECT_EQ(parsed(R"("runid":"34")").run_id, 34);
    for (const char* member : {R"("runid":"x")", R"("runid":"0")", R"("runid":-1)", R"("runid":1.5)", R"("runid":true)",
                               R"("runid":"5 ")"}) {
        EXPECT_EQ(refused(member).field, "runid") << member;
    }
}

TEST(CloudEvent, refuses_wrong_attributes_and_names_them) {
    EXPECT_EQ(refused(R"("time":"now")").field, "time");
    EXPECT_EQ(refused(R"("severity":"loud")").field, "severity");
    EXPECT_EQ(refused(R"("subject":5)").field, "subject");
    EXPECT_EQ(refused(R"("data":1,"data_base64":"AQI=")").field, "data_base64");
    EXPECT_EQ(refused(R"("data_base64":"AQI")").field, "data_base64");
    EXPECT_EQ(refused(R"("data_base64":"A=I=")").field, "data_base64");
    EXPECT_EQ(refused(R"("user_id":"u")").field, "user_id");
    EXPECT_EQ(refused(R"("traceParent":"u")").field, "traceParent");
    EXPECT_EQ(refused(R"("type":"c.d")").field, "type");
}

TEST(CloudEvent, demands_what_every_cloudevent_has) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"id":"1","source":"s","type":"a.b"})", "specversion"},
        {R"({"specversion":"0.3","id":"1","source":"s","type":"a.b"})", "specversion"},
        {R"({"specversion":"1.0","source":"s","type":"a.b"})", "id"},
        {R"({"specversion":"1.0","id":"","source":"s","type":"a.b"})", "id"},
        {R"({"specversion":"1.0","id":"1","type":"a.b"})", "source"},
        {R"({"specversion":"1.0","id":"1","source":"s"})", "type"},
    };
    for (const auto& [json, field] : cases) {
        auto event = parse_cloudevent(json);
        ASSERT_FALSE(event.ok()) << json;
        EXPECT_EQ(event.error().field, field);
        EXPECT_EQ(event.error().code, Code::invalid);
    }
    EXPECT_EQ(parse_cloudevent("{").error().code, Code::malformed);
}

std::vector<Header> headers(std::vector<Header> more = {}) {
    std::vector<Header> all{
        {"Host", "x"}, {"CE-SpecVersion", "1.0"}, {"ce-id", "1"}, {"Ce-Source", "/s"}, {"ce-type", "a.b"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(BinaryCloudEvent, is_known_by_its_version_header) {
    EXPECT_TRUE(is_binary_cloudevent(headers()));
    EXPECT_FALSE(is_binary_cloudevent(std::vector<Header>{{"ce-id", "1"}}));
}

TEST(BinaryCloudEvent, takes_attributes_from_headers_and_data_from_the_body) {
    const ParsedEntry entry = parse_binary_cloudevent(headers({{"ce-userid", "J%C3%BCrgen"},
                                                               {"ce-runid", "9"},
                                                               {"ce-subject", "\"a \\\"b\\\"%20c\""},
                                                               {"Content-Type", "application/json"}}),
                                                      "{\"x\": 1}");
    ASSERT_TRUE(entry.event.ok()) << entry.event.error().message;
    EXPECT_EQ(entry.event->source_id, "1");
    EXPECT_EQ(entry.event->user_id, "J\xC3\xBCrgen");
    EXPECT_EQ(entry.event->run_id, 9);
    EXPECT_EQ(entry.event->payload.bytes(), R"({"x":1})");
    EXPECT_EQ(entry.event->extensions, R"("subject":"a \"b\" c","datacontenttype":"application/json")");
}

TEST(BinaryCloudEvent, reads_the_body_by_its_content_type) {
    const auto payload = [](const char* type, std::string_view body) {
        const ParsedEntry entry = parse_binary_cloudevent(headers({{"content-type", type}}), body);
        return entry.event.ok() ? entry.event->payload.bytes() : base::code_name(entry.event.error().code);
    };
    EXPECT_EQ(payload("application/json; charset=utf-8", "[1, 2]"), R"({"data":[1,2]})");
    EXPECT_EQ(payload("application/vnd.x+json", "5"), R"({"data":5})");
    EXPECT_EQ(payload("text/plain", "a\"b"), R"({"data":"a\"b"})");
    EXPECT_EQ(payload("application/xml", "<a/>"), R"({"data":"<a/>"})");
    EXPECT_EQ(payload("image/png", "\x01\x02"), R"({"data_base64":"AQI="})");
    EXPECT_EQ(payload("image/png", ""), "{}");
    EXPECT_EQ(payload("", "{\"x\":1}"), R"({"x":1})");
    EXPECT_EQ(payload("application/json", "{"), "malformed");
    EXPECT_EQ(payload("text/plain", "\xFF"), "malformed");
    EXPECT_EQ(payload("text/plain; charset=latin1", "a"), "unsupported");
}

TEST(BinaryCloudEvent, is_measured_as_the_json_that_its_readers_get) {
    constexpr std::size_t most = base::limits::event_bytes_max;
    const auto code = [](const char* type, std::size_t bytes, char of) {
        const ParsedEntry entry = parse_binary_cloudevent(headers({{"content-type", type}}), std::string(bytes, of));
        return std::string(entry.event.ok() ? "taken" : base::code_name(entry.event.error().code));
    };
    EXPECT_EQ(code("text/plain", most - 100, 'a'), "taken");
    EXPECT_EQ(code("text/plain", most, 'a'), "too_large");
    EXPECT_EQ(code("text/plain", most / 6 - 100, '\x1b'), "taken");
    EXPECT_EQ(code("text/plain", most / 6, '\x1b'), "too_large");
    EXPECT_EQ(code("image/png", most / 4 * 3 - 100, '\0'), "taken");
    EXPECT_EQ(code("image/png", most / 4 * 3, '\0'), "too_large");
}

TEST(BinaryCloudEvent, refuses_bad_headers) {
    const auto field = [](Header header) {
        const ParsedEntry entry = parse_binary_cloudevent(headers({header}), "");
        return entry.event.ok() ? std::string("accepted") : entry.event.error().field;
    };
    EXPECT_EQ(field({"ce-userid", "100%"}), "userid");
    EXPECT_EQ(field({"ce-userid", "%4"}), "userid");
    EXPECT_EQ(field({"ce-userid", "%zz"}), "userid");
    EXPECT_EQ(field({"ce-userid", "%FF"}), "userid");
    EXPECT_EQ(field({"ce-userid", "\xFF"}), "userid");
    EXPECT_EQ(field({"ce-user-id", "u"}), "user-id");
    EXPECT_EQ(field({"ce-id", "2"}), "ce-id");
    EXPECT_EQ(field({"ce-data", "2"}), "data");
    EXPECT_EQ(field({"ce-userid", "%41"}), "accepted");
}

TEST(BinaryCloudEvent, has_one_fingerprint_whatever_the_order_of_its_headers) {
    auto forward = headers({{"ce-x", "1"}, {"Date", "today"}});
    auto backward = std::vector<Header>(forward.rbegin(), forward.rend());
    const auto print = parse_binary_cloudevent(forward, "5").fingerprint;
    EXPECT_EQ(parse_binary_cloudevent(backward, "5").fingerprint, print);
    EXPECT_NE(parse_binary_cloudevent(forward, "6").fingerprint, print);
    EXPECT_NE(parse_binary_cloudevent(headers({{"ce-x", "2"}}), "5").fingerprint, print);
}

}  // namespace
}  // namespace belfry::codec
