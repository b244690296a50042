#include "rules/batch.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using base::Timestamp;
using model::Severity;
using model::WaitingKind;
using Taken = Batch::Taken;

constexpr base::Duration window = base::seconds(2);
constexpr base::Duration dedupe = base::seconds(5);

Timestamp at_ms(std::int64_t ms) {
    return Timestamp{} + base::milliseconds(ms);
}

Batch::Place arrive(Batch& batch, std::int64_t ms, std::string_view key, base::Duration dedupe_window = dedupe,
                    Severity severity = Severity::info) {
    Arrival arrival;
    arrival.key = key;
    arrival.severity = severity;
    arrival.event_json = "{}";
    arrival.now = at_ms(ms);
    return batch.take(arrival, window, dedupe_window);
}

TEST(Batch, every_row_is_due_when_the_first_arrivals_window_ends) {
    Batch batch;
    EXPECT_EQ(batch.next_due(), std::nullopt);
    EXPECT_EQ(arrive(batch, 0, "a").row->due_at, at_ms(2000));
    EXPECT_EQ(arrive(batch, 1500, "b").row->due_at, at_ms(2000));
    EXPECT_EQ(batch.due_at(), at_ms(2000));
    EXPECT_EQ(batch.size(), 2U);
    EXPECT_EQ(batch.bytes(), 4U);
    batch.leave(at_ms(1600), dedupe);
    EXPECT_EQ(batch.due_at(), std::nullopt);
    EXPECT_EQ(batch.bytes(), 0U);
    EXPECT_EQ(arrive(batch, 1700, "c").row->due_at, at_ms(3700));
}

TEST(Batch, a_row_has_the_greatest_severity_of_what_it_counts) {
    Batch batch;
    arrive(batch, 0, "a", dedupe, Severity::warning);
    EXPECT_EQ(arrive(batch, 1, "a", dedupe, Severity::critical).row->severity, Severity::critical);
    EXPECT_EQ(arrive(batch, 2, "a", dedupe, Severity::info).row->severity, Severity::critical);
    batch.leave(at_ms(10), dedupe);
    arrive(batch, 20, "a", dedupe, Severity::info);
    EXPECT_EQ(arrive(batch, 30, "a", dedupe, Severity::error).row->severity, Severity::error);
}

TEST(Batch, without_a_dedupe_window_every_event_is_a_row) {
    Batch batch;
    EXPECT_EQ(arrive(batch, 0, "a", {}).taken, Taken::added);
    EXPECT_EQ(arrive(batch, 1, "a", {}).taken, Taken::added);
    EXPECT_EQ(batch.leave(at_ms(2000), {}).size(), 2U);
    EXPECT_TRUE(batch.is_idle());
    EXPECT_EQ(arrive(batch, 2001, "a", {}).taken, Taken::added);
}

TEST(Batch, a_window_ends_exactly_when_it_ends) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(1000), dedupe);
    const auto folded = arrive(batch, 5999, "a");
    EXPECT_EQ(folded.taken, Taken::folded_first);
    EXPECT_EQ(folded.row->kind, WaitingKind::repeat);
    EXPECT_EQ(folded.row->due_at, at_ms(6000));
    EXPECT_EQ(arrive(batch, 6000, "a").taken, Taken::added);
}

TEST(Batch, repeats_of_a_window_that_nobody_ended_are_neither_lost_nor_mixed_with_the_next_batch) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    arrive(batch, 2, "a");
    EXPECT_EQ(arrive(batch, 9000, "a").taken, Taken::added);
    EXPECT_EQ(batch.next_follow_up(), at_ms(5000));
    const auto left = batch.leave(at_ms(9000), dedupe);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].count, 1);
    EXPECT_EQ(arrive(batch, 9001, "a").taken, Taken::folded_first);
    const auto followed = batch.end_windows(at_ms(9002));
    ASSERT_EQ(followed.size(), 1U);
    EXPECT_EQ(followed[0].count, 2);
    EXPECT_EQ(batch.end_windows(at_ms(14'000)).size(), 1U);
    EXPECT_TRUE(batch.is_idle());
}

TEST(Batch, a_follow_up_starts_no_window) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    EXPECT_EQ(batch.end_windows(at_ms(5000)).size(), 1U);
    EXPECT_TRUE(batch.is_idle());
    EXPECT_EQ(arrive(batch, 5001, "a").taken, Taken::added);
}

TEST(Batch, an_ended_repeat_joins_the_open_batch_as_a_row_or_in_the_row_of_its_key) {
    Batch batch;
    arrive(batch, 0, "a");
    arrive(batch, 0, "b");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    arrive(batch, 2, "a");
    arrive(batch, 3, "b");
    arrive(batch, 6000, "b");
    auto ended = batch.end_windows(at_ms(6000));
    ASSERT_EQ(ended.size(), 2U);
    ended[0].ordinal = 7;
    ended[0].stored_count = 2;
    const auto added = batch.rejoin(ended[0], at_ms(6000), window);
    EXPECT_EQ(added.taken, Taken::added);
    EXPECT_EQ(added.row->kind, WaitingKind::row);
    EXPECT_EQ(added.row->ordinal, 0);
    EXPECT_EQ(added.row->stored_count, 0);
    EXPECT_EQ(batch.rejoin(ended[1], at_ms(6000), window).taken, Taken::counted);
    EXPECT_EQ(batch.changed().size(), 3U);
    const auto left = batch.leave(at_ms(6001), dedupe);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].dedupe_key, "b");
    EXPECT_EQ(left[0].count, 2);
    EXPECT_EQ(left[1].dedupe_key, "a");
    EXPECT_EQ(left[1].count, 2);
}

