#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ports/commands/command.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/wake_look.hpp"

namespace belfry::sim {

// A signal that must be there: whose, by which rule, and its key.
using SignalName = std::tuple<std::string, std::string, std::string>;

// Remembers agents' timers and wishes, and says in other words than the rules when they fire: each instant that was due
// once, or in one catch-up with those before it, and none that was not meant. Once the clock was set back, the rows of
// timers are not predicted as a whole any more. What decision 0033 promises is: no instant fires twice; of the instants
// that the clock passes from one look to the next, and that are neither fired nor counted before, the last one fires,
// and says whether it was missed; no other fires; and the next firing is the next instant that has not fired.
class TimersWitness {
public:
    static constexpr std::string_view wish_rule = "next_wake";  // of a signal for the wake time that an agent set

    explicit TimersWitness(const MadeUpZones& zones) : zones_(zones) {}

    void heard(const ports::Command& command, base::Timestamp now, Complaints& complaints);
    void unheard(const ports::Command& command);
    void tended(base::Timestamp now);
    void clock_was_set_back();

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
    void compare_signal_loosely(const model::WakeSignal& signal, const WakeLook& look, Complaints& complaints) const;

    // When what was due of a timer was looked at, or when it began, by one schedule.
    struct Counted {
        std::set<base::Timestamp> before;     // the clock was set back last
        std::set<base::Timestamp> since;      // since then
        std::set<base::Timestamp> unsure;     // of all these: those of which nobody heard whether they were recorded
        std::optional<base::Timestamp> last;  // the last one since then; none: nothing is owed yet
        std::uint64_t decrees = 0;            // about its zone, when it began
    };
    struct Fired {
        base::Timestamp instant;
        bool catch_up = false;
    };
    Counted& counted_of(const model::AgentTimer& timer);
    // True if the instants of its schedule have been the same since it was counted first.
    [[nodiscard]] bool has_same_instants(const model::AgentTimer& timer) const;
    [[nodiscard]] bool has_fired_before(const model::AgentTimer& timer, base::Timestamp instant) const;
    void watch_zones();
    // The firings that a timer owes at this look, against those that came.
    void compare_owed(const model::AgentTimer& before, const model::AgentTimer& row, const WakeLook& look,
                      Complaints& complaints);
    // What the clock passed from the last look at what is due to this one: firings are owed after `from`.
    struct Passed {
        base::Timestamp last;
        base::Timestamp from;
        base::Timestamp now;
        bool is_between = false;  // it has not come as far yet as it was counted before
    };
    void compare_firings(const model::AgentTimer& timer, const Passed& passed, Complaints& complaints) const;
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
    std::map<std::string, std::set<std::string>> fired_;   // by timer: the instants that there were signals of
    std::map<std::string, std::vector<Fired>> fired_now_;  // likewise, since the last look
    std::set<model::TimerId> changed_;                     // by commands, since the last look
    std::map<std::pair<model::TimerId, std::string>, Counted> counted_;  // by timer and zone
    std::map<std::string, std::pair<std::int32_t, std::uint64_t>>
        zones_seen_;  // their clocks, and how often they changed
    bool was_set_back_ = false;
};

}  // namespace belfry::sim
