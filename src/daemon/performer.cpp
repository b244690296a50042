#include "daemon/performer.hpp"

#include "daemon/sink_call.hpp"
#include "ports/commands/erasure.hpp"

namespace belfry::daemon {
namespace {

// Over a sink's own time: for the connection, and for the word about it to reach the engine.
constexpr base::Duration call_besides = base::seconds(10);

}  // namespace

void Performer::perform(const std::vector<ports::Obligation>& owed) {
    for (const ports::Obligation& obligation : owed) {
        if (obligation.kind == "erase_user") erase_next(obligation.id, obligation.fence);
        else if (obligation.kind == "sink") call_sink(obligation);
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

void Performer::call_sink(const ports::Obligation& owed) {
    const auto name = owed.detail.member("sink");
    const auto which = owed.detail.member("notification");
    const auto id = which ? base::parse_uuid(which->as_text()) : std::nullopt;
    if (!name || !id) return finish(owed, ports::ObligationEnd::given_up, "it names no sink or no notification");
    const std::string sink_id = name->as_text();
    const auto catalogue = tools_.sinks.current();
    const model::Sink* sink = catalogue->find(sink_id);
    if (sink == nullptr) {
        return finish(owed, ports::ObligationEnd::given_up, "there is no sink " + sink_id + " any more");
    }
    auto row = std::make_shared<base::Result<std::optional<model::Notification>>>(std::optional<model::Notification>{});
    tools_.beside.read(
        [row, id](ports::Reading& reading) { *row = reading.notifications().find(model::NotificationId{*id}); },
        [this, row, owed, catalogue, sink] {
            if (!row->ok()) return postpone(owed.id, owed.fence, row->error().message);
            if (!**row) return finish(owed, ports::ObligationEnd::done, "the notification is gone");
            send(owed, *sink, ***row);
        });
}

void Performer::send(const ports::Obligation& owed, const model::Sink& sink, const model::Notification& notification) {
    tools_.couriers.run([this, owed, sink, notification](const wire::Interrupt& interrupt) {
        const base::Timestamp now = tools_.clock.now();
        // A call that could outlive its claim would be made twice; the engine gives it out again.
        if (owed.claimed_until && now + sink.time_max + call_besides > *owed.claimed_until) return;
        const SinkCall call{sink, notification, base::format_uuid(owed.id), now};
        auto outcome = daemon::call_sink(call, tools_.environment, interrupt);
        // What was cut off by our own end is no failure of the sink.
        if (interrupt.is_raised()) return;
        tools_.post([this, owed, id = sink.id, outcome] { report(owed, id, outcome); });
    });
}

void Performer::report(const ports::Obligation& owed, const std::string& sink, base::Result<std::string> outcome) {
    if (outcome.ok()) return finish(owed, ports::ObligationEnd::done, *outcome);
    const std::string why = "sink " + sink + ": " + outcome.error().message;
    if (outcome.error().code == base::Code::gone) return finish(owed, ports::ObligationEnd::given_up, why);
    postpone(owed.id, owed.fence, why);
}

void Performer::finish(const ports::Obligation& owed, ports::ObligationEnd end, const std::string& note) {
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
    submit(std::move(command));
}

void Performer::postpone(const base::Uuid& id, std::int64_t fence, const std::string& why) {
    tools_.log.warning("what is owed could not be done", {{"obligation", base::format_uuid(id)}, {"why", why}});
    auto later = std::make_unique<ports::PostponeObligation>();
    later->principal = model::house_principal();
    later->obligation = id;
    later->fence = fence;
    later->reason = why;
    later->bytes = 256 + why.size();
    submit(std::move(later));
}

// A full queue is no failure: the claim runs out and the engine gives it out again.
void Performer::submit(ports::AnyCommand command) {
    if (auto taken = tools_.gateway.submit(command); !taken.ok()) {
        tools_.log.warning("what is owed waits", {{"why", taken.error().message}});
    }
}

}  // namespace belfry::daemon
