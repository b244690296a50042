#include "rules/admit.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "rules/known_types.hpp"

namespace belfry::rules {
namespace {

using model::Event;
using model::RawJson;
using model::Severity;

constexpr base::Timestamp now{1'700'000'000'000'000};

Event event(std::string type, std::string payload = "{}") {
    Event made;
    made.type = std::move(type);
    made.source = "tests";
    made.payload = RawJson::trusted(std::move(payload));
    return made;
}

std::string field_at_fault(Event made) {
    const auto result = admit(made, now);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.error().field;
}

TEST(Admit, fills_in_what_the_producer_left_out) {
    Event made = event("ci.failed");
    ASSERT_TRUE(admit(made, now).ok());
    EXPECT_EQ(made.severity, Severity::info);
    EXPECT_EQ(made.timestamp, now);
    EXPECT_EQ(made.dedupe_key, "ci.failed:tests");
}

TEST(Admit, keeps_what_the_producer_said) {
    Event made = event("ci.failed");
    made.severity = Severity::critical;
    made.timestamp = base::Timestamp{5};
    made.dedupe_key = "mine";
    ASSERT_TRUE(admit(made, now).ok());
    EXPECT_EQ(made.severity, Severity::critical);
    EXPECT_EQ(made.timestamp, base::Timestamp{5});
    EXPECT_EQ(made.dedupe_key, "mine");
}

TEST(Admit, gives_a_known_type_its_own_severity) {
    Event made =
        event("tool.call.failure", R"({"tool_name":"t","call_id":"c","error_type":"timeout","error_message":"m"})");
    ASSERT_TRUE(admit(made, now).ok());
    EXPECT_EQ(made.severity, Severity::error);
}

TEST(Admit, names_the_field_that_is_wrong) {
    EXPECT_EQ(field_at_fault(event("")), "type");
    EXPECT_EQ(field_at_fault(event("one")), "type");
    Event no_source = event("a.b");
    no_source.source.clear();
    EXPECT_EQ(field_at_fault(no_source), "source");
    Event long_user = event("a.b");
    long_user.user_id = std::string(base::limits::scope_id_bytes_max + 1, 'u');
    EXPECT_EQ(field_at_fault(long_user), "user_id");
    Event escape = event("a.b");
    escape.session_id = "s\x1b[2J";
    EXPECT_EQ(field_at_fault(escape), "session_id");
    Event run = event("a.b");
    run.run_id = -1;
    EXPECT_EQ(field_at_fault(run), "run_id");
    Event tokens = event("a.b");
    tokens.tokens.assign(base::limits::event_tokens_max + 1, "t");
    EXPECT_EQ(field_at_fault(tokens), "tokens");
}

TEST(Admit, checks_the_payload_of_known_types) {
    EXPECT_EQ(field_at_fault(event("tool.call.failure", R"({"tool_name":"t"})")), "payload.call_id");
    EXPECT_EQ(field_at_fault(event("tool.call.failure", R"({"tool_name":3})")), "payload.tool_name");
    EXPECT_EQ(field_at_fault(event("budget.token.exceeded", R"({"current":"5","limit":4})")), "payload.current");
    EXPECT_EQ(field_at_fault(
                  event("tool.call.failure",
                        R"({"tool_name":"t","call_id":"c","error_type":"e","error_message":"m","retry_count":"x"})")),
              "payload.retry_count")
        << "an optional field has its kind too";
    EXPECT_EQ(field_at_fault(event("cli.event", R"(["event_name"])")), "payload.event_name");
}

TEST(Admit, finds_fields_of_the_payload_whose_names_are_escaped) {
    Event made = event("cli.event", R"({"event\u005fname":"e"})");
    EXPECT_TRUE(admit(made, now).ok());
    EXPECT_EQ(field_at_fault(event("cli.event", R"({"event\u005fname":3})")), "payload.event_name");
    EXPECT_EQ(field_at_fault(event("cli.event", R"({"eventname\u005f":"e"})")), "payload.event_name");
}

TEST(Admit, takes_no_blank_agent) {
    Event made = event("ci.failed");
    made.agent_id = "  ";
    const auto blank = admit(made, now);
    ASSERT_FALSE(blank.ok());
    EXPECT_EQ(blank.error().field, "agent_id");
    EXPECT_EQ(blank.error().message, "agent_id must not be blank");
    made.agent_id = " fixer";
    EXPECT_TRUE(admit(made, now).ok());
}

TEST(Admit, takes_a_known_type_whose_optional_fields_are_absent_or_null) {
    Event made = event("cli.event", R"({"event_name":"e","data":null})");
    EXPECT_TRUE(admit(made, now).ok());
}

TEST(Admit, leaves_the_payload_of_unknown_types_alone) {
    Event made = event("my.own.type", R"({"tool_name":3})");
    EXPECT_TRUE(admit(made, now).ok());
}

TEST(KnownTypes, are_all_found_by_their_names) {
    for (const KnownType& known : known_types()) EXPECT_EQ(find_known_type(known.type), &known) << known.type;
    EXPECT_EQ(find_known_type("tool.call.other"), nullptr);
}

}  // namespace
}  // namespace belfry::rules
