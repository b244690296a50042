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

TEST(HoldProof, nothing_is_needed_of_the_only_holder) {
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:a", {}, {}}, {}), Hold::proven);
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:b", {}, {}}, {}), Hold::unnamed);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", {}, {}}, {}), Hold::unnamed) << "one of two with one token";
    EXPECT_EQ(judge_hold(held(1, pull(1), ""), {"token:a", {}, {}}, {}), Hold::unnamed) << "it was released";
}

TEST(HoldProof, a_pull_proves_its_own_chain_up_to_itself) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(1), {}, true);
    link_pull(pulls, link(2), pull(1), false);
    link_pull(pulls, link(3), pull(2), false);
    const HoldProof second{"token:a", pull(2), {}};
    EXPECT_EQ(judge_hold(held(2, pull(1)), second, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(2)), second, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(3)), second, pulls), Hold::not_arrived) << "its caller had the second";
}

TEST(HoldProof, a_pull_of_another_chain_is_stale) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(1), {}, true);
    link_pull(pulls, link(2), {}, true);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(1), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(9), {}}, pulls), Hold::stale) << "nobody knows that pull";
    EXPECT_EQ(judge_hold(held(1, pull(2)), {"token:a", pull(9), {}}, pulls), Hold::proven) << "it had one holder";
    EXPECT_EQ(judge_hold(held(1, pull(2)), {"token:b", pull(9), {}}, pulls), Hold::stale);
}

TEST(HoldProof, a_pull_that_was_dropped_proves_nothing_that_came_after_it) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(5), {}, true);
    EXPECT_EQ(judge_hold(held(1, pull(5)), {"token:a", pull(4), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(5)), {"token:a", pull(6), {}}, pulls), Hold::proven) << "it may be of this chain";
    EXPECT_EQ(judge_hold(held(2, pull(5)), {"token:a", pull(6), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(3)), {"token:a", pull(2), {}}, pulls), Hold::proven) << "of a version before";
}

TEST(HoldProof, a_later_pull_that_named_nothing_may_be_of_another_runtime) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(1), {}, true);
    link_pull(pulls, link(2), {}, false);
    EXPECT_EQ(judge_hold(held(2, pull(2)), {"token:a", pull(1), {}}, pulls), Hold::stale);
    EXPECT_EQ(judge_hold(held(1, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::proven);
    EXPECT_EQ(judge_hold(held(2, pull(1)), {"token:a", pull(2), {}}, pulls), Hold::stale) << "it may be a zombie's";
    EXPECT_TRUE(is_latest(pulls, pull(1))) << "both may be one runtime's";
    link_pull(pulls, link(3, false, "token:b"), {}, false);
    EXPECT_FALSE(is_latest(pulls, pull(1)));
    EXPECT_TRUE(is_latest(pulls, pull(3)));
}

TEST(HoldProof, a_caller_has_the_pulls_of_its_chain_or_of_its_token) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(1, false, "token:a"), {}, true);
    link_pull(pulls, link(2, false, "token:b"), {}, true);
    link_pull(pulls, link(3, false, "token:a"), pull(1), false);
    const auto own = [&](const HoldProof& proof) {
        std::vector<base::Uuid> found;
        for (const model::PullLink* one : own_pulls(pulls, proof)) found.push_back(one->pull);
        return found;
    };
    EXPECT_EQ(own({"token:b", {}, {}}), (std::vector{pull(2)}));
    EXPECT_EQ(own({"token:b", pull(3), {}}), (std::vector{pull(1), pull(3)}));
    EXPECT_EQ(own({"token:a", pull(9), {}}), (std::vector{pull(1), pull(3)}));
}

TEST(HoldProof, a_session_remembers_a_bounded_number_of_pulls) {
    std::vector<model::PullLink> pulls;
    for (std::uint64_t n = 0; n < 3 * base::limits::chained_pulls_max; ++n) link_pull(pulls, link(n), {}, n == 0);
    EXPECT_EQ(pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(pulls.front().chain, pull(0));
}

TEST(HoldProof, empty_pulls_are_forgotten_first) {
    std::vector<model::PullLink> pulls;
    link_pull(pulls, link(0), {}, true);
    for (std::uint64_t n = 1; n < 3 * base::limits::chained_pulls_max; ++n) {
        link_pull(pulls, link(n, true), pull(n - 1), false);
    }
    EXPECT_EQ(pulls.size(), base::limits::chained_pulls_max);
    EXPECT_EQ(pulls.front().pull, pull(0));
    const HoldProof last{"token:a", pulls.back().pull, {}};
    EXPECT_EQ(judge_hold(held(2, pull(0)), last, pulls), Hold::proven);
}

}  // namespace
}  // namespace belfry::rules
