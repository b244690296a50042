#include "text/notification_text.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "model/value_json.hpp"
#include "text/subscriber_templates.hpp"
#include "text/toon.hpp"
#include "text/utf8.hpp"

namespace belfry::text {
namespace {

constexpr std::string_view failure =
    R"({"id":"1","type":"tool.call.failure","source":"runner","severity":"error","timestamp":"2026-11-15T15:30:01Z",)"
    R"("payload":{"tool_name":"vault_search","error_message":"timed, out"}})";
constexpr std::string_view odd =
    R"({"id":"2","type":"disk.full","source":"disk","severity":"warning","count":"mine","payload":{"free":3}})";

NotificationInput input_of(std::vector<NotificationRow> rows) {
    NotificationInput input;
    input.subscriber_id = "mine";
    input.subscriber_name = "My Own";
    input.priority = model::Priority::high;
    input.inject_at = model::InjectAt::after_tool;
    input.severity = model::Severity::error;
    input.rows = std::move(rows);
    input.now = *base::parse_timestamp("2026-11-15T15:30:05Z");
    return input;
}

Template compiled(std::string_view source) {
    return std::move(Template::compile("mine.toon.j2", source, notification_template_options)).value();
}

TEST(NotificationText, a_template_sees_events_with_their_counts_and_the_notification) {
    const Template content = compiled(
        "{{ [event.count, events[1].count, events[1].times, events[0].follow_up, count, timestamp]|toon('a') }}\n"
        "{{ notification|toon('n') }}\n");
    const auto made = render_notification(input_of({{failure, 1}, {odd, 3}}), &content, nullptr);
    EXPECT_FALSE(made.used_fallback) << made.problem;
    EXPECT_EQ(made.content,
              "a[6]: 1,3,3,false,4,\"2026-11-15T15:30:05Z\"\n"
              "n:\n  subscriber: mine\n  name: My Own\n  priority: high\n  inject_at: after_tool\n  severity: error\n"
              "  follow_up: false\n  repeats: true");
}

TEST(NotificationText, a_follow_up_says_how_often_more) {
    const Template content = compiled("{{ events|map(attribute='times')|toon('times') }}");
    NotificationInput input = input_of({{failure, 2}, {odd, 1}});
    input.follow_up = true;
    const auto made = render_notification(input, &content, nullptr);
    EXPECT_EQ(made.content, "times[2]: 2 more times,1 more time");
    EXPECT_EQ(made.text, "My Own:\n- timed, out (2 more times)\n- {\"free\":3} (1 more time)");
}

TEST(NotificationText, without_a_template_the_content_is_a_table_of_type_source_and_message) {
    const auto made = render_notification(input_of({{failure, 1}, {odd, 1}}), nullptr, nullptr);
    EXPECT_TRUE(made.used_fallback);
    EXPECT_EQ(made.problem, "");
    EXPECT_EQ(made.content,
              "notifications[2]{type,source,message}:\n  tool.call.failure,runner,\"timed, out\"\n"
              "  disk.full,disk,\"{\\\"free\\\":3}\"");
    const auto again = render_notification(input_of({{failure, 3}}), nullptr, nullptr);
    EXPECT_EQ(again.content, "mine[1]{type,source,message,times}:\n  tool.call.failure,runner,\"timed, out\",3");
    EXPECT_EQ(again.text, "My Own: timed, out (3 times)");
}

TEST(NotificationText, a_template_that_fails_renders_nothing_or_no_toon_gives_way_and_says_why) {
    const auto problem_of = [](std::string_view source) {
        const Template content = compiled(source);
        const auto made = render_notification(input_of({{failure, 1}}), &content, nullptr);
        EXPECT_TRUE(made.used_fallback);
        EXPECT_TRUE(made.content.starts_with("mine[1]{type,source,message}:")) << made.content;
        return made.problem;
    };
    EXPECT_EQ(problem_of("{{ nope.x }}"), "mine.toon.j2:1:9: 'nope' is undefined");
    EXPECT_EQ(problem_of("{% if false %}x{% endif %}\n\n"), "mine.toon.j2: renders nothing");
    for (const char* blank :
         {" ", "   \n", "\n  \n", "\t", "{# a #} {# b #}", "{% if false %}x{% endif %} ", "\u00a0"}) {
        EXPECT_EQ(problem_of(blank), "mine.toon.j2: renders nothing") << blank;
    }
    for (const char* empty : {"# x", "# x\n# y", "\"  \""}) {
        EXPECT_EQ(problem_of(empty), "mine.toon.j2: renders nothing but comments or spaces") << empty;
    }
    EXPECT_TRUE(problem_of("a[2]: 1").starts_with("mine.toon.j2: no TOON: ")) << problem_of("a[2]: 1");
    EXPECT_EQ(problem_of("{% include 'none' %}"), "mine.toon.j2:1:4: there is no template 'none'");
}

TEST(NotificationText, a_text_template_that_fails_gives_way_to_the_plain_text) {
    const Template content = compiled("a: 1");
    const Template good = compiled("{{ event.payload.tool_name }} failed\n");
    const Template bad = compiled("{{ 1 / 0 }}");
    EXPECT_EQ(render_notification(input_of({{failure, 1}}), &content, &good).text, "vault_search failed");
    const auto made = render_notification(input_of({{failure, 1}}), &content, &bad);
    EXPECT_EQ(made.text, "My Own: timed, out");
    EXPECT_EQ(made.content, "a: 1");
    EXPECT_FALSE(made.used_fallback);
    EXPECT_NE(made.problem.find("division by zero"), std::string::npos);
    for (const char* blank : {" ", "\n \t\n", "\u200b"}) {
        const Template spaces = compiled(blank);
        EXPECT_EQ(render_notification(input_of({{failure, 1}}), &content, &spaces).text, "My Own: timed, out");
    }
}

TEST(NotificationText, a_long_message_is_whole_in_the_content_and_cut_between_characters_in_the_text) {
    std::string message;
    for (int i = 0; i < 40'000; ++i) message += "ä\n";
    std::string event = R"({"type":"a.b","source":"s","payload":{"message":)";
    model::append_json(event, model::Value::string(message));
    event += "}}";
    const auto made = render_notification(input_of({{event, 1}}), nullptr, nullptr);
    const auto read = toon_decode(made.content);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->find("mine")->items()[0].find("message")->text(), message);
    EXPECT_LE(made.text.size(), base::limits::notification_text_bytes_max);
    EXPECT_GT(made.text.size(), base::limits::notification_text_bytes_max - 8);
    EXPECT_TRUE(made.text.ends_with("…"));
    EXPECT_EQ(utf8_valid_prefix(made.text), made.text.size());
    EXPECT_EQ(made.text.find('\n'), std::string::npos);
}

std::string event_with(std::string_view member, const std::string& text, const std::string& source = "s") {
    std::string event = R"({"type":"a.b","source":)";
    model::append_json(event, model::Value::string(source));
    event.append(R"(,"payload":{")").append(member).append("\":");
    model::append_json(event, model::Value::string(text));
    return event + "}}";
}

TEST(NotificationText, a_content_beyond_its_bound_gives_way_to_the_fallback_with_its_messages_cut) {
    constexpr std::size_t most = base::limits::event_bytes_max;
    std::string cyrillic;
    for (int i = 0; i < 600'000; ++i) cyrillic += "я";
    const std::string event = event_with("note", cyrillic);
    const Template content = compiled("{{ {'payload': event.payload|json}|toon }}");
    const auto made = render_notification(input_of({{event, 1}, {failure, 2}}), &content, nullptr);
    ASSERT_TRUE(made.used_fallback);
    EXPECT_EQ(made.problem, "mine.toon.j2: renders more than 1048576 bytes as JSON");
    EXPECT_LE(made.content.size(), most);
    EXPECT_GT(made.content.size(), most / 3);
    const auto read = toon_decode(made.content);
    ASSERT_TRUE(read.ok());
    const auto& rows = read->find("notifications")->items();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].find("message")->text().ends_with("я…"));
    EXPECT_EQ(utf8_valid_prefix(made.content), made.content.size());
    EXPECT_EQ(rows[1].find("message")->text(), "timed, out");
    // Within the bound the template is used, to the byte.
    const Template fits = compiled("{{ 'a: ' ~ 'x' * " + std::to_string(most - 3) + " }}");
    const Template beyond = compiled("{{ 'a: ' ~ 'x' * " + std::to_string(most - 2) + " }}");
    EXPECT_EQ(render_notification(input_of({{failure, 1}}), &fits, nullptr).content.size(), most);
    EXPECT_TRUE(render_notification(input_of({{failure, 1}}), &beyond, nullptr).used_fallback);
    // What JSON must escape counts as it is written there.
    const Template quotes = compiled("{{ ('\"' * 300000)|toon('a') }}");
    EXPECT_TRUE(render_notification(input_of({{failure, 1}}), &quotes, nullptr).used_fallback);
}

