#pragma once

#include "ports/store_agents.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlAgentTable final : public ports::AgentTable {
public:
    explicit SqlAgentTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::AgentRecord>> find(std::span<const std::string> ids) override;
    base::Result<void> put(std::span<const model::AgentRecord> records) override;
    base::Result<std::int64_t> count(std::string_view user_id) override;
    base::Result<std::vector<model::WakeSubscription>> load_subscriptions() override;
    base::Result<std::optional<model::WakeSubscription>> find_subscription(const model::SubscriptionId& id) override;
    base::Result<std::vector<model::WakeSubscription>> subscriptions_of(std::string_view agent_id) override;
    base::Result<void> put_subscription(const model::WakeSubscription& subscription) override;
    base::Result<bool> remove_subscription(const model::SubscriptionId& id) override;
    base::Result<std::vector<ports::AgentLife>> lives(std::string_view after, std::size_t limit) override;
    base::Result<std::uint64_t> drop(std::string_view agent_id, std::size_t limit) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace belfry::store
