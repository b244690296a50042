#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "daemon/engine_door.hpp"
#include "daemon/summary_maker.hpp"
#include "host/entropy.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "ports/commands/command.hpp"
#include "ports/language_model.hpp"
#include "ports/reading.hpp"

namespace belfry::daemon {

// Makes the summaries of what agents remember, beside all that they do. One thread claims the jobs and makes summaries
// by rules itself. Each question to a model has a thread of its own, so a model that does not answer delays nobody
// else: at most limits::summaries_per_model_max questions of one model, summaries_per_user_max of one user and
// summaries_by_models_max in all are under way. Models whose last question timed out together have at most
// summaries_by_silent_models_max of these places, and get them after all others, so that they leave places free.
// Nothing is lost at a stop: a job that was under way waits again, and its attempt does not count.
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
    // Cancels the questions to models, returns their jobs and waits for the threads. The engine must still answer.
    void stop();

private:
    // One summary that a model is asked for, with the thread that waits for the answer.
    struct Question {
        Question(ports::FoldGrant granted, FoldSpan read, ports::LanguageModel& models,
                 const host::Environment& environment)
            : grant(std::move(granted)), span(std::move(read)), maker(models, environment, entropy) {}

        const ports::FoldGrant grant;
        const FoldSpan span;
        host::Entropy entropy;
        SummaryMaker maker;
        bool is_over = false;     // guarded by mutex_: its thread does nothing more
        bool is_silence = false;  // likewise: the model did not answer in time
        std::thread thread;
    };

    void work();
    // Claims one job and begins it; false: there is none that may begin now.
    bool look();
    // All models, or only those whose last question did not time out.
    enum class Models : std::uint8_t { all, that_answer };
    base::Result<std::optional<ports::FoldGrant>> claim(Models models, bool leaves_waiting);
    // True if models whose last question timed out have a place left.
    [[nodiscard]] bool may_ask_silent() const;
    // Tells the engine which models and users have as many questions under way as they may.
    void fill(ports::ClaimFold& claim, Models models) const;
    base::Result<FoldSpan> read_span(const model::FoldJob& job);
    void ask_model(ports::FoldGrant grant, FoldSpan span);
    // Removes the questions that are over.
    void remove_answered();
    void cancel_questions();
    void tell(const ports::FoldGrant& grant, const SummaryMaker::Outcome& outcome);
    void log_end(const model::FoldJob& job, const SummaryMaker::Outcome& outcome);
    // Whether what an earlier process had claimed waits again: only then is anything claimed.
    bool has_returned_folds();
    // False: it is to stop.
    bool rest();
    [[nodiscard]] bool is_stopping();

    EngineDoor door_;
    Connect connect_;
    ports::LanguageModel& models_;
    const host::Environment environment_;
    host::Logger& log_;

    // Of the thread that claims.
    host::Entropy entropy_;
    SummaryMaker by_rules_;
    std::unique_ptr<ports::Reading> reading_;
    bool are_returned_ = false;
    std::list<Question> questions_;
    std::set<std::string> silent_;  // models (rules::summary_model_key) whose last question timed out

    // Of the flags alone: the engine's thread gives hints, and questions end.
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopping_ = false;
    bool is_to_look_ = true;
    std::thread thread_;
};

}  // namespace belfry::daemon
