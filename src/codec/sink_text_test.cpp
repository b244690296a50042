#include "codec/sink_text.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "codec/json.hpp"

namespace belfry::codec {
namespace {

model::Notification one() {
    model::Notification one;
    one.id.uuid = *base::parse_uuid("01890a5d-ac96-774b-bcce-b302099a8057");
    one.scope.user_id = "a\"da";
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.priority = model::Priority::high;
    one.severity = model::Severity::error;
    one.text = "The build failed";
    one.content = "build: failed";
    one.created_at = *base::parse_timestamp("2026-01-02T03:04:05Z");
    return one;
}

TEST(SinkText, the_title_is_the_emitters_or_says_who_speaks) {
    model::Notification made = one();
    EXPECT_EQ(sink_title(made), "Belfry");
    made.emitter = "peer:1000";  // through the socket
    EXPECT_EQ(sink_title(made), "Belfry");
    made.emitter = "ci";
    EXPECT_EQ(sink_title(made), "ci");
    made.subscriber_id = "tool_failure";
    EXPECT_EQ(sink_title(made), "tool_failure");
    made.metadata = model::RawJson::trusted(R"({"title":"Two\nlines"})");
    EXPECT_EQ(sink_title(made), "Two lines");
    made.metadata = model::RawJson::trusted(R"({"title":7})");
    EXPECT_EQ(sink_title(made), "tool_failure");
}

TEST(SinkText, a_long_text_is_cut_between_characters) {
    model::Notification made = one();
    made.text.clear();
    EXPECT_EQ(sink_text(made), "build: failed");
    made.text = "x";
    while (made.text.size() < base::limits::sink_text_bytes_max + 10) made.text += "é";
    const std::string cut = sink_text(made);
    EXPECT_TRUE(cut.ends_with("é…"));
    EXPECT_LE(cut.size(), base::limits::sink_text_bytes_max + 3);
}

TEST(SinkText, bodies_are_json_and_name_whose_it_is) {
    const auto webhook = validate(webhook_body(one()));
    ASSERT_TRUE(webhook.ok()) << webhook.error().message;
    EXPECT_EQ(webhook->member("type")->as_text(), "notification");
    EXPECT_EQ(webhook->member("timestamp")->as_text(), "2026-01-02T03:04:05Z");
    EXPECT_EQ(webhook->member("data")->member("user_id")->as_text(), "a\"da");
    EXPECT_EQ(webhook->member("data")->member("text")->as_text(), "The build failed");
    EXPECT_EQ(ntfy_body(one(), "bell"),
              R"({"topic":"bell","title":"Belfry","message":"The build failed","priority":4,"tags":["error"]})");
}

}  // namespace
}  // namespace belfry::codec
