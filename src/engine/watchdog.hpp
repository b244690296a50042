#pragma once

#include "engine/capability.hpp"
#include "engine/ledger.hpp"

namespace belfry::engine {

// Looks at what nobody came for in time: hands it to the system's voice, or ends it. At the deadline of each, to the
// microsecond: whatever makes a deadline earlier tells the ledger, so there is no need to look in between.
class Watchdog final : public Capability {
public:
    explicit Watchdog(Ledger& ledger) : ledger_(ledger) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit&) override { return {}; }
    base::Result<void> apply(ports::Command&, Unit&) override { return {}; }
    void committed(Effects&) override {}
    void dropped() override {}
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return ledger_.next_deadline(); }
    base::Result<void> tend(Unit& unit) override;

private:
    Ledger& ledger_;
};

}  // namespace belfry::engine
