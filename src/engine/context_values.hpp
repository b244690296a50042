#pragma once

#include <string>

#include "engine/capability.hpp"
#include "engine/session_book.hpp"
#include "ports/commands/context.hpp"
#include "ports/commands/notifications.hpp"

namespace belfry::engine {

// Context values: states that programs keep up to date and that agents read when they ask. Setting one starts no turn
// and makes no notification.
class ContextValues final : public Capability {
public:
    ContextValues(SessionBook& sessions, std::string owner) : sessions_(sessions), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override { set_back_ = set_back_ + by; }

    // A value lives as long as it was meant to: when the clock was set back, its times move along.
    base::Result<void> follow_clock(Unit& unit);

    // Adds the values that a pull in this session and for this agent asks for, as far as the rest of the budget goes.
    base::Result<void> read(const model::ContextRequest& request, const model::Scope& where, std::int64_t budget_tokens,
                            ports::PullReply& reply, Unit& unit);

private:
    base::Result<void> put(ports::PutContextValue& command, Unit& unit);
    base::Result<void> remove(ports::DeleteContextValue& command, Unit& unit);
    // The key with its user, or why the principal may not set it. The outer result is the store's.
    base::Result<base::Result<model::ContextKey>> admit(const model::Principal& who, model::ContextKey key, Unit& unit);
    base::Result<base::Result<void>> check_room(const model::ContextKey& key, Unit& unit);

    SessionBook& sessions_;
    std::string owner_;
    // By how much the clock was set back since the values were last moved along with it.
    base::Duration set_back_;
    base::Duration moved_;  // of it, in this transaction
};

}  // namespace belfry::engine
