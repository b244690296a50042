#include "text/template.hpp"

#include <gtest/gtest.h>
#include <map>

#include "model/value_json.hpp"
#include "text/toon.hpp"

namespace belfry::text {
namespace {

// What Jinja2 renders is compared with Jinja2 itself (tests/text/jinja_differential.py). Here stands what it cannot
// say: our own filters, errors with their places, limits, and what a template must not reach.

constexpr std::string_view data = R"({
    "count": 2, "severity": "critical", "at": "2026-11-15T15:30:01.250Z",
    "events": [{"type": "a.b", "payload": {"tool": "vault_search", "error": "timed, out"}, "timestamp": "2026-11-15T15:30:01Z"},
               {"type": "c.d", "payload": {"tool": "x"}, "timestamp": "2026-11-15T15:31:02Z"}]})";

class Folder final : public TemplateResolver {
public:
    void add(const std::string& name, std::string_view source) {
        templates_.emplace(name, std::move(Template::compile(name, source)).value());
    }
    [[nodiscard]] const Template* find(std::string_view name) const override {
        const auto found = templates_.find(std::string(name));
        return found == templates_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string, Template> templates_;
};

std::string rendered(std::string_view source, const TemplateLimits& limits = {},
                     const TemplateResolver* resolver = nullptr) {
    const auto compiled = Template::compile("t.j2", source);
    if (!compiled.ok()) return compiled.error().message;
    const auto made = compiled->render(model::value_from({data}), resolver, limits);
    return made.ok() ? *made : made.error().message;
}

TEST(Template, toon_makes_a_table_of_chosen_columns) {
    EXPECT_EQ(
        rendered(
            "{{ events|toon('tool_fails', {'tool': 'payload.tool', 'error': 'payload.error', 'ts': 'timestamp'}) }}"),
        "tool_fails[2]{tool,error,ts}:\n  vault_search,\"timed, out\",\"2026-11-15T15:30:01Z\"\n  "
        "x,null,\"2026-11-15T15:31:02Z\"");
    EXPECT_EQ(rendered("{{ events|toon(fields=['type'], delimiter='pipe') }}"), "[2|]{type}:\n  a.b\n  c.d");
    EXPECT_EQ(rendered("{{ events|map(attribute='payload.tool')|toon('tools') }}"), "tools[2]: vault_search,x");
    EXPECT_EQ(rendered("{{ events[0].payload|toon }}"), "tool: vault_search\nerror: \"timed, out\"");
    EXPECT_EQ(rendered("tool_fail: {{ 'a: b'|toon }} {{ 5|toon }} {{ nope|toon }} {{ {'k': (1, 2)}|toon(indent=4) }}"),
              "tool_fail: \"a: b\" 5 null k[2]: 1,2");
}

TEST(Template, hostile_cells_come_back_from_a_strict_reader) {
    const std::string hostile = ",\n\"\\: [3]{a}: - \xF0\x9F\x98\x80 \xE2\x80\xAE \xE2\x80\x8B" + std::string(1, '\0') +
                                std::string(100000, '-');
    model::Value row = model::Value::object();
    row.append("message", model::Value::string(hostile));
    model::Value variables = model::Value::object();
    variables.append("events", model::Value::array()).push(std::move(row));
    const auto compiled = Template::compile("t", "{{ events|toon('rows', ['message']) }}");
    const auto made = compiled->render(variables);
    ASSERT_TRUE(made.ok());
    const auto read = toon_decode(*made);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->find("rows")->items()[0].find("message")->text(), hostile);
}

TEST(Template, format_time_and_severity_prefix) {
    EXPECT_EQ(rendered("{{ at|format_time }} {{ at|format_time('%Y-%m-%d %H:%M:%S.%f %j %a %B %p %I') }} {{ "
                       "0|format_time('%F %T') }}"),
              "15:30:01 2026-11-15 15:30:01.250000 319 Sun November PM 03 1970-01-01 00:00:00");
    EXPECT_EQ(rendered("{{ 'soon'|format_time }} {{ nope|format_time }}|{{ -1|format_time('%F %T %s') }} {{ "
                       "1.5|format_time('%S.%f %q %') }}"),
              "soon |1969-12-31 23:59:59 -1 01.500000 %q %");
    EXPECT_EQ(
        rendered("{{ severity|severity_prefix }}: x {{ 'info'|severity_prefix }} {{ 'warning'|severity_prefix }}"),
        "\"!critical\": x info \"!warning\"");
}

