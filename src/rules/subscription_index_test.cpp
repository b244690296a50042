#include "rules/subscription_index.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>

#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

using model::ChangeToken;
using Places = std::vector<std::uint32_t>;
using Strings = std::vector<std::string>;

std::vector<ChangeToken> tokens(const Strings& texts) {
    std::vector<ChangeToken> made;
    for (const std::string& text : texts) made.push_back(*ChangeToken::parse(text));
    return made;
}

WakeInterests wants(Strings types, const Strings& texts = {}) {
    return {"ada", std::move(types), tokens(texts)};
}

Places matched(const SubscriptionIndex& index, std::string_view type) {
    Places found{99};
    index.match_event("ada", type, found);
    return found;
}

Places touched(const SubscriptionIndex& index, const Strings& texts) {
    Places found{99};
    index.match_tokens("ada", tokens(texts), found);
    return found;
}

TEST(SubscriptionIndex, finds_types_and_patterns_at_every_dot) {
    SubscriptionIndex index;
    index.set(3, wants({"build.*"}));
    index.set(1, wants({"build.step.failed"}));
    index.set(2, wants({"build.step.*", "build.*"}));
    EXPECT_EQ(matched(index, "build.step.failed"), (Places{1, 2, 3}));
    EXPECT_EQ(matched(index, "build.step"), (Places{2, 3}));
    EXPECT_EQ(matched(index, "build.step.failed.x"), (Places{2, 3}));
    EXPECT_EQ(matched(index, "builds.step"), Places{});
    EXPECT_EQ(matched(index, "build"), Places{});
}

TEST(SubscriptionIndex, finds_tokens_of_each_class_and_never_one_for_another) {
    SubscriptionIndex index;
    index.set(0, wants({}, {"key:TASK"}));
    index.set(1, wants({}, {"sub:workout/running"}));
    index.set(2, wants({}, {"id:TASK", "sub:workout/running"}));
    index.set(3, wants({"TASK.x"}));
    EXPECT_EQ(touched(index, {"key:TASK"}), Places{0});
    EXPECT_EQ(touched(index, {"id:TASK"}), Places{2});
    EXPECT_EQ(touched(index, {"sub:workout/running", "key:TASK", "key:other", "key:TASK"}), (Places{0, 1, 2}));
    EXPECT_EQ(touched(index, {"sub:other/running", "id:workout/running"}), Places{});
    EXPECT_EQ(touched(index, {}), Places{});
    EXPECT_EQ(matched(index, "key:TASK"), Places{0}) << "and nobody asks for a type that is none";
}

TEST(SubscriptionIndex, forgets_what_is_removed_or_replaced) {
    SubscriptionIndex index;
    EXPECT_EQ(matched(index, "a.b"), Places{});
    index.remove(7);
    index.set(0, wants({"a.b", "a.b"}, {"id:x"}));
    index.set(1, wants({"a.b"}));
    index.set(2, wants({"a.b"}));
    index.remove(1);
    index.remove(1);
    EXPECT_EQ(matched(index, "a.b"), (Places{0, 2}));
    index.set(0, wants({}, {"id:y"}));
    EXPECT_EQ(matched(index, "a.b"), Places{2});
    EXPECT_EQ(touched(index, {"id:x"}), Places{});
    EXPECT_EQ(touched(index, {"id:y"}), Places{0});
    index.set(2, {});
    EXPECT_EQ(matched(index, "a.b"), Places{});
    index.set(1, wants({"a.b"}));
    EXPECT_EQ(matched(index, "a.b"), Places{1});
}

// A thousand of them want what the look-ups below ask for; all others something of their own.
std::size_t work_with(std::uint32_t count) {
    SubscriptionIndex index;
    for (std::uint32_t place = 0; place < count; ++place) {
        const std::string number = std::to_string(place);
        if (place < 10) {
            index.set(place, wants({"build.*"}, {"key:TASK"}));
        } else {
            index.set(place, wants({"t" + number + ".x", "t" + number + ".y.*"}, {"id:" + number, "sub:ns/" + number}));
        }
    }
    Places found;
    std::size_t looked_at = index.match_event("ada", "build.step.failed", found);
    EXPECT_EQ(found.size(), 10U);
    looked_at += index.match_tokens("ada", tokens({"key:TASK", "id:none", "sub:ns/none"}), found);
    EXPECT_EQ(found.size(), 10U);
    looked_at += index.match_event("ada", "t77.y.z", found);
    EXPECT_EQ(found, Places{77});
    return looked_at;
}

