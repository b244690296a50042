#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "daemon/engine_door.hpp"
#include "daemon/house_turn.hpp"
#include "daemon/model_workflow.hpp"
#include "daemon/script_workflow.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "net/outbound/chat_completions.hpp"
#include "ports/clock.hpp"
#include "ports/commands/command.hpp"

namespace belfry::daemon {

// Threads that do the work of agents whose workflow is Belfry's own. They hold nothing that matters: what they had
// claimed when Belfry died is due again when it starts, and goes on where its plan stands.
class HouseWorkers {
public:
    // The environment holds the keys of language models.
    HouseWorkers(ports::Gateway& gateway, const ports::Clock& clock, host::Environment environment, host::Logger& log);
    ~HouseWorkers();

    // So many work at once.
    void start(std::int64_t count);
    // There may be something to do, or something was taken back. From any thread; may be lost.
    void hint();
    // Lets go of what is under way, so that it is due again. The engine must still answer.
    void stop();

private:
    void work();
    void keep();
    // Claims one wake and works on it; false: there was none.
    bool look();
    void run(HouseTurn& turn, ports::Workflow& workflow);
    // Whether what an earlier process had claimed waits again: only then is anything claimed.
    bool has_returned_wakes();
    base::Result<void> return_wakes();
    [[nodiscard]] bool is_stopping();

    EngineDoor door_;
    const ports::Clock& clock_;
    host::Environment environment_;
    host::Logger& log_;
    net::ChatCompletions models_;
    ModelWorkflow model_;
    ScriptWorkflow script_;

    // Of the flags alone: nobody waits for the engine while he holds it, for the engine's thread gives hints.
    std::mutex mutex_;
    std::condition_variable work_arrived_;
    std::condition_variable keeper_wanted_;
    bool is_stopping_ = false;
    bool is_to_look_ = true;    // one of the threads is to claim something
    bool is_to_renew_ = false;  // something may have been taken back

    std::mutex return_mutex_;
    std::atomic<bool> are_returned_{false};  // what an earlier process had claimed

    std::mutex turns_mutex_;
    std::set<HouseTurn*> under_way_;
    std::atomic<unsigned> looks_{0};
    std::vector<std::thread> threads_;
};

}  // namespace belfry::daemon
