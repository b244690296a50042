#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ports/commands/command.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/wake_look.hpp"

namespace belfry::sim {

// A signal that must be there: whose, by which rule, and its key.
using SignalName = std::tuple<std::string, std::string, std::string>;

// Remembers agents' timers and wishes, and says in other words than the rules when they fire: each instant that was due
// once, or in one catch-up with those before it, and none that was not meant. Once the clock was set back it says less:
// no instant fires twice, and no timer rests longer than its schedule explains by the clock as it is.
class TimersWitness {
public:
    explicit TimersWitness(const MadeUpZones& zones) : zones_(zones) {}

    void heard(const ports::Command& command, base::Timestamp now, Complaints& complaints);
    void unheard(const ports::Command& command);
    void tended(base::Timestamp now) { tended_.push_back({now, zones_}); }
    void clock_was_set_back() { was_set_back_ = true; }

    // `before`: agents as they were known before. What has fired must have its signals: those are told.
    std::vector<SignalName> compare(const WakeLook& look, const std::map<std::string, model::AgentRecord>& before,
                                    Complaints& complaints);

    // Some timer, to be changed or removed.
    [[nodiscard]] const model::AgentTimer* some(std::uint64_t draw) const;
    [[nodiscard]] const std::map<model::TimerId, model::AgentTimer>& rows() const { return rows_; }

private:
    // A look at what is due, and the clocks of the world as they were then.
    struct Tended {
        base::Timestamp at;
        MadeUpZones zones;
    };

    static std::optional<base::Timestamp> next(const model::AgentTimer& timer, base::Timestamp after,
                                               const MadeUpZones& zones);
    // The first instant after that time that the timer has not fired for.
    [[nodiscard]] std::optional<base::Timestamp> next_unfired(const model::AgentTimer& timer,
                                                              base::Timestamp after) const;
    void compare_loosely(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                         Complaints& complaints);
    static model::AgentTimer looked_at(model::AgentTimer timer, const Tended& look);
    void compare_row(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                     Complaints& complaints);
    void compare_signals(const WakeLook& look, const std::set<SignalName>& fired, Complaints& complaints) const;
    void remember_signals(const WakeLook& look, Complaints& complaints);

    const MadeUpZones& zones_;
    std::map<model::TimerId, model::AgentTimer> rows_;
    std::vector<Tended> tended_;              // since the last look, when it was tried
    std::set<std::string> loose_;             // agents whose timers somebody changed, and nobody heard whether
    std::map<SignalName, bool> catching_up_;  // what has fired since the last look
    std::set<SignalName> fired_loosely_;      // likewise, since the clock was set back
    std::map<std::string, std::set<std::string>> fired_;  // by timer: the instants that there were signals of
    bool was_set_back_ = false;
};

}  // namespace belfry::sim
