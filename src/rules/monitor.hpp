#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "model/session.hpp"

namespace belfry::rules {

// When an agent is told what it has used up, and what counts as turning in circles.
struct MonitorOptions {
    std::int64_t tokens_percent = base::limits::tokens_warning_percent;
    std::int64_t iterations_percent = base::limits::iterations_warning_percent;
    std::int64_t timeout_percent = base::limits::timeout_warning_percent;
    std::int64_t context_percent = base::limits::context_warning_percent;
    std::int64_t loop_repetitions = base::limits::loop_repetitions;
    base::Duration loop_window = base::limits::loop_window;
};

// Something that Belfry concluded from a report: an event of a known type with its whole payload.
struct Finding {
    std::string type;
    model::RawJson payload;
};

// The count begins anew; where the turn stands, and what its agent asked for, stays.
void count_anew(model::Progress& progress);

// Compares progress with budget. Each threshold is told once, until the count begins anew; a count that passes warning
// and limit at once is told as exceeded only.
std::vector<Finding> check_budget(const model::Budget& budget, model::Progress& progress, base::Timestamp now,
                                  const MonitorOptions& options);

// When `check_budget` would next have something to say by the clock alone.
std::optional<base::Timestamp> timeout_due(const model::Budget& budget, const model::Progress& progress,
                                           const MonitorOptions& options);

// Notes an action, and tells when the same pattern of one to five actions was done `loop_repetitions` times in a row
// inside the window. A call that is reported more than once counts once. The same circle, wherever in it one looks, is
// told once a window.
std::optional<Finding> note_action(model::Progress& progress, model::Action action, const MonitorOptions& options);

}  // namespace belfry::rules
