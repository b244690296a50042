#include "rules/hold_proof.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

base::Uuid pull(std::uint64_t number) {
    return base::make_uuid7(base::Timestamp{1}, number, number);
}

model::Notification held(std::int64_t lease, const base::Uuid& by_pull, std::string holder = "token:a") {
    model::Notification row;
    row.id.uuid = pull(1000);
    row.state = model::DeliveryState::locked;
    row.handle = 1;
    row.lease = lease;
    row.holder = std::move(holder);
    row.pull_id = by_pull;
    return row;
}

model::PullLink link(std::uint64_t number, bool is_empty = false, std::string by = "token:a") {
    return {pull(number), {}, false, is_empty, false, std::move(by)};
}

TEST(HoldProof, a_named_lease_decides_before_anything_else) {
    const auto row = held(2, pull(1));
    EXPECT_EQ(judge_hold(row, {"token:b", {}, {{"n1", 2}}}, {}), Hold::proven);
    EXPECT_EQ(judge_hold(row, {"token:a", pull(1), {{"n1", 1}}}, {}), Hold::stale);
    EXPECT_EQ(judge_hold(row, {"token:b", {}, {{base::format_uuid(row.id.uuid), 2}}}, {}), Hold::proven);
    EXPECT_EQ(judge_hold(row, {"token:b", {}, {{"n2", 2}}}, {}), Hold::unnamed);
}

TEST(HoldProof, a_guest_proves_by_a_lease_what_it_holds_itself) {
    const auto row = held(2, pull(1));
    EXPECT_EQ(judge_hold(row, {"token:a", {}, {{"n1", 2}}, true}, {}), Hold::proven);
    EXPECT_EQ(judge_hold(row, {"token:b", {}, {{"n1", 2}}, true}, {}), Hold::stale);
}

TEST(HoldProof, a_guest_proves_nothing_by_the_pull_of_another_principal) {
    model::Progress progress;
    link_pull(progress, link(1), {}, true);
    const auto row = held(1, pull(1));
    const HoldProof guest{"token:b", pull(1), {}, true};
    EXPECT_EQ(judge_hold(row, guest, progress.pulls), Hold::stale);
    EXPECT_FALSE(may_be_own_pull(progress.pulls, pull(1), guest));
    EXPECT_TRUE(own_pulls(progress.pulls, guest).empty());
    const HoldProof holder{"token:a", pull(1), {}, true};
    EXPECT_EQ(judge_hold(row, holder, progress.pulls), Hold::proven);
    EXPECT_TRUE(may_be_own_pull(progress.pulls, pull(1), holder));
    EXPECT_FALSE(may_be_own_pull(progress.pulls, pull(9), holder)) << "nobody knows whose it was";
    EXPECT_TRUE(may_be_own_pull(progress.pulls, pull(9), {"token:b", pull(9), {}})) << "of no guest";
}

TEST(HoldProof, other_principals_prove_nothing_of_what_a_guest_holds) {
    model::Progress progress;
    model::PullLink of_guest = link(1, false, "token:b");
    of_guest.is_guest = true;
    of_guest.has_words = true;
    link_pull(progress, of_guest, {}, true);
    const auto row = held(1, pull(1), "token:b");
    const HoldProof other{"token:a", pull(1), {{"n1", 1}}};
    EXPECT_FALSE(may_be_own(row, other, progress.pulls));
    EXPECT_EQ(judge_hold(row, other, progress.pulls), Hold::stale);
    EXPECT_EQ(judge_hold(row, {"token:a", {}, {}}, progress.pulls), Hold::unnamed);
    EXPECT_FALSE(may_be_own_pull(progress.pulls, pull(1), other));
    EXPECT_TRUE(may_be_own(row, {"token:b", {}, {}}, progress.pulls)) << "the session may be its own by now";
    ASSERT_TRUE(pulls_with_words(progress.pulls, other));
    EXPECT_TRUE(pulls_with_words(progress.pulls, other)->empty());
    EXPECT_EQ(pulls_with_words(progress.pulls, {"token:b", {}, {}, true})->size(), 1U);
}

