#include "base/result.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace belfry::base {
namespace {

Error refused() {
    return error(Code::conflict, "the message", "the.field", "the_reason");
}

// Counts its living objects, so that a value that is never destroyed shows, and one that is destroyed twice.
struct Counted {
    explicit Counted(int* count) : alive(count) { ++*alive; }
    Counted(const Counted& other) : alive(other.alive) { ++*alive; }
    Counted(Counted&& other) noexcept : alive(other.alive) { ++*alive; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --*alive; }
    int* alive;
};

TEST(Result, holds_a_value_or_an_error) {
    const Result<std::string> good(std::string("a value"));
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(*good, "a value");
    const Result<std::string> bad(refused());
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error(), refused());
}

TEST(Result, copies_its_value_or_its_error) {
    const Result<std::string> good(std::string("a value"));
    const Result<std::string> bad(refused());
    Result<std::string> copy = good;
    EXPECT_EQ(*copy, "a value");
    copy = bad;
    EXPECT_EQ(copy.error(), refused());
    copy.error().message = "changed";
    EXPECT_EQ(bad.error(), refused()) << "a copy has an error of its own";
    copy = good;
    EXPECT_EQ(*copy, "a value");
}

TEST(Result, moves_a_value_that_cannot_be_copied) {
    Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
    Result<std::unique_ptr<int>> other(refused());
    other = std::move(result);
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(**other, 7);
    const std::unique_ptr<int> taken = std::move(other).value();
    EXPECT_EQ(*taken, 7);
}

TEST(Result, stays_an_error_after_its_error_was_moved) {
    Result<int> from(refused());
    const Result<int> into = std::move(from);
    EXPECT_EQ(into.error(), refused());
    ASSERT_FALSE(from.ok());  // NOLINT(bugprone-use-after-move): that is the subject
    EXPECT_EQ(from.error().code, Code::internal);
    Result<void> nothing(refused());
    const Result<void> taken = std::move(nothing);
    EXPECT_EQ(taken.error(), refused());
    EXPECT_FALSE(nothing.ok());  // NOLINT(bugprone-use-after-move)
}

TEST(Result, destroys_each_value_once) {
    int alive = 0;
    {
        Result<Counted> first{Counted(&alive)};
        Result<Counted> second = first;
        EXPECT_EQ(alive, 2);
        second = Result<Counted>(refused());
        EXPECT_EQ(alive, 1);
        second = first;
        EXPECT_EQ(alive, 2);
        std::vector<Result<Counted>> many(5, second);
        many.erase(many.begin());
        EXPECT_EQ(alive, 6);
    }
    EXPECT_EQ(alive, 0);
}

TEST(Result, of_nothing_is_success_or_an_error) {
    Result<void> result;
    EXPECT_TRUE(result.ok());
    result = refused();
    ASSERT_FALSE(result.ok());
    const Result<void> copy = result;
    EXPECT_EQ(copy.error(), refused());
    result = Result<void>();
    EXPECT_TRUE(result.ok());
}

TEST(Result, may_be_assigned_to_itself) {
    Result<std::string> result(std::string("a value"));
    const Result<std::string>& same = result;
    result = same;
    EXPECT_EQ(*result, "a value");
}

}  // namespace
}  // namespace belfry::base
