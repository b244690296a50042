#include "view/page.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::view {
namespace {

// A store of so many rows of so many bytes; counts what it was asked for.
struct Rows {
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::size_t given = 0;

    base::Result<std::vector<std::string>> page(std::size_t limit) {
        return read_page<std::string>(
            limit,
            [this](std::size_t wanted, const std::vector<std::string>& before) {
                std::vector<std::string> rows(std::min(wanted, count - before.size()), std::string(bytes, 'x'));
                given += rows.size();
                return base::Result<std::vector<std::string>>(std::move(rows));
            },
            [](const std::string& row) { return row.size(); });
    }
};

TEST(ReadPage, holds_what_there_is_up_to_the_limit) {
    EXPECT_EQ(Rows{}.page(10)->size(), 0U);
    EXPECT_EQ((Rows{100, 1}.page(40)->size()), 40U);
    EXPECT_EQ((Rows{32, 1}.page(40)->size()), 32U);
}

TEST(ReadPage, ends_one_row_after_an_answer_is_full) {
    Rows rows{1000, 1 << 20};
    EXPECT_EQ(rows.page(1000)->size(), 5U) << "four fill it";
    EXPECT_LE(rows.given, 16U);
}

}  // namespace
}  // namespace belfry::view
