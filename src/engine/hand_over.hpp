#pragma once

#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "engine/notify.hpp"
#include "engine/session_book.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::engine {

// The agent's side: at a point of its turn it is handed what is due, under a lease. What it does not confirm is due
// again when the lease has run out.
class HandOver final : public Capability {
public:
    HandOver(SessionBook& sessions, Notify& notify, Ledger& ledger)
        : sessions_(sessions), notify_(notify), ledger_(ledger) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    base::Result<void> pull(ports::PullNotifications& command, Unit& unit);
    base::Result<void> acknowledge(ports::Acknowledge& command, Unit& unit);
    base::Result<std::int64_t> acknowledge_pull(const base::Uuid& pull_id, const std::string& session_id, Unit& unit);
    base::Result<bool> acknowledge_one(model::Notification notification, Unit& unit);
    base::Result<std::optional<model::Notification>> find_item(const std::string& session_id, const std::string& key,
                                                               Unit& unit);
    base::Result<void> lock(std::vector<model::Notification>& handed, const ports::PullNotifications& command,
                            model::Session& session, ports::PullReply& reply, Unit& unit);

    SessionBook& sessions_;
    Notify& notify_;
    Ledger& ledger_;
    std::uint64_t handed_over_ = 0;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace belfry::engine
