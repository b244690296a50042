#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cast.hpp"
#include "house.hpp"
#include "parties.hpp"
#include "profile.hpp"
#include "runtimes.hpp"
#include "sim/sinks.hpp"

namespace observer::sim {

// One seed: Belfry, its parties, the end. Everything that the parties saw is in the record.
class ObservedWorld {
public:
    explicit ObservedWorld(std::uint64_t seed);
    ~ObservedWorld();

    // Acts for so many steps, then lets everything come to its end.
    void run(std::uint64_t steps);

    [[nodiscard]] const std::deque<Observation>& record() const { return stage_.recorder.all(); }
    [[nodiscard]] std::uint64_t steps() const { return stage_.node.steps(); }
    // The simulation itself failed; empty: it did not.
    [[nodiscard]] const std::string& problem() const { return stage_.node.problem; }

private:
    void prepare();
    void put_cast();
    void make_agents();
    void put_agent(const std::string& id, model::WorkflowKind kind, const std::string& settings, AgentMade seen);
    // Sends a request of the preparation and waits for its answer.
    template <class C>
    void ask_first(std::unique_ptr<C> command);
    void bring_trouble();
    // Runs what is scheduled until the condition holds, at the most for this time.
    template <class Condition>
    void run_until(const Condition& condition, std::int64_t most_us);
    void run_for(std::int64_t us);
    void come_to_rest();
    bool sweep_sessions();
    bool has_open_notes();
    void collect();
    void read_history(const std::string& session);
    void list_inbox(const std::string& user);

    SeededRandom random_;
    Profile profile_;
    belfry::sim::HeldSinks sinks_;
    Stage stage_;
    std::vector<std::string> all_users_;
    std::vector<std::unique_ptr<Party>> parties_;
    SinkWorker* sink_worker_ = nullptr;
    House* house_ = nullptr;
    std::vector<std::string> belfry_tools_;  // that the worker has not used yet
    std::set<std::string> ended_;            // notifications that have come to their end
    std::int64_t set_back_us_ = 0;
    bool has_stepped_ = false;
};

}  // namespace observer::sim
