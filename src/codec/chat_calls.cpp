#include "codec/chat_calls.hpp"

#include <algorithm>
#include <charconv>

#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

using model::JsonKind;
using model::JsonView;

constexpr std::size_t shown_bytes_max = 200;

std::string text_of(JsonView object, std::string_view name) {
    const auto value = object.member(name);
    return value && value->kind() == JsonKind::string ? value->as_text() : std::string();
}

std::optional<std::int64_t> index_of(JsonView element) {
    const auto value = element.member("index");
    if (!value || value->kind() != JsonKind::number) return std::nullopt;
    std::int64_t index = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, failed] = std::from_chars(value->text.data(), end, index);
    return failed == std::errc{} && stop == end ? std::optional(index) : std::nullopt;
}

// An empty text is what many a model writes for a tool without parameters.
void check_arguments(std::string_view written, model::ToolCall& call) {
    if (written.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    auto json = validate(written);
    if (json.ok() && json->view().kind() == JsonKind::object) {
        call.arguments = std::move(json).value();
        return;
    }
    const std::string why = json.ok() ? std::string("they are no object") : json.error().message;
    call.problem = "the arguments are no JSON object (" + why + "): " + to_utf8(written.substr(0, shown_bytes_max));
}

void check_name(model::ToolCall& call) {
    if (call.name.empty()) {
        call.problem = "the call names no tool";
    } else if (call.name.size() > base::limits::tool_name_bytes_max) {
        call.name = to_utf8(call.name.substr(0, shown_bytes_max));
        call.problem = "the tool's name is longer than " + std::to_string(base::limits::tool_name_bytes_max) + " bytes";
    }
}

}  // namespace

ChatCallParts::Part ChatCallParts::read(JsonView element) {
    Part part{index_of(element), text_of(element, "id"), {}, {}};
    const auto function = element.member("function");
    if (!function || function->kind() != JsonKind::object) return part;
    part.name = text_of(*function, "name");
    const auto arguments = function->member("arguments");
    if (arguments && arguments->kind() != JsonKind::null) part.arguments = arguments->as_text();
    return part;
}

// Null where the part begins a call. An id tells calls apart better than an index: some servers give all of them the
// index 0. With neither, a name begins a call.
ChatCallParts::Call* ChatCallParts::call_of(const Part& part) {
    const auto continues = [&part](const Call& call) {
        if (!part.id.empty() && !call.id.empty() && part.id != call.id) return false;
        if (part.index && call.index) {
            // Two whole objects in a row are two calls, whatever their index says.
            const bool is_next = part.id.empty() && !part.name.empty() && call.arguments.ends_with('}') &&
                                 part.arguments.starts_with('{');
            return *part.index == *call.index && !is_next;
        }
        return part.id.empty() ? part.name.empty() : part.id == call.id;
    };
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), continues);
    return found == calls_.rend() ? nullptr : &*found;
}

std::optional<std::string> ChatCallParts::take(JsonView element) {
    if (element.kind() != JsonKind::object) return "a tool call is no object";
    Part part = read(element);
    bytes_ += part.id.size() + part.name.size() + part.arguments.size();
    if (bytes_ > bytes_max_) return "the tool calls have more than " + std::to_string(bytes_max_) + " bytes";
    Call* call = call_of(part);
    if (call == nullptr) {
        if (calls_.size() == count_max_) return "there are more than " + std::to_string(count_max_) + " tool calls";
        calls_.push_back({part.index, std::move(part.id), std::move(part.name), std::move(part.arguments)});
        return std::nullopt;
    }
    if (call->id.empty()) call->id = std::move(part.id);
    // A name comes whole, in pieces, or again and again.
    if (call->name != part.name) call->name += part.name;
    call->arguments += part.arguments;
    return std::nullopt;
}

std::vector<model::ToolCall> ChatCallParts::finish() const {
    std::vector<model::ToolCall> finished;
    const auto is_taken = [&finished](const std::string& id) {
        return std::any_of(finished.begin(), finished.end(), [&id](const auto& call) { return call.id == id; });
    };
    for (const Call& call : calls_) {
        model::ToolCall made{call.id, call.name, {}, {}};
        if (made.id.size() > base::limits::tool_call_id_bytes_max || is_taken(made.id)) made.id.clear();
        if (made.id.empty()) made.id = "call_" + std::to_string(finished.size());
        while (is_taken(made.id)) made.id += '_';
        check_arguments(call.arguments, made);
        check_name(made);
        finished.push_back(std::move(made));
    }
    return finished;
}

}  // namespace belfry::codec
