#include "rules/value_order.hpp"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

model::Value from(std::string_view json) {
    return model::value_from({json});
}

TEST(ValueOrder, numbers_of_any_kind_stand_in_one_row) {
    const std::vector<std::string_view> rising{"-1e400",
                                               "-18446744073709551616",
                                               "-9223372036854775808",
                                               "-10",
                                               "-9.5",
                                               "-1e-400",
                                               "0",
                                               "1e-400",
                                               "0.1",
                                               "0.25",
                                               "1",
                                               "1.5",
                                               "2",
                                               "10",
                                               "9007199254740992",
                                               "9007199254740993",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "18446744073709551616.5",
                                               "1e300",
                                               "1e400",
                                               "1.5e400",
                                               "1e99999999999999999999"};
    for (std::size_t i = 0; i < rising.size(); ++i) {
        for (std::size_t j = 0; j < rising.size(); ++j) {
            EXPECT_TRUE(order_of(from(rising[i]), from(rising[j])) == (i <=> j)) << rising[i] << ' ' << rising[j];
        }
    }
}

TEST(ValueOrder, one_number_is_one_number_however_it_is_written) {
    EXPECT_TRUE(order_of(from("1"), from("1.0")) == 0);
    EXPECT_TRUE(order_of(from("-0.0"), from("0")) == 0);
    EXPECT_TRUE(order_of(from("9223372036854775808"), from("9223372036854775808.0")) == 0);
}

TEST(ValueOrder, texts_are_ordered_by_their_bytes) {
    EXPECT_TRUE(order_of(from(R"("a")"), from(R"("b")")) < 0);
    EXPECT_TRUE(order_of(from(R"("Z")"), from(R"("a")")) < 0);
    EXPECT_TRUE(order_of(from(R"("a")"), from(R"("aa")")) < 0);
    EXPECT_TRUE(order_of(from(R"("z")"), from(R"("ä")")) < 0);
    EXPECT_TRUE(order_of(from(R"("10")"), from(R"("9")")) < 0);
}

TEST(ValueOrder, nothing_else_has_an_order) {
    const std::vector<std::string_view> values{"null", "true", "1", R"("1")", "[1]", "{}"};
    for (const std::string_view a : values) {
        for (const std::string_view b : values) {
            const bool ordered = a == b && (a == "1" || a == R"("1")");
            EXPECT_EQ(order_of(from(a), from(b)) != std::partial_ordering::unordered, ordered) << a << ' ' << b;
        }
    }
}

}  // namespace
}  // namespace belfry::rules
