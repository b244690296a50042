#include <map>
#include <string>

#include "base/timer_limits.hpp"
#include "rules/may.hpp"
#include "rules/timer.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using base::Code;
using Found = base::Result<std::vector<model::AgentTimer>>;

base::Error no_such_agent() {
    return base::error(Code::not_found, "there is no such agent", "agent_id");
}

base::Result<model::AgentTimer> find_timer(ports::Reading& reading, const model::Principal& who,
                                           const std::string& agent_id, const model::TimerId& id) {
    TRY_ASSIGN(std::optional<model::AgentTimer> found, reading.timers().find(id));
    const bool is_seen = found && found->agent_id == agent_id && rules::may_set_for(who, found->user_id).ok();
    if (!is_seen) return base::error(Code::not_found, "this agent has no such timer", "id");
    return std::move(*found);
}

Found list_timers(ports::Reading& reading, const model::Principal& who, ports::TimerFilter& filter) {
    if (!filter.agent_id.empty()) {
        TRY_ASSIGN(const std::optional<model::AgentRecord> agent, reading.agents().find(filter.agent_id));
        if (!agent || !rules::may_set_for(who, agent->agent.user_id).ok()) return no_such_agent();
    } else {
        TRY(rules::may_see_of(who, filter.user_id));
    }
    return read_page<model::AgentTimer>(
        filter.limit,
        [&](std::size_t wanted, const std::vector<model::AgentTimer>& before) {
            filter.limit = wanted;
            if (!before.empty()) filter.after = ports::TimerPlace{before.back().next_run_at, before.back().id};
            return reading.timers().list(filter);
        },
        [](const model::AgentTimer& one) { return one.input.bytes().size(); });
}

// Asks for each zone once. What has none that can be asked is shown without its firings.
class Showing {
public:
    explicit Showing(ports::Zones* zones) : zones_(zones) {}

    model::ShownTimer show(model::AgentTimer timer) {
        model::ShownTimer shown;
        if (const model::Zone* const zone = zone_of(timer.schedule)) {
            shown.next = rules::next_firings(timer, *zone, base::limits::timer_firings_shown);
        }
        shown.timer = std::move(timer);
        return shown;
    }

private:
    const model::Zone* zone_of(const model::Schedule& schedule) {
        if (!rules::has_wall_times(schedule)) return &utc_;
        const auto [at, is_new] = known_.try_emplace(schedule.zone);
        if (is_new && zones_ != nullptr) {
            if (auto found = zones_->find(schedule.zone); found.ok()) at->second = std::move(*found);
        }
        return at->second.get();
    }

    ports::Zones* zones_;
    model::Zone utc_{"UTC", 0, {}, {}};
    std::map<std::string, std::shared_ptr<const model::Zone>> known_;
};

}  // namespace

void Answers::timer(const model::Principal& who, std::string_view agent_id, const model::TimerId& id,
                    std::function<void(base::Result<model::ShownTimer>)> done) {
    ask<model::ShownTimer>(
        beside_,
        [zones = zones_, who, agent_id = std::string(agent_id),
         id](ports::Reading& reading) -> base::Result<model::ShownTimer> {
            TRY_ASSIGN(model::AgentTimer found, find_timer(reading, who, agent_id, id));
            return Showing(zones).show(std::move(found));
        },
        std::move(done));
}

void Answers::timers(const model::Principal& who, ports::TimerFilter filter,
                     std::function<void(base::Result<std::vector<model::ShownTimer>>)> done) {
    // Their firings take time, and files are read for them: not on the network's thread.
    ask<std::vector<model::ShownTimer>>(
        beside_,
        [zones = zones_, who,
         filter = std::move(filter)](ports::Reading& reading) mutable -> base::Result<std::vector<model::ShownTimer>> {
            TRY_ASSIGN(std::vector<model::AgentTimer> found, list_timers(reading, who, filter));
            Showing showing(zones);
            std::vector<model::ShownTimer> shown;
            shown.reserve(found.size());
            for (model::AgentTimer& one : found) shown.push_back(showing.show(std::move(one)));
            return shown;
        },
        std::move(done));
}

}  // namespace belfry::view
