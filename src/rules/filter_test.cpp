#include "rules/filter.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

TEST(Filter, takes_patterns_up_to_their_limit) {
    model::StreamFilter filter;
    filter.type_patterns.assign(base::limits::access_bound_entries_max, "ci.*");
    EXPECT_TRUE(check_filter(filter).ok());
    filter.type_patterns.emplace_back("ci.*");
    const auto checked = check_filter(filter);
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().code, base::Code::invalid);
    EXPECT_EQ(checked.error().field, "type");
}

TEST(Filter, of_an_agent_passes_no_entry_whose_source_is_a_text) {
    EXPECT_TRUE(is_from_agent(R"({"source":{"agent_id":"a"}})", "a"));
    EXPECT_FALSE(is_from_agent(R"({"source":{"agent_id":"b"}})", "a"));
    EXPECT_FALSE(is_from_agent(R"({"source":"a"})", "a"));
    EXPECT_FALSE(is_from_agent(R"({"data":{"source":{"agent_id":"a"}}})", "a"));
}

}  // namespace
}  // namespace belfry::rules
