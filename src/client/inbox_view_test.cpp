#include "client/inbox_view.hpp"

#include <gtest/gtest.h>

namespace belfry::client {
namespace {

using Change = InboxView::Change;

model::RawJson notification(const std::string& id, int lease, int version = 1, const std::string& text = "hello") {
    return model::RawJson::trusted(R"({"type":"notification","id":")" + id + R"(","session_id":null,"text":")" + text +
                                   R"(","content":"","state":"dispatched","owner_lease":)" + std::to_string(lease) +
                                   R"(,"version":)" + std::to_string(version) + "}");
}

model::RawJson state(const std::string& id, const std::string& name, int lease, const std::string& marks = "") {
    return model::RawJson::trusted(R"({"type":"notification_state","id":")" + id + R"(","state":")" + name +
                                   R"(","owner_lease":)" + std::to_string(lease) + R"(,"version":1)" + marks + "}");
}

model::RawJson narration(const std::string& id, int version = 1, const std::string& text = "I did it.") {
    return model::RawJson::trusted(
        R"({"type":"notification","id":")" + id + R"(","session_id":"s1","text":")" + text + R"(","content":")" + text +
        R"(","narrated":true,"state":"locked","owner_lease":1,)" + R"("version":)" + std::to_string(version) + "}");
}

TEST(InboxView, three_notifications_of_lease_1_are_all_shown) {
    InboxView view;
    for (const char* id : {"a", "b", "c"}) EXPECT_EQ(view.take(notification(id, 1)), Change::added);
    ASSERT_EQ(view.items().size(), 3U);
    EXPECT_EQ(view.items()[2].id, "c");
}

TEST(InboxView, the_same_one_again_is_not_and_with_a_higher_lease_it_takes_its_own_place) {
    InboxView view;
    view.take(notification("a", 1));
    view.take(notification("b", 1));
    EXPECT_EQ(view.take(notification("a", 1)), Change::none);
    EXPECT_EQ(view.take(notification("a", 2, 1, "escalated")), Change::replaced);
    EXPECT_EQ(view.take(notification("a", 1, 9, "late")), Change::none);
    ASSERT_EQ(view.items().size(), 2U);
    EXPECT_EQ(view.items()[0].text, "escalated");
    EXPECT_EQ(view.items()[0].lease, 2);
}

TEST(InboxView, an_update_of_the_content_replaces) {
    InboxView view;
    view.take(notification("a", 1, 1));
    EXPECT_EQ(view.take(notification("a", 1, 2, "40 %")), Change::replaced);
    EXPECT_EQ(view.take(notification("a", 1, 1, "20 %")), Change::none);
    EXPECT_EQ(view.find("a")->text, "40 %");
}

TEST(InboxView, what_others_did_is_marked_and_never_goes_back) {
    InboxView view;
    view.take(notification("a", 1));
    EXPECT_EQ(view.take(state("a", "delivered", 1)), Change::marked);
    EXPECT_EQ(view.take(state("a", "dispatched", 1)), Change::none);
    EXPECT_EQ(view.find("a")->state, "delivered");
    EXPECT_EQ(view.take(notification("a", 1, 1)), Change::none);
    EXPECT_EQ(view.take(state("a", "delivered", 1, R"(,"seen_at":"t1")")), Change::marked);
    EXPECT_EQ(view.take(state("a", "delivered", 1, R"(,"seen_at":null)")), Change::none);
    EXPECT_EQ(view.take(state("a", "delivered", 1, R"(,"seen_at":"t2")")), Change::none);
    EXPECT_EQ(view.find("a")->seen_at, "t1");
    EXPECT_EQ(view.take(state("nobody", "delivered", 1)), Change::none);
    EXPECT_EQ(view.items().size(), 1U);
}

TEST(InboxView, a_state_of_an_older_lease_is_not_taken) {
    InboxView view;
    view.take(notification("a", 2));
    EXPECT_EQ(view.take(state("a", "locked", 1)), Change::none);
    EXPECT_EQ(view.find("a")->state, "dispatched");
    EXPECT_EQ(view.take(state("a", "escalated", 2)), Change::marked);
}

TEST(InboxView, the_agents_own_text_is_the_one_visible_item) {
    InboxView view;
    EXPECT_EQ(view.take(narration("a")), Change::added);
    EXPECT_EQ(view.take(narration("a")), Change::none) << "the same again, after a reconnect";
    ASSERT_EQ(view.items().size(), 1U);
    EXPECT_EQ(view.items()[0].text, "I did it.");
    EXPECT_TRUE(view.items()[0].narrated);
    EXPECT_EQ(view.items()[0].lease, 1) << "it is acknowledged like any other";
    EXPECT_EQ(view.take(narration("a", 2, "I did it. (tool used: call)")), Change::replaced);
    EXPECT_EQ(view.items()[0].text, "I did it. (tool used: call)");
    EXPECT_EQ(view.take(state("a", "delivered", 1)), Change::marked);
    EXPECT_EQ(view.take(narration("a", 3)), Change::none) << "it has ended";
    view.take(notification("b", 1));
    EXPECT_FALSE(view.items()[1].narrated);
}

TEST(InboxView, other_messages_change_nothing) {
    InboxView view;
    for (const char* text : {R"({"type":"caught_up","waiting":0})", R"({"type":"ack_result","id":"a"})", "[]", "{}"}) {
        EXPECT_EQ(view.take(model::RawJson::trusted(text)), Change::none) << text;
    }
    EXPECT_EQ(view.find("a"), nullptr);
}

}  // namespace
}  // namespace belfry::client