TEST(Template, json_leaves_letters_as_they_are) {
    EXPECT_EQ(rendered("{{ {'b': \"can't <п>\", 'a': [1, 2.0, none, (true, '\\n\"')]}|json }}"),
              R"({"b":"can't <п>","a":[1,2.0,null,[true,"\n\""]]})");
    EXPECT_EQ(rendered("{{ events|json }} {{ 'я'|json }} {{ nope|json }}").substr(0, 2), "[{");
    EXPECT_EQ(rendered("{{ 'я'|json }} {{ nope|json }} {{ \"can't\"|tojson }}"), R"("я" null "can\u0027t")");
    EXPECT_NE(rendered("{{ 1|json(2) }}").find("json"), std::string::npos);
}

TEST(Template, errors_name_template_line_and_column) {
    EXPECT_EQ(rendered("a\n{{ nope.x }}"), "t.j2:2:9: 'nope' is undefined");
    EXPECT_EQ(rendered("a\n  {% if %}"), "t.j2:2:9: expected an expression, got '%}'");
    EXPECT_EQ(rendered("é {{ 1 + 'a' }}"), "t.j2:1:8: unsupported operand type(s) for +: 'int' and 'str'");
    EXPECT_EQ(rendered("{% for x in events %}\n{{ x|nofilter }}{% endfor %}"), "t.j2:2:6: No filter named 'nofilter'.");
    Folder folder;
    folder.add("inner.j2", "ok\n{{ 1 / 0 }}");
    EXPECT_EQ(rendered("{% include 'inner.j2' %}", {}, &folder), "inner.j2:2:6: division by zero");
    EXPECT_EQ(rendered("\n{% include 'none.j2' %}", {}, &folder), "t.j2:2:4: there is no template 'none.j2'");
}

TEST(Template, a_macro_of_an_included_template_fails_in_its_own_file) {
    Folder folder;
    folder.add("m.j2", "{% macro m() %}{{ 1 // 0 }}{% endmacro %}\n{{ m() }}");
    EXPECT_EQ(rendered("x{% include 'm.j2' %}", {}, &folder), "m.j2:1:21: integer division or modulo by zero");
}

TEST(Template, loops_are_bounded) {
    TemplateLimits limits;
    limits.loop_iterations_max = 1000;
    EXPECT_EQ(rendered("{% for x in range(1000) %}{% endfor %}ok", limits), "ok");
    EXPECT_NE(rendered("{% for x in range(1001) %}{% endfor %}", limits).find("loop iterations"), std::string::npos);
    EXPECT_NE(rendered("{% for x in range(100) %}{% for y in range(100) %}{% endfor %}{% endfor %}", limits)
                  .find("loop iterations"),
              std::string::npos);
}

TEST(Template, steps_are_bounded_wherever_they_are_spent) {
    TemplateLimits limits;
    limits.steps_max = 100'000;
    for (const char* source :
         {"{{ range(100000000)|list|length }}", "{{ range(100000000)|sum }}", "{{ 'a' * 100000000 }}",
          "{{ [1] * 100000000 }}", "{{ range(100000000)|map('string')|list }}", "{{ (range(1000000)|join)|length }}",
          "{{ 5 in range(100000000) and 100000001 in range(100000000) }}",
          "{{ range(3)|slice(100000000)|list|length }}", "{{ range(9)|batch(100000000, 0)|list|length }}",
          "{{ 'x'|center(9000000) }}"}) {
        const std::string made = rendered(source, limits);
        EXPECT_TRUE(made.find("limit") != std::string::npos || made.find("too large") != std::string::npos)
            << source << " gave " << made.substr(0, 100);
    }
}

TEST(Template, output_and_memory_are_bounded) {
    TemplateLimits limits;
    limits.output_bytes_max = 1000;
    EXPECT_NE(rendered("{% for x in range(100) %}0123456789{{ x }}{% endfor %}", limits).find("output is larger"),
              std::string::npos);
    EXPECT_NE(rendered("{% macro m() %}{% for x in range(200) %}0123456789{% endfor %}{% endmacro %}{% set x = m() %}",
                       limits)
                  .find("output is larger"),
              std::string::npos);
    limits = {};
    limits.memory_bytes_max = 1 << 20;
    EXPECT_NE(
        rendered(
            "{% set ns = namespace(x='0123456789') %}{% for i in range(30) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
            limits)
            .find("memory"),
        std::string::npos);
}

TEST(Template, recursion_is_bounded) {
    EXPECT_NE(rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").find("recur deeper"), std::string::npos);
    Folder folder;
    folder.add("self.j2", "{% include 'self.j2' %}");
    EXPECT_NE(rendered("{% include 'self.j2' %}", {}, &folder).find("recur deeper"), std::string::npos);
    EXPECT_NE(rendered("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}").find("recur deeper"),
              std::string::npos);
    EXPECT_NE(
        rendered(
            "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}")
            .find("too deep"),
        std::string::npos);
    EXPECT_NE(rendered("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}").find("too deep"),
              std::string::npos);
    EXPECT_NE(rendered("{{ " + std::string(5000, '-') + "1 }}").find("too deep"), std::string::npos);
    EXPECT_NE(rendered("{{ 1" +
                       [] {
                           std::string s;
                           for (int i = 0; i < 5000; ++i) s += " if 1 else 2";
                           return s;
                       }() +
                       " }}")
                  .find("too deep"),
              std::string::npos);
    std::string ifs;
    for (int i = 0; i < 5000; ++i) ifs += "{% if 1 %}";
    EXPECT_NE(rendered(ifs).find("too deep"), std::string::npos);
}

TEST(Template, a_long_chain_of_one_operator_does_not_use_up_the_stack) {
    std::string chain = "{{ 1";
    for (int i = 0; i < 20000; ++i) chain += " + 1";
    EXPECT_NE(rendered(chain + " }}").find("too deep"), std::string::npos);
    std::string filters = "{{ 'a'";
    for (int i = 0; i < 20000; ++i) filters += "|upper";
    EXPECT_NE(rendered(filters + " }}").find("too deep"), std::string::npos);
    std::string attributes = "{{ a";
    for (int i = 0; i < 20000; ++i) attributes += ".b";
    EXPECT_NE(rendered(attributes + " }}").find("too deep"), std::string::npos);
}

TEST(Template, there_is_nothing_behind_the_values) {
    for (const char* source : {"{{ ''.__class__ }}", "{{ events.__class__ }}", "{{ count.__class__ }}", "{{ self }}",
                               "{{ config }}", "{{ lipsum }}", "{{ events|attr('__init__') }}",
                               "{{ range.__globals__ }}", "{{ namespace.__init__ }}", "{{ ''['__class__'] }}"}) {
        EXPECT_EQ(rendered(source), "") << source;
    }
    EXPECT_NE(rendered("{{ '{0.__class__}'.format('') }}").find("no attribute"), std::string::npos);
}

TEST(Template, changes_no_variable) {
    EXPECT_NE(rendered("{{ events.append(1) }}").find("would change"), std::string::npos);
    EXPECT_NE(rendered("{{ events[0].update({'a': 1}) }}").find("would change"), std::string::npos);
    EXPECT_NE(rendered("{{ events[0].pop('type') }}").find("would change"), std::string::npos);
}

TEST(Template, integers_beyond_64_bits_are_printed_but_not_reckoned_with) {
    const auto compiled = Template::compile("t", "{{ n }} {{ n|tojson }} {{ [n] }} {{ n == n }} {{ n > 5 }}");
    const auto made = compiled->render(model::value_from({R"({"n":123456789012345678901})"}));
    EXPECT_EQ(*made, "123456789012345678901 123456789012345678901 [123456789012345678901] True True");
    const auto compared = Template::compile(
        "t", "{{ a }} {{ a < b }} {{ b > a }} {{ -5 < c }} {{ c < b }} {{ [b, a, c, 1]|sort == [c, 1, a, b] }}");
    EXPECT_EQ(*compared->render(model::value_from(
                  {R"({"a":1234567890123456789012345,"b":1234567890123456789012346,"c":-18446744073709551617})"})),
              "1234567890123456789012345 True True False True True");
    EXPECT_NE(rendered("{{ 9223372036854775807 + 1 }}").find("beyond 64 bits"), std::string::npos);
    EXPECT_NE(rendered("{{ 2 ** 64 }}").find("beyond 64 bits"), std::string::npos);
}

TEST(Template, one_program_renders_many_times) {
    const auto compiled = Template::compile("t", "{% set x = n %}{{ x }}{% for i in range(n) %}{{ i }}{% endfor %}");
    for (int n = 0; n < 5; ++n) {
        model::Value variables = model::Value::object();
        variables.append("n", model::Value::integer(n));
        EXPECT_EQ(*compiled->render(variables),
                  std::to_string(n) + std::string("01234").substr(0, static_cast<std::size_t>(n)));
    }
}

TEST(Template, loop_may_outlive_its_loop) {
    EXPECT_EQ(
        rendered(
            "{% set ns = namespace(l=none) %}{% for x in [1, 2] %}{% set ns.l = loop %}{% endfor %}{{ ns.l.length }}"),
        "2");
}

}  // namespace
}  // namespace belfry::text
