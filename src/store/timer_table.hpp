#pragma once

#include "ports/store_timers.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlTimerTable final : public ports::TimerTable {
public:
    explicit SqlTimerTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::AgentTimer>> due(base::Timestamp now, std::size_t limit) override;
    base::Result<std::vector<ports::WakeWish>> due_wishes(base::Timestamp now, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> next_due() override;
    base::Result<std::optional<model::AgentTimer>> find(const model::TimerId& id) override;
    base::Result<std::vector<model::AgentTimer>> find_all(std::span<const model::TimerId> ids) override;
    base::Result<std::optional<model::AgentTimer>> find_name(std::string_view agent_id, std::string_view name) override;
    base::Result<std::int64_t> count(std::string_view agent_id) override;
    base::Result<void> put(std::span<const model::AgentTimer> timers) override;
    base::Result<bool> remove(const model::TimerId& id) override;
    base::Result<void> stop_agent(std::string_view agent_id, base::Timestamp now) override;
    base::Result<std::vector<model::AgentTimer>> ended(const model::TimerId& after, std::size_t limit) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

class SqlTimerReading final : public ports::TimerReading {
public:
    explicit SqlTimerReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::AgentTimer>> find(const model::TimerId& id) override;
    base::Result<std::vector<model::AgentTimer>> list(const ports::TimerFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
