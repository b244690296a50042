#include "ports/commands/outside_calls.hpp"

#include <gtest/gtest.h>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

const std::string a_call = "/v1/tool-calls/018f0000-0000-7000-8000-000000000001";

class OutsideCalls : public Talk {
protected:
    void has_work(const std::string& tool) {
        house.on_network([&] { house.gateway.due.insert(tool); });
    }
    std::string end_refused(const std::string& body) { return refusal(ask("POST", a_call + "/end", body)); }
};

TEST_F(OutsideCalls, are_claimed_or_204_says_that_there_is_none) {
    EXPECT_EQ(ask("POST", "/v1/tool-calls/claim", R"({"tools":["mail"]})").status, 204);
    has_work("mail");
    const Got got = ask("POST", "/v1/tool-calls/claim", R"({"tools":["mail"],"holder":"me","lease_s":5})");
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("tool_name":"mail")"), std::string::npos) << got.body;
    of_last<ports::ClaimOutsideCall>([](const ports::ClaimOutsideCall& wish) {
        EXPECT_EQ(wish.holder, "me");
        EXPECT_EQ(wish.lease, base::seconds(5));
        return 0;
    });
}

TEST_F(OutsideCalls, are_refused_by_the_field_that_is_wrong) {
    const auto claim = [this](const std::string& body) { return refusal(ask("POST", "/v1/tool-calls/claim", body)); };
    EXPECT_EQ(claim("{}"), "422 invalid tools: must be given");
    EXPECT_EQ(claim(R"({"tools":["a"],"lease_s":601})"), "422 invalid lease_s: must lie between 1 and 600");
    EXPECT_EQ(claim(R"({"tools":["a"],"wait_s":61})"), "422 invalid wait_s: must lie between 0 and 60");
    EXPECT_EQ(end_refused(R"({"result":{}})"), "422 invalid fence: must be given");
    EXPECT_EQ(end_refused(R"({"fence":1,"result":{},"release":true})").substr(0, 19), "422 invalid result:");
    EXPECT_EQ(end_refused(R"({"fence":1})").substr(0, 19), "422 invalid result:");
    EXPECT_EQ(end_refused(R"({"fence":1,"error":{"message":"m"}})"), "422 invalid error.code: must be given");
    EXPECT_EQ(refusal(ask("POST", "/v1/tool-calls/x/end", R"({"fence":1,"result":{}})")).substr(0, 15),
              "422 invalid id:");
    EXPECT_EQ(refusal(ask("GET", "/v1/tool-calls?state=lost")).substr(0, 18), "422 invalid state:");
}

TEST_F(OutsideCalls, are_ended_with_what_came_of_them) {
    EXPECT_EQ(ask("POST", a_call + "/renew", R"({"fence":2,"lease_s":7})").status, 200);
    EXPECT_EQ(of_last<ports::RenewOutsideCall>([](const auto& wish) { return wish.lease; }), base::seconds(7));
    EXPECT_EQ(ask("POST", a_call + "/end", R"({"fence":2,"result":{"x":1}})").status, 200);
    of_last<ports::EndOutsideCall>([](const ports::EndOutsideCall& wish) {
        EXPECT_EQ(wish.fence, 2);
        EXPECT_EQ(wish.result.bytes(), R"({"x":1})");
        EXPECT_FALSE(wish.error);
        return 0;
    });
    EXPECT_EQ(ask("POST", a_call + "/end", R"({"fence":2,"error":{"code":"full","message":"m"}})").status, 200);
    EXPECT_EQ(of_last<ports::EndOutsideCall>([](const auto& wish) { return wish.error->code; }), "full");
    EXPECT_EQ(ask("POST", a_call + "/end", R"({"fence":9,"result":{}})").status, 409);
}

TEST_F(OutsideCalls, that_are_waited_for_come_with_the_next_look_and_204_ends_the_wait) {
    const char* const waiting = R"({"tools":["mail"],"wait_s":60})";
    client.send(request("POST", "/v1/tool-calls/claim", "agent", "", waiting));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    has_work("mail");
    house.pass(base::seconds(1));
    EXPECT_EQ(client.response().status, 200);
    client.send(request("POST", "/v1/tool-calls/claim", "agent", "", waiting));
    for (int i = 0; i < 5; ++i) house.on_network([] {});
    house.pass(base::seconds(61));
    EXPECT_EQ(client.response().status, 204);
}

TEST_F(OutsideCalls, are_listed_page_by_page) {
    const Got got = ask("GET", "/v1/tool-calls?state=done&tool=mail&agent=a&limit=2");
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("next":"00000000-0000-0000-0000-000000000008")"), std::string::npos) << got.body;
    EXPECT_EQ(ask("GET", a_call).status, 200);
}

}  // namespace
}  // namespace belfry::net::test
