#include "base/limits.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;
using Notifications = Talk;

TEST_F(Notifications, are_listed_by_pages_and_by_what_they_are) {
    const Got got = get(
        "/v1/notifications?user=ada&session=s1&subscriber=tool_failure&state=locked&open=true&after=4&limit=2", "user");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.ends_with(R"("next":6,"has_more":true})")) << got.body;
    house.on_network([&] {
        const ports::NotificationFilter& filter = house.queries.notification_filter;
        EXPECT_EQ(filter.user_id, "ada");
        EXPECT_EQ(filter.session_id, "s1");
        EXPECT_EQ(filter.subscriber_id, "tool_failure");
        EXPECT_EQ(filter.state, model::DeliveryState::locked);
        EXPECT_TRUE(filter.open_only);
        EXPECT_EQ(filter.after, 4);
        EXPECT_EQ(filter.limit, 3U);
        EXPECT_EQ(house.queries.asked, "token:user");
    });
    EXPECT_TRUE(get("/v1/notifications?open=false").body.ends_with(R"("next":null,"has_more":false})"));
    house.on_network([&] {
        EXPECT_FALSE(house.queries.notification_filter.open_only);
        EXPECT_EQ(house.queries.notification_filter.limit, limits::page_entries_default + 1);
    });
}

TEST_F(Notifications, a_page_of_large_ones_is_cut_and_says_where_to_go_on) {
    house.on_network([&] { house.queries.content = letters(limits::page_bytes_max / 2); });
    const Got got = get("/v1/notifications");
    EXPECT_TRUE(got.body.ends_with(R"("next":2,"has_more":true})"));
}

TEST_F(Notifications, a_parameter_that_is_wrong_is_named) {
    const auto list = [&](const std::string& query) { return refusal(get("/v1/notifications?" + query)); };
    EXPECT_EQ(list("state=lost"),
              "422 invalid state: must be pending, dispatched, locked, escalated, delivered or failed");
    EXPECT_EQ(list("open=1"), "422 invalid open: must be true or false");
    EXPECT_TRUE(list("after=x").find(" after: ") != std::string::npos);
    EXPECT_EQ(list("limit=0"), "422 invalid limit: must be a number from 1 to 1000");
    EXPECT_EQ(list("sessions=s1"), "422 invalid sessions: there is no such parameter");
    EXPECT_EQ(list("user=" + letters(201)), "422 invalid user: must have at most 200 bytes");
    EXPECT_EQ(get("/v1/notifications?after=9223372036854775808").status, 400);
}

TEST_F(Notifications, one_is_found_by_id_or_by_its_handle_in_a_session) {
    const Got got = get("/v1/notifications/n7?session=s1");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"id":"018f0000-0000-7000-8000-000000000007",)")) << got.body;
    house.on_network([&] { EXPECT_EQ(house.queries.asked, "token:agent s1 n7"); });
    EXPECT_EQ(refusal(get("/v1/notifications/n7?sesion=s1")), "422 invalid sesion: there is no such parameter");
    house.on_network([&] { house.queries.refusal = base::error(base::Code::not_found, "none"); });
    EXPECT_EQ(refusal(get("/v1/notifications/x")), "422 invalid id: must be a handle such as n7, or an id");
    EXPECT_EQ(refusal(get("/v1/notifications/n8?session=s1")), "404 not_found -: none");
    EXPECT_EQ(refusal(get("/v1/notifications")), "404 not_found -: none");
}

using Subscribers = Talk;

TEST_F(Subscribers, are_listed_with_what_a_user_has_chosen_and_what_is_wrong_with_files) {
    const Got got = get("/v1/subscribers?user=ada");
    EXPECT_EQ(got.status, 200);
    const auto json = codec::validate(got.body);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->member("user_id")->as_text(), "ada");
    std::string seen;
    model::JsonWalker walker(*json->member("data"));
    while (const auto one = walker.next()) {
        seen += one->member("id")->as_text() + ":" + std::string(one->member("enabled")->text) + " ";
    }
    EXPECT_EQ(seen, "subagent:false task_checkpoint:true tool_failure:true ");
    EXPECT_EQ(json->member("problems")->text,
              R"([{"file":"bad.toml","line":2,"column":1,"field":"events.types","message":"must not be empty",)"
              R"("fatal":true}])");
    EXPECT_TRUE(get("/v1/subscribers").body.starts_with(R"({"user_id":"owner","data":[)"));
}

TEST_F(Subscribers, are_listed_by_pages) {
    const Got first = get("/v1/subscribers?limit=2");
    EXPECT_NE(first.body.find(R"("next":"task_checkpoint","has_more":true)"), std::string::npos) << first.body;
    const Got second = get("/v1/subscribers?limit=2&after=task_checkpoint");
    EXPECT_NE(second.body.find(R"("data":[{"id":"tool_failure")"), std::string::npos) << second.body;
    EXPECT_NE(second.body.find(R"("next":null,"has_more":false)"), std::string::npos);
    const Got none = get("/v1/subscribers?after=zzz");
    EXPECT_NE(none.body.find(R"("data":[],"next":null,"has_more":false)"), std::string::npos) << none.body;
    EXPECT_EQ(refusal(get("/v1/subscribers?x=1")), "422 invalid x: there is no such parameter");
    EXPECT_EQ(refusal(get("/v1/subscribers/subagent?limit=1")), "422 invalid limit: there is no such parameter");
}

