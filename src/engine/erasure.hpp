#pragma once

#include "engine/access.hpp"
#include "engine/capability.hpp"
#include "engine/changes.hpp"
#include "engine/idempotency.hpp"
#include "engine/journal.hpp"
#include "engine/notify.hpp"
#include "engine/outbox.hpp"
#include "engine/runs.hpp"
#include "engine/settings.hpp"
#include "engine/sync_erasure.hpp"
#include "engine/timers.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/erasure.hpp"

namespace belfry::engine {

// Removes a person's data on request. The request becomes an obligation; each slice of it removes some rows (sessions,
// notifications, what waits) or rewrites some blocks of the log, so that a large store is never in the way of others.
class Erasure final : public Capability {
public:
    Erasure(Outbox& outbox, Access& access, Settings& settings, Notify& notify, Ledger& ledger, SessionBook& sessions,
            Runs& runs, Wakes& wakes, Timers& timers, Journal& journal, Changes& changes, SyncErasure& sync,
            Idempotency& idempotency)
        : outbox_(outbox),
          access_(access),
          settings_(settings),
          notify_(notify),
          ledger_(ledger),
          sessions_(sessions),
          runs_(runs),
          wakes_(wakes),
          timers_(timers),
          journal_(journal),
          changes_(changes),
          sync_(sync),
          idempotency_(idempotency) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    [[nodiscard]] std::optional<std::string> stored_answer(const ports::Command& command) const override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    base::Result<void> promise(ports::EraseUser& command, Unit& unit);
    base::Result<void> slice(ports::EraseSlice& command, Unit& unit);
    // A slice of what stands outside the log; how many rows it was, 0 when there are none left.
    base::Result<std::uint64_t> disown_sessions(const std::string& user_id, Unit& unit);
    base::Result<std::uint64_t> erase_rows(const std::string& user_id, Unit& unit);
    // Of what other devices know, too.
    base::Result<std::uint64_t> erase_common(const std::string& user_id, Unit& unit);

    Outbox& outbox_;
    Access& access_;
    Settings& settings_;
    Notify& notify_;
    Ledger& ledger_;
    SessionBook& sessions_;
    Runs& runs_;
    Wakes& wakes_;
    Timers& timers_;
    Journal& journal_;
    Changes& changes_;
    SyncErasure& sync_;
    Idempotency& idempotency_;
    bool rewrote_ = false;
    std::uint64_t finished_ = 0;
};

}  // namespace belfry::engine
