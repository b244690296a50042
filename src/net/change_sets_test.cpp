#include "ports/commands/change_sets.hpp"

#include <gtest/gtest.h>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

const std::string set_path = "/v1/change-sets/018f0000-0000-7000-8000-000000000007";

class ChangeSets : public Talk {
protected:
    Got ask_as_user(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask(method, target, body, "user");
    }
};

TEST_F(ChangeSets, are_decided_as_the_path_says) {
    struct Case {
        std::string path;
        std::optional<std::int64_t> number;
        bool accept;
    };
    for (const Case& one : {Case{"/items/3/accept", 3, true}, Case{"/items/4/reject", 4, false},
                            Case{"/accept", std::nullopt, true}, Case{"/reject", std::nullopt, false}}) {
        const Got got = ask_as_user("POST", set_path + one.path);
        EXPECT_EQ(got.status, 200) << got.body;
        const std::string state = one.accept ? "accepted" : "rejected";
        EXPECT_NE(got.body.find(R"("items":[{"number":)" + std::to_string(one.number.value_or(0))), std::string::npos)
            << got.body;
        EXPECT_NE(got.body.find(R"("state":")" + state + '"'), std::string::npos) << got.body;
        of_last<ports::DecideChanges>([&](const ports::DecideChanges& wish) {
            EXPECT_EQ(wish.number, one.number);
            EXPECT_EQ(wish.accept, one.accept);
            EXPECT_EQ(wish.lane, ports::Lane::control);
            return 0;
        });
    }
}

TEST_F(ChangeSets, are_refused_where_the_path_or_the_body_is_none) {
    for (const char* number : {"0", "-1", "x", "1x", "99999999999999999999"}) {
        EXPECT_EQ(ask_as_user("POST", set_path + "/items/" + number + "/accept").status, 404) << number;
    }
    EXPECT_EQ(ask_as_user("POST", "/v1/change-sets/none/accept").status, 404);
    EXPECT_EQ(ask_as_user("GET", "/v1/change-sets/none").status, 404);
    EXPECT_EQ(ask_as_user("POST", set_path + "/accept", R"({"all":true})").status, 422);
    EXPECT_EQ(ask_as_user("POST", set_path + "/accept", "{}").status, 200);
    const Got decided = ask_as_user("POST", set_path + "/items/9/accept");
    EXPECT_EQ(decided.status, 409);
    EXPECT_NE(decided.body.find(R"("reason":"decided")"), std::string::npos) << decided.body;
    EXPECT_EQ(ask("POST", set_path + "/accept").status, 403) << "an agent decides nothing";
    EXPECT_EQ(ask("GET", "/v1/change-sets").status, 403) << "nor does it read";
}

TEST_F(ChangeSets, are_listed_by_what_is_asked_for) {
    const Got got = ask_as_user("GET", "/v1/change-sets?user=ada&agent=coach&state=all&after=3&limit=1");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find(R"("next":1,"has_more":true)"), std::string::npos) << got.body;
    EXPECT_EQ(got.body.find(R"("items")"), std::string::npos) << got.body;
    EXPECT_EQ(ask_as_user("GET", "/v1/change-sets?state=closed").status, 422);
    EXPECT_EQ(ask_as_user("GET", "/v1/change-sets?who=ada").status, 422);
}

TEST_F(ChangeSets, come_of_policies_that_an_agent_is_given) {
    EXPECT_EQ(ask_as_user("PATCH", "/v1/agents/a", R"({"tool_policies":{"*":"propose","create_task":"ask"}})").status,
              200);
    of_last<ports::ChangeAgent>([](const ports::ChangeAgent& wish) {
        const std::map<std::string, model::ToolPolicy> wanted{{"*", model::ToolPolicy::propose},
                                                              {"create_task", model::ToolPolicy::ask}};
        EXPECT_EQ(wish.patch.tool_policies, wanted);
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents", R"({"id":"x","tool_policies":{"*":"ask"}})").status, 201);
    of_last<ports::CreateAgent>([](const ports::CreateAgent& wish) {
        EXPECT_EQ(wish.draft.tool_policies.at("*"), model::ToolPolicy::ask);
        return 0;
    });
    EXPECT_EQ(refusal(ask_as_user("PATCH", "/v1/agents/a", R"({"tool_policies":{"*":"maybe"}})")),
              "422 invalid tool_policies.*: must be run, ask or propose");
    EXPECT_EQ(ask("PATCH", "/v1/agents/a", R"({"tool_policies":{}})").status, 403) << "no agent frees itself";
}

}  // namespace
}  // namespace belfry::net::test
