#include "client/run_context.hpp"

#include <utility>

namespace belfry::client {

base::Result<RunContext> RunContext::make(RunRegistry& registry, RunId run_id, CallerContext caller) {
    if (run_id <= 0) {
        return base::error(base::Code::invalid, "run_id must be positive, not " + std::to_string(run_id), "run_id");
    }
    return RunContext(registry, run_id, std::move(caller));
}

base::Result<RunContext> RunContext::child(std::string agent_id, AgentType type, std::string agent_name,
                                           std::string team_name) const {
    TRY_ASSIGN(CallerContext led, CallerContext::child_of(caller_, std::move(agent_id), type, std::move(agent_name),
                                                          std::move(team_name)));
    return RunContext(*registry_, run_id_, std::move(led));
}

base::Result<RunContext> RunContext::of_run(RunId run_id) const {
    return make(*registry_, run_id, caller_);
}

bool RunContext::emit(std::string_view event, model::RawJson data) const {
    return registry_->emit(RunEvent{run_id_, caller_, std::string(event), std::move(data)});
}

}  // namespace belfry::client
