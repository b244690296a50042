#include "engine/awareness.hpp"

#include <utility>

#include "rules/awareness.hpp"

namespace belfry::engine {

base::Result<void> add_awareness(ports::PullReply& reply, model::Session& session, std::int64_t budget_tokens,
                                 Unit& unit) {
    const base::Timestamp since = session.aware_until.value_or(session.created_at);
    // What is shown later in this commit has its time, and is for the next hand-over.
    const base::Timestamp until = unit.now - base::microseconds(1);
    TRY_ASSIGN(const ports::Shown shown, unit.store.notifications().shown({session.user_id, session.id, since, until}));
    rules::Awareness told = rules::awareness_of(shown.newest, shown.in_inbox, budget_tokens);
    if (told.is_empty()) return {};
    reply.model_tokens += told.model_tokens;
    reply.seen = std::move(told.seen);
    reply.digest = std::move(told.digest);
    session.progress.aware_next = until;
    session.progress.aware_pull = reply.pull_id;
    return {};
}

bool confirm_awareness(model::Session& session) {
    if (!session.progress.aware_next) return false;
    session.aware_until = std::exchange(session.progress.aware_next, std::nullopt);
    session.progress.aware_pull.reset();
    return true;
}

}  // namespace belfry::engine
