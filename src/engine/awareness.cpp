#include "engine/awareness.hpp"

#include <span>
#include <string>
#include <utility>

#include "engine/enter_session.hpp"
#include "rules/awareness.hpp"
#include "rules/delivery.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"

namespace belfry::engine {

base::Result<void> add_awareness(ports::PullReply& reply, model::Session& session, const model::Principal& who,
                                 std::int64_t budget_tokens, Unit& unit) {
    model::Progress& progress = session.progress;
    ports::FactQuestion question{session.user_id, session.id, session.aware_no};
    question.since = rules::first_facts_since(session, unit.now);
    question.counted = progress.digest_no;
    std::string agent;
    if (rules::is_confined(who)) {
        TRY_ASSIGN(agent, agent_in_session(who, session, unit));
    }
    question.only_agent = agent;
    ports::NotificationTable& table = unit.store.notifications();
    TRY_ASSIGN(const ports::Facts facts, table.facts(question));
    const rules::FactCounts counts{facts.count, facts.in_inbox, progress.digest_no};
    rules::Awareness told = rules::awareness_of(facts.oldest, counts, budget_tokens);
    if (told.is_empty()) return {};
    reply.model_tokens += told.model_tokens;
    reply.seen = std::move(told.seen);
    reply.digest = std::move(told.digest);
    // A visitor was not told facts of other agents: the session's own agent is told all of them later. In a session
    // without an agent nobody else is waited for: the agents that work there would be told each fact at every turn.
    if (rules::is_visitor(who, session)) return {};
    progress.aware_pull = reply.pull_id;
    progress.aware_next = told.last_told;
    progress.digest_next.reset();
    // The digest counts all facts up to now, also those that were not read.
    if (!reply.digest.empty()) progress.digest_next = table.next_fact_number();
    return {};
}

bool confirm_awareness(model::Session& session) {
    model::Progress& progress = session.progress;
    if (!progress.aware_pull) return false;
    if (progress.aware_next) session.aware_no = std::exchange(progress.aware_next, std::nullopt);
    if (progress.digest_next) progress.digest_no = *std::exchange(progress.digest_next, std::nullopt);
    progress.aware_pull.reset();
    return true;
}

base::Result<void> note_fact(model::Notification& row, model::FactStatus status, Unit& unit) {
    if (!rules::is_for_eyes(row) || !rules::is_news(row, status)) return {};
    row.fact = {0, row.version, status, unit.now};
    return renumber_fact(row, unit);
}

base::Result<void> note_shown(model::Notification& row, Unit& unit) {
    return note_fact(row, rules::shown_status(row), unit);
}

base::Result<void> renumber_fact(model::Notification& row, Unit& unit) {
    if (row.fact.status == model::FactStatus::none) return {};
    ports::NotificationTable& table = unit.store.notifications();
    row.fact.number = table.next_fact_number();
    return table.put_facts(std::span(&row, 1));
}

}  // namespace belfry::engine
