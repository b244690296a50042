#include "rules/session_agent.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "rules/due.hpp"
#include "rules/hold_proof.hpp"

namespace belfry::rules {
namespace {

bool is_guest_of(const std::vector<std::string>& agents, std::string_view agent_id) {
    return !agents.empty() && std::ranges::find(agents, agent_id) == agents.end();
}

// Moves what the principal of the running turn has said and decided to the lists of guests.
void become_guest(model::Progress& progress) {
    const std::string& by = progress.turn_by;
    const HoldProof guest{by, {}, {}, true};
    for (const base::Uuid& id : std::exchange(progress.decided, {})) note_decided(progress, id, guest);
    if (std::exchange(progress.has_named, false)) note_named(progress, by);
    if (!progress.open_pull) return;
    const auto open = std::ranges::find(progress.pulls, *progress.open_pull, &model::PullLink::pull);
    if (open == progress.pulls.end() || open->by != by) return;
    open->open_point = progress.open_point;
    progress.open_pull.reset();
}

void become_owner(model::Progress& progress, const std::string& by) {
    const HoldProof guest{by, {}, {}, true};
    for (const base::Uuid& id : decided_in_turn(progress, guest)) progress.decided.push_back(id);
    forget_decided(progress, by);
    progress.has_named = progress.has_named || has_named_pull(progress, guest);
    forget_named(progress, by);
    for (model::PullLink& pull : progress.pulls) {
        if (pull.by != by || !pull.open_point) continue;
        progress.open_pull = pull.pull;
        progress.open_point = *std::exchange(pull.open_point, {});
    }
}

}  // namespace

bool give_session(model::Session& session, std::string agent_id, base::Timestamp now) {
    if (session.agent_id == agent_id) return false;
    session.agent_id = std::move(agent_id);
    model::Progress& progress = session.progress;
    std::set<std::string> owners;
    bool was_owner = true;
    for (model::PullLink& pull : progress.pulls) {
        if (pull.is_guest && pull.by == progress.turn_by) was_owner = false;
        if (pull.agents.empty()) continue;
        const bool was_guest = std::exchange(pull.is_guest, is_guest_of(pull.agents, session.agent_id));
        if (was_guest && !pull.is_guest) owners.insert(pull.by);
    }
    for (model::Spoken& spoken : progress.spoken) {
        const auto pull = std::ranges::find(progress.pulls, spoken.by, &model::PullLink::by);
        if (pull != progress.pulls.end()) spoken.is_guest = pull->is_guest;
    }
    const bool is_known = !progress.turn_by.empty() && !progress.turn_agents.empty();
    const bool is_guest = is_known && is_guest_of(progress.turn_agents, session.agent_id);
    if (is_guest && was_owner) become_guest(progress);
    for (const std::string& by : owners) become_owner(progress, by);
    if (!is_known) return false;
    progress.guest_agent = is_guest && progress.turn_agents.size() == 1 ? progress.turn_agents.front() : "";
    if (!is_guest || session.agent_id.empty()) return false;
    return stop_turn(session, now);
}

}  // namespace belfry::rules
