#include "daemon/memory_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "base/summary_limits.hpp"
#include "rules/summary_model.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;
constexpr auto look_pause = std::chrono::seconds(30);       // hints may be lost
constexpr auto first_look_pause = std::chrono::seconds(5);  // while the store is not open, or another node's
constexpr auto ask_again_pause = std::chrono::milliseconds(200);
constexpr std::size_t summary_command_bytes = 64 << 10;  // about what one holds in memory

}  // namespace

MemoryKeeper::MemoryKeeper(ports::Gateway& gateway, Connect connect, ports::LanguageModel& models,
                           host::Environment environment, host::Logger& log)
    : door_(gateway),
      connect_(std::move(connect)),
      models_(models),
      environment_(std::move(environment)),
      log_(log),
      by_rules_(models_, environment_, entropy_) {}

MemoryKeeper::~MemoryKeeper() {
    stop();
}

void MemoryKeeper::start() {
    thread_ = std::thread([this] { work(); });
}

void MemoryKeeper::hint() {
    const std::lock_guard lock(mutex_);
    is_to_look_ = true;
    changed_.notify_all();
}

void MemoryKeeper::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        changed_.notify_all();
    }
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
            if (is_stopping_) break;
            is_to_look_ = false;
        }
        if (!has_returned_folds()) continue;
        while (look()) {
        }
    }
    cancel_questions();
}

bool MemoryKeeper::has_returned_folds() {
    if (!are_returned_) are_returned_ = door_.ask<ports::ReturnFolds>([](ports::ReturnFolds&) {}).ok();
    return are_returned_;
}

bool MemoryKeeper::look() {
    if (is_stopping()) return false;
    remove_answered();
    // Silent models come second. Their jobs stay due for that claim: if they stepped aside, they would never be asked.
    const bool may_ask_all = may_ask_silent();
    auto granted = claim(Models::that_answer, may_ask_all);
    if (granted.ok() && !*granted && may_ask_all) granted = claim(Models::all, false);
    if (!granted.ok() || !*granted) return false;
    ports::FoldGrant& grant = **granted;
    auto span = read_span(grant.job);
    if (!span.ok()) {
        tell(grant, SummaryMaker::Failure{model::FoldFault::passing, span.error().message});
    } else if (grant.job.summarizer == model::Summarizer::rules) {
        tell(grant, by_rules_.make(grant, *span));
    } else {
        ask_model(std::move(grant), std::move(*span));
    }
    return true;
}

base::Result<std::optional<ports::FoldGrant>> MemoryKeeper::claim(Models models, bool leaves_waiting) {
    return door_.ask<ports::ClaimFold>([&](ports::ClaimFold& wish) {
        fill(wish, models);
        wish.leaves_waiting = leaves_waiting;
    });
}

bool MemoryKeeper::may_ask_silent() const {
    if (silent_.empty()) return false;
    const auto asked = std::ranges::count_if(questions_, [this](const Question& question) {
        return silent_.contains(rules::summary_model_key(question.grant.agent.agent));
    });
    return static_cast<std::size_t>(asked) < limits::summaries_by_silent_models_max;
}

void MemoryKeeper::fill(ports::ClaimFold& claim, Models models) const {
    if (models == Models::that_answer) claim.busy_models.assign(silent_.begin(), silent_.end());
    std::map<std::string, std::size_t> of_model;
    std::map<std::string, std::size_t> of_user;
    for (const Question& question : questions_) {
        if (++of_model[rules::summary_model_key(question.grant.agent.agent)] == limits::summaries_per_model_max) {
            claim.busy_models.push_back(rules::summary_model_key(question.grant.agent.agent));
        }
        if (++of_user[question.grant.job.user_id] == limits::summaries_per_user_max) {
            claim.busy_users.push_back(question.grant.job.user_id);
        }
    }
    claim.rules_only = questions_.size() >= limits::summaries_by_models_max;
}

base::Result<FoldSpan> MemoryKeeper::read_span(const model::FoldJob& job) {
    if (!reading_ || !reading_->is_sound()) {
        TRY_ASSIGN(reading_, connect_());
    }
    return read_fold_span(job, *reading_);
}

void MemoryKeeper::ask_model(ports::FoldGrant grant, FoldSpan span) {
    Question& question = questions_.emplace_back(std::move(grant), std::move(span), models_, environment_);
    question.thread = std::thread([this, &question] {
        const SummaryMaker::Outcome outcome = question.maker.make(question.grant, question.span);
        // A cancelled question returns its job (FoldFault::stopped): the attempt counts as no failure.
        tell(question.grant, outcome);
        const auto* const failure = std::get_if<SummaryMaker::Failure>(&outcome);
        const std::lock_guard lock(mutex_);
        question.is_silence = failure != nullptr && failure->is_silence;
        question.is_over = true;
        is_to_look_ = true;
        changed_.notify_all();
    });
}

void MemoryKeeper::remove_answered() {
    const auto is_over = [this](const Question& question) {
        const std::lock_guard lock(mutex_);
        return question.is_over;
    };
    for (auto question = questions_.begin(); question != questions_.end();) {
        if (!is_over(*question)) {
            ++question;
            continue;
        }
        question->thread.join();
        const std::string model = rules::summary_model_key(question->grant.agent.agent);
        if (question->is_silence) silent_.insert(model);
        else silent_.erase(model);
        question = questions_.erase(question);
    }
}

void MemoryKeeper::cancel_questions() {
    for (Question& question : questions_) question.maker.cancel();
    for (Question& question : questions_) question.thread.join();
    questions_.clear();
}

// An end that does not reach the engine is no loss: the claim runs out.
void MemoryKeeper::tell(const ports::FoldGrant& grant, const SummaryMaker::Outcome& outcome) {
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
                word.summary = std::get<SummaryMaker::Made>(outcome).summary;
                word.bytes = summary_command_bytes;
            },
            goes_on);
    }();
    if (told.ok()) return log_end(*told, outcome);
    if (told.error().reason == "stale_claim") return;
    log_.warning("the end of a fold could not be told; it is tried again when its claim has run out",
                 {{"agent", grant.job.agent_id}, {"thread", grant.job.thread_id}, {"why", told.error().message}});
}

void MemoryKeeper::log_end(const model::FoldJob& job, const SummaryMaker::Outcome& outcome) {
    const auto* const failure = std::get_if<SummaryMaker::Failure>(&outcome);
    if (failure != nullptr && failure->fault == model::FoldFault::stopped) return;
    if (job.state == model::FoldState::done) {
        const auto* const made = std::get_if<SummaryMaker::Made>(&outcome);
        if (made == nullptr || made->rejected == 0) return;
        log_.warning(
            "memory: a model's summary named goals, decisions or open loops that no message of the agent or "
            "its user sets; they were left out",
            {{"agent", job.agent_id}, {"thread", job.thread_id}, {"count", made->rejected}});
        return;
    }
    const bool is_over = job.state == model::FoldState::failed_terminal;
    log_.warning(is_over ? "what an agent remembers could not be folded; it is left as it is until somebody restarts it"
                         : "what an agent remembers could not be folded; it is tried again",
                 {{"agent", job.agent_id}, {"thread", job.thread_id}, {"why", job.last_error}});
}

}  // namespace belfry::daemon
