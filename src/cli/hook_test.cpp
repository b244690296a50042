#include <fstream>
#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "cli/hook_input.hpp"
#include "cli/hook_run.hpp"
#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"

namespace belfry::cli {
namespace {

const std::string report = R"({"events":[],"progress":{"turn":1,"in_turn":true},"budget":{}})";
const std::string session = R"({"id":"abc123","user_id":"ada","progress":{"turn":1,"in_turn":true}})";
const std::string nothing = R"({"pull_id":null,"items":[],"text":""})";
const std::string something =
    R"({"pull_id":"p-1","items":[{"handle":"n1","id":"x","lease":1}],"text":"<system_notification>\nred\n</…>"})";

// What comes with every event, as the documentation of hooks has it.
std::string input_of(const std::string& event, const std::string& more = "") {
    return R"({"session_id":"abc123","transcript_path":"/home/ada/.claude/projects/p/abc123.jsonl",)"
           R"("cwd":"/home/ada/my-project","permission_mode":"default","hook_event_name":")" +
           event + "\"" + (more.empty() ? "" : "," + more) + "}";
}

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/"));
}

class Hook : public testing::Test {
protected:
    Exit run(const std::string& url, const std::string& input, std::vector<std::string> more = {}) {
        const std::string file = world.folder.file("input.json");
        std::ofstream(file) << input;
        more.insert(more.begin(), {"hook", "claude-code", "--input", file, "--url", url, "--token", "t"});
        return world.run(more);
    }

    World world;
};

TEST_F(Hook, a_session_begins_with_what_is_due) {
    Daemon daemon({{200, session}, {200, something}, {200, R"({"acknowledged":1})"}});
    EXPECT_EQ(run(daemon.url(), input_of("SessionStart", R"("source":"startup","model":"claude-sonnet-4-6")")),
              Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, R"({"hookSpecificOutput":{"hookEventName":"SessionStart",)"
                         R"("additionalContext":"<system_notification>\nred\n</…>"}})"
                         "\n");
    ASSERT_EQ(daemon.requests.size(), 3U);
    EXPECT_EQ(line_of(daemon.requests[0]), "PUT /v1/sessions/abc123");
    EXPECT_EQ(body_of(daemon.requests[0]),
              R"({"agent_id":"claude-code","title":"my-project","metadata":{"client":"claude-code",)"
              R"("cwd":"/home/ada/my-project","source":"startup","model":"claude-sonnet-4-6"}})");
    EXPECT_EQ(body_of(daemon.requests[1]), R"({"point":"turn_start","budget_tokens":2000})");
    EXPECT_EQ(line_of(daemon.requests[2]), "POST /v1/sessions/abc123/acknowledge");
}

TEST_F(Hook, a_prompt_begins_a_turn) {
    Daemon daemon({{201, report}, {200, nothing}});
    EXPECT_EQ(run(daemon.url(), input_of("UserPromptSubmit", R"("prompt":"Write a function")"), {"--agent", "coder"}),
              Exit::ok);
    EXPECT_EQ(world.out, "");
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"event":"start","agent_id":"coder"})");
    EXPECT_EQ(line_of(daemon.requests.at(1)), "POST /v1/sessions/abc123/pull");
}

TEST_F(Hook, a_call_of_a_tool_is_reported) {
    Daemon daemon({{201, report}, {200, nothing}});
    EXPECT_EQ(
        run(daemon.url(), input_of("PostToolUse", R"("tool_name":"Write","tool_input":{"file_path":"/a.txt",)"
                                                  R"("content":"x"},"tool_response":{"filePath":"/a.txt",)"
                                                  R"("success":true},"tool_use_id":"toolu_01","duration_ms":12)")),
        Exit::ok);
    EXPECT_EQ(body_of(daemon.requests.at(0)),
              R"({"status":"success","tool_name":"Write","call_id":"toolu_01","agent_id":"claude-code",)"
              R"("source":"claude-code","arguments":{"file_path":"/a.txt","content":"x"},"duration_ms":12})");
    EXPECT_EQ(body_of(daemon.requests.at(1)), R"({"point":"after_tool","budget_tokens":2000})");
}

