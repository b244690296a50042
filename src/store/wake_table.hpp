#pragma once

#include "ports/store_agents.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlWakeTable final : public ports::WakeTable {
public:
    explicit SqlWakeTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::Wake>> load_open() override;
    base::Result<model::WakeId> last_id() override;
    base::Result<std::optional<model::Wake>> find(model::WakeId id) override;
    base::Result<std::optional<model::Wake>> find_key(std::string_view run_key) override;
    base::Result<void> put(std::span<const model::Wake> wakes) override;
    base::Result<void> add_signals(std::span<const model::WakeSignal> signals) override;
    base::Result<std::vector<model::WakeSignal>> signals(model::WakeId id, std::int64_t after,
                                                         std::size_t limit) override;
    base::Result<void> move_signals(model::WakeId from, model::WakeId to, std::int64_t after) override;
    base::Result<void> remove_signals(model::WakeId id) override;
    base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) override;

private:
    Database& database_;
};

class SqlAgentReading final : public ports::AgentReading {
public:
    explicit SqlAgentReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::AgentRecord>> find(std::string_view id) override;
    base::Result<std::vector<model::AgentRecord>> list(const ports::AgentFilter& filter) override;
    base::Result<std::vector<model::WakeSubscription>> subscriptions(std::string_view agent_id) override;
    base::Result<std::optional<model::Wake>> wake(model::WakeId id) override;
    base::Result<std::vector<model::Wake>> wakes(const ports::WakeFilter& filter) override;
    base::Result<std::set<std::string>> queued(std::string_view first, std::string_view last) override;
    base::Result<std::vector<model::WakeSignal>> signals(model::WakeId id, std::int64_t after,
                                                         std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace belfry::store
