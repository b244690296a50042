#include "codec/subscriber.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

// The least that a file must say, with room for one more line in each table.
struct File {
    std::string id = "id = \"mine\"";
    std::string name = "name = \"Mine\"";
    std::string description = "description = \"What it does\"";
    std::string version = "version = \"1.0.0\"";
    std::string types = "types = [\"a.b\"]";
    std::string events = {};
    std::string batching = {};
    std::string output = {};
    std::string routing = {};
    std::string rest = {};

    [[nodiscard]] std::string text() const {
        return "[subscriber]\n" + id + '\n' + name + '\n' + description + '\n' + version + "\n[events]\n" + types +
               '\n' + events + "\n[batching]\n" + batching + "\n[output]\n" + output + "\n[routing]\n" + routing +
               '\n' + rest;
    }
};

// Every problem in a line, but for the file's name.
std::string problems(const File& file) {
    std::string lines;
    for (const auto& problem : parse_subscriber(file.text(), "f").problems) {
        const std::string line = problem_line(problem);
        EXPECT_TRUE(line.starts_with("f:")) << line;
        lines += (lines.empty() ? "" : "\n") + line.substr(line.starts_with("f: ") ? 3 : 2);
    }
    return lines;
}

TEST(Subscriber, every_field_is_read) {
    const auto parsed = parse_subscriber(
        "[subscriber]\nid = \"tool_failure\"\nname = \"Tool Failures\"\ndescription = \"d\"\nversion = \"1.20.3\"\n"
        "[events]\ntypes = [\"tool.call.failure\", \"x.*\"]\nseverity_filter = \"warning\"\nsources = [\"ci\"]\n"
        "[batching]\nwindow_ms = 0\nmax_size = 100\ndedupe_key = \"type:payload.tool_name\"\ndedupe_window_ms = 60000\n"
        "[output]\npriority = \"critical\"\ninject_at = \"immediate\"\ntemplate = \"templates/a-b.toon.j2\"\n"
        "core = true\nvisible = false\ntext = \"{{ count }}\"\npriority_from = \"priority\"\ninject_from = "
        "\"deliver_at\"\n"
        "[routing]\naddress = \"user\"\ntarget = \"user\"\nhandler = \"agent\"\nttl_s = 60\ndirective = \"Be "
        "brief.\"\n",
        "/x/tool.toml");
    ASSERT_TRUE(parsed.problems.empty()) << problem_line(parsed.problems[0]);
    model::Subscriber expected;
    expected.id = "tool_failure";
    expected.name = "Tool Failures";
    expected.description = "d";
    expected.version = "1.20.3";
    expected.types = {"tool.call.failure", "x.*"};
    expected.severity_min = model::Severity::warning;
    expected.sources = {"ci"};
    expected.window = base::milliseconds(0);
    expected.max_size = 100;
    expected.dedupe_key = "type:payload.tool_name";
    expected.dedupe_window = base::milliseconds(60'000);
    expected.priority = model::Priority::critical;
    expected.inject_at = model::InjectAt::immediate;
    expected.template_name = "templates/a-b.toon.j2";
    expected.text_template = "{{ count }}";
    expected.priority_from = "priority";
    expected.inject_from = "deliver_at";
    expected.core = true;
    expected.visible = false;
    expected.address = model::Address::user;
    expected.target = model::Target::user;
    expected.handler = model::Handler::agent;
    expected.ttl = base::seconds(60);
    expected.directive = "Be brief.";
    expected.origin = "/x/tool.toml";
    EXPECT_EQ(parsed.subscriber, expected);
}

TEST(Subscriber, what_is_left_out_has_its_default) {
    const auto parsed = parse_subscriber(File{}.text(), "f");
    EXPECT_TRUE(parsed.problems.empty());
    EXPECT_EQ(parsed.subscriber.window, base::milliseconds(2000));
    EXPECT_EQ(parsed.subscriber.max_size, 10U);
    EXPECT_EQ(parsed.subscriber.dedupe_window, base::milliseconds(5000));
    EXPECT_EQ(parsed.subscriber.priority, model::Priority::normal);
    EXPECT_EQ(parsed.subscriber.inject_at, model::InjectAt::turn_start);
    EXPECT_FALSE(parsed.subscriber.severity_min);
    EXPECT_FALSE(parsed.subscriber.core);
    EXPECT_TRUE(parsed.subscriber.visible);
    EXPECT_FALSE(parsed.subscriber.address || parsed.subscriber.target || parsed.subscriber.handler);
}

TEST(Subscriber, an_id_is_a_lower_case_name) {
    for (const char* good : {"a", "a1_b", "tool_failure"}) {
        EXPECT_EQ(problems({.id = "id = \"" + std::string(good) + '"'}), "") << good;
    }
    EXPECT_EQ(problems({.id = "id = \"" + std::string(64, 'a') + '"'}), "");
    for (const std::string& bad : {std::string(), std::string("A"), std::string("1a"), std::string("_a"),
                                   std::string("a-b"), std::string("a b"), std::string("ä")}) {
        EXPECT_EQ(problems({.id = "id = \"" + bad + '"'}),
                  "2:6: subscriber.id: must be a lower-case letter followed by lower-case letters, digits and `_`, at "
                  "most 64 characters, not \"" +
                      bad + '"');
    }
    EXPECT_NE(problems({.id = "id = \"" + std::string(65, 'a') + '"'}), "");
}

TEST(Subscriber, names_and_descriptions_have_their_lengths_in_characters) {
    std::string umlauts;
    for (int i = 0; i < 100; ++i) umlauts += "ä";
    EXPECT_EQ(problems({.name = "name = \"" + umlauts + '"'}), "");
    EXPECT_TRUE(problems({.name = "name = \"" + umlauts + "x\""})
                    .starts_with("3:8: subscriber.name: must have 1 to 100 characters, not \"äää"));
    EXPECT_EQ(problems({.name = "name = \"\""}), "3:8: subscriber.name: must have 1 to 100 characters, not \"\"");
    EXPECT_EQ(problems({.description = "description = \"" + std::string(500, 'x') + '"'}), "");
    EXPECT_TRUE(problems({.description = "description = \"" + std::string(501, 'x') + '"'})
                    .starts_with("4:15: subscriber.description: must have 1 to 500 characters, not \"xxx"));
}

TEST(Subscriber, a_version_is_three_numbers) {
    for (const char* bad : {"", "1", "1.0", "1.0.0.0", "1..0", "v1.0.0", "1.0.0-rc1", ".1.0.0", "1.0.0."}) {
        EXPECT_EQ(problems({.version = "version = \"" + std::string(bad) + '"'}),
                  "5:11: subscriber.version: must be three numbers such as 1.0.0, not \"" + std::string(bad) + '"');
    }
    EXPECT_EQ(problems({.version = "version = 1"}), "5:11: subscriber.version: must be a text, not 1");
}

TEST(Subscriber, types_are_patterns_and_at_least_one) {
    EXPECT_EQ(problems({.types = "types = []"}), "7:9: events.types: must have 1 to 100 entries, not 0");
    EXPECT_EQ(problems({.types = "types = \"a.b\""}), "7:9: events.types: must be a list of texts, not \"a.b\"");
    EXPECT_EQ(problems({.types = "types = [\"a.b\", \"a\", \"*\", \"a.*.b\"]"}).substr(0, 60),
              "7:9: events.types[1]: \"a\" is no event type: two or more part");
    const std::string all = problems({.types = "types = [\"a\", \"*\", \"a.*.b\"]"});
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2);
    std::string many = "types = [";
    for (int i = 0; i < 101; ++i) many += "\"a.b\",";
    EXPECT_EQ(problems({.types = many + ']'}), "7:9: events.types: must have 1 to 100 entries, not 101");
    EXPECT_EQ(problems({.events = "sources = [\"\"]"}), "8:11: events.sources[0]: \"\" is no source: 1 to 256 bytes");
    EXPECT_EQ(problems({.events = "severity_filter = \"loud\""}),
              "8:19: events.severity_filter: must be debug, info, warning, error or critical, not \"loud\"");
}