TEST_F(Hook, a_failure_is_reported_as_one) {
    Daemon daemon({{201, report}, {200, something}, {200, R"({"acknowledged":1})"}});
    EXPECT_EQ(
        run(daemon.url(), input_of("PostToolUseFailure",
                                   R"("tool_name":"Bash","tool_input":{"command":"npm test"},"tool_use_id":"t1",)"
                                   R"("error":"Command exited with non-zero status code 1","is_interrupt":false)")),
        Exit::ok);
    EXPECT_EQ(body_of(daemon.requests.at(0)),
              R"({"status":"failure","tool_name":"Bash","call_id":"t1","agent_id":"claude-code",)"
              R"("source":"claude-code","arguments":{"command":"npm test"},"error_type":"tool_error",)"
              R"("error_message":"Command exited with non-zero status code 1"})");
    EXPECT_TRUE(world.out.starts_with(R"({"hookSpecificOutput":{"hookEventName":"PostToolUseFailure",)")) << world.out;
}

TEST_F(Hook, a_subagents_call_is_reported_and_takes_nothing_away) {
    Daemon daemon({{201, report}});
    EXPECT_EQ(run(daemon.url(), input_of("PostToolUse", R"("tool_name":"Read","tool_input":{},"agent_id":"agent-7",)"
                                                        R"("agent_type":"Explore","tool_use_id":"t")")),
              Exit::ok);
    ASSERT_EQ(daemon.requests.size(), 1U);
    EXPECT_NE(daemon.requests[0].find(R"("agent_id":"agent-7")"), std::string::npos);
}

