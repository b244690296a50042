#include "daemon/memory_keeper.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace belfry::daemon {
namespace {

constexpr auto look_pause = std::chrono::seconds(30);       // hints may be lost
constexpr auto first_look_pause = std::chrono::seconds(5);  // while the store is not open, or another node's
constexpr auto ask_again_pause = std::chrono::milliseconds(200);
constexpr std::size_t summary_command_bytes = 64 << 10;  // about what one holds in memory

}  // namespace

MemoryKeeper::MemoryKeeper(ports::Gateway& gateway, Connect connect, ports::LanguageModel& models,
                           host::Environment environment, host::Logger& log)
    : door_(gateway),
      connect_(std::move(connect)),
      environment_(std::move(environment)),
      log_(log),
      maker_(models, environment_, entropy_) {}

MemoryKeeper::~MemoryKeeper() {
    stop();
}

void MemoryKeeper::start() {
    thread_ = std::thread([this] { work(); });
}

void MemoryKeeper::hint() {
    const std::lock_guard lock(mutex_);
    is_to_look_ = true;
    changed_.notify_one();
}

void MemoryKeeper::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        changed_.notify_all();
    }
    maker_.cancel();
    thread_.join();
}

bool MemoryKeeper::is_stopping() {
    const std::lock_guard lock(mutex_);
    return is_stopping_;
}

bool MemoryKeeper::rest() {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, ask_again_pause, [this] { return is_stopping_; });
}

void MemoryKeeper::work() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            const auto pause = are_returned_ ? look_pause : first_look_pause;
            changed_.wait_for(lock, pause, [this] { return is_stopping_ || is_to_look_; });
            if (is_stopping_) return;
            is_to_look_ = false;
        }
        if (!has_returned_folds()) continue;
        while (look()) {
        }
    }
}

bool MemoryKeeper::has_returned_folds() {
    if (!are_returned_) are_returned_ = door_.ask<ports::ReturnFolds>([](ports::ReturnFolds&) {}).ok();
    return are_returned_;
}

bool MemoryKeeper::look() {
    if (is_stopping()) return false;
    auto grant = door_.ask<ports::ClaimFold>([](ports::ClaimFold&) {});
    if (!grant.ok() || !*grant) return false;
    SummaryMaker::Outcome outcome = make(**grant);
    if (is_stopping()) return false;
    tell(**grant, std::move(outcome));
    return true;
}

SummaryMaker::Outcome MemoryKeeper::make(const ports::FoldGrant& grant) {
    using Failure = SummaryMaker::Failure;
    if (!reading_ || !reading_->is_sound()) {
        auto connected = connect_();
        if (!connected.ok()) return Failure{model::FoldFault::passing, connected.error().message};
        reading_ = std::move(*connected);
    }
    const auto span = read_fold_span(grant.job, *reading_);
    if (!span.ok()) return Failure{model::FoldFault::passing, span.error().message};
    return maker_.make(grant, *span);
}

// A word that does not arrive is no loss: the claim runs out.
void MemoryKeeper::tell(const ports::FoldGrant& grant, SummaryMaker::Outcome outcome) {
    const auto goes_on = [this] { return rest(); };
    const auto told = [&]() -> base::Result<model::FoldJob> {
        if (const auto* const failure = std::get_if<SummaryMaker::Failure>(&outcome)) {
            return door_.insist<ports::FailFold>(
                [&](ports::FailFold& word) {
                    word.id = grant.job.id;
                    word.attempt = grant.job.attempts;
                    word.fault = failure->fault;
                    word.why = failure->why;
                },
                goes_on);
        }
        return door_.insist<ports::FinishFold>(
            [&](ports::FinishFold& word) {
                word.id = grant.job.id;
                word.attempt = grant.job.attempts;
                word.summary = std::get<model::MemorySummary>(outcome);
                word.bytes = summary_command_bytes;
            },
            goes_on);
    }();
    if (told.ok() && told->state != model::FoldState::done) log_failure(*told);
    if (told.ok() || told.error().reason == "stale_claim") return;
    log_.warning("the end of a fold could not be told; it is tried again when its claim has run out",
                 {{"agent", grant.job.agent_id}, {"thread", grant.job.thread_id}, {"why", told.error().message}});
}

void MemoryKeeper::log_failure(const model::FoldJob& job) {
    const bool is_over = job.state == model::FoldState::failed_terminal;
    log_.warning(is_over ? "what an agent remembers could not be folded; it is left as it is until somebody restarts it"
                         : "what an agent remembers could not be folded; it is tried again",
                 {{"agent", job.agent_id}, {"thread", job.thread_id}, {"why", job.last_error}});
}

}  // namespace belfry::daemon