TEST(Subscriber, windows_and_sizes_have_their_limits) {
    for (const char* good : {"window_ms = 0", "window_ms = 10000", "max_size = 1", "max_size = 100",
                             "dedupe_window_ms = 0", "dedupe_window_ms = 60000"}) {
        EXPECT_EQ(problems({.batching = good}), "") << good;
    }
    EXPECT_EQ(problems({.batching = "window_ms = 10001"}),
              "10:13: batching.window_ms: must be a whole number from 0 to 10000, not 10001");
    EXPECT_EQ(problems({.batching = "window_ms = -1"}),
              "10:13: batching.window_ms: must be a whole number from 0 to 10000, not -1");
    EXPECT_EQ(problems({.batching = "window_ms = 0.5"}),
              "10:13: batching.window_ms: must be a whole number from 0 to 10000, not a fraction");
    EXPECT_EQ(problems({.batching = "max_size = 0"}),
              "10:12: batching.max_size: must be a whole number from 1 to 100, not 0");
    EXPECT_EQ(problems({.batching = "max_size = 101"}),
              "10:12: batching.max_size: must be a whole number from 1 to 100, not 101");
    EXPECT_EQ(problems({.batching = "dedupe_window_ms = 60001"}),
              "10:20: batching.dedupe_window_ms: must be a whole number from 0 to 60000, not 60001");
}