TEST(SubscriptionIndex, what_a_look_up_costs_does_not_depend_on_those_that_do_not_match) {
    // 21 entries are found. The rest are other keys in the buckets of the nine that are looked up, one or so in each.
    EXPECT_LE(work_with(1'000), 21U + 9U * 4U);
    EXPECT_LE(work_with(100'000), 21U + 9U * 4U);
}

TEST(SubscriptionIndex, what_others_want_costs_nothing_and_is_not_found) {
    SubscriptionIndex index;
    for (std::uint32_t place = 0; place < 10'000; ++place) {
        WakeInterests others = wants({"build.*"}, {"key:TASK"});
        others.user_id = "u" + std::to_string(place);
        index.set(place, others);
    }
    index.set(10'000, wants({"build.*"}, {"key:TASK"}));
    Places found;
    EXPECT_LE(index.match_event("ada", "build.failed", found), 1U + 2U * 4U);
    EXPECT_EQ(found, Places{10'000});
    EXPECT_LE(index.match_tokens("ada", tokens({"key:TASK"}), found), 1U + 4U);
    EXPECT_EQ(found, Places{10'000});
    index.match_event("nobody", "build.failed", found);
    EXPECT_EQ(found, Places{});
}

struct Step {
    std::uint32_t place = 0;
    bool removes = false;
    Strings types;
    Strings tokens;
};

void showValue(const Step& step, std::ostream& out) {  // NOLINT: the name that rapidcheck looks for
    out << (step.removes ? "remove " : "set ") << step.place;
    for (const std::string& type : step.types) out << ' ' << type;
    for (const std::string& token : step.tokens) out << ' ' << token;
}

rc::Gen<std::string> any_type() {
    return rc::gen::element<std::string>("a.b", "a.c", "a.b.c", "a.b.c.d", "ab.c", "b.a");
}
rc::Gen<std::string> any_pattern() {
    return rc::gen::oneOf(any_type(), rc::gen::element<std::string>("a.*", "a.b.*", "a.b.c.*", "ab.*", "b.*"));
}
rc::Gen<std::string> any_token() {
    return rc::gen::element<std::string>("key:a", "key:b", "id:a", "id:b", "id:a|b", "sub:a/b", "sub:b/b", "id:a/b");
}

template <class T>
rc::Gen<std::vector<T>> up_to_four(const rc::Gen<T>& gen) {
    return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 5),
                           [gen](std::size_t count) { return rc::gen::container<std::vector<T>>(count, gen); });
}

rc::Gen<Step> any_step() {
    return rc::gen::build<Step>(rc::gen::set(&Step::place, rc::gen::inRange<std::uint32_t>(0, 12)),
                                rc::gen::set(&Step::removes, rc::gen::weightedElement<bool>({{1, true}, {2, false}})),
                                rc::gen::set(&Step::types, up_to_four(any_pattern())),
                                rc::gen::set(&Step::tokens, up_to_four(any_token())));
}

TEST(SubscriptionIndex, finds_what_asking_each_would_find) {
    EXPECT_TRUE(rc::check([] {
        SubscriptionIndex index;
        std::map<std::uint32_t, Step> naive;
        for (const Step& step : *rc::gen::container<std::vector<Step>>(any_step())) {
            naive.erase(step.place);
            if (step.removes) {
                index.remove(step.place);
            } else {
                index.set(step.place, wants(step.types, step.tokens));
                naive[step.place] = step;
            }
        }
        const std::string type = *any_type();
        const Strings asked = *up_to_four(any_token());
        Places by_type;
        Places by_token;
        for (const auto& [place, step] : naive) {
            if (std::ranges::any_of(step.types, [&](const std::string& one) { return matches_type(one, type); })) {
                by_type.push_back(place);
            }
            if (std::ranges::find_first_of(step.tokens, asked) != step.tokens.end()) by_token.push_back(place);
        }
        RC_ASSERT(matched(index, type) == by_type);
        RC_ASSERT(touched(index, asked) == by_token);
    }));
}

}  // namespace
}  // namespace belfry::rules
