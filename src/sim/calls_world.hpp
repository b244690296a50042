#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/commands/wakes.hpp"
#include "sim/calls_witness.hpp"
#include "sim/clock.hpp"
#include "sim/machine.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/subscribers.hpp"
#include "sim/tool_wishes.hpp"
#include "sim/weather.hpp"

namespace belfry::sim {

// The world of tools: one run of an agent, which stores a plan and calls the tools of it, on a machine that fails. Its
// workers die between any two steps, and the next one goes on. Whatever happens, each call is done once.
class CallsWorld {
public:
    CallsWorld(std::uint64_t seed, bool verbose);

    // Until the run has ended; after so many steps the troubles end. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // commands that an engine which was up was given
        std::uint64_t sweeps = 0;
        std::uint64_t asked = 0;    // calls of tools among the commands
        std::uint64_t unheard = 0;  // of them: nobody heard the answer
        std::uint64_t claims = 0;
        std::uint64_t workers_lost = 0;
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t restarts = 0;
        std::uint64_t commits_failed = 0;
        std::uint64_t commits_unknown = 0;
        std::uint64_t disk_operations = 0;
        CallsWitness::Sums sums;

        Tally& operator+=(const Tally& other);
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }

private:
    // What one worker knows.
    struct Worker {
        std::optional<model::Wake> claim;
        std::vector<model::PlannedAction> planned;  // of all rounds that he has seen
        std::int64_t rounds = 0;
        std::set<std::string> done;  // operations whose result he has heard
        std::string preview_token;
        bool is_healthy = false;  // he will not die
    };

    void make_beginning();
    void one_step();
    void pass_time();
    void work();
    void call_some();
    void die();
    void start();
    void tend();
    void lose_worker();
    void send_group(std::vector<ports::AnyCommand> commands);
    void send(ports::AnyCommand command);
    void hear(ports::Command& command);
    void hear_claim(const ports::ClaimReply& reply);
    void hear_plan(const ports::StoredPlan& reply);
    void hear_call(const ports::CallTool& command);
    void hear_result(const model::AgentMessage& result);
    void hear_error(const base::Error& why, std::int64_t fence);
    void look();
    void look_whether_ended();
    void come_to_rest();
    void compare_end();

    [[nodiscard]] ports::AnyCommand claim();
    [[nodiscard]] ports::AnyCommand plan_of_round(std::int64_t round);
    [[nodiscard]] ports::AnyCommand end() const;
    [[nodiscard]] ports::AnyCommand call_of(const model::Wake& claim, std::string operation,
                                            std::optional<ports::ToolWish> wish) const;
    // The calls that he has heard no result of, in their order.
    [[nodiscard]] std::vector<ports::AnyCommand> open_calls() const;
    [[nodiscard]] ports::AnyCommand repeated_call();
    [[nodiscard]] std::int64_t rounds_wanted() const { return wishes_.concludes ? 2 : 1; }
    [[nodiscard]] std::vector<std::string> own_operations() const;
    void say(const std::string& what) const;

    bool verbose_;
    SeededRandom random_;
    Weather weather_;
    MadeUpClock clock_;
    MadeUpZones zones_;
    HeldSubscribers subscribers_;
    Machine machine_;
    ToolWishes wishes_;
    CallsWitness witness_;
    std::uint64_t worker_dies_;  // of a thousand steps in so many
    Worker worker_;
    std::optional<model::Wake> lost_claim_;  // of a worker who was thought to be dead
    std::optional<model::Wake> wake_;
    bool loses_answers_ = false;  // of this step
    bool has_records_ = false;
    bool has_begun_ = false;
    bool has_ended_ = false;
    bool is_resting_ = false;
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
};

}  // namespace belfry::sim
