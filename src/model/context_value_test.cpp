#include "model/context_value.hpp"

#include <gtest/gtest.h>

#include "base/context_limits.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;

TEST(ContextValue, names_have_parts_as_types_of_events_do) {
    for (const char* name : {"build.progress", "a.b", "A-1.b_2.c"}) EXPECT_TRUE(is_context_name(name)) << name;
    for (const char* name : {"", "build", "true", ".a", "a.", "a..b", "a b.c", "ä.b", "a.b/c", "a.*", "a,b.c"}) {
        EXPECT_FALSE(is_context_name(name)) << name;
    }
    const std::string longest = "a." + std::string(limits::context_name_chars_max - 2, 'x');
    EXPECT_TRUE(is_context_name(longest));
    EXPECT_FALSE(is_context_name(longest + "x"));
    EXPECT_EQ(check_context_name("build").error().field, "name");
}

TEST(ContextValue, is_current_until_it_expires_and_not_in_a_past_that_the_clock_went_back_to) {
    ContextValue value;
    value.set_at = base::Timestamp{1'000'000'000'000};
    value.expires_at = value.set_at + base::seconds(10);
    EXPECT_TRUE(is_current(value, value.set_at));
    EXPECT_TRUE(is_current(value, value.expires_at - base::milliseconds(1)));
    EXPECT_FALSE(is_current(value, value.expires_at));
    EXPECT_TRUE(is_current(value, value.set_at - limits::context_clock_slack)) << "clocks are set back a little often";
    EXPECT_FALSE(is_current(value, value.set_at - limits::context_clock_slack - base::milliseconds(1)));
}

}  // namespace
}  // namespace belfry::model
