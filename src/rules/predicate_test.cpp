#include "rules/predicate.hpp"

#include <gtest/gtest.h>

#include "base/wake_limits.hpp"
#include "rules/predicate_facts_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;

base::Result<Predicate> parse(std::string_view text) {
    return Predicate::parse(text, test_roots);
}

bool holds(std::string_view text, std::string_view payload = "{}") {
    const auto read = parse(text);
    EXPECT_TRUE(read.ok()) << text << ": " << (read.ok() ? "" : read.error().message);
    const TestFacts facts(R"({"event":{"severity":"warning","severities":["info"]},"task":{"id":"t-1"},"payload":)" +
                          std::string(payload) + "}");
    return read.ok() && read->holds(facts);
}

std::string refusal(std::string_view text) {
    const auto read = parse(text);
    EXPECT_FALSE(read.ok()) << text;
    if (read.ok()) return {};
    EXPECT_EQ(read.error().field, "predicate");
    return read.error().message;
}

std::string written(std::string_view text) {
    const auto read = parse(text);
    return read.ok() ? read->text() : read.error().message;
}

TEST(Predicate, equality_needs_the_same_type) {
    EXPECT_TRUE(holds("payload.n == 1", R"({"n":1.0})"));
    EXPECT_TRUE(holds("payload.n == 1e0", R"({"n":1})"));
    EXPECT_FALSE(holds("payload.n == '1'", R"({"n":1})"));
    EXPECT_TRUE(holds("payload.n != '1'", R"({"n":1})"));
    EXPECT_FALSE(holds("payload.n == true", R"({"n":1})"));
    EXPECT_FALSE(holds("payload.n == null", R"({"n":0})"));
    EXPECT_TRUE(holds("payload.n == [1, 'a']", R"({"n":[1,"a"]})"));
    EXPECT_FALSE(holds("payload.n == ['a', 1]", R"({"n":[1,"a"]})"));
    EXPECT_TRUE(holds("payload.a == payload.b", R"({"a":{"x":1,"y":2},"b":{"y":2,"x":1}})"));
}

TEST(Predicate, a_path_that_leads_nowhere_is_null) {
    EXPECT_TRUE(holds("payload.a.b[3].c == null"));
    EXPECT_FALSE(holds("payload.a != null"));
    EXPECT_TRUE(holds("payload.a == payload.b"));
    EXPECT_TRUE(holds("payload.a != 1"));
    EXPECT_TRUE(holds("payload.a[1] == null", R"({"a":[5]})"));
    EXPECT_TRUE(holds("payload.a[0] == 5", R"({"a":[5]})"));
    EXPECT_TRUE(holds("payload.a[0] == null", R"({"a":{"0":5}})"));
    EXPECT_TRUE(holds("payload.a.b == null", R"({"a":"b"})"));
    const auto read = parse("task == null and not exists task and task.id == null");
    EXPECT_TRUE(read->holds(TestFacts("{}")));
}

TEST(Predicate, exists_tells_null_from_nothing) {
    EXPECT_TRUE(holds("exists payload.a", R"({"a":null})"));
    EXPECT_FALSE(holds("exists payload.b", R"({"a":null})"));
    EXPECT_FALSE(holds("exists payload.a.b", R"({"a":null})"));
}

TEST(Predicate, order_is_for_numbers_and_texts_among_themselves) {
    EXPECT_TRUE(holds("payload.n < 10", R"({"n":9})"));
    EXPECT_FALSE(holds("payload.n < '9'", R"({"n":"9"})"));
    EXPECT_TRUE(holds("payload.n <= '9'", R"({"n":"9"})"));
    EXPECT_TRUE(holds("payload.n < '9'", R"({"n":"10"})"));
    for (const char* value : {"null", "true", "[9]", "{}", "\"9\""}) {
        const std::string payload = R"({"n":)" + std::string(value) + "}";
        for (const char* test : {"payload.n < 9", "payload.n <= 9", "payload.n > 9", "payload.n >= 9"}) {
            EXPECT_FALSE(holds(test, payload)) << test << ' ' << payload;
        }
    }
    EXPECT_FALSE(holds("payload.a <= payload.b", "{}"));
    EXPECT_TRUE(holds("payload.n > 9007199254740992", R"({"n":9007199254740993})"));
}

