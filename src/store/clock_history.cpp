#include "store/clock_history.hpp"

#include "store/agent_row.hpp"
#include "store/clock_table.hpp"

namespace belfry::store {
namespace {

constexpr std::int64_t first_schema = 14;
constexpr Sql select_timer{"SELECT agent_id, name, next_run_at FROM agent_timers WHERE timer_id = $1"};

std::string read_name(RowReader& row) {
    std::string name = row.text();
    name += '/' + row.text();
    const std::int64_t next = row.number();
    if (next == never_fires) return name + ", fires no more";
    return name + ", next " + base::format_timestamp({next});
}

}  // namespace

base::Result<std::vector<ClockStep>> read_clock_history(Database& database, std::int64_t schema_version) {
    std::vector<ClockStep> steps;
    if (schema_version < first_schema) return steps;
    TRY_ASSIGN(const auto corrections, SqlClockTable(database).corrections());
    for (const ports::ClockCorrection& one : corrections) {
        ClockStep step{one.noticed_at, one.set_back, one.timers, {}, one.agents, one.deadlines};
        for (const model::TimerId& id : one.named) {
            TRY_ASSIGN(auto name, select_one(database, "agent_timers", select_timer, {bytes(id.uuid)}, read_name));
            if (name) step.named.push_back(std::move(*name));
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace belfry::store
