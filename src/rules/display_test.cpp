#include "rules/display.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

TEST(DisplaySource, reads_as_people_write_it) {
    const struct {
        const char* source;
        const char* shown;
    } table[] = {
        {"tool_executor", "Tool Executor"},
        {"ci", "Ci"},
        {"github-actions", "Github Actions"},
        {"CI_runner2", "CI Runner2"},
        {"_a__b-", "A B"},
        {"2fa_service", "2fa Service"},
        {"GitHub Actions", "GitHub Actions"},
        {"build server", "build server"},
        {"https://ci.example/x_y", "https://ci.example/x_y"},
        {"glocken_türme", "glocken_türme"},
        {"__", "__"},
        {"", ""},
    };
    for (const auto& [source, shown] : table) EXPECT_EQ(display_source(source), shown) << source;
}

}  // namespace
}  // namespace belfry::rules