TEST(Subscriber, a_dedupe_key_names_what_it_takes_from_the_payload) {
    EXPECT_EQ(problems({.batching = "dedupe_key = \"type:payload.x:anything\""}), "");
    for (const char* bad : {"", "payload.", "type:payload.:x"}) {
        EXPECT_TRUE(problems({.batching = "dedupe_key = \"" + std::string(bad) + '"'})
                        .starts_with("10:14: batching.dedupe_key: must be parts such as "))
            << bad;
    }
    EXPECT_NE(problems({.batching = "dedupe_key = \"" + std::string(513, 'x') + '"'}), "");
}

TEST(Subscriber, choices_are_listed) {
    EXPECT_EQ(problems({.output = "priority = \"urgent\""}),
              "12:12: output.priority: must be critical, high, normal or low, not \"urgent\"");
    EXPECT_EQ(problems({.output = "inject_at = \"now\""}),
              "12:13: output.inject_at: must be immediate, turn_start, after_tool or turn_end, not \"now\"");
    EXPECT_EQ(problems({.output = "core = \"yes\""}), "12:8: output.core: must be true or false, not \"yes\"");
    EXPECT_EQ(problems({.output = "visible = 1"}), "12:11: output.visible: must be true or false, not 1");
    EXPECT_EQ(problems({.routing = "address = \"home\""}),
              "14:11: routing.address: must be session or user, not \"home\"");
    EXPECT_EQ(problems({.routing = "target = \"all\""}), "14:10: routing.target: must be user or agent, not \"all\"");
    EXPECT_EQ(problems({.routing = "handler = \"\""}), "14:11: routing.handler: must be system or agent, not \"\"");
    EXPECT_EQ(problems({.routing = "ttl_s = 0"}),
              "14:9: routing.ttl_s: must be a whole number from 1 to 2592000, not 0");
    EXPECT_EQ(problems({.routing = "directive = \"\""}),
              "14:13: routing.directive: must have 1 to 2000 bytes, not \"\"");
}

