#include "model/notification_json.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

Notification one() {
    Notification one;
    one.id.uuid = *base::parse_uuid("01890a5d-ac96-774b-bcce-b302099a8057");
    one.scope = {"ada", "chat-1", "coder"};
    one.address = Address::session;
    one.target = Target::user;
    one.content = "build: failed";
    one.text = "The build failed\nat \"link\"";
    one.directive = "tell nobody";
    one.holder = "token:1";
    one.metadata = RawJson::trusted(R"({"url":"x"})");
    one.priority = Priority::high;
    one.severity = Severity::error;
    one.lease = 2;
    one.version = 3;
    one.state = DeliveryState::escalated;
    one.created_at = *base::parse_timestamp("2026-01-02T03:04:05Z");
    return one;
}

TEST(NotificationJson, an_interface_gets_what_it_shows_and_nothing_that_belfry_keeps_for_itself) {
    std::string out;
    append_interface_json(out, one());
    EXPECT_EQ(out,
              R"({"type":"notification","id":"01890a5d-ac96-774b-bcce-b302099a8057","session_id":"chat-1",)"
              R"("content":"build: failed","text":"The build failed\nat \"link\"","narrated":false,"used_tools":[],)"
              R"("routing":{"address":"session","target":"user","handler":"system"},"channel":"conversation",)"
              R"("metadata":{"url":"x"},"priority":"high","severity":"error","owner_lease":2,"version":3,)"
              R"("state":"escalated","timestamp":"2026-01-02T03:04:05Z"})");
}

TEST(NotificationJson, what_lives_with_a_user_comes_by_the_inbox_and_names_no_session) {
    Notification mine = one();
    mine.scope.session_id.clear();
    mine.address = Address::user;
    std::string out;
    append_interface_json(out, mine);
    EXPECT_NE(out.find(R"("session_id":null)"), std::string::npos);
    EXPECT_NE(out.find(R"("channel":"inbox")"), std::string::npos);
}

TEST(NotificationJson, a_change_of_state_has_its_marks_and_who_made_it) {
    Notification seen = one();
    seen.state = DeliveryState::delivered;
    seen.seen_at = base::Timestamp{1'000'000};
    std::string out;
    append_state_json(out, seen, "token:1");
    EXPECT_EQ(out, R"({"type":"notification_state","id":"01890a5d-ac96-774b-bcce-b302099a8057","state":"delivered",)"
                   R"("owner_lease":2,"version":3,"seen_at":"1970-01-01T00:00:01Z","acted_at":null,)"
                   R"("dismissed_at":null,"by":"token:1"})");
}

TEST(NotificationJson, an_interface_shows_the_agents_own_text_of_a_narrated_notification) {
    Notification said = one();
    said.state = DeliveryState::locked;
    said.handler = Handler::agent;
    said.narration = "I have fixed it. (tool used: send_mail)";
    said.used_tools = {"send_mail"};
    std::string out;
    append_interface_json(out, said);
    EXPECT_EQ(out, R"j({"type":"notification","id":"01890a5d-ac96-774b-bcce-b302099a8057","session_id":"chat-1",)j"
                   R"j("content":"I have fixed it. (tool used: send_mail)",)j"
                   R"j("text":"I have fixed it. (tool used: send_mail)","narrated":true,)j"
                   R"j("replaced_text":"The build failed\nat \"link\"","used_tools":["send_mail"],)j"
                   R"j("routing":{"address":"session","target":"user","handler":"agent"},"channel":"conversation",)j"
                   R"j("metadata":{"url":"x"},"priority":"high","severity":"error","owner_lease":2,"version":3,)j"
                   R"j("state":"locked","timestamp":"2026-01-02T03:04:05Z"})j");
}

TEST(NotificationJson, a_wanted_turn_names_whose_it_is_and_why) {
    Notification asks = one();
    asks.depth = 2;
    std::string out;
    append_turn_requested_json(out, asks, "emitted");
    EXPECT_EQ(out, R"({"type":"turn_requested","id":"01890a5d-ac96-774b-bcce-b302099a8057","session_id":"chat-1",)"
                   R"("agent_id":"coder","user_id":"ada","priority":"high","reason":"emitted","depth":2})");
}

}  // namespace
}  // namespace belfry::model
