#pragma once

#include "ports/store_agent_messages.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlAgentMessageTable final : public ports::AgentMessageTable {
public:
    explicit SqlAgentMessageTable(Database& database) : database_(database) {}

    base::Result<std::int64_t> last_position() override;
    base::Result<void> add(std::span<const model::AgentMessage> messages) override;
    base::Result<void> link(std::span<const model::AgentLink> links) override;
    base::Result<std::vector<model::AgentMessage>> find(std::span<const base::Uuid> ids) override;
    base::Result<std::optional<model::AgentMessage>> find_action(std::string_view agent_id,
                                                                 std::string_view operation_id) override;
    base::Result<std::optional<model::AgentMessage>> result_of(const base::Uuid& action_id) override;
    base::Result<std::vector<model::AgentMessage>> newest(std::string_view thread_id, std::size_t limit) override;
    base::Result<std::vector<model::AgentPlan>> plans(std::string_view run_key) override;
    base::Result<void> add_plan(const model::AgentPlan& plan) override;

private:
    Database& database_;
};

class SqlAgentMessageReading final : public ports::AgentMessageReading {
public:
    explicit SqlAgentMessageReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::AgentMessage>> find(const base::Uuid& id) override;
    base::Result<std::vector<model::AgentMessage>> list(const ports::AgentMessageFilter& filter) override;
    base::Result<std::vector<model::PlanNow>> plans(std::string_view run_key) override;

private:
    Database& database_;
};

}  // namespace belfry::store
