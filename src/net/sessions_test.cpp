#include "base/limits.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;
using Sessions = Talk;
using ports::PostMessage;
using ports::PutSession;

const std::string node_1 = "018f0000-0000-7000-8000-000000000001";
const std::string node_2 = "018f0000-0000-7000-8000-000000000002";

TEST_F(Sessions, a_put_carries_what_was_given_and_answers_the_session) {
    const Got got = ask("PUT", "/v1/sessions/s%201",
                        R"({"user_id":"ada","agent_id":"planner","title":"","metadata":{ "k" : [1] },)"
                        R"("budget":{"tokens":50000,"context_tokens":null}})");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"id":"s 1","user_id":"ada","agent_id":null,"title":null,"metadata":{},)"
                                     R"("budget":{"tokens":50000,"iterations":null,)"))
        << got.body;
    house.on_network([&] {
        const auto& put = house.gateway.last_as<PutSession>();
        EXPECT_EQ(put.session_id, "s 1");
        EXPECT_EQ(put.agent_id, "planner");
        EXPECT_EQ(put.title, "");
        EXPECT_EQ(put.metadata->bytes(), R"({"k":[1]})");
        EXPECT_EQ(put.budget->tokens, 50000);
        EXPECT_EQ(put.budget->context_tokens, 0);
        EXPECT_EQ(put.principal.id, "token:agent");
        EXPECT_EQ(put.lane, ports::Lane::data);
    });
}

TEST_F(Sessions, a_put_without_anything_changes_nothing) {
    EXPECT_EQ(ask("PUT", "/v1/sessions/s1", R"({"title":null})").status, 200);
    house.on_network([&] {
        const auto& put = house.gateway.last_as<PutSession>();
        EXPECT_FALSE(put.user_id || put.agent_id || put.title || put.metadata || put.budget);
    });
}

TEST_F(Sessions, a_put_that_is_wrong_names_the_field_and_the_limit) {
    const auto put = [&](const std::string& body) { return refusal(ask("PUT", "/v1/sessions/s1", body)); };
    EXPECT_EQ(put(R"({"name":"x"})"), "422 invalid name: is not known");
    EXPECT_EQ(put(R"({"budget":{"token":1}})"), "422 invalid budget.token: is not known");
    EXPECT_EQ(put(R"({"budget":{"tokens":-1}})"), "422 invalid budget.tokens: must lie between 0 and 1000000000000");
    EXPECT_EQ(put(R"({"user_id":""})"), "422 invalid user_id: must not be empty");
    EXPECT_EQ(put(R"({"user_id":")" + letters(201) + R"("})"), "422 invalid user_id: must have at most 200 bytes");
    EXPECT_EQ(put(R"({"user_id":"a\u0000b"})"), "422 invalid user_id: must not contain control characters");
    EXPECT_EQ(put(R"({"title":")" + letters(501) + R"("})"), "422 invalid title: must have at most 500 bytes");
    EXPECT_EQ(put(R"({"metadata":[]})"), "422 invalid metadata: must be an object");
    EXPECT_EQ(put(R"({"metadata":{"k":")" + letters(limits::session_metadata_bytes_max) + R"("}})"),
              "422 invalid metadata: must have at most 65536 bytes");
    EXPECT_TRUE(put(R"({"title":1})").starts_with("422 invalid title: "));
    EXPECT_TRUE(put("[]").starts_with("422 invalid "));
    EXPECT_TRUE(put("{").starts_with("400 malformed -: line 1"));
    EXPECT_TRUE(put("{} x").starts_with("400 malformed -: line 1"));
    EXPECT_EQ(submitted(), 0);
}

TEST_F(Sessions, an_id_in_the_path_obeys_the_rules_of_ids) {
    EXPECT_EQ(refusal(ask("PUT", "/v1/sessions/" + letters(201), "{}")),
              "422 invalid session_id: must have at most 200 bytes");
    EXPECT_EQ(refusal(get("/v1/sessions/a%00b")), "422 invalid session_id: must not contain control characters");
    EXPECT_EQ(refusal(get("/v1/sessions/%FF/history")), "422 invalid session_id: must be UTF-8");
    EXPECT_EQ(get("/v1/sessions/").status, 404);
    EXPECT_EQ(get("/v1/sessions/s1/other").status, 404);
    EXPECT_EQ(ask("PATCH", "/v1/sessions/s1").header("Allow"), "PUT, GET, HEAD, DELETE, OPTIONS");
}

