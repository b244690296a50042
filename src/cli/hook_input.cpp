#include "cli/hook_input.hpp"

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "client/fields.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

using client::Fields;
using client::ToolCallReport;
using model::JsonKind;
namespace limits = base::limits;

constexpr std::array<std::string_view, 7> names{"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure",
                                                "Stop",         "StopFailure",      "SessionEnd"};

std::optional<HookEvent> parse_event(std::string_view name) {
    const auto* const found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<HookEvent>(found - names.begin());
}

// The beginning of a text, cut between two characters.
std::string beginning(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
}

// Arguments tell one call from another. Those of a large file would make a large report: their hash does as well.
std::optional<model::RawJson> arguments_of(const Fields& fields) {
    const auto value = fields.member("tool_input");
    if (!value) return std::nullopt;
    if (value->text.size() <= limits::hook_arguments_bytes_max)
        return model::RawJson::trusted(std::string(value->text));
    const base::Sha256 hash = base::sha256(value->text);
    std::string json;
    model::JsonWriter(json)
        .begin_object()
        .field("sha256", base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()}))
        .end_object();
    return model::RawJson::trusted(std::move(json));
}

// Some tools succeed in saying that they failed.
std::optional<std::string> confessed_failure(const Fields& fields) {
    const auto response = fields.member("tool_response");
    if (!response || response->kind() != JsonKind::object) return std::nullopt;
    const model::RawJson held = fields.object("tool_response");
    const Fields inner(held.view());
    const bool failed = inner.flag("success") == std::optional(false) || inner.flag("is_error").value_or(false) ||
                        inner.flag("isError").value_or(false);
    if (!failed) return std::nullopt;
    for (const char* const name : {"error", "message", "stderr"}) {
        if (std::string text = inner.text(name); !text.empty()) return text;
    }
    return held.bytes();
}

void set_failure(ToolCallReport& call, std::string_view type, std::string_view message) {
    call.status = ToolCallReport::Status::failure;
    call.error_type = type;
    call.error_message = beginning(message, limits::hook_error_bytes_max);
}

base::Result<void> read_call(const Fields& fields, HookInput& input) {
    ToolCallReport& call = input.call;
    call.tool_name = beginning(fields.text("tool_name"), limits::tool_name_bytes_max - 4);
    if (call.tool_name.empty()) return base::error(base::Code::invalid, "tool_name is missing", "tool_name");
    call.call_id = fields.text("tool_use_id");
    call.arguments = arguments_of(fields);
    const bool has_duration = fields.member("duration_ms") && fields.number("duration_ms") >= 0;
    if (has_duration) call.duration_ms = fields.number("duration_ms");
    if (input.event == HookEvent::post_tool_use_failure) {
        const bool interrupted = fields.flag("is_interrupt").value_or(false);
        set_failure(call, interrupted ? "interrupted" : "tool_error", fields.text("error"));
    } else if (const auto failure = confessed_failure(fields)) {
        set_failure(call, "tool_error", *failure);
    } else if (!has_duration) {
        call.duration_ms = 0;  // older versions do not tell it, and a success has one
    }
    return {};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::vector<std::string_view> hook_event_names() {
    return {names.begin(), names.end()};
}

std::string_view hook_event_name(HookEvent event) {
    return names[static_cast<std::size_t>(event)];
}

base::Result<std::optional<HookInput>> read_hook_input(std::string_view text) {
    TRY_ASSIGN(const model::RawJson json, codec::validate(text));
    if (json.view().kind() != JsonKind::object) return base::error(base::Code::invalid, "it is no object");
    const Fields fields(json.view());
    const auto event = parse_event(fields.text("hook_event_name"));
    if (!event) return std::optional<HookInput>();
    HookInput input;
    input.event = *event;
    input.session_id = fields.text("session_id");
    if (input.session_id.empty() || input.session_id.size() > limits::scope_id_bytes_max) {
        return base::error(base::Code::invalid,
                           "session_id must have 1 to " + std::to_string(limits::scope_id_bytes_max) + " bytes",
                           "session_id");
    }
    input.cwd = fields.text("cwd");
    input.source = fields.text("source");
    input.model = fields.text("model");
    input.subagent_id = fields.text("agent_id");
    input.last_message = fields.text("last_assistant_message");
    input.is_continuing = fields.flag("stop_hook_active").value_or(false);
    for (const char* const name : {"reason", "error_type", "error"}) {
        if (input.reason.empty()) input.reason = beginning(fields.text(name), limits::turn_reason_bytes_max - 4);
    }
    const bool is_after_tool =
        input.event == HookEvent::post_tool_use || input.event == HookEvent::post_tool_use_failure;
    if (is_after_tool) TRY(read_call(fields, input));
    return std::optional(std::move(input));
}

std::vector<std::string> handles_in(std::string_view words) {
    std::vector<std::string> handles;
    for (std::size_t at = words.find("[n"); at != std::string_view::npos; at = words.find("[n", at + 1)) {
        std::size_t end = at + 2;
        while (end < words.size() && is_digit(words[end])) ++end;
        const bool is_handle = end > at + 2 && end < at + 20 && end < words.size() && words[end] == ']';
        if (!is_handle) continue;
        std::string handle(words.substr(at + 1, end - at - 1));
        if (std::ranges::find(handles, handle) == handles.end()) handles.push_back(std::move(handle));
    }
    return handles;
}

}  // namespace belfry::cli