TEST(NotificationText, rows_that_cannot_be_listed_at_all_are_counted) {
    const std::string event = event_with("message", "x", std::string(200, '\x01'));
    const auto made =
        render_notification(input_of(std::vector<NotificationRow>(1000, NotificationRow{event, 1})), nullptr, nullptr);
    EXPECT_EQ(made.content, "mine: 1000 events; too many to be listed");
    const auto many =
        render_notification(input_of(std::vector<NotificationRow>(200, NotificationRow{event, 1})), nullptr, nullptr);
    EXPECT_TRUE(many.content.starts_with("mine[200]{type,source,message}:")) << many.content.substr(0, 80);
}

TEST(SubscriberTemplates, a_broken_one_is_named_with_its_place_and_the_others_work) {
    model::Catalogue catalogue;
    catalogue.templates = {{"templates/good.j2", "a: {% include 'templates/part.j2' %}"},
                           {"templates/part.j2", "1"},
                           {"templates/bad.j2", "x\n{% if %}"}};
    catalogue.template_origins["templates/bad.j2"] = "/etc/bad.j2";
    model::Subscriber good;
    good.id = "good";
    good.template_name = "templates/good.j2";
    good.text_template = "fine";
    model::Subscriber bad = good;
    bad.id = "bad";
    bad.origin = "/etc/bad.toml";
    bad.template_name = "templates/bad.j2";
    bad.text_template = "{{ }";
    catalogue.subscribers = {bad, good};
    const SubscriberTemplates templates(catalogue);
    EXPECT_EQ(templates.content_of(bad), nullptr);
    EXPECT_EQ(templates.text_of(bad), nullptr);
    const auto made =
        render_notification(input_of({{failure, 1}}), templates.content_of(good), templates.text_of(good), &templates);
    EXPECT_EQ(made.content, "a: 1");
    EXPECT_EQ(made.text, "fine");
    ASSERT_EQ(templates.problems().size(), 2U);
    const model::SubscriberProblem& file = templates.problems()[0];
    EXPECT_EQ(file.file, "/etc/bad.j2");
    EXPECT_EQ(file.line, 2U);
    EXPECT_EQ(file.column, 7U);
    EXPECT_EQ(file.message, "expected an expression, got '%}'; the fallback text is used");
    EXPECT_FALSE(file.fatal);
    EXPECT_EQ(templates.problems()[1].file, "/etc/bad.toml");
    EXPECT_EQ(templates.problems()[1].field, "output.text");
    EXPECT_TRUE(templates.problems()[1].message.starts_with("line 1, column ")) << templates.problems()[1].message;
}

}  // namespace
}  // namespace belfry::text