TEST(Predicate, in_and_contains_look_into_lists_and_texts) {
    EXPECT_TRUE(holds("payload.b in ['main', 'dev']", R"({"b":"dev"})"));
    EXPECT_FALSE(holds("payload.b in []", R"({"b":"dev"})"));
    EXPECT_TRUE(holds("payload.b in [null]", "{}"));
    EXPECT_TRUE(holds("2 in payload.l", R"({"l":[1,2.0]})"));
    EXPECT_FALSE(holds("'a' in payload.l", R"({"l":"abc"})"));
    EXPECT_FALSE(holds("'a' in payload.l", R"({"l":{"a":1}})"));
    EXPECT_TRUE(holds("payload.l contains [1]", R"({"l":[[1]]})"));
    EXPECT_FALSE(holds("payload.l contains 1", R"({"l":[[1]]})"));
    EXPECT_TRUE(holds("payload.l contains 'bc'", R"({"l":"abcd"})"));
    EXPECT_FALSE(holds("payload.l contains 1", R"({"l":"1"})"));
    EXPECT_TRUE(holds("payload.l starts_with 'ab'", R"({"l":"abcd"})"));
    EXPECT_FALSE(holds("payload.l starts_with 'bc'", R"({"l":"abcd"})"));
    EXPECT_FALSE(holds("payload.l starts_with 'a'", R"({"l":["a"]})"));
}

TEST(Predicate, severity_has_a_rank) {
    EXPECT_TRUE(holds("event.severity < 'error'"));
    EXPECT_TRUE(holds("'critical' > event.severity"));
    EXPECT_TRUE(holds("event['severity'] > 'info'"));
    EXPECT_FALSE(holds("event.severity <= 'info'"));
    EXPECT_TRUE(holds("event.severity == 'warning' and event.severity in ['warning']"));
    EXPECT_TRUE(holds("['warning', 'error'] contains event.severity"));
    EXPECT_TRUE(holds("event.severity > payload.least", R"({"least":"debug"})"));
    EXPECT_FALSE(holds("event.severity > payload.least or event.severity <= payload.least", R"({"least":"loud"})"));
    EXPECT_FALSE(holds("event.severity in event.severities"));
    // Elsewhere a severity is a text like another.
    EXPECT_TRUE(holds("payload.severity < 'eror'", R"({"severity":"critical"})"));
}

TEST(Predicate, severity_stands_beside_severities_only) {
    for (const char* text :
         {"event.severity >= 'eror'", "event.severity == 3", "event.severity == null", "'loud' != event.severity",
          "event.severity in ['info', 'loud']", "['info', 1] contains event.severity", "event.severity == ['info']"}) {
        EXPECT_NE(refusal(text).find("event.severity is one of debug, info, warning, error, critical"),
                  std::string::npos)
            << refusal(text);
    }
    for (const char* text : {"event.severity starts_with 'err'", "event.severity contains 'err'",
                             "'a' in event.severity", "'error' starts_with event.severity"}) {
        EXPECT_NE(refusal(text).find("has a rank"), std::string::npos) << refusal(text);
    }
    EXPECT_EQ(refusal("'info' contains event.severity"),
              "at character 1: event.severity is looked for in a list of severities");
}

TEST(Predicate, not_binds_closer_than_and_and_and_closer_than_or) {
    EXPECT_TRUE(holds("1 == 1 or 1 == 1 and 1 == 2"));
    EXPECT_FALSE(holds("(1 == 1 or 1 == 1) and 1 == 2"));
    EXPECT_FALSE(holds("not 1 == 1 or 1 == 2"));
    EXPECT_FALSE(holds("not 1 == 1 and 1 == 2"));
    EXPECT_FALSE(holds("not (1 == 2 or 1 == 1)"));
    EXPECT_TRUE(holds("not not 1 == 1"));
}

TEST(Predicate, asks_no_more_than_it_needs) {
    const TestFacts facts(R"({"payload":{"a":1}})");
    EXPECT_FALSE(parse("payload.a == 2 and linked('x') and task.id == 1")->holds(facts));
    EXPECT_EQ(facts.asked(), 1);
    EXPECT_TRUE(parse("payload.a == 1 or linked('x')")->holds(facts));
    EXPECT_EQ(facts.asked(), 2);
}

