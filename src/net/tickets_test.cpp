#include "net/tickets.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "net/rates.hpp"
#include "net/test_house.hpp"

namespace belfry::net {
namespace {

SharedCaller caller(const std::string& id = "token:a") {
    auto made = std::make_shared<Caller>();
    made->principal.id = id;
    return made;
}

TEST(Tickets, are_bounded_and_leave_room_when_they_expire) {
    test::TestRandom random;
    Tickets tickets(random, base::limits::ticket_life);
    for (std::size_t i = 0; i < base::limits::tickets_max; ++i) {
        ASSERT_TRUE(tickets.issue(caller(std::to_string(i / 50)), base::seconds(1)).ok());
    }
    const auto refused = tickets.issue(caller(), base::seconds(1));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::overloaded);
    EXPECT_TRUE(tickets.issue(caller(), base::seconds(1) + base::limits::ticket_life).ok());
    EXPECT_EQ(tickets.open(), 1U);
}

TEST(Tickets, one_principal_cannot_take_those_of_the_others) {
    test::TestRandom random;
    Tickets tickets(random, base::limits::ticket_life);
    std::string text;
    for (std::size_t i = 0; i < base::limits::tickets_per_principal_max; ++i) text = *tickets.issue(caller(), {});
    const auto refused = tickets.issue(caller(), {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::rate_limited);
    EXPECT_TRUE(tickets.issue(caller("token:b"), {}).ok());
    ASSERT_NE(tickets.redeem(text, {}), nullptr);
    EXPECT_TRUE(tickets.issue(caller(), {}).ok());
}

TEST(Tickets, a_wrong_secret_spends_nothing) {
    test::TestRandom random;
    Tickets tickets(random, base::limits::ticket_life);
    const SharedCaller who = caller();
    const std::string text = *tickets.issue(who, {});
    std::string wrong = text;
    wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
    EXPECT_EQ(tickets.redeem(wrong, {}), nullptr);
    EXPECT_EQ(tickets.redeem(text.substr(0, 8), {}), nullptr);
    EXPECT_EQ(tickets.redeem("", {}), nullptr);
    EXPECT_EQ(tickets.redeem(text, {}), who);
    EXPECT_EQ(tickets.redeem(text, {}), nullptr);
}

TEST(EventRates, a_second_is_taken_at_once_and_then_as_time_passes) {
    EventRates rates;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(rates.take("a", 10, 1, {}).us, 0);
    EXPECT_EQ(rates.take("a", 10, 1, {}), base::seconds(1));
    EXPECT_EQ(rates.take("b", 10, 1, {}).us, 0);
    EXPECT_EQ(rates.take("a", 10, 1, base::milliseconds(100)).us, 0);
    EXPECT_NE(rates.take("a", 10, 1, base::milliseconds(100)).us, 0);
}

TEST(EventRates, a_large_batch_is_owed_for) {
    EventRates rates;
    EXPECT_EQ(rates.take("a", 10, 100, {}).us, 0);
    EXPECT_EQ(rates.take("a", 10, 1, base::seconds(1)), base::seconds(9));
    rates.sweep(base::minutes(5));
    EXPECT_EQ(rates.take("a", 10, 1, base::minutes(5)).us, 0);
}

}  // namespace
}  // namespace belfry::net
