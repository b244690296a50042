#include "daemon/command_queue.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "base/limits.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::daemon {
namespace {

struct Wish final : ports::CommandOf<ports::Nothing> {};

ports::AnyCommand wish(std::uint64_t producer, ports::Lane lane = ports::Lane::data, std::size_t bytes = 10) {
    auto made = std::make_unique<Wish>();
    made->producer = producer;
    made->lane = lane;
    made->bytes = bytes;
    return made;
}

class Queue : public ::testing::Test {
protected:
    void put(ports::AnyCommand command) { ASSERT_TRUE(queue.submit(command).ok()); }
    std::vector<std::uint64_t> take_producers() {
        std::vector<std::uint64_t> producers;
        for (const auto& command : queue.take(base::Duration{0})) producers.push_back(command->producer);
        return producers;
    }
    ports::Metrics metrics;
    CommandQueue queue{metrics, 300, 1000000};
};

TEST_F(Queue, gives_commands_in_the_order_they_came) {
    for (std::uint64_t i = 1; i <= 5; ++i) put(wish(i));
    EXPECT_EQ(take_producers(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_F(Queue, lets_control_overtake_the_data_of_others) {
    put(wish(1));
    put(wish(2));
    put(wish(3, ports::Lane::control));
    EXPECT_EQ(take_producers(), (std::vector<std::uint64_t>{3, 1, 2}));
}

TEST_F(Queue, never_lets_control_overtake_data_of_its_own_producer) {
    put(wish(1));
    put(wish(2));
    put(wish(1, ports::Lane::control));
    EXPECT_EQ(take_producers(), (std::vector<std::uint64_t>{1, 2, 1}));
    put(wish(2));
    put(wish(1, ports::Lane::control));
    EXPECT_EQ(take_producers(), (std::vector<std::uint64_t>{1, 2})) << "his data was taken: now he may overtake";
}

TEST_F(Queue, refuses_what_is_over_its_bounds_and_leaves_it_with_the_producer) {
    for (std::uint64_t i = 0; i < 300; ++i) put(wish(1));
    ports::AnyCommand one_more = wish(1);
    const auto refused = queue.submit(one_more);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::overloaded);
    EXPECT_NE(one_more, nullptr);
    EXPECT_EQ(metrics.commands_refused_overload, 1U);
    take_producers();
    ports::AnyCommand huge = wish(1, ports::Lane::data, 2000000);
    EXPECT_EQ(queue.submit(huge).error().code, base::Code::overloaded);
}

TEST_F(Queue, bounds_a_group_in_commands_and_in_bytes) {
    for (std::uint64_t i = 0; i < 300; ++i) put(wish(1, ports::Lane::data, 1));
    EXPECT_EQ(take_producers().size(), base::limits::group_commands_max);
    EXPECT_EQ(take_producers().size(), 300 - base::limits::group_commands_max);

    CommandQueue wide{metrics, 100, 100 << 20};
    for (int i = 0; i < 3; ++i) {
        ports::AnyCommand large = wish(1, ports::Lane::data, base::limits::group_bytes_max);
        ASSERT_TRUE(wide.submit(large).ok());
    }
    EXPECT_EQ(wide.take(base::Duration{0}).size(), 1U) << "one that fills a group by itself goes alone";
}

TEST_F(Queue, when_closed_refuses_new_commands_and_gives_out_the_rest) {
    put(wish(1));
    queue.close();
    ports::AnyCommand late = wish(2);
    EXPECT_EQ(queue.submit(late).error().code, base::Code::unavailable);
    EXPECT_FALSE(queue.is_drained());
    EXPECT_EQ(take_producers(), (std::vector<std::uint64_t>{1}));
    EXPECT_TRUE(queue.is_drained());
    EXPECT_TRUE(queue.take(base::minutes(10)).empty()) << "a closed queue never makes anybody wait";
}

TEST_F(Queue, wakes_an_engine_that_waits) {
    std::size_t taken = 0;
    std::thread engine([&] {
        while (taken < 1000) taken += queue.take(base::minutes(10)).size();
    });
    for (int i = 0; i < 1000;) {
        ports::AnyCommand command = wish(7);
        if (queue.submit(command).ok()) ++i;
        else std::this_thread::yield();
    }
    engine.join();
    EXPECT_EQ(taken, 1000U);
}

}  // namespace
}  // namespace belfry::daemon
