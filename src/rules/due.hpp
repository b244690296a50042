#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/session.hpp"
#include "model/subscriber.hpp"

namespace belfry::rules {

// Which notifications come out at a point of an agent's turn (decision 17b). Each comes out at its own point. Critical
// ones come out at any, and at `immediate` only they do. High ones take the next opportunity, any point of a turn.
// `immediate` with a lower priority is any point of a turn too. What waits for a tool that is not called any more comes
// out when the turn ends.
bool is_due(model::InjectAt at, model::Priority priority, model::InjectAt inject_at);

// The same for all of them: bit `priority * 4 + inject_at`.
std::uint32_t due_classes(model::InjectAt at);
inline std::uint32_t due_class(model::Priority priority, model::InjectAt inject_at) {
    return static_cast<std::uint32_t>(priority) * 4U + static_cast<std::uint32_t>(inject_at);
}

// True for context of priority low: it is collected until a turn ends, whatever its file or emitter asks for. A
// notification that an agent must answer starts a turn itself and comes at its own point; one for the user waits for no
// turn.
bool waits_for_turn_end(model::Priority priority, model::Target target, model::Handler handler);

// Is a turn under way? One whose agent was not heard of for the span of its lease is over, as far as one can know.
bool is_in_turn(const model::Progress& progress, base::Timestamp now);
// Until when it counts as being there.
base::Timestamp heard_until(const model::Progress& progress, base::Timestamp now);

// The principal of a turn, if it is a guest of the session (`rules::is_guest`) the agent that it works for, and the
// agents that it is bound to.
struct TurnOwner {
    std::string by;
    bool is_guest = false;
    std::string guest_agent = {};
    std::vector<std::string> agents = {};
};

// A turn begins or ends, as its principal has reported it or as its pulls show.
void begin_turn(model::Session& session, base::Timestamp now, const TurnOwner& owner);
void set_turn_owner(model::Progress& progress, const TurnOwner& owner);
void end_turn(model::Session& session, base::Timestamp now);

// Ends the turn of the session that its principal has left without a report. Returns true if a turn ran.
bool stop_turn(model::Session& session, base::Timestamp now);

// At the start of a turn everything comes out that missed its point in an earlier turn: created at or before this.
// Nothing at other points, and in a session's first turn. To be asked after `begin_turn`.
std::optional<base::Timestamp> left_over_before(model::InjectAt at, const model::Session& session);

}  // namespace belfry::rules
