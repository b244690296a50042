#include "engine/awareness.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "rules/digest.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;

// Takes the line where there is room for it.
bool fits(const std::string& line, std::int64_t& left, ports::PullReply& reply) {
    const std::int64_t cost = rules::estimate_model_tokens(line);
    if (cost > left) return false;
    left -= cost;
    reply.model_tokens += cost;
    return true;
}

}  // namespace

base::Result<void> add_awareness(ports::PullReply& reply, model::Session& session, std::int64_t budget_tokens,
                                 Unit& unit) {
    ports::NotificationTable& table = unit.store.notifications();
    const base::Timestamp since = session.aware_until.value_or(session.created_at);
    TRY_ASSIGN(const std::vector<model::Notification> shown,
               table.shown(session.user_id, session.id, since, unit.now, limits::shown_max));
    if (shown.empty()) return {};
    std::vector<model::Notification> inbox;
    for (const model::Notification& one : shown) {
        if (one.address == model::Address::user) inbox.push_back(one);
    }
    auto in_inbox = static_cast<std::int64_t>(inbox.size());
    if (shown.size() == limits::shown_max) {  // there may be more
        TRY_ASSIGN(const auto counted, table.count_shown(session.user_id, session.id, since, unit.now));
        in_inbox = counted.in_inbox;
    }
    std::int64_t left = budget_tokens == 0 ? std::numeric_limits<std::int64_t>::max() : budget_tokens / 2;
    std::string digest = rules::ambient_digest(inbox, static_cast<std::size_t>(in_inbox), limits::digest_bytes_max);
    if (!digest.empty() && fits(digest, left, reply)) reply.digest = std::move(digest);
    // The newest are the likeliest to be asked about.
    const std::size_t first = shown.size() - std::min(shown.size(), limits::seen_facts_max);
    for (std::size_t i = shown.size(); i > first; --i) {
        std::string fact = rules::seen_fact(shown[i - 1], limits::seen_fact_bytes_max);
        if (!fits(fact, left, reply)) break;
        reply.seen.push_back(std::move(fact));
    }
    std::ranges::reverse(reply.seen);
    if (reply.seen.empty() && reply.digest.empty()) return {};
    session.progress.aware_next = unit.now;
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
