#pragma once

#include "engine/access.hpp"
#include "engine/capability.hpp"
#include "engine/outbox.hpp"
#include "ports/commands/erasure.hpp"

namespace belfry::engine {

// Removes a person's data on request. The request becomes an obligation; each slice of it rewrites some blocks of the
// log, so that a large log is never in the way of others.
class Erasure final : public Capability {
public:
    Erasure(Outbox& outbox, Access& access) : outbox_(outbox), access_(access) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    base::Result<void> promise(ports::EraseUser& command, Unit& unit);
    base::Result<void> slice(ports::EraseSlice& command, Unit& unit);

    Outbox& outbox_;
    Access& access_;
    bool rewrote_ = false;
    std::uint64_t finished_ = 0;
};

}  // namespace belfry::engine
