#include "client/requests.hpp"

namespace belfry::client {
namespace {

using model::JsonWriter;

void write_text(JsonWriter& writer, std::string_view name, std::string_view text) {
    if (!text.empty()) writer.field(name, text);
}

void write_number(JsonWriter& writer, std::string_view name, std::int64_t number) {
    if (number != 0) writer.field(name, static_cast<long long>(number));
}

void write_number(JsonWriter& writer, std::string_view name, const std::optional<std::int64_t>& number) {
    if (number) writer.field(name, static_cast<long long>(*number));
}

std::string_view status_name(ToolCallReport::Status status) {
    switch (status) {
        case ToolCallReport::Status::pending: return "pending";
        case ToolCallReport::Status::success: return "success";
        case ToolCallReport::Status::failure: return "failure";
        case ToolCallReport::Status::timeout: break;
    }
    return "timeout";
}

}  // namespace

std::string session_request_json(const SessionRequest& request) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    if (request.user_id) writer.field("user_id", *request.user_id);
    if (request.agent_id) writer.field("agent_id", *request.agent_id);
    if (request.title) writer.field("title", *request.title);
    if (request.metadata) writer.name("metadata").raw(request.metadata->bytes());
    if (request.budget) {
        writer.name("budget").begin_object();
        write_number(writer, "tokens", request.budget->tokens);
        write_number(writer, "iterations", request.budget->iterations);
        write_number(writer, "timeout_s", request.budget->timeout_s);
        write_number(writer, "context_tokens", request.budget->context_tokens);
        writer.end_object();
    }
    writer.end_object();
    return out;
}

namespace {

void write_named(JsonWriter& writer, std::string_view name, const std::vector<Named>& all) {
    if (all.empty()) return;
    writer.name(name).begin_array();
    for (const Named& named : all) {
        if (named.lease == 0) {
            writer.text(named.id);
        } else {
            writer.begin_object().field("id", named.id);
            writer.field("lease", static_cast<long long>(named.lease)).end_object();
        }
    }
    writer.end_array();
}

}  // namespace

std::string turn_report_json(const TurnReport& report) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("event", report.edge == TurnReport::Edge::start ? "start" : "end");
    write_number(writer, "turn_number", report.turn_number);
    write_text(writer, "agent_id", report.agent_id);
    write_text(writer, "reason", report.reason);
    write_number(writer, "tool_calls", report.tool_calls);
    write_number(writer, "tokens_used", report.tokens_used);
    write_number(writer, "context_tokens", report.context_tokens);
    write_named(writer, "acknowledged", report.acknowledged);
    write_named(writer, "leases", report.leases);
    write_number(writer, "lease_s", report.lease_s);
    write_text(writer, "pull_id", report.pull_id);
    if (report.only_named) writer.name("only_named").boolean(true);
    writer.end_object();
    return out;
}

std::string tool_call_report_json(const ToolCallReport& report) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("status", status_name(report.status)).field("tool_name", report.tool_name);
    writer.field("call_id", report.call_id);
    write_text(writer, "agent_id", report.agent_id);
    write_text(writer, "source", report.source);
    if (report.arguments) writer.name("arguments").raw(report.arguments->bytes());
    write_number(writer, "duration_ms", report.duration_ms);
    write_text(writer, "result_summary", report.result_summary);
    write_text(writer, "error_type", report.error_type);
    // An error without words is one all the same.
    if (!report.error_message.empty() || report.status == ToolCallReport::Status::failure) {
        writer.field("error_message", report.error_message);
    }
    write_number(writer, "retry_count", report.retry_count);
    write_number(writer, "timeout_ms", report.timeout_ms);
    write_number(writer, "tokens_used", report.tokens_used);
    write_text(writer, "handling", report.handling);
    write_text(writer, "pull_id", report.pull_id);
    writer.end_object();
    return out;
}

std::string self_note_json(const SelfNote& note) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("message", note.message);
    write_text(writer, "agent_id", note.agent_id);
    if (note.priority) writer.field("priority", model::priority_name(*note.priority));
    write_text(writer, "category", note.category);
    write_text(writer, "deliver_at", note.deliver_at);
    write_number(writer, "after_turns", note.after_turns);
    if (note.context_above > 0) {
        writer.name("when").begin_object().name("context_above").real(note.context_above).end_object();
    }
    writer.end_object();
    return out;
}

std::string pull_request_json(const PullRequest& request) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("point", model::inject_at_name(request.point));
    write_number(writer, "budget_tokens", request.budget_tokens);
    write_number(writer, "lease_s", request.lease_s);
    write_text(writer, "acknowledge", request.acknowledge);
    write_text(writer, "pull_id", request.pull_id);
    writer.end_object();
    return out;
}

std::string item_leases_json(const std::vector<ItemLease>& items) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().name("items").begin_array();
    for (const ItemLease& item : items) {
        writer.begin_object().field("id", item.id).field("lease", static_cast<long long>(item.lease)).end_object();
    }
    writer.end_array().end_object();
    return out;
}

}  // namespace belfry::client
