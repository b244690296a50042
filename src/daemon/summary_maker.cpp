#include "daemon/summary_maker.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/hash.hpp"
#include "base/memory_limits.hpp"
#include "rules/mark_sources.hpp"
#include "rules/summary_model.hpp"
#include "rules/summary_prompt.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;
using model::ChatFailureKind;
using model::FoldFault;
constexpr base::Duration answer_time_max = base::minutes(2);
static_assert(answer_time_max < limits::fold_lease);  // with time to read the span and to tell the end

base::Error not_whole() {
    return base::error(base::Code::unavailable, "what is to be folded cannot be read as a whole");
}

base::Result<FoldSpan> read_raw(const model::FoldJob& job, ports::Reading& reading) {
    TRY_ASSIGN(std::vector<model::AgentMessage> messages,
               reading.memory().questions().raw_span(job.thread_id, job.start_position - 1, job.end_position,
                                                     limits::fold_messages_max));
    const bool is_whole =
        !messages.empty() && messages.front().id == job.start_message_id && messages.back().id == job.end_message_id;
    if (!is_whole) return not_whole();
    return FoldSpan(std::move(messages));
}

base::Result<FoldSpan> read_summaries(const model::FoldJob& job, ports::Reading& reading) {
    TRY_ASSIGN(std::vector<model::SummaryPlace> places, reading.memory().questions().unfolded(job.agent_id));
    std::erase_if(places, [&](const model::SummaryPlace& one) {
        return one.depth != job.depth - 1 || one.position < job.start_position || one.position > job.end_position;
    });
    std::ranges::sort(places, {}, &model::SummaryPlace::position);
    std::vector<rules::FoldedSummary> summaries;
    for (const model::SummaryPlace& place : places) {
        TRY_ASSIGN(std::optional<model::AgentMessage> message, reading.agent_messages().find(place.message_id));
        if (!message) return not_whole();
        auto summary = model::memory_summary_of(message->content.view());
        summaries.push_back({std::move(*message), std::move(summary)});
    }
    if (static_cast<std::int64_t>(summaries.size()) != job.messages) return not_whole();
    return FoldSpan(std::move(summaries));
}

model::MemorySummary by_rules(const FoldSpan& span) {
    if (const auto* const messages = std::get_if<std::vector<model::AgentMessage>>(&span)) {
        return rules::summarize_messages(*messages);
    }
    return rules::summarize_summaries(std::get<std::vector<rules::FoldedSummary>>(span));
}

// What asking again would not mend goes to the rules at once: no more of the budget, too many questions, no leave to
// ask, or a span that does not fit.
FoldFault fault_of(const model::ChatFailure& failure) {
    constexpr int payment_required = 402;
    if (failure.http_status == payment_required) return FoldFault::refused;
    switch (failure.kind) {
        case ChatFailureKind::rate_limited:
        case ChatFailureKind::refused:
        case ChatFailureKind::too_long: return FoldFault::refused;
        case ChatFailureKind::protocol: return FoldFault::invalid;
        case ChatFailureKind::cancelled: return FoldFault::stopped;
        default: return FoldFault::passing;
    }
}

}  // namespace

base::Result<FoldSpan> read_fold_span(const model::FoldJob& job, ports::Reading& reading) {
    return job.depth > 1 ? read_summaries(job, reading) : read_raw(job, reading);
}

SummaryMaker::Outcome SummaryMaker::make(const ports::FoldGrant& grant, const FoldSpan& span) {
    model::MemorySummary found = by_rules(span);
    if (grant.job.summarizer == model::Summarizer::rules) return Made{std::move(found)};
    return ask(grant.agent.agent, span, std::move(found));
}

SummaryMaker::Outcome SummaryMaker::ask(const model::Agent& agent, const FoldSpan& span, model::MemorySummary found) {
    auto question = request(agent, span);
    if (!question.ok()) return Failure{FoldFault::passing, question.error().message};
    const model::ChatOutcome outcome = wait_for(std::move(*question));
    if (const auto* const failure = std::get_if<model::ChatFailure>(&outcome)) {
        return Failure{fault_of(*failure),
                       std::string(model::chat_failure_name(failure->kind)) + ": " + failure->message,
                       failure->kind == ChatFailureKind::timed_out};
    }
    const auto& answer = std::get<model::ChatAnswer>(outcome);
    if (answer.finish == model::FinishReason::length) {
        return Failure{FoldFault::invalid, "the model's answer was cut off"};
    }
    const auto sources = std::visit([](const auto& all) { return rules::MarkSources(all); }, span);
    auto said = rules::read_model_summary(answer.text, sources);
    if (!said.ok()) return Failure{FoldFault::invalid, said.error().message};
    return Made{rules::joined(std::move(found), std::move(said->summary)), said->rejected};
}

base::Result<model::ChatRequest> SummaryMaker::request(const model::Agent& agent, const FoldSpan& span) {
    TRY_ASSIGN(const rules::ModelSettings settings, rules::summary_model_settings(agent));
    model::ChatRequest request;
    request.endpoint.base_url = settings.base_url;
    request.endpoint.streaming = settings.streaming;
    if (!settings.key_env.empty()) {
        const auto key = environment_.get(settings.key_env);
        if (!key) {
            return base::error(base::Code::invalid,
                               "the daemon's environment has no " + settings.key_env + ", which key_env names");
        }
        request.endpoint.secret = *key;
    }
    request.model = settings.model;
    request.temperature = settings.temperature;
    request.output_tokens_max = settings.output_tokens_max;
    request.times.whole = std::min(settings.timeout, answer_time_max);
    request.times.first_byte = std::min(request.times.first_byte, request.times.whole);
    request.bounds.text_bytes = limits::summary_bytes_max;
    const std::string fence = base::hex(random_.bytes(16));
    request.messages = std::visit([&](const auto& all) { return rules::ask_for_summary(all, fence); }, span);
    return request;
}

model::ChatOutcome SummaryMaker::wait_for(model::ChatRequest request) {
    const std::unique_ptr<ports::ModelCall> call = models_.begin(std::move(request));
    {
        const std::lock_guard lock(mutex_);
        if (is_cancelled_) return model::ChatFailure{ChatFailureKind::cancelled, "Belfry stops"};
        call_ = call.get();
    }
    model::ChatOutcome outcome = call->wait([](std::string_view) {});
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
    return outcome;
}

void SummaryMaker::cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    if (call_ != nullptr) call_->cancel();
}

}  // namespace belfry::daemon
