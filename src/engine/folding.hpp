#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/capability.hpp"
#include "engine/fold_jobs.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/memory.hpp"

namespace belfry::engine {

// How what agents remember is kept inside the windows of their models. Work is stored in the transaction that makes it
// due, whoever folds claims it, and a summary comes with its links, the pointers that it moves and the end of its job,
// or not at all. A summary that fails changes nothing.
class Folding final : public Capability {
public:
    Folding(AgentBook& agents, AgentLog& log, Wakes& wakes) : agents_(agents), log_(log), wakes_(wakes) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    // What was said in this transaction may have made something due.
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override {
        next_sweep_ = next_sweep_ - by;
        jobs_.clock_was_set_back(by);
    }

    [[nodiscard]] FoldJobs& jobs() { return jobs_; }
    // Summaries of which there are too many: work for whoever folds, and where far too many wait, because he is behind
    // or has given it up, done by rules on the spot. So what is told of them, and what is read for it, stays bounded.
    base::Result<void> fold_deeper(model::AgentRecord& agent, Unit& unit);
    // What was removed in this transaction is to leave the index, too.
    void sweep_soon(const Unit& unit) { swept_until_ = unit.now; }

private:
    base::Result<void> claim(ports::ClaimFold& command, Unit& unit);
    base::Result<void> finish(ports::FinishFold& command, Unit& unit);
    base::Result<void> fail(ports::FailFold& command, Unit& unit);
    base::Result<void> take_back(ports::ReturnFolds& command, Unit& unit);
    base::Result<void> restart(ports::RestartFold& command, Unit& unit);
    base::Result<void> fold_now(ports::FoldNow& command, Unit& unit);

    // The next job that is due, has an agent and may begin now, as it is claimed.
    base::Result<std::optional<ports::FoldGrant>> next(const ports::ClaimFold& wish, Unit& unit);
    // A look at one page of due jobs: a grant; or the jobs that wait for a model. `is_changed`: some were given up or
    // taken back, so the page is to be read again.
    struct Page {
        std::optional<ports::FoldGrant> grant;
        std::vector<model::FoldJob> waiting;
        bool is_changed = false;
    };
    base::Result<Page> look_through(std::vector<model::FoldJob> due, const ports::ClaimFold& wish, Unit& unit);
    base::Result<ports::FoldGrant> grant(model::FoldJob job, const model::AgentRecord& agent, Unit& unit);
    // The job that is at this attempt, or why not. The outer result is the store's.
    using Found = base::Result<model::FoldJob>;
    static base::Result<Found> held(const base::Uuid& id, std::int64_t attempt, Unit& unit);
    // The summary with all that comes with it.
    base::Result<void> keep(model::FoldJob& job, model::AgentRecord& agent, const model::MemorySummary& summary,
                            Unit& unit);
    static base::Result<bool> is_needed_still(const model::FoldJob& job, Unit& unit);
    base::Result<void> close_thread(const std::string& thread_id, Unit& unit);
    base::Result<void> look_at(const std::string& thread_id, Unit& unit);
    // Threads in which nobody speaks any more.
    base::Result<void> look_at_idle(Unit& unit);
    base::Result<void> sweep(Unit& unit);

    AgentBook& agents_;
    AgentLog& log_;
    Wakes& wakes_;
    FoldJobs jobs_;
    base::Timestamp next_sweep_;
    std::optional<base::Timestamp> swept_until_;  // of this transaction
};

// The summary of a job's span, before it has a place.
[[nodiscard]] model::AgentMessage summary_message(const model::FoldJob& job, const model::MemorySummary& summary);

}  // namespace belfry::engine
