#include "ports/commands/memory.hpp"
#include "rules/rule_summary.hpp"
#include "sim/tools_world_test.hpp"

// Tools by which an agent looks into its own memory.
namespace belfry::sim {
namespace {

class MemoryTools : public ToolsWorld {
protected:
    std::vector<model::AgentMessage> think(const Names& texts) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = held().id;
        command->fence = held().fence;
        for (const std::string& text : texts) {
            model::AgentMessage& draft = command->drafts.emplace_back();
            draft.kind = model::AgentMessageKind::thought;
            draft.content = model::RawJson::trusted(R"({"text":")" + text + "\"}");
        }
        return ask(std::move(command)).messages;
    }
    // All that can be folded, into summaries of these words.
    std::vector<base::Uuid> fold(const std::string& agent) {
        auto now = std::make_unique<ports::FoldNow>();
        now->agent_id = agent;
        ask(std::move(now));
        std::vector<base::Uuid> made;
        while (const auto grant = ask(std::make_unique<ports::ClaimFold>())) {
            auto finish = std::make_unique<ports::FinishFold>();
            finish->id = grant->job.id;
            finish->attempt = grant->job.attempts;
            finish->summary.text = "they spoke of tea";
            finish->summary.counts["thought"] = 1;
            const model::FoldJob done = ask(std::move(finish));
            if (done.summary_id) made.push_back(*done.summary_id);
        }
        return made;
    }
};

TEST_F(MemoryTools, recall_finds_what_was_said_in_other_runs_and_of_no_other_agent) {
    settle_agent("other", {}, all_capabilities());
    think({"the kettle is blue", "tea at five"});
    finish();
    be("other");
    think({"my kettle is red"});
    be("coach");
    const model::RawJson said = done("recall", R"({"query":"which kettle?","limit":5})");
    EXPECT_EQ(text_in(said, "results.0.snippet"), "the kettle is blue");
    EXPECT_EQ(text_in(said, "results.0.words"), "1");
    EXPECT_EQ(text_in(said, "results.1.kind"), "") << "and there is no other but the question itself: " << said.bytes();
    EXPECT_EQ(done("recall", R"({"query":"kettle","kind":"observation"})").bytes(), R"({"results":[]})");
    EXPECT_EQ(refused("recall", R"({"query":"?!"})"), "invalid_arguments: query has no word that could be looked for");
}

TEST_F(MemoryTools, open_summary_tells_what_it_was_made_of_page_by_page) {
    think({"one", "two", "three", "four"});
    finish();
    const auto made = fold("coach");
    ASSERT_FALSE(made.empty());
    const std::string id = base::format_uuid(made.front());
    const model::RawJson first = done("open_summary", R"({"summaryId":")" + id + R"(","limit":2})");
    EXPECT_EQ(text_in(first, "text"), "they spoke of tea");
    EXPECT_EQ(text_in(first, "depth"), "1");
    EXPECT_EQ(text_in(first, "messages.0.text"), "one");
    EXPECT_EQ(text_in(first, "messages.1.text"), "two");
    EXPECT_EQ(text_in(first, "messages.2.text"), "");
    const model::RawJson second =
        done("open_summary", R"({"summaryId":")" + id + R"(","after":)" + text_in(first, "next") + "}");
    EXPECT_EQ(text_in(second, "messages.0.text"), "three");
    EXPECT_EQ(text_in(second, "next"), "null");

    settle_agent("other", {}, all_capabilities());
    be("other");
    EXPECT_EQ(refused("open_summary", R"({"summaryId":")" + id + "\"}"),
              "out_of_scope: summaryId: you have no such summary");
    EXPECT_EQ(refused("open_summary", R"({"summaryId":"none"})"),
              "invalid_arguments: summaryId must be the id of a summary");
}

TEST_F(MemoryTools, open_summary_tells_which_summaries_a_deeper_one_was_made_of) {
    std::vector<base::Uuid> made;
    for (std::size_t i = 0; i <= base::limits::summaries_kept_max; ++i) {
        think({"run " + std::to_string(i)});
        finish();
        for (const base::Uuid& id : fold("coach")) made.push_back(id);
    }
    ASSERT_EQ(made.size(), base::limits::summaries_kept_max + 2) << "one of each run, and one of the oldest of them";
    const std::string id = base::format_uuid(made.back());
    const auto open = [&](const std::string& after) {
        return done("open_summary", R"({"summaryId":")" + id + R"(","limit":2)" + after + "}");
    };
    const model::RawJson first = open("");
    EXPECT_EQ(text_in(first, "depth"), "2");
    EXPECT_EQ(text_in(first, "messages.0.messageId"), base::format_uuid(made[0]));
    EXPECT_EQ(text_in(first, "messages.1.messageId"), base::format_uuid(made[1]));
    EXPECT_EQ(text_in(first, "messages.2.messageId"), "");
    const model::RawJson second = open(R"(,"after":)" + text_in(first, "next"));
    EXPECT_EQ(text_in(second, "messages.0.messageId"), base::format_uuid(made[2]));
}

TEST_F(MemoryTools, need_their_capability) {
    settle_agent("plain", {}, {});
    be("plain");
    EXPECT_EQ(refused("recall", R"({"query":"tea"})"), "not_permitted: recall needs the capability memory_read");
}

}  // namespace
}  // namespace belfry::sim
