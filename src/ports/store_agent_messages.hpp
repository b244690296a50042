#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/agent_message.hpp"

namespace belfry::ports {

// What agents remember, as the engine's thread writes it. A message that was added never changes.
class AgentMessageTable {
public:
    virtual ~AgentMessageTable() = default;
    // The largest position that is there; 0: there is none.
    virtual base::Result<std::int64_t> last_position() = 0;
    // With their places. What of them has a content_entry_id has its content written apart.
    virtual base::Result<void> add(std::span<const model::AgentMessage> messages) = 0;
    virtual base::Result<void> link(std::span<const model::AgentLink> links) = 0;

    // Those of these ids that are there, in any order, with their whole content; so are those of the others.
    virtual base::Result<std::vector<model::AgentMessage>> find(std::span<const base::Uuid> ids) = 0;
    virtual base::Result<std::optional<model::AgentMessage>> find_action(std::string_view agent_id,
                                                                         std::string_view operation_id) = 0;
    virtual base::Result<std::optional<model::AgentMessage>> result_of(const base::Uuid& action_id) = 0;
    // The newest of a thread, the newest first, without content that lies apart.
    virtual base::Result<std::vector<model::AgentMessage>> newest(std::string_view thread_id, std::size_t limit) = 0;

    // The rounds of a run, in their order.
    virtual base::Result<std::vector<model::AgentPlan>> plans(std::string_view run_key) = 0;
    virtual base::Result<void> add_plan(const model::AgentPlan& plan) = 0;
};

struct AgentMessageFilter {
    std::string agent_id;
    std::string thread_id;            // empty: any
    std::string changed_entity_id;    // empty: any; else only results of tools that have changed it
    std::optional<base::Uuid> after;  // the last one of the page before
    std::size_t limit = 0;
};

// Reading beside the engine.
class AgentMessageReading {
public:
    virtual ~AgentMessageReading() = default;
    // With its whole content.
    virtual base::Result<std::optional<model::AgentMessage>> find(const base::Uuid& id) = 0;
    // Newest first, without content that lies apart. Nothing where `after` is not there.
    virtual base::Result<std::vector<model::AgentMessage>> list(const AgentMessageFilter& filter) = 0;
    // The rounds of a run with what has come of them.
    virtual base::Result<std::vector<model::PlanNow>> plans(std::string_view run_key) = 0;
};

}  // namespace belfry::ports