TEST_F(Sessions, sessions_are_read_one_by_one_and_by_pages) {
    EXPECT_TRUE(get("/v1/sessions/s1").body.starts_with(R"({"id":"s1",)"));
    const Got page = get("/v1/sessions?user=ada&after=s0&limit=2");
    EXPECT_EQ(page.status, 200);
    EXPECT_TRUE(page.body.ends_with(R"("next":"s2","has_more":true})")) << page.body;
    house.on_network([&] {
        EXPECT_EQ(house.queries.session_filter.user_id, "ada");
        EXPECT_EQ(house.queries.session_filter.after, "s0");
        EXPECT_EQ(house.queries.session_filter.limit, 3U);
        EXPECT_EQ(house.queries.asked, "token:agent");
    });
    EXPECT_TRUE(get("/v1/sessions?limit=3").body.ends_with(R"("next":null,"has_more":false})"));
    EXPECT_EQ(refusal(get("/v1/sessions?usr=ada")), "422 invalid usr: there is no such parameter");
    EXPECT_EQ(refusal(get("/v1/sessions?limit=1001")), "422 invalid limit: must be a number from 1 to 1000");
    EXPECT_EQ(refusal(get("/v1/sessions?user=%FF")), "422 invalid user: must be UTF-8");
    EXPECT_EQ(refusal(get("/v1/sessions?user=%F")), "400 malformed -: the query is not properly encoded");
}

TEST_F(Sessions, a_page_of_sessions_ends_where_an_answer_is_full) {
    house.on_network([&] { house.queries.session_title = letters(limits::page_bytes_max); });
    const Got full = get("/v1/sessions?limit=2");
    EXPECT_TRUE(full.body.ends_with(R"("next":"s1","has_more":true})")) << "one fills it";
}

TEST_F(Sessions, whoever_may_not_see_is_told_so) {
    house.on_network([&] { house.queries.refusal = base::error(base::Code::forbidden, "another user's"); });
    EXPECT_EQ(refusal(get("/v1/sessions/s1")), "403 forbidden -: another user's");
    EXPECT_EQ(refusal(get("/v1/sessions")), "403 forbidden -: another user's");
    EXPECT_EQ(refusal(get("/v1/sessions/s1/history")), "403 forbidden -: another user's");
    EXPECT_EQ(get("/v1/sessions/s1", "emitter").status, 403);
    EXPECT_EQ(get("/v1/sessions/s1", "nobody").status, 401);
}

TEST_F(Sessions, a_message_is_answered_with_its_place) {
    const Got got = ask(
        "POST", "/v1/sessions/s1/messages",
        R"({"role":"assistant","content":"h\u0000\n\ud83d\udd14","metadata":{"k":1},"node_id":")" + node_1 + R"("})");
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.body, R"({"id":"018f0000-0000-7000-8000-000000000001",)"
                        R"("node_id":"018f0000-0000-7000-8000-000000000002","ordinal":3,"role":"assistant",)"
                        "\"content\":\"h\\u0000\\n\xF0\x9F\x94\x94\",\"metadata\":{\"k\":1},"
                        R"("created_at":"1970-01-01T00:00:00Z"})");
    house.on_network([&] {
        const auto& post = house.gateway.last_as<PostMessage>();
        EXPECT_EQ(post.session_id, "s1");
        EXPECT_EQ(post.node, model::NodeId{test_uuid(1)});
        EXPECT_FALSE(post.parent);
        EXPECT_GT(post.bytes, 50U);
    });
}

