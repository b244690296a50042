#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "model/memory.hpp"

namespace belfry::engine {

// The stored work of folding, as one transaction makes it: what is to be folded next of a thread, and of summaries of
// which there are too many. One of a thread is open at a time; one that was given up keeps its place, so that nothing
// is tried for ever, as long as what waits behind it is not too much.
class FoldJobs {
public:
    enum class When : std::uint8_t { due, now };

    // Makes one for the oldest of what is hot in a thread, where that is due and there is none. Whether one is open.
    base::Result<bool> make(model::AgentThread thread, const model::Agent& agent, When when, Unit& unit);
    // The same for summaries that nothing has folded.
    base::Result<bool> make_deeper(const model::Agent& agent, Unit& unit);
    // Where more summaries of one depth wait than limits::summaries_open_max, whoever was to fold them: the oldest, for
    // rules to fold at once. What was to fold summaries before, and who is at it, has nothing to do any more.
    struct Overdue {
        model::FoldJob job;  // not stored yet
        std::vector<model::SummaryPlace> span;
    };
    base::Result<std::optional<Overdue>> take_overdue(const model::Agent& agent, Unit& unit);
    base::Result<void> put(const model::FoldJob& job, Unit& unit);
    // What it was to fold is not there any more, or nobody needs it: it is done, with nothing made of it.
    base::Result<void> drop(model::FoldJob& job, const std::string& why, Unit& unit);
    // Where somebody waits for a job that rests after a failure: it rests no longer.
    base::Result<void> hurry(model::FoldJob job, Unit& unit);
    // Leaves a job to rules, at once: also one that a model is asked for, whose answer then comes too late.
    base::Result<void> leave_to_rules(model::FoldJob job, Unit& unit);

    // When whoever folds is to look next, for he may have missed a word. Asked of the store.
    base::Result<void> look_later(Unit& unit);
    // There may be more that is due than this transaction has looked at: whoever folds asks again.
    void look_soon() { has_work_ = true; }
    [[nodiscard]] std::optional<base::Timestamp> next_look() const { return next_look_; }
    void clock_was_set_back(base::Duration by) {
        if (next_look_) next_look_ = *next_look_ - by;
    }
    void committed(Effects& effects);
    void dropped();

private:
    std::optional<base::Timestamp> next_look_;
    // Of this transaction.
    std::optional<base::Timestamp> noted_;
    bool is_asked_ = false;  // `noted_` is all there is
    bool has_work_ = false;
};

}  // namespace belfry::engine
