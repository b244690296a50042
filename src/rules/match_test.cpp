#include "rules/match.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

using model::Severity;
using Places = std::vector<std::uint32_t>;

model::Subscriber wants(std::vector<std::string> types, std::optional<Severity> least = {},
                        std::vector<std::string> sources = {}) {
    model::Subscriber made;
    made.types = std::move(types);
    made.severity_min = least;
    made.sources = std::move(sources);
    return made;
}

Places matched(const std::vector<model::Subscriber>& subscribers, std::string_view type, std::string_view source = "x",
               Severity severity = Severity::info) {
    Places found{99};
    SubscriberIndex(subscribers).match(type, source, severity, found);
    return found;
}

TEST(SubscriberIndex, a_star_matches_any_depth_below_and_nothing_beside) {
    const std::vector subscribers{wants({"tool.*"}), wants({"tool.call.*"}), wants({"tool.call.failure"})};
    EXPECT_EQ(matched(subscribers, "tool.call.failure"), (Places{0, 1, 2}));
    EXPECT_EQ(matched(subscribers, "tool.x"), Places{0});
    EXPECT_EQ(matched(subscribers, "tool.call"), Places{0});
    EXPECT_EQ(matched(subscribers, "tool"), Places{});
    EXPECT_EQ(matched(subscribers, "toolbox.x"), Places{});
    EXPECT_EQ(matched(subscribers, "a.tool.x"), Places{});
}

TEST(SubscriberIndex, a_subscriber_that_matches_twice_is_found_once) {
    const std::vector subscribers{wants({"a.*", "a.b", "a.b"}), wants({"a.b"}, {}, {"x", "x"})};
    EXPECT_EQ(matched(subscribers, "a.b"), (Places{0, 1}));
}

TEST(SubscriberIndex, a_least_severity_keeps_what_is_below_it_out) {
    const std::vector subscribers{wants({"a.b"}, Severity::error), wants({"a.b"}), wants({"a.b"}, Severity::debug)};
    EXPECT_EQ(matched(subscribers, "a.b", "x", Severity::warning), (Places{1, 2}));
    EXPECT_EQ(matched(subscribers, "a.b", "x", Severity::error), (Places{0, 1, 2}));
    EXPECT_EQ(matched(subscribers, "a.b", "x", Severity::critical), (Places{0, 1, 2}));
}

TEST(SubscriberIndex, sources_are_told_apart_whatever_characters_they_have) {
    const std::string odd("ci\0a.b", 6);
    const std::vector subscribers{wants({"a.b"}, {}, {"ci", "cd"}), wants({"a.*"}, {}, {odd}),
                                  wants({"a.b"}, {}, {""})};
    EXPECT_EQ(matched(subscribers, "a.b", "cd"), Places{0});
    EXPECT_EQ(matched(subscribers, "a.b", odd), Places{1});
    EXPECT_EQ(matched(subscribers, "a.b", ""), Places{2});
    EXPECT_EQ(matched(subscribers, "a.b", "c"), Places{});
}

TEST(SubscriberIndex, an_index_of_nothing_finds_nothing) {
    Places found{1};
    SubscriberIndex().match("a.b", "x", Severity::critical, found);
    EXPECT_EQ(found, Places{});
}

rc::Gen<std::string> any_type() {
    return rc::gen::element<std::string>("a.b", "a.c", "a.b.c", "a.b.c.d", "ab.c", "b.a", "a.bb");
}
rc::Gen<std::string> any_pattern() {
    return rc::gen::oneOf(any_type(), rc::gen::element<std::string>("a.*", "a.b.*", "a.b.c.*", "ab.*", "b.*"));
}
rc::Gen<std::string> any_source() {
    return rc::gen::element<std::string>("x", "y", "x.a", "");
}
rc::Gen<Severity> any_severity() {
    return rc::gen::element(Severity::debug, Severity::info, Severity::warning, Severity::error, Severity::critical);
}

TEST(SubscriberIndex, finds_what_looking_at_every_subscriber_finds) {
    EXPECT_TRUE(rc::check([] {
        std::vector<model::Subscriber> subscribers(*rc::gen::inRange<std::size_t>(0, 30));
        for (model::Subscriber& subscriber : subscribers) {
            subscriber.types = *rc::gen::container<std::vector<std::string>>(any_pattern());
            subscriber.sources = *rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(any_source()));
            if (*rc::gen::arbitrary<bool>()) subscriber.severity_min = *any_severity();
        }
        const std::string type = *any_type();
        const std::string source = *any_source();
        const Severity severity = *any_severity();

        Places expected;
        for (std::uint32_t place = 0; place < subscribers.size(); ++place) {
            const model::Subscriber& subscriber = subscribers[place];
            const bool type_fits = std::ranges::any_of(
                subscriber.types, [&](const std::string& pattern) { return matches_type(pattern, type); });
            const bool source_fits =
                subscriber.sources.empty() || std::ranges::find(subscriber.sources, source) != subscriber.sources.end();
            const bool severe_enough = !subscriber.severity_min || severity >= *subscriber.severity_min;
            if (type_fits && source_fits && severe_enough) expected.push_back(place);
        }
        RC_ASSERT(matched(subscribers, type, source, severity) == expected);
    }));
}

}  // namespace
}  // namespace belfry::rules
