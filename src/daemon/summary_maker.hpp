#pragma once

#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "host/environment.hpp"
#include "model/memory.hpp"
#include "ports/commands/memory.hpp"
#include "ports/language_model.hpp"
#include "ports/random.hpp"
#include "ports/reading.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::daemon {

// What a job is to fold: raw messages, or summaries.
using FoldSpan = std::variant<std::vector<model::AgentMessage>, std::vector<rules::FoldedSummary>>;

// Reads it beside the engine, whole or not at all.
base::Result<FoldSpan> read_fold_span(const model::FoldJob& job, ports::Reading& reading);

// Makes summaries: by rules alone, or in the words of a model with what rules find beside them. Used by one thread at a
// time, except for `cancel`.
class SummaryMaker {
public:
    struct Failure {
        model::FoldFault fault = model::FoldFault::passing;
        std::string why;
        bool is_silence = false;  // the model did not answer in time
    };
    struct Made {
        model::MemorySummary summary;
        std::size_t rejected = 0;  // items of a model that it may not set (rules::MarkSources)
    };
    using Outcome = std::variant<Made, Failure>;

    // Keys are read from the environment when they are needed, and kept nowhere.
    SummaryMaker(ports::LanguageModel& models, const host::Environment& environment, ports::Random& random)
        : models_(models), environment_(environment), random_(random) {}

    // As the job says. A model is waited for, at the longest for as long as the claim on the job holds.
    Outcome make(const ports::FoldGrant& grant, const FoldSpan& span);

    // Ends the question that is under way, and every later one at once. From any thread.
    void cancel();

private:
    Outcome ask(const model::Agent& agent, const FoldSpan& span, model::MemorySummary by_rules);
    base::Result<model::ChatRequest> request(const model::Agent& agent, const FoldSpan& span);
    model::ChatOutcome wait_for(model::ChatRequest request);

    ports::LanguageModel& models_;
    const host::Environment& environment_;
    ports::Random& random_;
    std::mutex mutex_;
    ports::ModelCall* call_ = nullptr;
    bool is_cancelled_ = false;
};

}  // namespace belfry::daemon