TEST(HoldProof, guests_push_out_no_message_of_the_sessions_own_agent) {
    model::Progress progress;
    link_pull(progress, link(1), {}, true);
    note_spoken(progress, "token:a");
    for (int n = 0; n < 100; ++n) note_spoken(progress, "token:guest" + std::to_string(n), true);
    EXPECT_EQ(progress.spoken.size(), base::limits::spoken_max);
    EXPECT_EQ(progress.spoken.front().by, "token:a");
}

TEST(HoldProof, a_pull_of_another_principal_does_not_break_a_chain) {
    model::Progress progress;
    link_pull(progress, link(1), {}, true);
    link_pull(progress, link(2, false, "token:b"), {}, false);
    link_pull(progress, link(3), {}, false);
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:a", pull(3), {}}, progress.pulls), Hold::proven);
    link_pull(progress, link(4, false, "token:b"), {}, false);
    link_pull(progress, link(5), pull(3), false);
    EXPECT_EQ(judge_hold(held(2, pull(3)), {"token:a", pull(5), {}}, progress.pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(3)), {"token:b", pull(4), {}}, progress.pulls), Hold::stale);
}

TEST(HoldProof, guests_remember_their_own_decisions) {
    model::Progress progress;
    const HoldProof owner{"token:a", {}, {}};
    const HoldProof guest{"token:b", {}, {}, true};
    note_decided(progress, pull(1), owner);
    for (std::uint64_t n = 2; n < 2 * base::limits::decided_rows_max; ++n) note_decided(progress, pull(n), guest);
    EXPECT_EQ(decided_in_turn(progress, owner), std::vector{pull(1)});
    EXPECT_EQ(decided_in_turn(progress, guest).size(), base::limits::decided_rows_max);
    EXPECT_EQ(decided_in_turn(progress, guest).back(), pull(2 * base::limits::decided_rows_max - 1)) << "the latest";
    forget_decided(progress, "token:b");
    EXPECT_TRUE(decided_in_turn(progress, guest).empty());
    EXPECT_EQ(decided_in_turn(progress, owner).size(), 1U);
}

TEST(HoldProof, nothing_is_needed_of_the_only_holder) {
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:a", {}, {}}, {}), Hold::proven);
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:b", {}, {}}, {}), Hold::unnamed);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", {}, {}}, {}), Hold::unnamed) << "one of two with one token";
    EXPECT_EQ(judge_hold(held(1, pull(1), ""), {"token:a", {}, {}}, {}), Hold::unnamed) << "it was released";
}

TEST(HoldProof, a_pull_proves_its_own_chain_up_to_itself) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    link_pull(progress, link(1), {}, true);
    link_pull(progress, link(2), pull(1), false);
    link_pull(progress, link(3), pull(2), false);
    const HoldProof second{"token:a", pull(2), {}};
    EXPECT_EQ(judge_hold(held(2, pull(1)), second, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(2)), second, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(3)), second, pulls), Hold::not_arrived) << "its caller had the second";
}

TEST(HoldProof, a_pull_of_another_chain_is_stale) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    link_pull(progress, link(1), {}, true);
    link_pull(progress, link(2), {}, true);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(1), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(9), {}}, pulls), Hold::stale) << "nobody knows that pull";
    EXPECT_EQ(judge_hold(held(1, pull(2)), {"token:a", pull(9), {}}, pulls), Hold::proven) << "it had one holder";
    EXPECT_EQ(judge_hold(held(1, pull(2)), {"token:b", pull(9), {}}, pulls), Hold::stale);
}

TEST(HoldProof, a_pull_that_was_dropped_proves_nothing_that_came_after_it) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    link_pull(progress, link(5), {}, true);
    EXPECT_EQ(judge_hold(held(1, pull(5)), {"token:a", pull(4), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(5)), {"token:a", pull(6), {}}, pulls), Hold::proven) << "it may be of this chain";
    EXPECT_EQ(judge_hold(held(2, pull(5)), {"token:a", pull(6), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(3)), {"token:a", pull(2), {}}, pulls), Hold::proven) << "of a version before";
}

