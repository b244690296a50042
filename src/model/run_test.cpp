#include "model/run.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

TEST(RunEventNames, are_words_joined_by_dots_and_not_our_own) {
    for (const char* name : {"llm.stream", "a.b", "_x.y_z", "tool.call.done", "lifecycles.x"}) {
        EXPECT_EQ(run_event_name_fault(name), "") << name;
    }
    for (const char* name : {"", "llm", ".a", "a.", "a..b", "A.b", "a.b1", "a b.c", "a-b.c", "lifecycle.started",
                             "control.paused", "interaction.requested", "tree.closed", "ä.b"}) {
        EXPECT_NE(run_event_name_fault(name), "") << name;
    }
    EXPECT_EQ(run_event_name_fault("a." + std::string(98, 'b')), "");
    EXPECT_NE(run_event_name_fault("a." + std::string(99, 'b')), "");
}

TEST(CallerContexts, of_a_worker_or_a_team_supervisor_have_a_team) {
    CallerContext caller{"w", AgentType::worker, "Wanda", "north"};
    EXPECT_FALSE(caller_fault(caller));
    caller.team_name.clear();
    EXPECT_EQ(caller_fault(caller)->field, "team_name");
    caller.agent_type = AgentType::team_supervisor;
    EXPECT_EQ(caller_fault(caller)->field, "team_name");
    caller.agent_type = AgentType::global_supervisor;
    EXPECT_FALSE(caller_fault(caller));
    caller.agent_name.clear();
    EXPECT_EQ(caller_fault(caller)->field, "agent_name");
    caller.agent_name = "x";
    caller.agent_id = std::string(201, 'x');
    EXPECT_EQ(caller_fault(caller)->field, "agent_id");
}

TEST(RunStreams, end_with_the_word_that_ends_them_and_no_other) {
    for (const char* type : {"lifecycle.completed", "lifecycle.failed", "lifecycle.cancelled"}) {
        EXPECT_TRUE(ends_stream("run:7", type));
        EXPECT_FALSE(ends_stream("tree:7", type)) << "a member's end is not the tree's";
        EXPECT_FALSE(ends_stream("events", type));
    }
    EXPECT_TRUE(ends_stream("tree:7", "tree.closed"));
    EXPECT_FALSE(ends_stream("run:7", "tree.closed"));
    EXPECT_FALSE(ends_stream("run:7", "lifecycle.started"));
}

TEST(RunEvents, are_lines_of_json) {
    std::string line;
    append_run_event_head(line, {"id", 7, base::Timestamp{0}, 12, "null", "llm.stream"});
    line += "{}}";
    EXPECT_EQ(line, R"({"id":"id","run_id":7,"timestamp":"1970-01-01T00:00:00Z","sequence":12,"source":null,)"
                    R"("event":"llm.stream","data":{}})");
}

}  // namespace
}  // namespace belfry::model
