#include "daemon/performer.hpp"

#include <algorithm>

#include "codec/utf8.hpp"
#include "daemon/sink_call.hpp"
#include "ports/commands/erasure.hpp"

namespace belfry::daemon {
namespace {

// Over a sink's own time: for the connection, and for the word about it to reach the engine.
constexpr base::Duration call_besides = base::seconds(10);
constexpr std::size_t waiting_max = 1000;
constexpr std::size_t calls_per_sink_max = 2;
constexpr std::size_t answers_max = 10'000;

}  // namespace

void Performer::perform(const std::vector<ports::Obligation>& owed) {
    for (const ports::Obligation& obligation : owed) {
        if (obligation.kind == "erase_user") erase_next(obligation.id, obligation.fence);
        else if (obligation.kind == "sink") queue(obligation);
        else if (obligation.kind == "tool_call") tools_.tool_caller.perform(obligation);
        else postpone(obligation.id, obligation.fence, "this version of Belfry cannot perform " + obligation.kind);
    }
}

void Performer::erase_next(const base::Uuid& id, std::int64_t fence) {
    auto slice = std::make_unique<ports::EraseSlice>();
    slice->principal = model::house_principal();
    slice->obligation = id;
    slice->fence = fence;
    slice->bytes = 256;
    slice->done = [this, id, fence](base::Result<ports::EraseProgress> progress) {
        if (!progress.ok()) return postpone(id, fence, progress.error().message);
        if (!progress->finished) return erase_next(id, fence);
        tools_.log.info("a user's data was erased",
                        {{"erasure", base::format_uuid(id)}, {"entries", progress->erased}});
    };
    submit(std::move(slice));
}

void Performer::queue(const ports::Obligation& owed) {
    const auto sink = owed.detail.member("sink");
    if (!sink) return finish(owed, ports::ObligationEnd::given_up, "it names no sink");
    if (const auto begun = calls_.find(owed.id); begun != calls_.end()) {
        begun->second.owed = owed;
        if (begun->second.answer) finish(owed, ports::ObligationEnd::done, *begun->second.answer);
        return;
    }
    std::deque<ports::Obligation>& waiting = lines_[sink->as_text()].waiting;
    const auto before = std::ranges::find(waiting, owed.id, &ports::Obligation::id);
    if (before != waiting.end()) {
        *before = owed;  // its claim ran out while it waited, and it was given out again
    } else if (waiting_ < waiting_max) {
        waiting.push_back(owed);
        ++waiting_;
    }
    call_next();
}

// The next sink after the last one that has something waiting and may call.
Performer::Line* Performer::next_line() {
    auto at = lines_.upper_bound(last_);
    for (std::size_t seen = 0; seen < lines_.size(); ++seen, ++at) {
        if (at == lines_.end()) at = lines_.begin();
        Line& line = at->second;
        const std::size_t most = line.fails ? 1 : calls_per_sink_max;
        if (line.waiting.empty() || line.under_way >= most) continue;
        last_ = at->first;
        return &line;
    }
    return nullptr;
}

void Performer::call_next() {
    while (under_way_ < tools_.couriers.threads()) {
        Line* const line = next_line();
        if (line == nullptr) return;
        const ports::Obligation owed = std::move(line->waiting.front());
        line->waiting.pop_front();
        --waiting_;
        ++line->under_way;
        ++under_way_;
        const std::string sink_id = last_;
        call_sink(sink_id, owed);
    }
}

void Performer::ended(const std::string& sink_id, bool failed) {
    Line& line = lines_[sink_id];
    --line.under_way;
    --under_way_;
    line.fails = failed;
    call_next();
}

void Performer::call_sink(const std::string& sink_id, const ports::Obligation& owed) {
    const auto stop = [&](ports::ObligationEnd end, const std::string& why) {
        finish(owed, end, why);
        ended(sink_id, false);
    };
    const auto which = owed.detail.member("notification");
    const auto id = which ? base::parse_uuid(which->as_text()) : std::nullopt;
    if (!id) return stop(ports::ObligationEnd::given_up, "it names no notification");
    const auto catalogue = tools_.sinks.current();
    const model::Sink* sink = catalogue->find(sink_id);
    if (sink == nullptr) {
        return stop(ports::ObligationEnd::given_up, "there is no sink " + sink_id + " any more");
    }
    // A call that could outlive its claim would be made twice; the engine gives it out again.
    if (owed.claimed_until && tools_.clock.now() + sink->time_max + call_besides > *owed.claimed_until) {
        return ended(sink_id, lines_[sink_id].fails);
    }
    auto row = std::make_shared<base::Result<std::optional<model::Notification>>>(std::optional<model::Notification>{});
    calls_[owed.id] = {owed, sink_id, std::nullopt};
    tools_.beside.read(
        [row, id](ports::Reading& reading) { *row = reading.notifications().find(model::NotificationId{*id}); },
        [this, row, call = owed.id, catalogue, sink] {
            if (row->ok() && **row && !model::is_terminal((**row)->state)) return send(call, *sink, ***row);
            const ports::Obligation held = std::move(calls_.extract(call).mapped().owed);
            if (!row->ok()) postpone(held.id, held.fence, row->error().message);
            else if (!**row) finish(held, ports::ObligationEnd::done, "the notification is gone");
            else finish(held, ports::ObligationEnd::not_needed, model::delivery_state_name((**row)->state));
            ended(sink->id, false);
        });
}

void Performer::send(const base::Uuid& id, const model::Sink& sink, const model::Notification& notification) {
    tools_.couriers.run([this, id, sink, notification](const wire::Interrupt& interrupt) {
        const SinkCall call{sink, notification, base::format_uuid(id), tools_.clock.now()};
        auto outcome = daemon::call_sink(call, tools_.environment, interrupt);
        // What was cut off by our own end is no failure of the sink.
        if (!outcome.ok() && interrupt.is_raised()) return;
        tools_.post([this, id, sink_id = sink.id, outcome] {
            report(id, outcome);
            ended(sink_id, !outcome.ok());
        });
    });
}

void Performer::report(const base::Uuid& id, const base::Result<std::string>& outcome) {
    Call& call = calls_.at(id);
    if (outcome.ok()) {
        call.answer = *outcome;
        finish(call.owed, ports::ObligationEnd::done, *outcome);
        // Where nobody learned whether the engine took it, it may never ask again. The oldest have the least ids.
        if (calls_.size() > answers_max) {
            calls_.erase(std::ranges::find_if(calls_, [](const auto& one) { return one.second.answer.has_value(); }));
        }
        return;
    }
    const ports::Obligation owed = std::move(call.owed);
    const std::string why = "sink " + call.sink + ": " + outcome.error().message;
    calls_.erase(id);
    if (outcome.error().code == base::Code::gone) return finish(owed, ports::ObligationEnd::given_up, why);
    postpone(owed.id, owed.fence, why);
}

// A claim that is not held any more was given out again, and then it was renewed here; or there is nothing left to
// tell.
void Performer::heard(const base::Uuid& id, std::int64_t fence, const base::Result<ports::Nothing>& word) {
    const auto call = calls_.find(id);
    if (call == calls_.end() || !call->second.answer) return;
    const bool is_over = !word.ok() && word.error().code == base::Code::conflict && call->second.owed.fence == fence;
    if (word.ok() || is_over) calls_.erase(call);
}

// What strangers said goes into the log, the audit and every answer to `why`: whatever it was, it is text there.
void Performer::finish(const ports::Obligation& owed, ports::ObligationEnd end, std::string_view said) {
    const std::string note = codec::to_utf8(said);
    if (end == ports::ObligationEnd::given_up) {
        tools_.log.warning("what is owed was given up", {{"obligation", base::format_uuid(owed.id)}, {"why", note}});
    }
    auto command = std::make_unique<ports::FinishObligation>();
    command->principal = model::house_principal();
    command->obligation = owed.id;
    command->fence = owed.fence;
    command->end = end;
    command->note = note;
    command->bytes = 256 + note.size();
    command->done = [this, id = owed.id, fence = owed.fence](const base::Result<ports::Nothing>& word) {
        heard(id, fence, word);
    };
    submit(std::move(command));
}

void Performer::postpone(const base::Uuid& id, std::int64_t fence, std::string_view said) {
    const std::string why = codec::to_utf8(said);
    tools_.log.warning("what is owed could not be done", {{"obligation", base::format_uuid(id)}, {"why", why}});
    auto later = std::make_unique<ports::PostponeObligation>();
    later->principal = model::house_principal();
    later->obligation = id;
    later->fence = fence;
    later->reason = why;
    later->bytes = 256 + why.size();
    submit(std::move(later));
}

// A full queue is no failure: the claim runs out and the engine gives it out again. What was done by then is not done
// again, see `queue`.
void Performer::submit(ports::AnyCommand command) {
    if (auto taken = tools_.gateway.submit(command); !taken.ok()) {
        tools_.log.warning("what is owed waits", {{"why", taken.error().message}});
    }
}

}  // namespace belfry::daemon
