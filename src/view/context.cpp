#include <algorithm>
#include <tuple>

#include "base/limits.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"
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
        // A pull at the start of a turn begins one: what was left over from earlier ones comes out with it.
        if (question_.point == model::InjectAt::turn_start) rules::begin_turn(*session, now_);
        left_over_ = rules::left_over_before(question_.point, *session);
        ports::NotificationFilter filter;
        filter.session_id = session->id;
        TRY(take(filter));
        if (!session->user_id.empty()) {
            filter.session_id.clear();
            filter.user_id = session->user_id;
            TRY(take(filter));
        }
        fit();
        TRY_ASSIGN(preview_.user_messages,
                   reading_.sessions().waiting_messages(session->id, now_, limits::user_messages_pull_max));
        TRY(count_batched(*session));
        return std::move(preview_);
    }

private:
    bool is_due(const model::Notification& one, const ports::NotificationFilter& filter) const {
        const bool is_of_queue = filter.user_id.empty() || one.scope.session_id.empty();
        const bool is_held = one.state == model::DeliveryState::locked && one.lease_until && *one.lease_until > now_;
        if (!is_of_queue || is_held || one.target != model::Target::agent) return false;
        if (rules::is_due(question_.point, one.priority, one.inject_at)) return true;
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

    // In their order, as far as they fit; a larger one does not keep a smaller one out.
    void fit() {
        std::ranges::sort(preview_.due, {},
                          [](const model::Notification& one) { return std::tuple(one.priority, one.ordinal); });
        std::vector<model::Notification> fitting;
        for (model::Notification& one : preview_.due) {
            const bool has_room =
                question_.budget_tokens == 0 || preview_.model_tokens + one.model_tokens <= question_.budget_tokens;
            if (!has_room || fitting.size() == limits::pull_items_max) {
                ++preview_.waiting;
                continue;
            }
            preview_.model_tokens += one.model_tokens;
            fitting.push_back(std::move(one));
        }
        preview_.due = std::move(fitting);
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