TEST(HoldProof, a_later_pull_that_named_nothing_may_be_of_another_runtime) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    link_pull(progress, link(1), {}, true);
    link_pull(progress, link(2), {}, false);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(1), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::stale) << "it may be a zombie's";
    EXPECT_TRUE(is_latest(pulls, pull(1))) << "both may be one runtime's";
    link_pull(progress, link(3, false, "token:b"), {}, false);
    EXPECT_FALSE(is_latest(pulls, pull(1)));
    EXPECT_TRUE(is_latest(pulls, pull(3)));
}

TEST(HoldProof, a_caller_has_the_pulls_of_its_chain_or_of_its_token) {
    model::Progress progress;
    link_pull(progress, link(1, false, "token:a"), {}, true);
    link_pull(progress, link(2, false, "token:b"), {}, true);
    link_pull(progress, link(3, false, "token:a"), pull(1), false);
    const auto own = [&](const HoldProof& proof) {
        std::vector<base::Uuid> found;
        for (const model::PullLink* one : own_pulls(progress.pulls, proof)) found.push_back(one->pull);
        return found;
    };
    EXPECT_EQ(own({"token:b", {}, {}}), (std::vector{pull(2)}));
    EXPECT_EQ(own({"token:b", pull(3), {}}), (std::vector{pull(1), pull(3)}));
    EXPECT_EQ(own({"token:a", pull(9), {}}), (std::vector{pull(1), pull(3)}));
}

TEST(HoldProof, a_session_remembers_a_bounded_number_of_pulls) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    for (std::uint64_t n = 0; n < 3 * base::limits::chained_pulls_max; ++n) link_pull(progress, link(n), {}, n == 0);
    EXPECT_EQ(pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(pulls.front().chain, pull(0));
}

TEST(HoldProof, empty_pulls_are_forgotten_first) {
    model::Progress progress;
    const std::vector<model::PullLink>& pulls = progress.pulls;
    link_pull(progress, link(0), {}, true);
    for (std::uint64_t n = 1; n < 3 * base::limits::chained_pulls_max; ++n) {
        link_pull(progress, link(n, true), pull(n - 1), false);
    }
    EXPECT_EQ(pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(pulls.front().pull, pull(0));
    const HoldProof last{"token:a", pulls.back().pull, {}};
    EXPECT_EQ(judge_hold(held(2, pull(0)), last, pulls), Hold::proven);
}

TEST(HoldProof, a_long_turn_takes_no_pull_of_another_principal) {
    model::Progress progress;
    model::PullLink guests = link(0);
    guests.by = "token:guest";
    link_pull(progress, guests, {}, true);
    for (std::uint64_t n = 1; n < 3 * base::limits::chained_pulls_max; ++n) {
        model::PullLink one = link(n);
        one.has_words = true;
        link_pull(progress, one, pull(n - 1), false);
    }
    EXPECT_EQ(progress.pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(progress.pulls.front().pull, pull(0));
}

TEST(HoldProof, pulls_with_messages_of_the_user_are_forgotten_last) {
    model::Progress progress;
    model::PullLink words = link(0);
    words.has_words = true;
    link_pull(progress, words, {}, true);
    for (std::uint64_t n = 1; n < 3 * base::limits::chained_pulls_max; ++n) {
        link_pull(progress, link(n), pull(n - 1), false);
    }
    EXPECT_EQ(progress.pulls.front().pull, pull(0));
}

TEST(HoldProof, the_pull_before_a_message_is_remembered) {
    model::Progress progress;
    link_pull(progress, link(0, true), {}, true);
    note_spoken(progress, "token:a");
    for (std::uint64_t n = 1; n < 3 * base::limits::chained_pulls_max; ++n) {
        link_pull(progress, link(n, n % 2 == 0), pull(n - 1), false);
    }
    EXPECT_EQ(progress.pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(progress.pulls.front().pull, pull(0)) << "what was pulled later is not told by the message";
}

}  // namespace
}  // namespace belfry::rules