TEST(Predicate, asks_the_caller_about_links) {
    EXPECT_TRUE(holds("linked('project')"));
    EXPECT_TRUE(holds("linked(\"project\", 'p-1')"));
    EXPECT_FALSE(holds("linked('project', 'p-2')"));
    EXPECT_FALSE(holds("linked('blocked_by')"));
}

TEST(Predicate, tells_what_it_reads) {
    const auto read =
        parse("payload.b[0] == task.x and (exists payload or not 'a' in payload.b[0]) or linked('project')");
    ASSERT_TRUE(read.ok());
    std::vector<std::string> paths;
    for (const PredicatePath& path : read->paths()) paths.push_back(to_text(path));
    EXPECT_EQ(paths, (std::vector<std::string>{"payload.b[0]", "task.x", "payload"}));
    EXPECT_EQ(std::vector(read->roots().begin(), read->roots().end()), (std::vector<std::string>{"payload", "task"}));
    EXPECT_TRUE(read->has_links());
    EXPECT_FALSE(parse("exists task")->has_links());
    EXPECT_TRUE(parse("1 == 1")->paths().empty());
}

TEST(Predicate, is_written_in_one_form) {
    EXPECT_EQ(written(" ( payload . a=='x' )and(\n1<2 and( 2>1 ))"), R"(payload.a == "x" and (1 < 2 and 2 > 1))");
    EXPECT_EQ(written("not(exists payload['a']or(1==1 and 1==1))"), "not (exists payload.a or 1 == 1 and 1 == 1)");
    EXPECT_EQ(written(R"(payload["odd key"][0]['a-1']["1"].in contains '\u00e4\ud83d\ude00\'"\n')"),
              "payload[\"odd key\"][0].a-1[\"1\"].in contains \"ä😀'\\\"\\n\"");
    EXPECT_EQ(written("1.50 in[1,[ ],null,-0.5e-1]"), "1.5 in [1,[],null,-0.05]");
    EXPECT_EQ(written("linked( 'a' ,'b')"), R"(linked("a", "b"))");
}

TEST(Predicate, refuses_with_the_place_and_what_was_expected) {
    EXPECT_EQ(refusal(""), "at character 1: expected a condition, found the end");
    EXPECT_EQ(refusal("payload.a == 1 payload.b == 2"),
              "at character 16: expected 'and', 'or' or the end, found 'payload'");
    EXPECT_EQ(refusal("payload.ä == 1"), "at character 9: this character has no meaning outside of a text in quotes");
    EXPECT_EQ(refusal("'ää' == 1 &"), "at character 11: '&' has no meaning: write and");
    EXPECT_EQ(refusal("1 == 1 | 1 == 2"), "at character 8: '|' has no meaning: write or");
    EXPECT_EQ(refusal("!payload.a"), "at character 1: '!' has no meaning: write not, or !=");
    EXPECT_EQ(refusal("payload. == 1"),
              "at character 10: expected a member's name; an odd one is written [\"so\"], found '=='");
    EXPECT_EQ(refusal("payload[-1] == 1"),
              "at character 9: expected a place from 0 on, or a name in quotes, found a number");
    EXPECT_EQ(refusal("payload[4294967296] == 1"),
              "at character 9: expected a place from 0 on, or a name in quotes, found a number");
    EXPECT_EQ(refusal("payload[a] == 1"), "at character 9: expected a place from 0 on, or a name in quotes, found 'a'");
    EXPECT_EQ(refusal("payload[0 == 1"), "at character 11: expected ']', found '=='");
    EXPECT_EQ(refusal("payload.a AND 1 == 1"),
              "at character 11: expected one of == != < <= > >= in contains starts_with, found 'AND'");
    EXPECT_EQ(refusal("payload.a in [1 2]"), "at character 17: expected ',' or ']', found a number");
    EXPECT_EQ(refusal("payload.a in [payload.b]"),
              "at character 15: expected a text in quotes, a number, true, false, null or a list, found 'payload'");
    EXPECT_EQ(refusal("payload.a == and"),
              "at character 14: expected a path, a text in quotes, a number, true, false, "
              "null or a list, found 'and'");
    EXPECT_EQ(refusal("linked(project)"), "at character 8: expected the name of a relation in quotes, found 'project'");
    EXPECT_EQ(refusal("linked('project', )"), "at character 19: expected an id in quotes, found ')'");
    EXPECT_EQ(refusal("linked('project'"), "at character 17: expected ')', found the end");
    EXPECT_EQ(refusal("exists 'a'"), "at character 8: expected a path, such as payload.branch, found a text");
    EXPECT_EQ(refusal("payload.a == 01"), "at character 14: this is no number");
    EXPECT_EQ(refusal("payload.a == 1."), "at character 16: expected a digit after the point");
    EXPECT_EQ(refusal("payload.a == -x"), "at character 15: expected a digit after '-'");
    EXPECT_EQ(refusal("payload.a == 1e+"), "at character 17: expected a digit of the exponent");
    EXPECT_EQ(refusal("payload.a == '\\x'").substr(0, 40), "at character 15: there is no such escape");
    EXPECT_EQ(refusal("payload.a == '\\u12'"), "at character 15: expected four hexadecimal digits after \\u");
    EXPECT_EQ(refusal("payload.a == '\\ud83dx'"), "at character 15: this is half of a surrogate pair");
    EXPECT_EQ(refusal("payload.a == '\\ude00'"), "at character 15: this is half of a surrogate pair");
    EXPECT_EQ(refusal("payload.a == 'a\nb'"),
              "at character 16: a control character must be written as an escape such as \\n");
    EXPECT_EQ(refusal("payload.a starts_with 1"), "at character 23: starts_with compares texts");
    EXPECT_EQ(refusal("1 contains payload.a"), "at character 1: expected a list, a text or a path before contains");
    EXPECT_EQ(refusal("payload.a < true"), "at character 13: only numbers and texts have an order");
}

TEST(Predicate, allows_the_depth_of_the_bound_and_no_more) {
    for (const auto& [open, close] : {std::pair{"(", ")"}, std::pair{"not ", ""}}) {
        const auto nested = [&](std::size_t depth) {
            std::string text;
            for (std::size_t i = 0; i < depth; ++i) text += open;
            text += "1 == 1";
            for (std::size_t i = 0; i < depth; ++i) text += close;
            return text;
        };
        EXPECT_TRUE(parse(nested(limits::predicate_depth_max)).ok());
        EXPECT_NE(refusal(nested(limits::predicate_depth_max + 1)).find("nested more than 32 deep"), std::string::npos);
    }
    const std::string lists = std::string(32, '[') + std::string(32, ']');
    EXPECT_TRUE(parse("payload.a == " + lists).ok());
    EXPECT_FALSE(parse("payload.a == [" + lists + "]").ok());
    EXPECT_FALSE(parse("(payload.a == " + lists + ")").ok());
    // What was closed no longer counts.
    std::string flat = "(1 == 1)";
    for (int i = 0; i < 40; ++i) flat += " and (not 1 == 1)";
    EXPECT_TRUE(parse(flat).ok());
}

TEST(Predicate, allows_the_nodes_and_bytes_of_the_bounds_and_no_more) {
    const auto list = [](std::size_t items) {
        std::string text = "payload.a in [0";
        for (std::size_t i = 1; i < items; ++i) text += ",0";
        return text + "]";
    };
    // The condition, the path and the list itself are nodes, too.
    EXPECT_TRUE(parse(list(limits::predicate_nodes_max - 3)).ok());
    EXPECT_NE(refusal(list(limits::predicate_nodes_max - 2)).find("more than 256"), std::string::npos);
    const std::string longest = "payload.a == '" + std::string(limits::predicate_bytes_max - 15, 'x') + "'";
    EXPECT_TRUE(parse(longest).ok());
    const auto longer = parse(longest + " ");
    ASSERT_FALSE(longer.ok());
    EXPECT_EQ(longer.error().code, base::Code::too_large);
}

TEST(Predicate, knows_the_roots_that_it_is_given) {
    const std::array<std::string_view, 1> roots{"payload"};
    EXPECT_TRUE(Predicate::parse("payload.event == 1", roots).ok());
    EXPECT_FALSE(Predicate::parse("event.type == 'a'", roots).ok());
    EXPECT_EQ(refusal("playload.a == 1"),
              "at character 1: there is no 'playload'; did you mean 'payload'? A path begins with event, payload, "
              "task; a text has quotes");
    EXPECT_EQ(refusal("something.a == 1"),
              "at character 1: there is no 'something'. A path begins with event, payload, task; a text has quotes");
}

}  // namespace
}  // namespace belfry::rules
