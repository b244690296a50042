#include "engine/watchdog.hpp"

#include "base/limits.hpp"

namespace belfry::engine {

base::Result<void> Watchdog::tend(Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> overdue,
               unit.store.notifications().overdue(unit.now, base::limits::sweep_slice_rows));
    for (model::Notification& row : overdue) {
        const std::int64_t lease = row.lease;
        rules::Steps steps;
        if (rules::watch(row, unit.now, steps)) TRY(ledger_.change(row, lease, std::move(steps), "watchdog", unit));
    }
    TRY_ASSIGN(const auto next, unit.store.notifications().next_deadline());
    ledger_.set_next_deadline(next);
    return {};
}

}  // namespace belfry::engine