TEST_F(Subscribers, who_may_see_nobodys_choices_gets_the_list_without_them) {
    house.on_network([&] { house.queries.refusal = base::error(base::Code::forbidden, "not yours"); });
    const Got got = get("/v1/subscribers");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"user_id":null,"data":[)")) << got.body;
    EXPECT_NE(got.body.find(R"("core":false,"enabled":null)"), std::string::npos);
    EXPECT_NE(got.body.find(R"("core":true,"enabled":true)"), std::string::npos);
    EXPECT_EQ(refusal(get("/v1/subscribers?user=ada")), "403 forbidden -: not yours");
    EXPECT_EQ(refusal(get("/v1/subscribers/subagent?user=ada")), "403 forbidden -: not yours");
    house.on_network([&] { house.queries.refusal = base::error(base::Code::unavailable, "down"); });
    EXPECT_EQ(refusal(get("/v1/subscribers")), "503 unavailable -: down");
}

TEST_F(Subscribers, one_is_shown_and_switched) {
    EXPECT_NE(get("/v1/subscribers/subagent").body.find(R"("enabled":false,"core_reason":null,"user_id":"owner")"),
              std::string::npos);
    EXPECT_EQ(refusal(get("/v1/subscribers/nobody")), "404 not_found -: there is no subscriber \"nobody\"");
    const Got got = ask("PUT", "/v1/subscribers/task_checkpoint", R"({"enabled":false,"user_id":"ada"})", "user");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"id":"task_checkpoint",)")) << got.body;
    EXPECT_NE(got.body.find(R"("enabled":false,"core_reason":null,"user_id":"ada")"), std::string::npos);
    house.on_network([&] {
        const auto& toggle = house.gateway.last_as<ports::ToggleSubscriber>();
        EXPECT_EQ(toggle.subscriber_id, "task_checkpoint");
        EXPECT_EQ(toggle.user_id, "ada");
        EXPECT_FALSE(toggle.enabled);
    });
    EXPECT_NE(ask("PUT", "/v1/subscribers/subagent", R"({"enabled":true})", "admin")
                  .body.find(R"("enabled":true,"core_reason":null,"user_id":"owner")"),
              std::string::npos);
    EXPECT_EQ(of_last<ports::ToggleSubscriber>([](const auto& toggle) { return toggle.user_id; }), "");
}

TEST_F(Subscribers, a_switch_that_is_wrong_names_the_field) {
    const auto put = [&](const std::string& id, const std::string& body) {
        return refusal(ask("PUT", "/v1/subscribers/" + id, body, "user"));
    };
    EXPECT_EQ(put("subagent", "{}"), "422 invalid enabled: must be given");
    EXPECT_TRUE(put("subagent", R"({"enabled":"yes"})").starts_with("422 invalid enabled: "));
    EXPECT_EQ(put("subagent", R"({"enabled":true,"core":true})"), "422 invalid core: is not known");
    EXPECT_EQ(put("subagent", R"({"enabled":true,"user_id":""})"), "422 invalid user_id: must not be empty");
    EXPECT_EQ(put("nobody", R"({"enabled":true})"), "404 not_found -: there is no subscriber \"nobody\"");
    EXPECT_EQ(submitted(), 0);
    EXPECT_EQ(ask("PUT", "/v1/subscribers/subagent", R"({"enabled":true})", "agent").status, 403);
}

using Settings = Talk;

TEST_F(Settings, are_read_and_replaced) {
    const Got read = get("/v1/users/ada/settings", "user");
    EXPECT_EQ(read.status, 200);
    EXPECT_EQ(read.body, R"({"user_id":"ada","disabled_subscribers":["subagent"]})");
    const Got put = ask("PUT", "/v1/users/ada%20l/settings", R"({"disabled_subscribers":["b","a"]})", "user");
    EXPECT_EQ(put.body, R"({"user_id":"ada l","disabled_subscribers":["b","a"]})");
    EXPECT_EQ(ask("PUT", "/v1/users/ada/settings", R"({"disabled_subscribers":[]})", "user").body,
              R"({"user_id":"ada","disabled_subscribers":[]})");
    house.on_network([&] { house.queries.refusal = base::error(base::Code::forbidden, "not yours"); });
    EXPECT_EQ(refusal(get("/v1/users/bob/settings", "user")), "403 forbidden -: not yours");
    EXPECT_EQ(get("/v1/users/ada/settings", "agent").status, 403);
}

TEST_F(Settings, a_list_that_is_wrong_names_the_field) {
    const auto put = [&](const std::string& body) {
        return refusal(ask("PUT", "/v1/users/ada/settings", body, "user"));
    };
    EXPECT_EQ(put("{}"), "422 invalid disabled_subscribers: must be given");
    EXPECT_EQ(put(R"({"disabled_subscribers":null})"), "422 invalid disabled_subscribers: must be given");
    EXPECT_TRUE(put(R"({"disabled_subscribers":"a"})").starts_with("422 invalid disabled_subscribers: "));
    EXPECT_TRUE(put(R"({"disabled_subscribers":["a",7]})").starts_with("422 invalid disabled_subscribers[1]: "));
    EXPECT_EQ(put(R"({"disabled_subscribers":["a",""]})"), "422 invalid disabled_subscribers[1]: must not be empty");
    EXPECT_EQ(put(R"({"disabled_subscribers":[")" + letters(65) + R"("]})"),
              "422 invalid disabled_subscribers[0]: must have at most 64 bytes");
    EXPECT_EQ(put(R"({"disabled_subscribers":[],"user_id":"x"})"), "422 invalid user_id: is not known");
    EXPECT_EQ(refusal(ask("PUT", "/v1/users/%0A/settings", R"({"disabled_subscribers":[]})", "user")),
              "422 invalid user_id: must not contain control characters");
    EXPECT_EQ(submitted(), 0);
}

}  // namespace
}  // namespace belfry::net::test
