#include "cli/hook_input.hpp"

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "cli/lenient_json.hpp"
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

// An id that is longer than Belfry takes them, by its hash: what tells one from another stays.
std::string short_id(std::string id, std::size_t bytes_max) {
    if (id.size() <= bytes_max) return id;
    const base::Sha256 hash = base::sha256(id);
    return "sha256-" + base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

// A text, or whatever stands in its place.
std::string words_of(const Fields& fields, std::string_view name) {
    const auto value = fields.member(name);
    if (!value || value->kind() == JsonKind::null) return {};
    return value->kind() == JsonKind::string ? value->as_text() : std::string(value->text);
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
        if (std::string text = words_of(inner, name); !text.empty()) return text;
    }
    return held.bytes();
}

void set_failure(ToolCallReport& call, std::string_view type, std::string_view message) {
    call.status = ToolCallReport::Status::failure;
    call.error_type = type;
    call.error_message = beginning(message, limits::hook_error_bytes_max);
}

void read_call(const Fields& fields, HookInput& input) {
    ToolCallReport& call = input.call;
    call.tool_name = beginning(fields.text("tool_name"), limits::tool_name_bytes_max - 4);
    call.call_id = short_id(fields.text("tool_use_id"), limits::tool_call_id_bytes_max);
    call.arguments = arguments_of(fields);
    const bool has_duration = fields.member("duration_ms") && fields.number("duration_ms") >= 0;
    if (has_duration) call.duration_ms = fields.number("duration_ms");
    if (input.event == HookEvent::post_tool_use_failure) {
        const bool interrupted = fields.flag("is_interrupt").value_or(false);
        set_failure(call, interrupted ? "interrupted" : "tool_error", words_of(fields, "error"));
    } else if (const auto failure = confessed_failure(fields)) {
        set_failure(call, "tool_error", *failure);
    } else if (!has_duration) {
        call.duration_ms = 0;  // older versions do not tell it, and a success has one
    }
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Directly before a bracket it makes an index of it, as in `buf[n1]`.
bool makes_index(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ')' || c == ']';
}

// The words without code: blocks between fences, and what stands between as many backticks as it began with.
std::string without_code(std::string_view words) {
    std::string prose;
    while (!words.empty()) {
        const std::size_t tick = std::min(words.find('`'), words.size());
        prose += words.substr(0, tick);
        words.remove_prefix(tick);
        if (words.empty()) break;
        const std::size_t ticks = std::min(words.find_first_not_of('`'), words.size());
        const std::string mark(ticks, '`');
        std::size_t end = words.find(mark, ticks);
        // Inline code ends within its paragraph; a fence that nobody closes ends with the message.
        const bool is_fence = ticks >= 3;
        if (!is_fence && end != std::string_view::npos && words.substr(0, end).find("\n\n") != std::string_view::npos) {
            end = std::string_view::npos;
        }
        prose += '`';
        if (end != std::string_view::npos) words.remove_prefix(end + ticks);
        else words.remove_prefix(is_fence ? words.size() : ticks);
    }
    return prose;
}

}  // namespace

std::vector<std::string_view> hook_event_names() {
    return {names.begin(), names.end()};
}

std::string_view hook_event_name(HookEvent event) {
    return names[static_cast<std::size_t>(event)];
}

base::Result<std::optional<HookInput>> read_hook_input(std::string_view text) {
    TRY_ASSIGN(const model::RawJson json, codec::validate(lenient_json(text, limits::json_depth_max - 4)));
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
    input.cwd = beginning(fields.text("cwd"), limits::hook_error_bytes_max);
    input.source = beginning(fields.text("source"), limits::scope_id_bytes_max);
    input.model = beginning(fields.text("model"), limits::scope_id_bytes_max);
    input.subagent_id = short_id(fields.text("agent_id"), limits::scope_id_bytes_max);
    input.last_message = fields.text("last_assistant_message");
    input.is_continuing = fields.flag("stop_hook_active").value_or(false);
    for (const char* const name : {"reason", "error_type", "error"}) {
        if (input.reason.empty()) input.reason = beginning(words_of(fields, name), limits::turn_reason_bytes_max - 4);
    }
    const bool is_after_tool =
        input.event == HookEvent::post_tool_use || input.event == HookEvent::post_tool_use_failure;
    if (is_after_tool) read_call(fields, input);
    return std::optional(std::move(input));
}

std::vector<std::string> handles_in(std::string_view message) {
    std::vector<std::string> handles;
    const std::string words = without_code(message);
    for (std::size_t at = words.find("[n"); at != std::string::npos; at = words.find("[n", at + 1)) {
        std::size_t end = at + 2;
        while (end < words.size() && is_digit(words[end])) ++end;
        if (at > 0 && makes_index(words[at - 1])) continue;
        const bool is_handle = end > at + 2 && end < at + 20 && end < words.size() && words[end] == ']';
        if (!is_handle) continue;
        std::string handle = words.substr(at + 1, end - at - 1);
        if (std::ranges::find(handles, handle) == handles.end()) handles.push_back(std::move(handle));
    }
    return handles;
}

}  // namespace belfry::cli
