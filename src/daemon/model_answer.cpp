#include "daemon/model_answer.hpp"

#include "host/printable.hpp"

namespace belfry::daemon {
namespace {

using model::ChatFailureKind;

long long ms(base::Duration time) {
    return time.us / 1000;
}

bool is_estimate(const model::TokenUsage& usage) {
    return usage.source == model::TokenUsage::Source::estimate;
}

// The codes that all commands and the HTTP interface have.
base::Code code_of(ChatFailureKind kind) {
    switch (kind) {
        case ChatFailureKind::invalid: return base::Code::invalid;
        case ChatFailureKind::refused: return base::Code::forbidden;
        case ChatFailureKind::not_found: return base::Code::not_found;
        case ChatFailureKind::too_long: return base::Code::too_large;
        case ChatFailureKind::rate_limited: return base::Code::rate_limited;
        case ChatFailureKind::server:
        case ChatFailureKind::unreachable: return base::Code::unavailable;
        case ChatFailureKind::timed_out:
        case ChatFailureKind::cancelled: return base::Code::timeout;
        case ChatFailureKind::protocol: break;
    }
    return base::Code::malformed;
}

std::string hint(const model::ChatFailure& failure) {
    switch (failure.kind) {
        case ChatFailureKind::refused: return "--key-env names the environment variable that holds the key";
        case ChatFailureKind::not_found: return "look at --model, and at --url, which with most servers ends in /v1";
        case ChatFailureKind::rate_limited:
            return failure.retry_after ? "try again in " + base::format_duration(*failure.retry_after) : std::string();
        case ChatFailureKind::unreachable:
            return failure.message.find("certificate") != std::string::npos
                       ? "--ca-file names certificates to trust besides the system's"
                       : std::string();
        default: return {};
    }
}

std::string failure_line(const model::ChatFailure& failure) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("error").begin_object();
    writer.field("code", base::code_name(code_of(failure.kind))).field("detail", failure.message);
    writer.field("reason", model::chat_failure_name(failure.kind));
    if (failure.http_status != 0) writer.field("http_status", static_cast<long long>(failure.http_status));
    if (failure.retry_after) writer.field("retry_after_ms", ms(*failure.retry_after));
    if (failure.limit) writer.field("limit", model::chat_limit_name(*failure.limit));
    writer.end_object().end_object();
    return host::escape_json_controls(json);
}

void append_calls(model::JsonWriter& writer, const std::vector<model::ToolCall>& calls) {
    writer.name("calls").begin_array();
    for (const model::ToolCall& call : calls) {
        writer.begin_object().field("id", call.id).field("name", call.name);
        writer.name("arguments").raw(call.arguments.bytes());
        if (!call.problem.empty()) writer.field("problem", call.problem);
        writer.end_object();
    }
    writer.end_array();
}

}  // namespace

std::string answer_line(const model::ChatAnswer& answer, std::optional<base::Duration> first_text) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("text", answer.text);
    append_calls(writer, answer.calls);
    writer.field("finish", model::finish_reason_name(answer.finish)).field("model", answer.model);
    writer.name("usage").begin_object().field("prompt_tokens", static_cast<long long>(answer.usage.prompt_tokens));
    writer.field("completion_tokens", static_cast<long long>(answer.usage.completion_tokens));
    writer.name("estimated").boolean(is_estimate(answer.usage)).end_object();
    writer.field("first_byte_ms", ms(answer.first_byte_time)).name("first_text_ms");
    if (first_text) writer.number(ms(*first_text));
    else writer.null();
    writer.field("took_ms", ms(answer.whole_time)).end_object();
    return host::escape_json_controls(json);
}

void show_answer(cli::Context& context, const model::ChatAnswer& answer) {
    if (!answer.text.empty() && !answer.text.ends_with('\n')) context.console.out.write("\n");
    for (const model::ToolCall& call : answer.calls) {
        cli::write_foreign(context.console, "call " + call.name + " " + call.arguments.bytes() + "\n");
        if (!call.problem.empty()) cli::remark(context, "the call cannot be made: " + call.problem);
    }
    const std::string about = is_estimate(answer.usage) ? "about " : "";
    cli::remark(context, std::string(model::finish_reason_name(answer.finish)) + " after " +
                             std::to_string(ms(answer.whole_time)) + " ms (first byte after " +
                             std::to_string(ms(answer.first_byte_time)) + " ms); " + about +
                             std::to_string(answer.usage.prompt_tokens) + " tokens asked, " + about +
                             std::to_string(answer.usage.completion_tokens) + " answered");
}

cli::Exit show_failure(cli::Context& context, const cli::Arguments& arguments, const model::ChatFailure& failure) {
    const base::Code code = code_of(failure.kind);
    const bool is_own = failure.kind == ChatFailureKind::invalid && failure.http_status == 0;
    const cli::Exit exit = is_own ? cli::Exit::usage : cli::exit_for(code);
    if (arguments.has("json")) {
        context.console.err.line(failure_line(failure));
        return exit;
    }
    cli::fail(context, arguments, base::error(code, failure.message));
    if (const std::string words = hint(failure); !words.empty()) cli::remark(context, words);
    return exit;
}

}  // namespace belfry::daemon
