#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/commands/memory.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/clock.hpp"
#include "sim/folds_cast.hpp"
#include "sim/folds_witness.hpp"
#include "sim/machine.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/subscribers.hpp"
#include "sim/weather.hpp"

namespace belfry::sim {

// The world of memory: agents that talk in sessions and runs, and one who folds what they said: well, badly, late, or
// not at all, on a machine that fails. Whatever happens, nothing of what was said is lost, and what matters is told.
class FoldsWorld {
public:
    FoldsWorld(std::uint64_t seed, bool verbose);

    // So many rounds; then the troubles end, and all is folded. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // commands that an engine which was up was given
        std::uint64_t sweeps = 0;
        std::uint64_t folds = 0;     // summaries that were kept
        std::uint64_t failures = 0;  // attempts that failed or were no summaries
        std::uint64_t stale = 0;     // answers that came too late
        std::uint64_t unheard = 0;   // commands whose answer nobody heard
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t restarts = 0;
        std::uint64_t commits_failed = 0;
        std::uint64_t commits_unknown = 0;
        std::uint64_t looks = 0;
        FoldsWitness::Sums sums;

        Tally& operator+=(const Tally& other);
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }

private:
    // Somebody works for an agent: he wakes it, claims, says things and ends.
    struct Visit {
        std::string request_id;
        std::string session_id;  // empty: a thread of the run's own
        std::optional<model::WakeId> asked;
        std::optional<model::Wake> claim;
        std::uint64_t words_left = 0;
    };
    // What somebody who folds has before him.
    struct Work {
        ports::FoldGrant grant;
        model::MemorySummary summary;  // by rules, of the span as he read it
    };

    void make_beginning();
    void one_step();
    void live();
    void pass_time();
    void visit(const std::string& agent_id);
    void speak(const std::string& agent_id, Visit& visit);
    void ask_store(Visit& visit);
    void fold();
    void answer(Work work);
    void fail(const Work& work);
    void lie(const Work& work);
    void finish(const Work& work, model::MemorySummary summary, FoldsWitness::Kind kind);
    [[nodiscard]] model::MemorySummary no_summary(model::MemorySummary summary);
    void answer_late();
    void lose_keeper();
    // At a stop in order, a keeper may return its job.
    void return_work();
    void meddle();
    void forget();
    void start();
    void die();
    void tend();
    void send(ports::AnyCommand command);
    void send_all(std::vector<ports::AnyCommand> commands);
    void hear(ports::Command& command);
    void hear_return(const ports::Command& any);
    void hear_claim(const ports::ClaimWake& command);
    void hear_grant(const ports::ClaimFold& command);
    void hear_finish(const ports::FinishFold& command);
    void unhear(const ports::Command& command);
    void look();
    std::optional<FoldsLook> picture();
    void keep_harmless();
    void come_to_rest();
    bool is_at_rest();
    void say(const std::string& what) const;
    // What the store says, for those who are not part of the world.
    template <class T>
    std::optional<T> told(base::Result<T> answer);

    bool verbose_;
    SeededRandom random_;
    Weather weather_;
    MadeUpClock clock_;
    MadeUpZones zones_;
    HeldSubscribers subscribers_;
    Machine machine_;
    FoldsCast cast_;
    FoldsWitness witness_;
    std::uint64_t keeper_fails_;  // of a hundred attempts, so many
    std::uint64_t keeper_lies_;
    std::uint64_t keeper_is_late_;
    std::uint64_t forgets_;
    bool models_are_silent_;  // none answers before the end: their jobs pile up  // of a thousand steps, so many
    std::map<std::string, model::MemorySettings> agents_;
    std::set<std::string> made_;  // of them
    std::map<std::string, Visit> visits_;
    bool are_returned_ = false;
    std::optional<Work> work_;
    std::vector<Work> lost_;  // of those who were thought to be gone
    std::map<base::Uuid, model::FoldJob> claimed_;
    std::int64_t open_folds_ = -1;     // as FoldNow has told; -1: nobody has
    bool is_nothing_to_fold_ = false;  // as a claim has told
    std::uint64_t requests_ = 0;
    bool loses_answers_ = false;
    bool is_resting_ = false;
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
};

}  // namespace belfry::sim
