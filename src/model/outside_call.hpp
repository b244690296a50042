#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/tool.hpp"
#include "model/wake.hpp"

// Calls of tools that somebody outside carries out.
namespace belfry::model {

using OutsideCallId = base::Id<struct OutsideCallTag>;

// Queued and claimed; the others are ends, which never change. `abandoned`: the agent's work ended before anybody had
// begun with it.
enum class OutsideCallState : std::uint8_t { queued, claimed, done, failed, abandoned };
[[nodiscard]] std::string_view outside_call_state_name(OutsideCallState state);
[[nodiscard]] std::optional<OutsideCallState> parse_outside_call_state(std::string_view name);
[[nodiscard]] constexpr bool is_ended(OutsideCallState state) {
    return state >= OutsideCallState::done;
}

struct OutsideCall {
    OutsideCallId id;  // of a webhook's: of the obligation to make it, too
    std::string tool_name;
    ToolRunner by = ToolRunner::worker;
    std::string operation_id;  // the same however often it is tried: by it the tool knows a repeat
    std::string agent_id;
    std::string user_id;  // the agent's
    WakeId wake_id = 0;
    base::Uuid action_id;  // the message that says that it was begun
    RawJson arguments;
    OutsideCallState state = OutsideCallState::queued;
    std::string holder;      // of a claimed one
    std::int64_t fence = 0;  // rises with each claim
    std::optional<base::Timestamp> lease_until;
    std::int64_t attempts = 0;  // that were begun
    base::Timestamp deadline;   // then it has timed out
    std::string error_code;     // of one that has failed or was abandoned
    base::Timestamp created_at;
    std::optional<base::Timestamp> ended_at;

    bool operator==(const OutsideCall&) const = default;
};

// `{"id":…,"tool_name":…,…}`, into a writer of somebody else.
void append_outside_call(JsonWriter& writer, const OutsideCall& call);

}  // namespace belfry::model
