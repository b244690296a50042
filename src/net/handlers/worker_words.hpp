#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/exchange.hpp"
#include "net/wake_waits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"

// What a worker says under its claim, and what it is told: the same words whichever way they come.
namespace belfry::net::handlers {

enum class Way : std::uint8_t {
    request,  // over HTTP: the wake stands in the path
    call,     // by JSON-RPC: it is one of the parameters, `wake_id`
};

// An object of JSON, with a member for each thing that is said.
struct WorkerWords {
    Way way = Way::request;
    std::string_view json;
    model::WakeId wake = 0;  // of the path
};
base::Result<WorkerWords> worker_words_of(const Exchange& exchange);

struct ClaimWords {
    ClaimWish wish;
    std::optional<base::Duration> wait = base::Duration{};  // nothing: until there is one, which only a call may
};
base::Result<ClaimWords> read_claim(const WorkerWords& words, const model::Principal& caller);

// Each is ready to be sent in somebody's name, but for what is to be done with its answer.
base::Result<std::unique_ptr<ports::RenewWake>> read_renewal(const WorkerWords& words);
base::Result<std::unique_ptr<ports::EndWake>> read_end(const WorkerWords& words);
base::Result<std::unique_ptr<ports::ChangeOwnState>> read_own_state(const WorkerWords& words);
base::Result<std::unique_ptr<ports::AppendAgentMessages>> read_agent_messages(const WorkerWords& words);
base::Result<std::unique_ptr<ports::StorePlan>> read_plan(const WorkerWords& words);
base::Result<std::unique_ptr<ports::CallTool>> read_tool_call(const WorkerWords& words);

std::string appended_json(const ports::AppendedMessages& appended);
std::string called_tool_json(const ports::CalledTool& called);
std::string plan_json(const ports::StoredPlan& stored);

}  // namespace belfry::net::handlers
