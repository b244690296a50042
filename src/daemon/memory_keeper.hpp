#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/engine_door.hpp"
#include "daemon/summary_maker.hpp"
#include "host/entropy.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "ports/commands/command.hpp"
#include "ports/language_model.hpp"
#include "ports/reading.hpp"

namespace belfry::daemon {

// A thread that folds what agents remember, one job after the other and beside all that they do. It holds nothing that
// matters: what it was at when Belfry stopped waits again when it starts.
class MemoryKeeper {
public:
    using Connect = std::function<base::Result<std::unique_ptr<ports::Reading>>()>;

    // `connect`: to read the store beside the engine. The environment holds the keys of language models.
    MemoryKeeper(ports::Gateway& gateway, Connect connect, ports::LanguageModel& models, host::Environment environment,
                 host::Logger& log);
    ~MemoryKeeper();

    void start();
    // There may be something to fold. From any thread; may be lost.
    void hint();
    // Ends what is under way; nobody is told of it. The engine must still answer.
    void stop();

private:
    void work();
    // Claims one job and folds it; false: there was none, or it cannot go on now.
    bool look();
    SummaryMaker::Outcome make(const ports::FoldGrant& grant);
    void tell(const ports::FoldGrant& grant, SummaryMaker::Outcome outcome);
    void log_failure(const model::FoldJob& job);
    // Whether what an earlier process had claimed waits again: only then is anything claimed.
    bool has_returned_folds();
    // False: it is to stop.
    bool rest();
    [[nodiscard]] bool is_stopping();

    EngineDoor door_;
    Connect connect_;
    host::Environment environment_;
    host::Logger& log_;
    host::Entropy entropy_;
    SummaryMaker maker_;
    std::unique_ptr<ports::Reading> reading_;
    bool are_returned_ = false;

    // Of the flags alone: the engine's thread gives hints.
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopping_ = false;
    bool is_to_look_ = true;
    std::thread thread_;
};

}  // namespace belfry::daemon
