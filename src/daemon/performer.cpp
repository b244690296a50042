#include "daemon/performer.hpp"

#include "ports/commands/erasure.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::daemon {

void Performer::perform(const std::vector<ports::Obligation>& owed) {
    for (const ports::Obligation& obligation : owed) {
        if (obligation.kind == "erase_user") erase_next(obligation.id, obligation.fence);
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
        log_.info("a user's data was erased", {{"erasure", base::format_uuid(id)}, {"entries", progress->erased}});
    };
    ports::AnyCommand command = std::move(slice);
    // A full queue is no failure: the claim runs out and the engine gives it out again.
    if (auto taken = gateway_.submit(command); !taken.ok()) {
        log_.warning("an erasure waits", {{"erasure", base::format_uuid(id)}, {"why", taken.error().message}});
    }
}

void Performer::postpone(const base::Uuid& id, std::int64_t fence, const std::string& why) {
    log_.warning("what is owed could not be done", {{"obligation", base::format_uuid(id)}, {"why", why}});
    auto later = std::make_unique<ports::PostponeObligation>();
    later->principal = model::house_principal();
    later->obligation = id;
    later->fence = fence;
    later->reason = why;
    later->bytes = 256;
    ports::AnyCommand command = std::move(later);
    (void)gateway_.submit(command);
}

}  // namespace belfry::daemon
