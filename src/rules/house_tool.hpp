#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/agent.hpp"
#include "model/notification.hpp"
#include "model/raw_json.hpp"
#include "model/severity.hpp"

// What agents can do whose work is done by Belfry itself.
namespace belfry::rules {

enum class HouseTool : std::uint8_t { notify_user, emit_event, say, set_state, sleep, acknowledge };

std::string_view house_tool_name(HouseTool tool);
std::optional<HouseTool> parse_house_tool(std::string_view name);

// Whether what it does is heard or seen by the person.
[[nodiscard]] bool is_heard(HouseTool tool);

struct NotifyUser {
    std::string text;  // with its title
    model::Priority priority = model::Priority::normal;
};
struct EmitEvent {
    std::string type;
    std::optional<model::Severity> severity;
    model::RawJson payload;
};
// `shown`: it was heard while it came, and goes into the conversation only.
struct Say {
    std::string text;
    bool shown = false;
};
struct SetState {
    std::optional<std::string> goal;
    std::optional<std::string> active_task;
    std::optional<std::vector<std::string>> open_loops;
    std::optional<std::map<std::string, std::string>> preferences;  // those that are named; an empty text removes one
};
struct SleepUntil {
    base::Timestamp until;
};
struct AcknowledgeHandles {
    std::vector<std::string> handles;
};
using HouseAction = std::variant<NotifyUser, EmitEvent, Say, SetState, SleepUntil, AcknowledgeHandles>;

// A member of arguments that could not be read where they came from: what was wrong with them.
inline constexpr std::string_view problem_member = "belfry.problem";

// Those of the arguments that say something: null and an empty text count as not given.
model::RawJson given_arguments(model::JsonView arguments);

// What the arguments ask for, or what is wrong with them: `field` names the argument. An empty text of an optional one
// counts as not given.
base::Result<HouseAction> read_action(HouseTool tool, model::JsonView arguments);

// The slots with what is set in them.
model::AgentSlots with_changes(model::AgentSlots slots, const SetState& changes);

}  // namespace belfry::rules
