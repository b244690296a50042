#pragma once

#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/wakes.hpp"

namespace belfry::engine {

// Changes of records are recorded with the transaction that makes them, collected for a moment, and told together: to
// whoever follows the stream `changes:<user>`, and to the agents that they wake.
class Changes final : public Capability {
public:
    Changes(ChangeLog& log, Wakes& wakes) : log_(log), wakes_(wakes) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return log_.flush(unit); }
    void committed(Effects& effects) override;
    void dropped() override { log_.dropped(); }
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override;

    // What other devices have changed was just recorded, each in its batch: it is told, and wakes whom it wakes.
    base::Result<void> take(const std::vector<model::Change>& changes, Unit& unit);

    // A slice of what is kept of a user's changes; how many rows, 0 when there are none left.
    base::Result<std::uint64_t> erase_user(const std::string& user_id, Unit& unit);

private:
    base::Result<void> tell(const model::ChangeBatch& batch, Unit& unit);

    ChangeLog& log_;
    Wakes& wakes_;
    base::Timestamp next_sweep_;
};

}  // namespace belfry::engine
