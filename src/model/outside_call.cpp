#include "model/outside_call.hpp"

#include <array>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 5> states{"queued", "claimed", "done", "failed", "abandoned"};

}  // namespace

std::string_view outside_call_state_name(OutsideCallState state) {
    return states[static_cast<std::size_t>(state)];
}

std::optional<OutsideCallState> parse_outside_call_state(std::string_view name) {
    return parse_choice<OutsideCallState>(states, name);
}

void append_outside_call(JsonWriter& writer, const OutsideCall& call) {
    writer.begin_object().field("id", base::format_uuid(call.id.uuid)).field("tool_name", call.tool_name);
    writer.field("by", tool_runner_name(call.by)).field("operation_id", call.operation_id);
    writer.field("agent_id", call.agent_id).field("user_id", call.user_id).field("wake_id", call.wake_id);
    writer.field("action_id", base::format_uuid(call.action_id)).name("arguments").raw(call.arguments.bytes());
    writer.field("state", outside_call_state_name(call.state));
    append_text(writer, "holder", call.holder);
    writer.field("fence", call.fence);
    append_time(writer, "lease_until", call.lease_until);
    writer.field("attempts", call.attempts).field("deadline", base::format_timestamp(call.deadline));
    append_text(writer, "error_code", call.error_code);
    writer.field("created_at", base::format_timestamp(call.created_at));
    append_time(writer, "ended_at", call.ended_at);
    writer.end_object();
}

}  // namespace belfry::model
