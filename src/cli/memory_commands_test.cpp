#include <fstream>
#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"

namespace belfry::cli {
namespace {

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

std::string page_of(const std::string& entries, const std::string& next = "null") {
    return R"({"data":[)" + entries + R"(],"next":)" + next + R"(,"has_more":false})";
}

class MemoryCommands : public testing::Test {
protected:
    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.begin() + 1, {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }
    bool says(const std::string& words) const { return world.out.find(words) != std::string::npos; }

    World world;
};

TEST_F(MemoryCommands, show_tells_what_the_agent_is_told_and_what_not) {
    const std::string memory =
        R"({"thread_id":"a:run:1","budget_tokens":700,"reserved_tokens":0,"used_tokens":90,"slots":null,)"
        R"("goals":[{"text":"paint","message_id":"m"}],"decisions":[],"open_loops":[{"text":"ladder","message_id":"m"}],)"
        R"("summaries":[{"id":"s1","depth":2,"summary":{"text":"long\nago"}}],)"
        R"("messages":[{"id":"m1","kind":"thought","content":{"text":"step"}}],"left_out":3,)"
        R"("choices":[{"part":"message","id":"m0","what":null,"tokens":7,"fate":"over_budget"}]})";
    Daemon daemon({{200, memory}});
    EXPECT_EQ(run(daemon, {"memory", "show", "a/b", "--thread", "a:run:1", "--explain"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/agents/a%2Fb/memory?thread_id=a%3Arun%3A1&explain=1");
    for (const char* words : {"90 of 700 tokens, 3 left out", "goal: paint", "open loop: ladder", "summary 2",
                              "long ago", "step", "over_budget"}) {
        EXPECT_TRUE(says(words)) << words << '\n' << world.out;
    }
}

TEST_F(MemoryCommands, lists_come_page_by_page) {
    const auto thread = [](const std::string& id) {
        return R"({"thread_id":")" + id +
               R"(","messages":9,"hot_messages":2,"hot_tokens":20,"last_at":"t","is_closed":true})";
    };
    Daemon daemon({{200, page_of(thread("a:1"), R"("a:1")")}, {200, page_of(thread("a:2"))}});
    EXPECT_EQ(run(daemon, {"memory", "threads", "a"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(1)), "GET /v1/agents/a/memory/threads?after=a%3A1&limit=1000");
    EXPECT_TRUE(says("a:1") && says("a:2") && says("yes")) << world.out;
}

TEST_F(MemoryCommands, summaries_open_and_say_how_to_go_on) {
    const std::string summary = R"({"id":"s1","depth":1,"thread_id":"a:1","tokens":5,"summary":{"text":"of tea"}})";
    Daemon listing({{200, page_of(summary)}});
    EXPECT_EQ(run(listing, {"memory", "summaries", "a", "--folded-into", "s9"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(listing.requests.at(0)), "GET /v1/agents/a/memory/summaries?folded=s9");
    EXPECT_TRUE(says("of tea")) << world.out;
    Daemon opening(
        {{200,
          R"({"summary":)" + summary +
              R"(,"data":[{"id":"m","kind":"user","created_at":"t","content":"plain"}],"next":7,"has_more":true})"}});
    EXPECT_EQ(run(opening, {"memory", "open", "a", "s1", "--after", "3", "--limit", "1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(opening.requests.at(0)), "GET /v1/agents/a/memory/summaries/s1?after=3&limit=1");
    EXPECT_TRUE(says("plain")) << world.out;
    EXPECT_EQ(world.err, "(more: --after 7)\n");
}

TEST_F(MemoryCommands, search_sends_all_its_words) {
    Daemon daemon(
        {{200, page_of(R"({"message_id":"m","kind":"user","created_at":"t","words":2,"snippet":"the door code"})")}});
    EXPECT_EQ(run(daemon, {"memory", "search", "a", "door", "code", "--kind", "user", "--limit", "3"}), Exit::ok);
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/agents/a/memory/search?q=door%20code&kind=user&limit=3");
    EXPECT_TRUE(says("the door code")) << world.out;
}

TEST_F(MemoryCommands, folds_are_shown_begun_and_restarted) {
    const std::string job =
        R"({"id":"j","depth":1,"thread_id":"a:1","state":"failed_terminal","summarizer":"rules","attempts":6,"last_error":"no"})";
    Daemon listing({{200, page_of(job)}});
    EXPECT_EQ(run(listing, {"memory", "folds", "a", "--state", "failed_terminal"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(listing.requests.at(0)), "GET /v1/agents/a/memory/folds?state=failed_terminal&limit=1000");
    EXPECT_TRUE(says("failed_terminal")) << world.out;
    Daemon folding({{202, R"({"jobs":2})"}});
    EXPECT_EQ(run(folding, {"memory", "fold", "a", "--thread", "t"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(folding.requests.at(0)), R"({"thread_id":"t"})");
    EXPECT_EQ(world.err, "2 jobs are open\n");
    Daemon restarting({{200, job}});
    EXPECT_EQ(run(restarting, {"memory", "restart", "a", "j"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(restarting.requests.at(0)), "POST /v1/agents/a/memory/folds/j/restart");
}

TEST_F(MemoryCommands, forget_goes_on_until_nothing_is_left) {
    Daemon daemon({{200, R"({"messages":500,"summaries":2,"has_more":true})"},
                   {200, R"({"messages":7,"summaries":0,"has_more":false})"}});
    EXPECT_EQ(run(daemon, {"memory", "forget", "a", "--thread", "t", "--before", "2026-11-16T07:00:00Z", "--yes"}),
              Exit::ok);
    EXPECT_EQ(body_of(daemon.requests.at(1)), R"({"thread_id":"t","before":"2026-11-16T07:00:00Z"})");
    EXPECT_EQ(world.err, "507 messages and 2 summaries of them are gone\n");
}

TEST_F(MemoryCommands, refuse_what_does_not_go_together_before_anybody_is_asked) {
    Daemon unasked({});
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"memory", "show"},
                                                  {"memory", "dream", "a"},
                                                  {"memory", "open", "a"},
                                                  {"memory", "search", "a"},
                                                  {"memory", "show", "a", "x"},
                                                  {"memory", "show", "a", "--yes"},
                                                  {"memory", "search", "a", "x", "--limit", "51"},
                                                  {"memory", "forget", "a", "--yes"},
                                                  {"memory", "forget", "a", "--message", "m"},
                                                  {"memory", "forget", "a", "--message", "m", "--thread", "t", "--yes"},
                                                  {"memory", "forget", "a", "--before", "noon", "--yes"}}) {
        EXPECT_EQ(run(unasked, wrong), Exit::usage) << wrong.back();
    }
}

TEST_F(MemoryCommands, import_sends_an_agent_in_slices_that_follow_each_other) {
    const std::string path = world.folder.path() + "/agent.jsonl";
    {
        std::ofstream file(path);
        file << R"({"agent":{"id":"fixer"}})" << '\n';
        for (int i = 1; i <= 501; ++i) file << R"({"message":{"id":"m)" << i << "\"}}\n";
        file << R"({"end":{}})" << '\n';
    }
    Daemon daemon(
        {{201, R"({"agent":{},"added":499,"unchanged":0})"}, {200, R"({"agent":{},"added":1,"unchanged":1})"}});
    EXPECT_EQ(run(daemon, {"agent", "import", path, "--user", "bob"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/agents/import?user=bob");
    EXPECT_EQ(line_of(daemon.requests.at(1)), "POST /v1/agents/import?agent=fixer&after=m499");
    EXPECT_EQ(body_of(daemon.requests[1]),
              "{\"message\":{\"id\":\"m500\"}}\n{\"message\":{\"id\":\"m501\"}}\n{\"end\":{}}\n");
    EXPECT_EQ(world.err, "fixer: 500 messages taken, 1 unchanged\n");
    Daemon faulty({{201, R"({"agent":{},"added":499,"unchanged":0})"},
                   {422, R"({"code":"invalid","field":"message.kind","detail":"is missing","line":2})"}});
    EXPECT_EQ(run(faulty, {"agent", "import", path}), Exit::partial);
    EXPECT_NE(world.err.find("line 502: message.kind is missing"), std::string::npos) << world.err;
}

TEST_F(MemoryCommands, import_notices_a_file_that_is_none_or_not_whole) {
    const std::string path = world.folder.path() + "/agent.jsonl";
    const auto import = [&](const std::string& content, std::vector<Daemon::Answer> answers) {
        std::ofstream(path) << content;
        Daemon daemon(std::move(answers));
        return run(daemon, {"agent", "import", path});
    };
    const std::string agent = "{\"agent\":{\"id\":\"fixer\"}}\n";
    EXPECT_EQ(import(agent, {{201, R"({"agent":{},"added":0,"unchanged":0})"}}), Exit::partial) << "it has no end";
    EXPECT_NE(world.err.find("no end"), std::string::npos) << world.err;
    EXPECT_EQ(import("", {}), Exit::failure);
    EXPECT_EQ(import("{\"message\":{}}\n", {}), Exit::failure);
    EXPECT_EQ(import("nonsense\n", {}), Exit::failure);
    EXPECT_NE(world.err.find("line 1: "), std::string::npos) << world.err;
}

}  // namespace
}  // namespace belfry::cli