TEST_F(Sessions, a_message_that_is_wrong_names_the_field_and_the_limit) {
    const auto post = [&](const std::string& body) { return refusal(ask("POST", "/v1/sessions/s1/messages", body)); };
    EXPECT_EQ(post(R"({"content":"x"})"), "422 invalid role: must be given");
    EXPECT_EQ(post(R"({"role":"user"})"), "422 invalid content: must be given");
    EXPECT_EQ(post(R"({"role":"user","content":null})"), "422 invalid content: must be given");
    EXPECT_EQ(post(R"({"role":"robot","content":"x"})"), "422 invalid role: must be user, assistant, tool or system");
    EXPECT_EQ(post(R"({"role":"user","content":"x","parent_id":"7"})"), "422 invalid parent_id: must be a UUID");
    EXPECT_EQ(post(R"({"role":"user","content":"x","node_id":")" + node_1 + R"(","parent_id":")" + node_2 + R"("})"),
              "422 invalid parent_id: a message goes into node_id or below parent_id, not both");
    EXPECT_EQ(post(R"({"role":"user","content":"x","id":"y"})"), "422 invalid id: is not known");
    EXPECT_EQ(post(R"({"role":"user","content":")" + letters(limits::message_bytes_max + 1) + R"("})"),
              "422 invalid content: must have at most 1048576 bytes");
    EXPECT_EQ(submitted(), 0);
    EXPECT_EQ(ask("POST", "/v1/sessions/s1/messages",
                  R"({"role":"user","content":")" + letters(limits::message_bytes_max) + R"("})")
                  .status,
              201);
}

TEST_F(Sessions, a_path_ends_at_its_node_and_leads_to_what_lies_before_it) {
    house.on_network([&] { house.queries.history_next = ports::HistoryPlace{{test_uuid(1)}}; });
    const Got got = get("/v1/sessions/s1/history?limit=2&node=" + node_1);
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"session":{"id":"s1",)")) << got.body;
    EXPECT_NE(got.body.find(R"("data":[{"id":")" + node_2), std::string::npos) << got.body;
    EXPECT_TRUE(got.body.ends_with(R"("next":")" + node_1 + R"(","has_more":true})")) << got.body;
    house.on_network([&] {
        EXPECT_EQ(house.queries.history_question.shape, ports::HistoryShape::path);
        EXPECT_EQ(house.queries.history_question.limit, 2U);
        EXPECT_EQ(house.queries.history_question.place, (ports::HistoryPlace{{test_uuid(1)}}));
        house.queries.history_next.reset();
    });
    EXPECT_TRUE(get("/v1/sessions/s1/history").body.ends_with(R"("next":null,"has_more":false})"));
}

TEST_F(Sessions, a_tree_is_read_page_by_page) {
    get("/v1/sessions/s1/history?shape=tree&after=" + node_1);
    house.on_network([&] {
        EXPECT_EQ(house.queries.history_question.shape, ports::HistoryShape::tree);
        EXPECT_EQ(house.queries.history_question.place, (ports::HistoryPlace{{test_uuid(1)}}));
    });
    EXPECT_EQ(refusal(get("/v1/sessions/s1/history?after=" + node_1)),
              "422 invalid after: is for shape=tree; a path goes on with node");
    EXPECT_EQ(refusal(get("/v1/sessions/s1/history?shape=tree&node=" + node_1)),
              "422 invalid node: is for shape=path; a tree goes on with after");
    EXPECT_EQ(refusal(get("/v1/sessions/s1/history?shape=ring")), "422 invalid shape: must be path or tree");
    for (const std::string& place : {std::string("7"), node_1 + ".", node_1 + ".x", node_1 + ".1.2"}) {
        EXPECT_EQ(get("/v1/sessions/s1/history?node=" + place).status, 422) << place;
    }
    EXPECT_EQ(refusal(get("/v1/sessions/s1/history?x=7")), "422 invalid x: there is no such parameter");
}

TEST_F(Sessions, a_node_too_large_for_a_page_goes_on_at_a_message_of_it) {
    house.on_network([&] { house.queries.history_next = ports::HistoryPlace{{test_uuid(2)}, 17}; });
    const Got first = get("/v1/sessions/s1/history");
    EXPECT_TRUE(first.body.ends_with(R"("next":")" + node_2 + R"(.17","has_more":true})")) << first.body;
    get("/v1/sessions/s1/history?node=" + node_2 + ".17");
    house.on_network(
        [&] { EXPECT_EQ(house.queries.history_question.place, (ports::HistoryPlace{{test_uuid(2)}, 17})); });
}

}  // namespace
}  // namespace belfry::net::test
