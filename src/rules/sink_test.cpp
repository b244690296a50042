#include "rules/sink.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

TEST(Sink, one_that_narrows_nothing_wants_everything) {
    EXPECT_TRUE(wants(model::Sink{}, model::Notification{}));
}

TEST(Sink, every_list_that_is_given_must_hold) {
    model::Notification one;
    one.scope.user_id = "ada";
    one.priority = model::Priority::high;
    one.severity = model::Severity::error;
    model::Sink sink;
    sink.users = {"bob", "ada"};
    sink.priorities = {model::Priority::critical, model::Priority::high};
    sink.severities = {model::Severity::error};
    EXPECT_TRUE(wants(sink, one));
    model::Notification other = one;
    other.scope.user_id = "eve";
    EXPECT_FALSE(wants(sink, other));
    other = one;
    other.priority = model::Priority::normal;
    EXPECT_FALSE(wants(sink, other));
    other = one;
    other.severity = model::Severity::critical;
    EXPECT_FALSE(wants(sink, other));
}

}  // namespace
}  // namespace belfry::rules
