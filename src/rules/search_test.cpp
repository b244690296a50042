#include "rules/search.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

bool finds(std::string_view text) {
    model::Notification notification;
    notification.id.uuid = *base::parse_uuid("018f0000-0000-7000-8000-00000000abcd");
    notification.text = "Disk is FULL on host seven";
    notification.subscriber_id = "disk_watch";
    notification.scope = {"ada", "trip-to-rome", "planner"};
    notification.state = model::DeliveryState::failed;
    notification.outcome = "nobody_there";
    return mentions(notification, search_words(text));
}

TEST(Search, finds_by_everything_that_a_person_knows_a_notification_by) {
    for (const char* text : {"disk", "full", "SEVEN", "disk_watch", "ada", "trip-to", "planner", "failed", "nobody",
                             "00000000ABCD", "", "  "}) {
        EXPECT_TRUE(finds(text)) << text;
    }
}

TEST(Search, wants_every_word_wherever_it_stands) {
    EXPECT_TRUE(finds("rome disk"));
    EXPECT_TRUE(finds(" failed\tfull  "));
    EXPECT_FALSE(finds("rome paris"));
    EXPECT_FALSE(finds("seven\nfailed\nx"));
    EXPECT_FALSE(finds("sevenfailed"));
}

}  // namespace
}  // namespace belfry::rules
