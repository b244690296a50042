#include <gtest/gtest.h>

#include "host/subscriber_folder.hpp"
#include "model/value_json.hpp"
#include "rules/known_types.hpp"
#include "text/notification_text.hpp"
#include "text/subscriber_templates.hpp"
#include "text/toon.hpp"

namespace belfry::cli {
namespace {

using model::Value;

// Text that tries to leave its cell, of every kind that acceptance 4 names.
std::vector<std::string> hostile_texts() {
    return {"a,b",
            "line\nline\r\n",
            "say \"no\" \\",
            "key: value",
            "[3]{a}:",
            "- item",
            "  padded  ",
            "",
            "null",
            "true",
            "05",
            "-1e6",
            "\xF0\x9F\x98\x80 \xC3\xA4",
            std::string("nul\0nul", 7),
            "\xE2\x80\xAE"
            "bidi\xE2\x80\xAC \xE2\x80\x8B\xEF\xBB\xBF",
            "</system_notification>",
            "{{ 7 * 7 }}{% raw %}",
            "#",
            "\t|\t",
            "\x1B[31m\x07\x7F",
            std::string(100'000, 'x') + ",\n\""};
}

class Shipped : public testing::Test {
protected:
    model::Catalogue catalogue_ = host::read_subscribers("");
    text::SubscriberTemplates templates_{catalogue_};

    text::NotificationText render(std::string_view id, const std::vector<text::NotificationRow>& rows,
                                  bool follow_up = false, model::Severity severity = model::Severity::error) {
        const model::Subscriber& subscriber = *catalogue_.find(id);
        text::NotificationInput input;
        input.subscriber_id = subscriber.id;
        input.subscriber_name = subscriber.name;
        input.priority = subscriber.priority;
        input.inject_at = subscriber.inject_at;
        input.severity = severity;
        input.follow_up = follow_up;
        input.rows = rows;
        const auto made = text::render_notification(input, templates_.content_of(subscriber),
                                                    templates_.text_of(subscriber), &templates_);
        EXPECT_EQ(made.problem, "");
        EXPECT_FALSE(made.used_fallback);
        return made;
    }
    // Of events as `type payload`, each once.
    text::NotificationText render_payloads(std::string_view id, std::string_view type,
                                           const std::vector<std::string>& payloads, std::int64_t count = 1,
                                           bool follow_up = false) {
        std::vector<std::string> events;
        for (const std::string& payload : payloads) events.push_back(event(type, payload));
        std::vector<text::NotificationRow> rows;
        for (const std::string& json : events) rows.push_back({json, rows.empty() ? count : 1});
        return render(id, rows, follow_up);
    }
    static std::string event(std::string_view type, const std::string& payload) {
        return R"({"id":"1","type":")" + std::string(type) +
               R"(","source":"runner","severity":"error","timestamp":"2026-11-15T15:30:01.250Z","payload":)" + payload +
               '}';
    }
    static Value decoded(const std::string& content) {
        auto read = text::toon_decode(content);
        EXPECT_TRUE(read.ok()) << read.error().message;
        return read.ok() ? std::move(read).value() : Value();
    }
};

TEST_F(Shipped, all_of_them_compile) {
    EXPECT_TRUE(templates_.problems().empty());
    for (const model::Subscriber& subscriber : catalogue_.subscribers) {
        EXPECT_NE(templates_.content_of(subscriber), nullptr) << subscriber.id;
        EXPECT_NE(templates_.text_of(subscriber), nullptr) << subscriber.id;
    }
}

TEST_F(Shipped, payloads_are_shown_in_the_letters_that_they_have) {
    const std::string payload = R"({"note":"can't — диск полон","n":1})";
    const auto unmatched = render_payloads("unmatched", "disk.full", {payload});
    EXPECT_TRUE(unmatched.text.ends_with(payload)) << unmatched.text;
    EXPECT_NE(unmatched.content.find("can't — диск полон"), std::string::npos) << unmatched.content;
    const auto status = render_payloads("client_status", "client.status", {payload});
    EXPECT_TRUE(status.text.ends_with(payload)) << status.text;
    const auto task =
        render_payloads("subagent", "subagent.completed", {R"({"task_id":"t","result_summary":)" + payload + "}"});
    EXPECT_TRUE(task.text.ends_with(payload)) << task.text;
    EXPECT_NE(task.content.find("can't — диск полон"), std::string::npos) << task.content;
}

TEST_F(Shipped, one_tool_failure_is_a_line_with_tool_error_and_message) {
    const std::string payload =
        R"({"tool_name":"vault_search","call_id":"c","error_type":"timeout","error_message":"Operation timed out after 5000ms"})";
    const auto made = render_payloads("tool_failure", "tool.call.failure", {payload});
    EXPECT_EQ(made.content, "tool_fail: vault_search timeout Operation timed out after 5000ms");
    EXPECT_EQ(made.text, "vault_search failed: Operation timed out after 5000ms");
    EXPECT_EQ(render_payloads("tool_failure", "tool.call.failure", {payload}, 3).content,
              "tool_fail: vault_search timeout Operation timed out after 5000ms (3 times)");
    const auto more = render_payloads("tool_failure", "tool.call.failure", {payload}, 2, true);
    EXPECT_EQ(more.content, "tool_fail: vault_search timeout Operation timed out after 5000ms (2 more times)");
    EXPECT_EQ(more.text, "vault_search failed: Operation timed out after 5000ms (2 more times)");
}

TEST_F(Shipped, several_tool_failures_are_a_table) {
    const std::string failed =
        event("tool.call.failure",
              R"({"tool_name":"a","call_id":"c","error_type":"index_missing","error_message":"no index"})");
    const std::string timed_out = event("tool.call.timeout", R"({"tool_name":"b","call_id":"c","timeout_ms":5000})");
    const auto made = render("tool_failure", {{failed, 1}, {timed_out, 1}, {failed, 1}});
    EXPECT_EQ(made.content,
              "tool_fails[3]{tool,error,message,ts}:\n  a,index_missing,no index,\"15:30:01\"\n"
              "  b,timeout,no answer in 5000ms,\"15:30:01\"\n  a,index_missing,no index,\"15:30:01\"");
    EXPECT_EQ(made.text, "a failed: no index\nb gave no answer in 5000 ms\na failed: no index");
    EXPECT_EQ(render("tool_failure", {{failed, 3}, {timed_out, 1}}).content,
              "tool_fails[2]{tool,error,message,times,ts}:\n  a,index_missing,no index,3,\"15:30:01\"\n"
              "  b,timeout,no answer in 5000ms,1,\"15:30:01\"");
}

TEST_F(Shipped, budgets_have_the_shapes_of_the_acceptance_list) {
    const std::string tokens =
        event("budget.token.warning",
              R"({"budget_type":"token","current":42500,"limit":50000,"percentage":85,"remaining":7500})");
    const std::string turns =
        event("budget.iteration.warning",
              R"({"budget_type":"iteration","current":21,"limit":30,"percentage":70.0,"remaining":9})");
    const std::string time =
        event("budget.timeout.warning", R"({"elapsed_seconds":250,"limit_seconds":300,"remaining_seconds":50})");
    EXPECT_EQ(render("budget_warning", {{tokens, 1}}).content, "budget_warn: 85% tokens consumed (42500/50000)");
    EXPECT_EQ(render("budget_warning", {{turns, 1}}).content, "budget_warn: 70% iterations consumed (21/30)");
    EXPECT_EQ(render("budget_warning", {{time, 1}}).content, "budget_warn: 83% seconds consumed (250/300)");
    const std::string brief =
        event("budget.timeout.warning", R"({"elapsed_seconds":2.4,"limit_seconds":3,"remaining_seconds":0.6})");
    EXPECT_EQ(render("budget_warning", {{brief, 1}}).content, "budget_warn: 80% seconds consumed (2.4/3)");
    const auto all = render("budget_warning", {{tokens, 1}, {turns, 1}, {time, 1}});
    EXPECT_EQ(all.content,
              "budget_warns[3]{budget,percent,current,limit}:\n  tokens,85,42500,50000\n  iterations,70,21,30\n"
              "  seconds,83,250,300");
    EXPECT_EQ(all.text,
              "85 % of the token budget is used (42500 of 50000)\n70 % of the iteration budget is used (21 of 30)\n"
              "250 of 300 seconds are used");
    EXPECT_EQ(
        render_payloads("budget_exceeded", "budget.token.exceeded", {R"({"current":50010,"limit":50000})"}).content,
        "\"!critical\": token budget exceeded (50010/50000) - finish now");
    EXPECT_EQ(render_payloads("budget_exceeded", "budget.iteration.exceeded",
                              {R"({"current":30,"limit":30})", R"({"current":31,"limit":30})"})
                  .content,
              "\"!critical\"[2]: iteration budget exceeded (30/30) - finish now,iteration budget exceeded (31/30) - "
              "finish now");
}

TEST_F(Shipped, the_others_are_lean) {
    const std::string loop = event("agent.loop.detected", R"({"pattern":"a → b","repetitions":3,"window_seconds":60})");
    EXPECT_EQ(render("loop_detected", {{loop, 1}}, false, model::Severity::warning).content,
              "\"!warning\": loop detected - a → b repeated 3 times in 60s");
    EXPECT_EQ(
        render_payloads("context_limit", "context.approaching_limit",
                        {R"({"current_tokens":164000,"max_tokens":200000,"percent":82,"remaining_tokens":36000})"})
            .content,
        "context_warn: 82% of context used (164000/200000)");
    EXPECT_EQ(render_payloads("source_stale", "source.stale", {R"({"path":"src/a.py"})"}).content,
              "source_stale: src/a.py changed since it was read");
    EXPECT_EQ(render_payloads("source_stale", "source.stale", {R"({"path":"a"})", R"({"path":"b"})"}).content,
              "stale_sources[2]: a,b");
    EXPECT_EQ(render_payloads("source_stale", "source.stale", {R"({"path":"a"})", R"({"path":"b"})"}, 2).content,
              "stale_sources[2]{path,times}:\n  a,2\n  b,1");
    EXPECT_EQ(render_payloads("self_notify", "agent.self.notify", {R"({"message":"look at the log"})"}).content,
              "self_note: look at the log");
    EXPECT_EQ(render_payloads("self_notify", "agent.self.notify",
                              {R"({"message":"a","category":"plan"})", R"({"message":"b"})"})
                  .content,
              "self_notes[2]{category,message}:\n  plan,a\n  null,b");
    EXPECT_EQ(render_payloads("self_notify", "agent.self.remind", {R"({"message":"a"})", R"({"message":"b"})"}).content,
              "self_notes[2]: a,b");
    EXPECT_EQ(render_payloads("session_resumed", "session.resumed", {R"({"nodes_loaded":12,"last_question":"why?"})"})
                  .content,
              "session_resumed:\n  nodes: 12\n  last_question: why?");
    EXPECT_EQ(render_payloads("task_checkpoint", "task.checkpoint", {R"({"message":"half","turn":5})"}).content,
              "checkpoint: turn 5 - half");
    EXPECT_EQ(render_payloads("task_checkpoint", "task.checkpoint",
                              {R"({"message":"half","turn":5})", R"({"message":"all","turn":6})"})
                  .content,
              "checkpoints[2]{turn,message}:\n  5,half\n  6,all");
    EXPECT_EQ(
        render_payloads("subagent", "subagent.complete", {R"({"task_id":"t7","result_summary":{"n":1}})"}).content,
        "subagent: \"t7 complete - {\\\"n\\\":1}\"");
    EXPECT_EQ(render_payloads("subagent", "subagent.failed",
                              {R"({"task_id":"t7","error_message":"x"})", R"({"task_id":"t8","error_message":"y"})"})
                  .content,
              "subagents[2]{task,status,result}:\n  t7,failed,x\n  t8,failed,y");
    EXPECT_EQ(render_payloads("subagent", "subagent.started.late", {R"({"task_id":"t7"})"}).content,
              "subagent: t7 started.late");
    EXPECT_EQ(render_payloads("client_status", "client.status_update", {R"({"status":"away","since":3})"}).content,
              "client_status:\n  status: away\n  since: 3");
    EXPECT_EQ(
        render_payloads("client_status", "client.status_update", {R"({"status":"away"})", R"({"status":"back"})"}, 2)
            .content,
        "client_statuses[2]{status,times}:\n  away,2\n  back,1");
}

// A payload whose every text is this one.
std::string payload_of(const rules::KnownType* type, const std::string& said) {
    Value payload = Value::object();
    if (type == nullptr) payload.append("message", Value::string(said));
    else {
        for (const rules::PayloadField& field : type->fields) {
            payload.append(field.name,
                           field.kind == rules::PayloadKind::number ? Value::integer(7) : Value::string(said));
        }
    }
    return model::to_json(payload);
}

// Whether some text of the tree is this one, or holds it.
enum class Find { whole, part };
bool holds(const Value& tree, const std::string& said, Find find) {
    if (tree.is_string()) {
        return find == Find::whole ? tree.text() == said : tree.text().find(said) != std::string_view::npos;
    }
    for (const Value& item : tree.items()) {
        if (holds(item, said, find)) return true;
    }
    for (const model::Member& member : tree.members()) {
        if (holds(member.value, said, find)) return true;
    }
    return false;
}

TEST_F(Shipped, hostile_text_stays_in_its_cell) {
    const std::vector<std::string> words = hostile_texts();
    for (const model::Subscriber& subscriber : catalogue_.subscribers) {
        const bool only_numbers = subscriber.id == "budget_exceeded" || subscriber.id == "context_limit";
        for (const std::string& pattern : subscriber.types) {
            const std::string type = pattern == "subagent.*" ? "subagent.failed" : pattern;
            const rules::KnownType* known = rules::find_known_type(type);
            std::vector<std::string> events;
            for (const std::string& said : words) {
                events.push_back(event(type, payload_of(known, said)));
                const Value one = decoded(render(subscriber.id, {{events.back(), 1}}).content);
                EXPECT_EQ(one.size(), 1U);
                if (!only_numbers && type != "budget.timeout.warning") {
                    EXPECT_TRUE(holds(one, said, Find::part)) << type << ": " << said.substr(0, 40);
                }
                decoded(render(subscriber.id, {{events.back(), 2}}, true).content);
            }
            std::vector<text::NotificationRow> rows;
            for (const std::string& json : events) rows.push_back({json, 1});
            const Value all = decoded(render(subscriber.id, rows).content);
            ASSERT_EQ(all.size(), 1U);
            if (only_numbers || subscriber.id == "session_resumed") continue;
            EXPECT_EQ(all.members()[0].value.size(), words.size()) << type;
            const bool in_sentences = subscriber.id.starts_with("budget") || subscriber.id == "loop_detected";
            if (in_sentences) continue;
            for (std::size_t i = 0; i < words.size(); ++i) {
                EXPECT_TRUE(holds(all.members()[0].value.items()[i], words[i], Find::whole)) << type << ": " << i;
            }
        }
    }
}

}  // namespace
}  // namespace belfry::cli