TEST_F(Hook, a_stop_ends_the_turn_and_goes_on_once_where_something_is_due) {
    const std::string told = R"({"id":"i3","handler":"agent","target":"user","state":"locked","lease":2})";
    const std::string decided = R"({"id":"i12","handler":"agent","target":"agent","state":"locked","lease":1})";
    Daemon daemon(
        {{200, told}, {200, decided}, {200, told}, {201, report}, {200, something}, {200, R"({"acknowledged":1})"}});
    EXPECT_EQ(run(daemon.url(), input_of("Stop", R"("stop_hook_active":false,"last_assistant_message":)"
                                                 R"("I told you of [n3] and [n12], not n4 [n5 [nx] [n3].")")),
              Exit::ok);
    EXPECT_TRUE(daemon.requests.at(2).starts_with("POST /v1/notifications/n3/narrate")) << daemon.requests.at(2);
    EXPECT_EQ(body_of(daemon.requests.at(2)),
              R"({"lease":2,"text":"I told you of [n3] and [n12], not n4 [n5 [nx] [n3]."})");
    EXPECT_EQ(body_of(daemon.requests.at(3)), R"({"event":"end","acknowledged":["n3","n12"],"only_named":true})");
    EXPECT_EQ(body_of(daemon.requests.at(4)), R"({"point":"turn_end","budget_tokens":2000})");
    EXPECT_TRUE(world.out.starts_with(R"({"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":)"));
    Daemon again({{201, report}});
    EXPECT_EQ(run(again.url(), input_of("Stop", R"("stop_hook_active":true,"last_assistant_message":"Done.")")),
              Exit::ok);
    EXPECT_EQ(again.requests.size(), 1U);
    EXPECT_EQ(world.out, "");
}

TEST_F(Hook, facts_alone_are_acknowledged_when_they_are_told) {
    Daemon daemon({{201, report},
                   {200, R"({"pull_id":"p-9","items":[],"seen":["[SEEN] x"],"text":"[SEEN] x"})"},
                   {200, R"({"acknowledged":0})"}});
    EXPECT_EQ(run(daemon.url(), input_of("UserPromptSubmit", R"("prompt":"go")")), Exit::ok);
    EXPECT_NE(world.out.find("[SEEN] x"), std::string::npos);
    ASSERT_EQ(daemon.requests.size(), 3U);
    EXPECT_EQ(line_of(daemon.requests[2]), "POST /v1/sessions/abc123/acknowledge");
    EXPECT_EQ(body_of(daemon.requests[2]), R"({"pull_id":"p-9"})");
}

TEST_F(Hook, facts_alone_do_not_keep_an_agent_from_stopping) {
    Daemon daemon({{201, report}, {200, R"({"pull_id":"p","items":[],"text":"known already"})"}});
    EXPECT_EQ(run(daemon.url(), input_of("Stop", R"("stop_hook_active":false)")), Exit::ok);
    EXPECT_EQ(world.out, "");
}

TEST_F(Hook, a_turn_that_broke_off_ends) {
    Daemon failed({{201, report}});
    EXPECT_EQ(run(failed.url(), input_of("StopFailure", R"("error_type":"rate_limit")")), Exit::ok);
    EXPECT_EQ(body_of(failed.requests.at(0)), R"({"event":"end","reason":"rate_limit","only_named":true})");
    Daemon ended({{200, session}, {201, report}});
    EXPECT_EQ(run(ended.url(), input_of("SessionEnd", R"("reason":"prompt_input_exit")")), Exit::ok);
    EXPECT_EQ(body_of(ended.requests.at(1)), R"({"event":"end","reason":"prompt_input_exit","only_named":true})");
    Daemon idle({{200, R"({"id":"abc123","progress":{"turn":1,"in_turn":false}})"}});
    EXPECT_EQ(run(idle.url(), input_of("SessionEnd", R"("reason":"clear")")), Exit::ok);
    EXPECT_EQ(idle.requests.size(), 1U);
}

TEST_F(Hook, the_persons_words_and_how_to_answer_come_along) {
    Daemon daemon({{201, report},
                   {200, R"({"pull_id":"p-1","items":[{"handle":"n7","needs_answer":true}],"text":"framed",)"
                         R"("user_messages":[{"id":"m","content":"Use tabs"}]})"},
                   {200, R"({"acknowledged":1})"}});
    EXPECT_EQ(run(daemon.url(), input_of("UserPromptSubmit", R"("prompt":"go")")), Exit::ok);
    EXPECT_NE(world.out.find(R"(in his own words:\nUse tabs\n\nframed\nThere is no tool belfry_ack here)"),
              std::string::npos)
        << world.out;
    EXPECT_NE(world.out.find("as [n7]"), std::string::npos);
}

TEST_F(Hook, what_is_none_of_ours_is_passed_over) {
    EXPECT_EQ(run("http://127.0.0.1:1", input_of("PreCompact", R"("trigger":"auto")")), Exit::ok);
    EXPECT_EQ(world.out + world.err, "");
    EXPECT_EQ(run("http://127.0.0.1:1", "no json"), Exit::failure);
    EXPECT_EQ(run("http://127.0.0.1:1", R"({"hook_event_name":"Stop"})"), Exit::failure);
}

TEST_F(Hook, without_a_daemon_there_is_silence) {
    for (const char* const event : {"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}) {
        EXPECT_EQ(run("unix:" + world.folder.file("none.sock"), input_of(event)), Exit::ok);
        EXPECT_EQ(world.out + world.err, "");
    }
    EXPECT_EQ(run("unix:" + world.folder.file("none.sock"), input_of("Stop"), {"--verbose"}), Exit::ok);
    EXPECT_NE(world.err.find("cannot connect"), std::string::npos);
    // A refusal is no reason to disturb either.
    Daemon daemon({{403, R"({"code":"forbidden","detail":"no"})"}});
    EXPECT_EQ(run(daemon.url(), input_of("UserPromptSubmit")), Exit::ok);
    EXPECT_EQ(world.out + world.err, "");
}

TEST_F(Hook, a_report_that_is_refused_does_not_cost_the_hand_over) {
    const std::string refusal = R"({"code":"invalid","detail":"too long"})";
    for (const std::string& input : {input_of("PostToolUse", R"("tool_name":"Read","tool_input":{})"),
                                     input_of("UserPromptSubmit"), input_of("SessionStart"), input_of("Stop")}) {
        Daemon daemon({{422, refusal}, {200, something}, {200, R"({"acknowledged":1})"}});
        EXPECT_EQ(run(daemon.url(), input, {"--verbose"}), Exit::ok);
        EXPECT_NE(world.out.find("red"), std::string::npos) << input;
        EXPECT_NE(world.err.find("too long"), std::string::npos);
    }
    Daemon nameless({{200, something}, {200, R"({"acknowledged":1})"}});
    EXPECT_EQ(run(nameless.url(), input_of("PostToolUse")), Exit::ok);
    EXPECT_EQ(line_of(nameless.requests.at(0)), "POST /v1/sessions/abc123/pull");
    EXPECT_NE(world.out.find("red"), std::string::npos);
}

TEST_F(Hook, a_wrong_command_line_never_forbids_the_agent_what_it_does) {
    EXPECT_EQ(run("http://127.0.0.1:1", input_of("Stop"), {"--budget", "abc"}), Exit::failure);
    EXPECT_EQ(run("http://127.0.0.1:1", input_of("Stop"), {"--not-any-more"}), Exit::failure);
    EXPECT_EQ(world.run({"hook", "codex"}), Exit::failure);
    EXPECT_EQ(world.run({"hook", "install", "codex"}), Exit::usage);
    EXPECT_EQ(world.run({"wait", "--not-any-more"}), Exit::failure);  // 2 means that something is due
}

TEST(HookOptions, a_hook_waits_for_nobody) {
    const client::Options options = hook_options({});
    EXPECT_LE(options.connect_time_max, base::milliseconds(200));
    EXPECT_LE(options.answer_time_max, base::seconds(2));
    EXPECT_EQ(options.emit_attempts_max, 1U);
}

TEST(HookInput, what_is_odd_in_a_part_does_not_cost_the_whole) {
    const std::string deep = std::string(100, '[') + R"("\"{")" + std::string(100, ']');
    const auto read = read_hook_input(
        input_of("PostToolUseFailure", R"("tool_name":"Bash","error":{"code":7},"tool_use_id":")" +
                                           std::string(300, 'i') + R"(","agent_id":")" + std::string(300, 'a') +
                                           R"(","tool_input":{"cut":"\ud83d","deep":)" + deep +
                                           R"(,"pair":"\ud83d\ude00","slash":"\\ud83d","bytes":")" + "\xC3" + R"("})"));
    ASSERT_TRUE(read.ok() && *read) << read.error().message;
    const HookInput& input = **read;
    EXPECT_EQ(input.call.error_message, R"({"code":7})");
    EXPECT_EQ(input.call.call_id.size(), 7U + 64U);
    EXPECT_EQ(input.subagent_id.size(), 7U + 64U);
    const std::string arguments = input.call.arguments->bytes();
    EXPECT_TRUE(arguments.starts_with(R"({"cut":"\ufffd","deep":[[)")) << arguments;
    EXPECT_TRUE(arguments.ends_with(R"(]],"pair":"\ud83d\ude00","slash":"\\ud83d","bytes":"�"})")) << arguments;
    EXPECT_NE(arguments.find("[null]"), std::string::npos);
}

TEST(HookInput, code_names_no_handles) {
    const std::vector<std::string> none;
    EXPECT_EQ(handles_in("I swapped buf[n1], f()[n2], a[0][n3] and x_[n4]."), none);
    EXPECT_EQ(handles_in("See `[n1]` and ``a ` [n2]``:\n```c\n [n3]\n```\n"), none);
    EXPECT_EQ(handles_in("```\n[n1] nobody closes it"), none);
    EXPECT_EQ(handles_in("[n1], ([n2]) `code` [n3]… a ` alone [n4]\n\nand ` [n5]"),
              (std::vector<std::string>{"n1", "n2", "n3", "n4", "n5"}));
}

TEST(HookInput, tools_that_confess_are_failures_and_long_arguments_a_hash) {
    const auto confessed = read_hook_input(
        input_of("PostToolUse", R"("tool_name":"mcp__x__y","tool_input":{},"tool_response":{"isError":true,)"
                                R"("message":"no such row"})"));
    ASSERT_TRUE(confessed.ok() && *confessed);
    EXPECT_EQ((*confessed)->call.status, client::ToolCallReport::Status::failure);
    EXPECT_EQ((*confessed)->call.error_message, "no such row");
    const std::string large(base::limits::hook_arguments_bytes_max, 'x');
    const auto long_one = read_hook_input(
        input_of("PostToolUse", R"("tool_name":"Write","tool_input":{"content":")" + large + R"("},"duration_ms":1)"));
    ASSERT_TRUE(long_one.ok() && *long_one);
    EXPECT_EQ((*long_one)->call.arguments->bytes().size(), std::string(R"({"sha256":""})").size() + 64);
    const auto interrupted = read_hook_input(input_of(
        "PostToolUseFailure", R"("tool_name":"Bash","error":")" + std::string(3000, 'e') + R"(","is_interrupt":true)"));
    ASSERT_TRUE(interrupted.ok() && *interrupted);
    EXPECT_EQ((*interrupted)->call.error_type, "interrupted");
    EXPECT_EQ((*interrupted)->call.error_message.size(), 2000 + std::string("…").size());
}

}  // namespace
}  // namespace belfry::cli
