#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/raw_json.hpp"
#include "model/wake.hpp"

// Tools: functions that an agent may call.
namespace belfry::model {

// Whether what it does is felt outside. One that nobody registered counts as external.
enum class Impact : std::uint8_t { internal, external };
[[nodiscard]] std::string_view impact_name(Impact impact);

enum class ToolRisk : std::uint8_t { low, medium, high };
[[nodiscard]] std::string_view tool_risk_name(ToolRisk risk);
[[nodiscard]] std::optional<ToolRisk> parse_tool_risk(std::string_view name);

// Who carries out a registered tool when an agent calls it here.
enum class ToolRunner : std::uint8_t {
    nobody,   // it is called elsewhere, and only classified here
    worker,   // whoever claims its calls
    webhook,  // a server that Belfry asks
};
[[nodiscard]] std::string_view tool_runner_name(ToolRunner runner);

struct ToolExecution {
    ToolRunner by = ToolRunner::nobody;
    std::string url;                              // of a webhook
    std::string secret_env;                       // of a webhook: the variable with its secret; empty: it is not signed
    base::Duration time_max = base::seconds(60);  // of one call, from its beginning to its result

    bool operator==(const ToolExecution&) const = default;
};

// A tool of somebody else's, as Belfry must know it.
struct ToolInfo {
    std::string name;
    Impact impact = Impact::external;
    std::string description;
    RawJson schema;
    base::Timestamp updated_at;
    ToolRisk risk = ToolRisk::low;
    std::vector<std::string> capabilities = {};  // that an agent must have, all of them
    std::vector<WakeReason> wake_reasons = {};   // of the run; empty: any
    ToolExecution execution = {};

    bool operator==(const ToolInfo&) const = default;
};

// What an agent needs for a tool of which nothing else is said: `tool:NAME`.
[[nodiscard]] std::string own_capability_of(std::string_view tool);

// What a tool may touch. An agent has a profile of these; a tool needs some of them.
enum class AgentCapability : std::uint8_t {
    category_read,
    task_read,
    task_write,
    checklist_write,
    time_write,
    day_plan_read,
    day_plan_write,
    rating_read,
    rating_write,
    memory_read,
};
inline constexpr std::size_t agent_capability_count = 10;
// `task_read`.
[[nodiscard]] std::string_view agent_capability_name(AgentCapability capability);
[[nodiscard]] std::optional<AgentCapability> parse_agent_capability(std::string_view name);

// How a second call with the same operation does no harm.
enum class ToolIdempotency : std::uint8_t { read_only, operation_id };
[[nodiscard]] std::string_view tool_idempotency_name(ToolIdempotency idempotency);

// Where categories are asked for.
enum class ToolScopeRule : std::uint8_t {
    none,            // it touches nothing that has a category
    reads_in_scope,  // only what is in the agent's categories is read
    target_in_scope,
    both_sides_in_scope,  // where it comes from and where it goes to
};
[[nodiscard]] std::string_view tool_scope_rule_name(ToolScopeRule rule);

// What is agreed on about a tool of Belfry's own: docs/agent_tools says the same once more, for people, and a test
// compares the two.
struct ToolContract {
    std::string name;
    std::int64_t version = 1;
    std::string description;                    // for models
    std::vector<AgentCapability> capabilities;  // all of them are needed
    std::vector<WakeReason> wake_reasons;       // of the run; empty: any
    ToolIdempotency idempotency = ToolIdempotency::operation_id;
    std::vector<ToolScopeRule> scope_rules;
    std::vector<std::string> changed_kinds;   // of records
    std::vector<std::string> changed_tokens;  // the semantic keys of what it changes
    ToolRisk risk = ToolRisk::low;
    std::vector<std::string> high_risk_with;  // arguments with which it is of high risk
    Impact impact = Impact::internal;
    RawJson input_schema;
    RawJson output_schema;
};

// As the contract file has it, under the names of that file.
void append_tool_contract(JsonWriter& writer, const ToolContract& contract);

}  // namespace belfry::model
