#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/wake_look.hpp"

namespace belfry::sim {

// Judges the wake times and sleeps that agents said (decision 0033). The record keeps what was said. This device goes
// by the same time, or by the time that was moved: what was said while the clock was ahead keeps its distance, what was
// said before stays, and nothing moves without a step of the clock. A wake time fires when its time has come, and not
// before.
class WishesWitness {
public:
    void clock_was_set_back(base::Duration by);
    void clock_was_set_ahead(base::Duration by) { jumped_ = jumped_ + by; }
    // Its clock may have been found to be behind.
    void restarted() { is_restarted_ = true; }
    // The engine was asked something, or looked at what is due: it corrects its times first.
    void called(base::Timestamp now);
    void tended(base::Timestamp now);
    // True if times may have been moved since the last look.
    [[nodiscard]] bool may_have_moved() const { return is_restarted_ || set_back_.us > 0 || jumped_.us > 0; }

    // The latest end that the sleep of an agent may have had since the last comparison. A jump of the clock moves the
    // end before the first command, which may change the sleep again.
    [[nodiscard]] std::optional<base::Timestamp> latest_sleep(const std::string& agent_id, base::Timestamp now,
                                                              base::Duration jump_max) const;

    void compare(const WakeLook& look, Complaints& complaints);

private:
    struct Known {
        base::Timestamp said_at;
        bool is_sure = false;  // that it was said then
        SaidTime said;
        bool was_moved = false;  // since it was said; it may be back at its date
    };
    struct Bounds {
        base::Timestamp first;
        base::Timestamp last;
    };
    // Between which times it lies by which this device goes, where it was known so before.
    [[nodiscard]] Bounds bounds(const Known& known, base::Timestamp now, bool is_corrected) const;
    void compare_one(const std::string& name, Known& known, const SaidTime& said, const WakeLook& look,
                     bool is_corrected, Complaints& complaints) const;
    // True if this device goes by another time for something that was not said anew.
    [[nodiscard]] bool has_moved(const WakeLook& look) const;

    std::map<std::string, Known> wakes_;
    std::map<std::string, Known> sleeps_;
    base::Duration set_back_;                            // the clock, since it was surely corrected
    base::Duration jumped_;                              // likewise
    std::optional<base::Timestamp> called_at_;           // first since then
    std::optional<base::Timestamp> tended_;              // the latest sweep since the last comparison
    std::optional<base::Timestamp> tended_before_step_;  // likewise, before the clock was set back
    bool is_twice_ = false;                              // it was set back once more before that
    bool is_restarted_ = false;
};

}  // namespace belfry::sim