TEST(Batch, a_row_that_joins_an_empty_batch_opens_it) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    EXPECT_EQ(batch.rejoin(batch.end_windows(at_ms(5000)).at(0), at_ms(5000), window).row->due_at,
              at_ms(5000) + window);
    EXPECT_EQ(batch.due_at(), at_ms(5000) + window);
}

TEST(Batch, is_bounded_by_a_shorter_window_and_not_by_a_longer_one) {
    Batch batch;
    batch.bound(at_ms(1));
    EXPECT_EQ(batch.due_at(), std::nullopt);
    arrive(batch, 0, "a");
    batch.bound(at_ms(0) + window * 2);
    EXPECT_EQ(batch.due_at(), at_ms(0) + window);
    batch.bound(at_ms(1));
    EXPECT_EQ(batch.due_at(), at_ms(1));
}

TEST(Batch, keeps_the_length_of_its_windows_where_the_clock_is_set_back) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    arrive(batch, 5001, "a");
    arrive(batch, 5002, "b");
    batch.leave(at_ms(5003), dedupe);
    arrive(batch, 5004, "b");
    arrive(batch, 5005, "c");
    batch.shift_back(base::milliseconds(5000));
    EXPECT_EQ(batch.changed().size(), 3U);
    EXPECT_EQ(batch.due_at(), at_ms(5) + window);
    EXPECT_EQ(batch.next_follow_up(), at_ms(0));
    EXPECT_EQ(batch.end_windows(at_ms(0)).size(), 1U);
    EXPECT_EQ(arrive(batch, 5002, "b").taken, Taken::folded_again);
    EXPECT_EQ(arrive(batch, 5003, "b").taken, Taken::added);
    EXPECT_EQ(batch.end_windows(at_ms(5003)).size(), 1U);
}

TEST(Batch, follow_ups_come_out_in_order_of_arrival_not_of_their_windows) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "b");
    batch.leave(at_ms(1), dedupe);
    arrive(batch, 2, "b");
    arrive(batch, 3, "a");
    const auto followed = batch.end_windows(at_ms(10'000));
    ASSERT_EQ(followed.size(), 2U);
    EXPECT_EQ(followed[0].dedupe_key, "b");
    EXPECT_EQ(followed[1].dedupe_key, "a");
}

TEST(Batch, windows_without_repeats_ask_for_nothing_and_are_forgotten) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    EXPECT_FALSE(batch.is_idle());
    EXPECT_EQ(batch.next_due(), std::nullopt);
    EXPECT_TRUE(batch.end_windows(at_ms(5000)).empty());
    EXPECT_TRUE(batch.is_idle());
}

TEST(Batch, the_next_thing_due_is_the_earlier_of_batch_and_follow_up) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    arrive(batch, 2500, "b");
    EXPECT_EQ(batch.next_due(), at_ms(4500));
    arrive(batch, 2600, "c");
    batch.leave(at_ms(4000), dedupe);
    EXPECT_EQ(batch.next_due(), at_ms(5000));
}

TEST(Batch, a_subscriber_that_gets_another_dedupe_window_loses_no_repeats) {
    Batch batch;
    arrive(batch, 0, "a");
    batch.leave(at_ms(0), dedupe);
    arrive(batch, 1, "a");
    arrive(batch, 2, "a", {});
    batch.leave(at_ms(3), base::seconds(60));
    EXPECT_EQ(arrive(batch, 4, "a").row->due_at, at_ms(60'003));
    EXPECT_EQ(batch.next_follow_up(), at_ms(5000));
    EXPECT_EQ(batch.end_windows(at_ms(5000)).size(), 1U);
    EXPECT_EQ(batch.end_windows(at_ms(60'003)).size(), 1U);
    EXPECT_TRUE(batch.is_idle());
}

}  // namespace
}  // namespace belfry::rules
