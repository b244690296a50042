#include "ports/commands/memory.hpp"

#include <gtest/gtest.h>

#include "base/memory_limits.hpp"
#include "net/test_talk.hpp"
#include "ports/commands/agent_import.hpp"
#include "ports/commands/agents.hpp"

namespace belfry::net::test {
namespace {

const std::string summary_id = "018f0000-0000-7000-8000-000000000007";

class Memory : public Talk {
protected:
    Got ask_as_user(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask(method, target, body, "user");
    }
    std::string asked() {
        std::string text;
        house.on_network([&] { text = house.queries.asked; });
        return text;
    }
};

TEST_F(Memory, is_told_as_it_would_be_and_explained_where_that_is_wanted) {
    const Got plain = ask("GET", "/v1/agents/a/memory?thread_id=a:session:s1");
    EXPECT_EQ(plain.status, 200) << plain.body;
    EXPECT_EQ(plain.body.find(R"("choices")"), std::string::npos) << plain.body;
    EXPECT_EQ(asked(), "token:agent a a:session:s1");
    const Got explained = ask("GET", "/v1/agents/a/memory?explain=1");
    EXPECT_NE(explained.body.find(R"("fate":"over_budget")"), std::string::npos) << explained.body;
    EXPECT_EQ(asked(), "token:agent a ");
    EXPECT_EQ(refusal(ask("GET", "/v1/agents/a/memory?explain=yes")), "422 invalid explain: must be 1 or 0");
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory?thread=x").status, 422);
}

TEST_F(Memory, has_threads_in_pages) {
    const Got got = ask("GET", "/v1/agents/a/memory/threads?after=a:run:1&limit=2");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find(R"("next":"a:session:2","has_more":true)"), std::string::npos) << got.body;
    house.on_network([&] {
        EXPECT_EQ(house.queries.thread_filter.agent_id, "a");
        EXPECT_EQ(house.queries.thread_filter.after, "a:run:1");
        EXPECT_EQ(house.queries.thread_filter.limit, 3U);
    });
}

TEST_F(Memory, has_summaries_that_open) {
    const Got all = ask("GET", "/v1/agents/a/memory/summaries");
    EXPECT_NE(all.body.find(R"("folded_into":null)"), std::string::npos) << all.body;
    EXPECT_EQ(asked(), "token:agent a frontier");
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/summaries?folded=" + summary_id).status, 200);
    EXPECT_EQ(asked(), "token:agent a " + summary_id);
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/summaries?folded=none").status, 422);

    const Got opened = ask("GET", "/v1/agents/a/memory/summaries/" + summary_id + "?after=3&limit=2");
    EXPECT_EQ(opened.status, 200) << opened.body;
    EXPECT_NE(opened.body.find(R"("next":5,"has_more":true)"), std::string::npos) << opened.body;
    EXPECT_EQ(asked(), "token:agent a " + summary_id + " 3 2");
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/summaries/none").status, 404);
}

TEST_F(Memory, is_searched_by_words) {
    const Got got = ask("GET", "/v1/agents/a/memory/search?q=the%20key&kind=user&thread_id=t&limit=1000");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_NE(got.body.find(R"("words":2,"snippet":"the key")"), std::string::npos) << got.body;
    house.on_network([&] {
        const ports::RecallQuestion& question = house.queries.recall_question;
        EXPECT_EQ(question.query, "the key");
        EXPECT_EQ(question.thread_id, "t");
        EXPECT_EQ(question.kind, model::AgentMessageKind::user);
        EXPECT_EQ(question.limit, base::limits::recall_results_max);
    });
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/search").status, 422);
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/search?q=x&kind=dream").status, 422);
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/search?q=%ff").status, 422);
}

TEST_F(Memory, is_folded_by_jobs_that_its_person_sees_and_restarts) {
    const Got list = ask_as_user("GET", "/v1/agents/a/memory/folds?state=failed_terminal&limit=1");
    EXPECT_EQ(list.status, 200) << list.body;
    EXPECT_NE(list.body.find(R"("has_more":true)"), std::string::npos) << list.body;
    house.on_network([&] {
        EXPECT_EQ(house.queries.fold_filter.state, model::FoldState::failed_terminal);
        EXPECT_EQ(house.queries.fold_filter.agent_id, "a");
    });
    EXPECT_EQ(ask("GET", "/v1/agents/a/memory/folds").status, 403) << "an agent has no part in it";
    EXPECT_EQ(ask_as_user("GET", "/v1/agents/a/memory/folds?state=lost").status, 422);

    const Got folded = ask_as_user("POST", "/v1/agents/a/memory/folds", R"({"thread_id":"a:session:s"})");
    EXPECT_EQ(folded.status, 202);
    EXPECT_EQ(folded.body, R"({"jobs":1})");
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a/memory/folds").body, R"({"jobs":2})");
    of_last<ports::FoldNow>([](const ports::FoldNow& wish) {
        EXPECT_EQ(wish.agent_id, "a");
        EXPECT_EQ(wish.thread_id, "");
        return 0;
    });

    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a/memory/folds/" + summary_id + "/restart").status, 200);
    of_last<ports::RestartFold>([](const ports::RestartFold& wish) {
        EXPECT_EQ(base::format_uuid(wish.id), summary_id);
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/a/memory/folds/none/restart").status, 404);
}

TEST_F(Memory, is_forgotten_by_message_by_thread_or_by_time) {
    const std::string path = "/v1/agents/a/memory/forget";
    const Got got = ask_as_user("POST", path, R"({"thread_id":"t","before":"2026-11-16T07:00:00Z"})");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.body, R"({"messages":3,"summaries":1,"has_more":true})");
    of_last<ports::ForgetMemory>([](const ports::ForgetMemory& wish) {
        EXPECT_EQ(wish.thread_id, "t");
        EXPECT_TRUE(wish.before.has_value());
        EXPECT_FALSE(wish.message_id.has_value());
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", path, R"({"message_id":")" + summary_id + "\"}").status, 200);
    EXPECT_EQ(ask_as_user("POST", path, "{}").status, 422) << "all of it by mistake";
    EXPECT_EQ(ask_as_user("POST", path, R"({"message_id":")" + summary_id + R"(","thread_id":"t"})").status, 422);
    EXPECT_EQ(ask("POST", path, R"({"thread_id":"t"})").status, 403);
}

TEST_F(Memory, leaves_and_comes_back_as_lines) {
    house.on_network([&] { house.queries.export_place = 9; });
    const Got first = ask_as_user("GET", "/v1/agents/a/export");
    EXPECT_EQ(first.status, 200) << first.body;
    EXPECT_EQ(first.header("Belfry-Next"), "9");
    EXPECT_TRUE(first.body.starts_with(R"({"agent":{"id":"a")")) << first.body;
    EXPECT_EQ(first.body.find(R"({"end":)"), std::string::npos);
    house.on_network([&] { house.queries.export_place = 0; });
    const Got last = ask_as_user("GET", "/v1/agents/a/export?after=9&limit=1");
    EXPECT_EQ(last.header("Belfry-Next"), "");
    EXPECT_TRUE(last.body.starts_with(R"({"message":{)")) << last.body;
    EXPECT_TRUE(last.body.ends_with("{\"end\":{}}\n")) << last.body;

    const Got back = ask_as_user("POST", "/v1/agents/import?user=bob", first.body);
    EXPECT_EQ(back.status, 201) << back.body;
    of_last<ports::ImportAgent>([](const ports::ImportAgent& wish) {
        EXPECT_EQ(wish.agent_id, "a");
        EXPECT_EQ(wish.draft.value().agent.user_id, "bob");
        EXPECT_EQ(wish.draft->state.slots.primary_goal, "tea");
        EXPECT_EQ(wish.draft->agent.memory.hot_messages, 7);
        EXPECT_EQ(wish.messages.size(), 2U);
        EXPECT_EQ(wish.messages.at(0), test_action());
        EXPECT_EQ(wish.messages.at(1).prev_message_id, wish.messages.at(0).id);
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/import?agent=a&after=" + summary_id, last.body).status, 200);
    of_last<ports::ImportAgent>([](const ports::ImportAgent& wish) {
        EXPECT_FALSE(wish.draft.has_value());
        EXPECT_EQ(base::format_uuid(wish.after.value()), summary_id);
        EXPECT_EQ(wish.agent_id, "a");
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents/import?agent=taken", last.body).status, 409);
}

TEST_F(Memory, is_not_taken_in_where_a_line_is_none) {
    const auto fault = [&](const std::string& body, const std::string& query = "") {
        const Got got = ask_as_user("POST", "/v1/agents/import" + query, body);
        const std::size_t at = got.body.find("\"line\":");
        return std::to_string(got.status) + ' ' +
               (at == std::string::npos ? "" : got.body.substr(at, got.body.find_first_of(",}", at) - at));
    };
    const std::string agent = "{\"agent\":{\"id\":\"a\"}}\n";
    EXPECT_EQ(fault(agent + "\n{\"message\":{}}\n"), "422 \"line\":3");
    EXPECT_EQ(fault(agent + "{\"message\""), "400 \"line\":2");
    EXPECT_EQ(fault(agent + agent), "422 \"line\":2");
    EXPECT_EQ(fault(agent + "{\"end\":{}}\n" + agent), "422 \"line\":3");
    EXPECT_EQ(fault("{\"agent\":{\"id\":\"a\",\"lifecycle\":\"destroyed\"}}\n"), "422 \"line\":1");
    EXPECT_EQ(fault("{\"agent\":{}}\n"), "422 \"line\":1");
    EXPECT_EQ(fault("{}\n"), "422 \"line\":1");
    EXPECT_EQ(fault(agent, "?agent=a"), "422 ") << "the agent stands in the first line";
    EXPECT_EQ(fault("{\"end\":{}}\n"), "422 ") << "whose lines are these?";
    EXPECT_EQ(fault("{\"end\":{}}\n", "?agent=a&user=u"), "422 ");
    EXPECT_EQ(fault("{\"end\":{}}\n", "?agent=a&after=x"), "422 ");
    EXPECT_EQ(fault(agent, "?after=" + summary_id), "422 ") << "nothing was sent before it";
}

TEST_F(Memory, is_bounded_by_what_the_agent_is_given) {
    const Got got = ask_as_user("PATCH", "/v1/agents/a",
                                R"({"memory":{"budget_tokens":500,"hot_tokens":100,"hot_messages":3,)"
                                R"("summarizer":"model","base_url":"http://m","model":"x","key_env":"K"}})");
    EXPECT_EQ(got.status, 200) << got.body;
    of_last<ports::ChangeAgent>([](const ports::ChangeAgent& wish) {
        const model::MemorySettings wanted{500, 100, 3, model::Summarizer::model, "http://m", "x", "K"};
        EXPECT_EQ(wish.patch.memory, wanted);
        return 0;
    });
    EXPECT_EQ(ask_as_user("POST", "/v1/agents", R"({"id":"x","memory":{"hot_messages":5}})").status, 201);
    of_last<ports::CreateAgent>([](const ports::CreateAgent& wish) {
        EXPECT_EQ(wish.draft.memory.hot_messages, 5);
        EXPECT_EQ(wish.draft.memory.budget_tokens, base::limits::memory_budget_tokens_default);
        return 0;
    });
    EXPECT_EQ(refusal(ask_as_user("PATCH", "/v1/agents/a", R"({"memory":{"budget_tokens":499}})")),
              "422 invalid memory.budget_tokens: must lie between 500 and 1000000");
    EXPECT_EQ(refusal(ask_as_user("PATCH", "/v1/agents/a", R"({"memory":{"summarizer":"magic"}})")),
              "422 invalid memory.summarizer: must be rules or model");
}

}  // namespace
}  // namespace belfry::net::test
