#pragma once

#include "engine/capability.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::engine {

// The refusal of a performer whose claim somebody else has by now.
base::Error not_held();

// What Belfry owes: effects that were recorded with the decision and must happen, whatever dies in between. Due ones
// are claimed for a while and given out to be performed; a claim that ran out, at a crash or otherwise, is given out
// again.
class Outbox final : public Capability {
public:
    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return next_due_; }
    base::Result<void> tend(Unit& unit) override;

    // Records a new obligation, due now.
    base::Result<base::Uuid> owe(std::string kind, model::RawJson detail, Unit& unit);
    // What is held under this fence was done, as somebody else has recorded. False where it is not held any more.
    base::Result<bool> fulfil(const base::Uuid& id, std::int64_t fence, Unit& unit);

private:
    base::Result<void> postpone(ports::PostponeObligation& command, Unit& unit);
    base::Result<void> retry(ports::RetrySinkCall& command, Unit& unit);
    base::Result<void> finish(ports::FinishObligation& command, Unit& unit);
    // Writes an obligation that is held under its fence, and when the next one is due.
    base::Result<void> write(const ports::Obligation& held, Unit& unit);
    void end(ports::Obligation& held, ports::ObligationEnd how, std::string_view note, Unit& unit);

    std::optional<base::Timestamp> next_due_;
    std::optional<base::Timestamp> pending_due_;
    bool due_changed_ = false;
    std::vector<ports::Obligation> claimed_;
    std::uint64_t failed_ = 0;
    std::uint64_t finished_ = 0;
};

}  // namespace belfry::engine
