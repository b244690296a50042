#include <algorithm>
#include <tuple>

#include "base/limits.hpp"
#include "rules/awareness.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"
#include "rules/portion.hpp"
#include "rules/route.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"

namespace belfry::view {
namespace {

namespace limits = base::limits;

constexpr std::size_t rows_max = 10'000;  // open ones that are looked at, the oldest first

class Preview {
public:
    Preview(ports::Reading& reading, const ports::ContextQuestion& question, base::Timestamp now)
        : reading_(reading), question_(question), now_(now) {}

    base::Result<ports::ContextPreview> run(const model::Principal& who) {
        TRY_ASSIGN(std::optional<model::Session> session, reading_.sessions().find(question_.session_id));
        if (!session) return base::error(base::Code::not_found, "there is no such session");
        TRY(rules::may_use_session(who, session->id, session->user_id));
        if (session->deleted_at) return base::error(base::Code::gone, "this session was deleted");
        TRY_ASSIGN(preview_.user_messages,
                   reading_.sessions().waiting_messages(session->id, now_, limits::user_messages_pull_max));
        preview_.model_tokens += rules::keep_messages_that_fit(preview_.user_messages);
        if (question_.point == model::InjectAt::turn_start) TRY(be_aware(*session));
        TRY(find_due(*session));
        fit();
        TRY(count_batched(*session));
        return std::move(preview_);
    }

private:
    base::Result<void> be_aware(const model::Session& session) {
        const base::Timestamp since = session.aware_until.value_or(session.created_at);
        TRY_ASSIGN(const ports::Shown shown,
                   reading_.notifications().shown({session.user_id, session.id, since, now_}));
        rules::Awareness told = rules::awareness_of(shown.newest, shown.in_inbox, question_.budget_tokens);
        preview_.model_tokens += told.model_tokens;
        preview_.seen = std::move(told.seen);
        preview_.digest = std::move(told.digest);
        return {};
    }

    base::Result<void> find_due(model::Session& session) {
        // A pull at the start of a turn begins one: what was left over from earlier ones comes out with it.
        const bool begins = !session.progress.in_turn || session.progress.turn_pulled;
        if (question_.point == model::InjectAt::turn_start && begins) rules::begin_turn(session, now_);
        left_over_ = rules::left_over_before(question_.point, session);
        agent_ = session.agent_id;
        ports::NotificationFilter filter;
        filter.session_id = session.id;
        TRY(take(filter));
        if (session.user_id.empty()) return {};
        filter.session_id.clear();
        filter.user_id = session.user_id;
        return take(filter);
    }

    bool is_due(const model::Notification& one, const ports::NotificationFilter& filter) const {
        const bool is_of_queue = filter.user_id.empty() || one.scope.session_id.empty();
        const bool is_held = one.state == model::DeliveryState::locked && one.lease_until && *one.lease_until > now_;
        const bool is_of_agent =
            rules::route(one).channel == model::Channel::context && one.state != model::DeliveryState::escalated;
        if (!is_of_queue || is_held || !is_of_agent) return false;
        // What is one agent's, and in no session, is not handed to another.
        if (one.scope.session_id.empty() && !one.scope.agent_id.empty() && one.scope.agent_id != agent_) return false;
        if (rules::is_due(question_.point, one.priority, one.inject_at)) return true;
        const bool was_handed = one.state == model::DeliveryState::locked && one.handed_to == question_.session_id;
        if (question_.point == model::InjectAt::turn_start && was_handed) return true;
        return left_over_ && one.created_at <= *left_over_;
    }

    base::Result<void> take(ports::NotificationFilter filter) {
        filter.open_only = true;
        filter.limit = limits::page_entries_max;
        for (std::size_t seen = 0; seen < rows_max;) {
            TRY_ASSIGN(std::vector<model::Notification> page, reading_.notifications().list(filter));
            const std::size_t count = page.size();
            if (count > 0) filter.after = page.back().ordinal;
            for (model::Notification& one : page) {
                if (is_due(one, filter)) preview_.due.push_back(std::move(one));
            }
            if (count < filter.limit) return {};
            seen += count;
        }
        return {};
    }

    // As a hand-over divides them. What would only be counted in a summary is told by number.
    void fit() {
        std::vector<model::Notification> due = std::move(preview_.due);
        std::ranges::sort(due, {},
                          [](const model::Notification& one) { return std::tuple(one.priority, one.ordinal); });
        const std::size_t beyond = due.size() - std::min(due.size(), limits::pull_items_max);
        due.resize(due.size() - beyond);
        const std::int64_t left = rules::budget_left(question_.budget_tokens, preview_.model_tokens);
        const rules::Portion portion = rules::divide(due, question_.budget_tokens, left);
        preview_.due.clear();
        for (const std::size_t i : portion.whole) {
            preview_.model_tokens += due[i].model_tokens + rules::item_overhead_tokens;
            preview_.due.push_back(std::move(due[i]));
        }
        preview_.counted = static_cast<std::int64_t>(portion.counted.size());
        preview_.waiting = static_cast<std::int64_t>(portion.waiting.size() + beyond);
    }

    base::Result<void> count_batched(const model::Session& session) {
        TRY_ASSIGN(const std::vector<model::WaitingRow> rows, reading_.notifications().waiting_of(session.user_id));
        for (const model::WaitingRow& row : rows) {
            if (row.scope.session_id == session.id || row.scope.session_id.empty()) preview_.batched += row.count;
        }
        return {};
    }

    ports::Reading& reading_;
    const ports::ContextQuestion& question_;
    base::Timestamp now_;
    std::optional<base::Timestamp> left_over_;
    std::string agent_;
    ports::ContextPreview preview_;
};

}  // namespace

void Answers::context(const model::Principal& who, ports::ContextQuestion question,
                      std::function<void(base::Result<ports::ContextPreview>)> done) {
    ask<ports::ContextPreview>(
        beside_,
        [who, question = std::move(question), now = clock_.now()](ports::Reading& reading) {
            return Preview(reading, question, now).run(who);
        },
        std::move(done));
}

}  // namespace belfry::view
