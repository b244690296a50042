#include "rules/change_wake.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>

namespace belfry::rules {
namespace {

using model::ChangeOrigin;
using model::ChangeToken;

model::Change change(const std::string& host, std::uint64_t counter, ChangeOrigin origin,
                     const std::vector<std::string>& tokens) {
    model::Change made;
    made.unit = {host, counter, "agent", "x"};
    made.origin = std::move(origin);
    for (const std::string& token : tokens) made.tokens.push_back(*ChangeToken::parse(token));
    return made;
}

const ChangeOrigin user{};
const ChangeOrigin sync{ChangeOrigin::Kind::sync, {}};
ChangeOrigin by(const std::string& agent) {
    return {ChangeOrigin::Kind::agent, agent};
}

std::vector<std::uint64_t> found(const std::vector<model::Change>& changes, bool synced, const Counters& processed,
                                 std::vector<std::string> texts = {"key:k"}) {
    model::WakeSubscription rule;
    rule.agent_id = "me";
    rule.synced = synced;
    std::vector<ChangeToken> tokens;
    for (const std::string& text : texts) tokens.push_back(*ChangeToken::parse(text));
    std::ranges::sort(tokens);
    std::vector<std::uint64_t> counters;
    for (const model::Change* const one : changes_for(rule, tokens, processed, changes)) {
        counters.push_back(one->unit.counter);
    }
    return counters;
}

using Found = std::vector<std::uint64_t>;

TEST(ChangesFor, are_those_of_users_and_other_agents_and_synced_ones_where_asked_for) {
    const std::vector<model::Change> changes{change("h", 1, user, {"key:k"}), change("h", 2, by("me"), {"key:k"}),
                                             change("h", 3, by("other"), {"key:k"}), change("p", 4, sync, {"key:k"})};
    EXPECT_EQ(found(changes, false, {}), (Found{1, 3}));
    EXPECT_EQ(found(changes, true, {}), (Found{1, 3, 4}));
}

TEST(ChangesFor, touch_any_of_the_tokens_by_class) {
    const std::vector<model::Change> changes{change("h", 1, user, {"key:x"}), change("h", 2, user, {"sub:k/x", "id:k"}),
                                             change("h", 3, user, {})};
    EXPECT_EQ(found(changes, false, {}, {"key:x", "id:k"}), (Found{1, 2}));
    EXPECT_EQ(found(changes, false, {}, {"id:x"}), Found{});
    EXPECT_EQ(found(changes, false, {}, {"key:k"}), Found{});
}

TEST(ChangesFor, lie_beyond_what_was_processed_of_their_host) {
    const std::vector<model::Change> changes{change("h", 1, user, {"key:k"}), change("h", 2, user, {"key:k"}),
                                             change("h", 3, user, {"key:k"}), change("p", 2, user, {"key:k"})};
    EXPECT_EQ(found(changes, false, {{"h", 2}}), (Found{3, 2}));
    EXPECT_EQ(found(changes, false, {{"h", 3}, {"p", 2}}), Found{});
}

using Marks = std::map<std::string, std::uint64_t>;

TEST(ProcessedAfter, is_what_is_settled_up_to_the_first_that_is_carried_and_never_less) {
    EXPECT_EQ(processed_after({}, {{"h", 5}}, {}), (Counters{{"h", 5}}));
    EXPECT_EQ(processed_after({}, {{"h", 5}}, {{"h", 3}}), (Counters{{"h", 2}}));
    EXPECT_EQ(processed_after({}, {{"h", 5}}, {{"h", 9}}), (Counters{{"h", 5}}));
    EXPECT_EQ(processed_after({{"h", 4}}, {{"h", 5}}, {{"h", 3}}), (Counters{{"h", 4}}));
    EXPECT_EQ(processed_after({{"p", 4}}, {{"h", 5}}, {}), (Counters{{"h", 5}, {"p", 4}}));
    EXPECT_EQ(processed_after({}, {{"h", 5}}, {{"h", 1}}), Counters{});
}

// Changes come in any order, are told, carried by jobs and seen to; whatever happens, what was processed has no gap and
// nothing open below it, and it reaches all where nothing is open.
TEST(ProcessedAfter, has_no_gap_and_nothing_open_below_it) {
    EXPECT_TRUE(rc::check([] {
        // Not a set at once: more different ones than there are would be asked for.
        const auto some = [] {
            const auto all = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 20));
            return std::set(all.begin(), all.end());
        };
        const std::set<std::uint64_t> known = some();
        const std::set<std::uint64_t> carried = some();
        const auto before = *rc::gen::inRange<std::int64_t>(0, 5);
        std::uint64_t settled = 0;
        while (known.contains(settled + 1)) ++settled;
        Marks open;
        if (!carried.empty()) open["h"] = *carried.begin();
        const Counters after = processed_after({{"h", before}}, {{"h", settled}}, open);
        const std::int64_t reached = after.at("h");
        RC_ASSERT(reached >= before);
        for (std::int64_t counter = before + 1; counter <= reached; ++counter) {
            RC_ASSERT(known.contains(static_cast<std::uint64_t>(counter)));
            RC_ASSERT(!carried.contains(static_cast<std::uint64_t>(counter)));
        }
        if (carried.empty()) RC_ASSERT(static_cast<std::uint64_t>(reached) >= settled);
        RC_ASSERT(processed_after(after, {{"h", settled}}, open) == after);
    }));
}

}  // namespace
}  // namespace belfry::rules