TEST(Subscriber, a_template_lies_in_the_folder_templates) {
    EXPECT_EQ(problems({.output = "template = \"templates/x.toon.j2\""}), "");
    for (const char* bad : {"", "x.j2", "/etc/passwd", "templates/", "templates/../x", "templates/.x", "templates/a/b",
                            "templates/a b"}) {
        EXPECT_TRUE(problems({.output = "template = \"" + std::string(bad) + '"'})
                        .starts_with("12:12: output.template: must be a file of the folder templates"))
            << bad;
    }
    EXPECT_EQ(problems({.output = "text = \"\""}), "12:8: output.text: must not be empty, not \"\"");
    EXPECT_NE(problems({.output = "priority_from = \"a.b\""}), "");
    EXPECT_NE(problems({.output = "inject_from = \"\""}), "");
}

TEST(Subscriber, immediate_below_critical_is_only_a_warning) {
    const auto parsed = parse_subscriber(File{.output = "inject_at = \"immediate\""}.text(), "f");
    ASSERT_EQ(parsed.problems.size(), 1U);
    EXPECT_FALSE(parsed.problems[0].fatal);
    EXPECT_TRUE(parsed.is_usable());
    EXPECT_EQ(problem_line(parsed.problems[0]),
              "f:12:13: output.inject_at: immediate is for priority critical; with normal it is the next point that "
              "comes");
    EXPECT_EQ(problems({.output = "inject_at = \"immediate\"\npriority = \"critical\""}), "");
}

TEST(Subscriber, unknown_fields_and_tables_are_refused_with_what_was_probably_meant) {
    EXPECT_EQ(problems({.batching = "windw_ms = 1"}),
              "10:12: batching.windw_ms: is no field of a subscriber; did you mean batching.window_ms?");
    EXPECT_EQ(problems({.rest = "[weather]\nsunny = true"}), "16:9: weather.sunny: is no field of a subscriber");
    EXPECT_EQ(problems({.rest = "[outputs]"}), "15:1: outputs: is no table of a subscriber; did you mean output?");
    EXPECT_EQ(problems({.rest = "[routing.address]"}).substr(0, 45), "15:1: routing.address: is no table of a subsc");
    EXPECT_EQ(problems({.id = "id = \"a\"\n\"\" = 1"}).substr(0, 40), "3:6: subscriber.\"\": is no field of a sub");
}

TEST(Subscriber, all_problems_come_at_once_in_the_order_of_the_file) {
    const auto parsed = parse_subscriber("[batching]\nwindow_ms = 99999\nmax = 3\n[output]\ncore = 1\n", "f");
    EXPECT_FALSE(parsed.is_usable());
    std::vector<std::string> fields;
    for (const auto& problem : parsed.problems) fields.push_back(problem.field);
    EXPECT_EQ(fields,
              (std::vector<std::string>{"events.types", "subscriber.description", "subscriber.id", "subscriber.name",
                                        "subscriber.version", "batching.window_ms", "batching.max", "output.core"}));
    EXPECT_EQ(problem_line(parsed.problems[3]), "f: subscriber.name: is missing: it must have 1 to 100 characters");
}

TEST(Subscriber, what_is_no_toml_is_one_problem_with_its_place) {
    const auto parsed = parse_subscriber("[subscriber]\nid = = 1\n", "a:b.toml");
    ASSERT_EQ(parsed.problems.size(), 1U);
    EXPECT_FALSE(parsed.is_usable());
    EXPECT_EQ(parsed.problems[0].file, "a:b.toml");
    EXPECT_EQ(parsed.problems[0].line, 2U);
    EXPECT_EQ(parsed.problems[0].column, 6U);
    EXPECT_FALSE(parsed.problems[0].message.starts_with(":")) << parsed.problems[0].message;
    const auto date = parse_subscriber("[subscriber]\nid = 2026-01-01\n", "f");
    ASSERT_EQ(date.problems.size(), 1U);
    EXPECT_EQ(problem_line(date.problems[0]),
              "f:2:6: subscriber.id: a text, a number, true, false or a list of texts is expected here");
}

}  // namespace
}  // namespace belfry::codec
