#include <chrono>
#include <gtest/gtest.h>

#include "model/value_json.hpp"
#include "text/template.hpp"

// Templates that were written to do harm: by what they cost to read, and by values that are small to make and endless
// to walk.
namespace belfry::text {
namespace {

std::string rendered(std::string_view source, const TemplateLimits& limits = {}) {
    const auto compiled = Template::compile("t", source);
    if (!compiled.ok()) return compiled.error().message;
    const auto made = compiled->render(model::Value::object(), nullptr, limits);
    return made.ok() ? *made : made.error().message;
}

bool says(const std::string& text, std::string_view wanted) {
    return text.find(wanted) != std::string::npos;
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string made;
    for (std::size_t i = 0; i < times; ++i) made += text;
    return made;
}

// Quadratic reading took minutes for each of these; linear reading takes milliseconds.
TEST(TemplateLimits, a_source_of_one_line_is_read_in_linear_time) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(rendered("{{ [" + repeated("1,", 400'000) + "]|length }}"), "400000");
    EXPECT_EQ(rendered(repeated("{{ x }}", 140'000)), "");
    EXPECT_EQ(rendered("{% if 1 %}" + repeated("{% elif 1 %}", 80'000) + "{% endif %}"), "");
    EXPECT_TRUE(says(rendered(repeated("{{", 500'000)), "inside a tag"));
    std::string branches;
    for (int i = 0; i < 9'000; ++i) branches += "{% if x %}{% set v" + std::to_string(i) + " = 1 %}{% endif %}";
    EXPECT_EQ(rendered(branches), "");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(TemplateLimits, variables_are_counted) {
    std::string sets;
    for (int i = 0; i < 70'000; ++i) {
        const char digits[] = {static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26 % 26),
                               static_cast<char>('a' + i / 676 % 26), static_cast<char>('a' + i / 17576)};
        sets += "{%set " + std::string(digits, 4) + "=1%}";
    }
    EXPECT_EQ(rendered(sets), "t:1:1: more than 10000 variables");
    std::string includes;
    for (int i = 0; i < 5'000; ++i) includes += "{%set v" + std::to_string(i) + "=1%}";
    includes += repeated("{%include 'x'%}", 20'000);
    EXPECT_TRUE(says(rendered(includes), "includes and variables"));
}

TEST(TemplateLimits, branches_see_what_was_assigned_before_them) {
    EXPECT_EQ(rendered("{% set a = 1 %}{% if a %}{{ a }}{% set a = 2 %}{% if a == 2 %}{% set b = a %}{% endif %}"
                       "{% elif x %}{% set b = 9 %}{% endif %}{{ a }}{{ b }}"),
              "122");
}

// Each member stands in its list twice, so forty lists are 2^40 leaves.
TEST(TemplateLimits, values_that_share_their_members_are_not_walked_forever) {
    const std::string make =
        "{% set ns = namespace(x=(1,), y=(1,)) %}{% for i in range(40) %}{% set ns.x = (ns.x, ns.x) %}"
        "{% set ns.y = (ns.y, ns.y) %}{% endfor %}";
    for (const char* use :
         {"{{ ns.x }}", "{{ ns.x == ns.y }}", "{{ ns.x < ns.y }}", "{{ ns.x in [ns.y] }}", "{{ {ns.x: 1} }}",
          "{{ [ns.x, ns.y]|sort }}", "{{ [ns.x, ns.y]|unique|list }}", "{{ ns.x|tojson }}", "{{ ns.x|toon }}",
          "{{ '%s' % [ns.x] }}", "{{ '{}'.format(ns.x) }}", "{{ ns.x|join }}", "{{ ns.x ~ '' }}"}) {
        EXPECT_TRUE(says(rendered(make + use), "limit")) << use;
    }
}

TEST(TemplateLimits, texts_under_way_are_bounded) {
    const std::string make = "{% set a = 'x' * 4000000 %}";
    for (const char* use : {"{{ a|replace('x', a) }}", "{{ a.replace('', a) }}", "{{ [a] * 100 }}",
                            "{{ ([a] * 100)|tojson }}", "{{ ([a] * 100)|join }}", "{{ ([a] * 100)|toon }}",
                            "{{ a.join('y' * 100) }}", "{{ ('%100000d' * 9000) % ((1,) * 9000) }}",
                            "{{ ('{0:100000}' * 9000).format(1) }}", "{{ ('x\n' * 9000)|indent(99999) }}"}) {
        EXPECT_TRUE(says(rendered(make + use), "limit")) << use;
    }
    EXPECT_TRUE(says(rendered(make + "{{ (" + repeated("a ~ ", 100) + "a)|length }}"), "memory"));
}

// The last of them fails by itself, so that only what was asked for before it is seen.
TEST(TemplateLimits, texts_of_blocks_inside_each_other_are_bounded_together) {
    const auto nested = [](const std::string& inside) {
        return "{% set s = 'x' * 4000000 %}" + repeated("{% filter upper %}" + inside, 38) + "{{ 1 / 0 }}" +
               repeated("{% endfilter %}", 38);
    };
    EXPECT_TRUE(says(rendered(nested("{{ s }}")), "memory")) << rendered(nested("{{ s }}"));
    const std::string text(20'000, 'y');
    EXPECT_TRUE(says(rendered(nested(text)), "division by zero"));
    EXPECT_TRUE(
        says(rendered(repeated("{% filter upper %}" + text, 38) + "{{ 1 / 0 }}" + repeated("{% endfilter %}", 38),
                      {.memory_bytes_max = 400'000}),
             "memory"));
    EXPECT_EQ(rendered("{% filter upper %}{{ 'x' * 4000000 }}{% endfilter %}").size(), 4'000'000U);
}

// Each of these is done a hundred thousand times, and each time walks, copies or writes a long text.
TEST(TemplateLimits, whatever_walks_a_long_text_costs_steps) {
    const auto again = [](const std::string& use) {
        return rendered("{% set s = 'x' * 9000000 %}{% set t = 'x' * 9000000 %}{% for i in range(100000) %}{% if " +
                        use + " %}{% endif %}{% endfor %}");
    };
    for (const char* use : {"s|length", "s|count", "s|int", "s|float", "s is sameas t"}) {
        EXPECT_TRUE(says(again(use), "steps")) << use;
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(says(rendered("{% for i in range(100000) %}{% if '{:0100000,d}'.format(1) %}{% endif %}{% endfor %}"),
                     "limit"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    std::string names = "{% if false %}";
    for (int i = 0; i < 9'000; ++i) names += "{{ v" + std::to_string(i) + " }}";
    EXPECT_TRUE(says(rendered("{% for i in range(100000) %}" + names + "{% endif %}{% endfor %}"), "steps"));
}

TEST(TemplateLimits, a_number_is_padded_with_grouped_zeros) {
    EXPECT_EQ(rendered("{{ '{:08,d} {:09,d} {:02,d}'.format(1, 1234, 12345) }}"), "0,000,001 0,001,234 12,345");
}

TEST(TemplateLimits, a_part_of_a_part_of_a_range_stays_within_64_bits) {
    EXPECT_EQ(rendered("{{ range(5, 100, 4)[::2**61][0:]|list }}"), "[5]");
    EXPECT_EQ(rendered("{{ range(5, 100, 4)[::-2**61][0:]|list }}"), "[97]");
    EXPECT_EQ(rendered("{{ range(5, 100, -4)[::2**61][0:]|list }}"), "[]");
    EXPECT_EQ(rendered("{{ range(2**61 - 1, 2**61, 3)[::2**61][::2**61][-1:]|list }}"), "[2305843009213693951]");
    EXPECT_EQ(rendered("{{ range(0, 2**61, 2**60)[::1][1:]|list }}"), "[1152921504606846976]");
}

TEST(TemplateLimits, comparing_long_texts_costs_steps) {
    EXPECT_TRUE(says(rendered("{% set a = 'x' * 9000000 %}{% set b = 'x' * 9000000 %}{% for i in range(99999) %}"
                              "{% if a == b and a <= b %}{% endif %}{% endfor %}"),
                     "steps"));
    EXPECT_TRUE(says(rendered("{% set a = 'x' * 9000000 %}{{ (a ~ 'z').startswith((a ~ 'y',) * 99999) }}"), "steps"));
}

TEST(TemplateLimits, a_range_of_any_size_is_only_a_range) {
    for (const char* use : {"sort", "groupby('x')|list", "toon(fields=['a'])", "toon", "unique|list", "max", "list"}) {
        EXPECT_TRUE(says(rendered("{{ range(1000000000000000)|" + std::string(use) + " }}"), "limit")) << use;
    }
    EXPECT_EQ(rendered("{{ range(1000000000000000)|length }}"), "1000000000000000");
}

TEST(TemplateLimits, numbers_at_the_end_of_64_bits) {
    EXPECT_TRUE(says(rendered("{{ 9223372036854775807|round(-1) }}"), "beyond 64 bits"));
    EXPECT_EQ(rendered("{{ 'abc'[::-9223372036854775807 - 1] }}{{ 'abc'[::9223372036854775807] }}"), "ca");
    EXPECT_TRUE(says(rendered("{{ '%*d' % (-9223372036854775807 - 1, 5) }}"), "limit"));
    EXPECT_EQ(rendered("{{ 'abc'|truncate(3, leeway=9223372036854775807) }}"), "abc");
    EXPECT_EQ(rendered("{{ 'x'.center(-9223372036854775807 - 1) }}{{ 'x'.zfill(-9223372036854775807 - 1) }}"), "xx");
}

TEST(TemplateLimits, no_width_is_cut_in_silence) {
    EXPECT_TRUE(says(rendered("{{ 'a'.zfill(1000000000) }}"), "limit"));
    EXPECT_TRUE(says(rendered("{{ 'a\nb'|indent(1000000000) }}"), "limit"));
    EXPECT_TRUE(says(rendered("{{ [1]|tojson(indent=1001) }}"), "limit"));
}

TEST(TemplateLimits, what_is_rendered_is_utf8) {
    EXPECT_TRUE(says(rendered("{{ '%c' % 55296 }}"), "surrogate"));
    EXPECT_TRUE(says(rendered("{{ '{:c}'.format(55296) }}"), "surrogate"));
}

}  // namespace
}  // namespace belfry::text
