#pragma once

#include <string>
#include <string_view>

#include "client/caller_context.hpp"
#include "client/run_registry.hpp"

namespace belfry::client {

// The run that a call belongs to, and who is calling. It travels with the call, as an argument: no thread and no global
// variable knows a current run, so work may go to any thread and its events still reach this run alone. Cheap to copy;
// the registry must outlive every copy.
class RunContext {
public:
    // Refused (invalid, run_id) where the run id is not positive.
    static base::Result<RunContext> make(RunRegistry& registry, RunId run_id, CallerContext caller);

    // The same run, for somebody whom this caller leads (see CallerContext::child_of). Workers run in the run of their
    // supervisor; a run of their own is `of_run`.
    [[nodiscard]] base::Result<RunContext> child(std::string agent_id, AgentType type, std::string agent_name,
                                                 std::string team_name = {}) const;
    // The same caller in another run, a child run say.
    [[nodiscard]] base::Result<RunContext> of_run(RunId run_id) const;

    // Hands an event to this run's callback. False: nobody is registered; it is dropped and counted.
    bool emit(std::string_view event, model::RawJson data) const;
    [[nodiscard]] bool is_cancelled() const { return registry_->is_cancelled(run_id_); }

    [[nodiscard]] RunId run_id() const { return run_id_; }
    [[nodiscard]] const CallerContext& caller() const { return caller_; }
    [[nodiscard]] RunRegistry& registry() const { return *registry_; }

private:
    RunContext(RunRegistry& registry, RunId run_id, CallerContext caller)
        : registry_(&registry), run_id_(run_id), caller_(std::move(caller)) {}

    RunRegistry* registry_;
    RunId run_id_;
    CallerContext caller_;
};

}  // namespace belfry::client
