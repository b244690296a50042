#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "engine/notify.hpp"
#include "rules/display.hpp"
#include "rules/model_tokens.hpp"
#include "text/notification_text.hpp"

// From rows that leave a batch to a notification.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t complaints_max = 100;

// How many notifications caused one another before this event, where its report said so.
std::int64_t chain_depth_of(const model::WaitingRow& row) {
    const auto said = model::JsonView{row.event_json}.member(chain_depth_member);
    std::int64_t depth = 0;
    if (said) std::from_chars(said->text.data(), said->text.data() + said->text.size(), depth);
    return std::clamp<std::int64_t>(depth, 0, limits::chain_depth_max);
}

bool names_user(std::span<const model::WaitingRow> rows) {
    return std::ranges::any_of(rows, [](const model::WaitingRow& row) {
        return model::JsonView{row.event_json}.member("user_id").has_value();
    });
}

// One source speaks in its own name, several in their subscriber's.
std::string source_of(std::span<const model::WaitingRow> rows, const model::Subscriber& subscriber) {
    std::string first;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto source = model::JsonView{rows[i].event_json}.member("source");
        std::string name = source ? source->as_text() : std::string();
        if (i == 0) first = std::move(name);
        else if (name != first) return subscriber.name;
    }
    return first.empty() ? subscriber.name : rules::display_source(first);
}

}  // namespace

NewNotification Notify::draft_of(const Group& group, const model::Subscriber& subscriber,
                                 std::span<const model::WaitingRow> rows, Leaving why) {
    NewNotification made;
    model::Notification& draft = made.notification;
    draft.scope = group.scope;
    draft.subscriber_id = subscriber.id;
    draft.priority = priority_of(group, subscriber);
    draft.inject_at = group.is_chosen ? group.inject_at : subscriber.inject_at;
    if (is_low(group, subscriber)) {
        // `immediate` below critical is the next point of a turn.
        draft.inject_at = why == Leaving::overdue ? model::InjectAt::immediate : model::InjectAt::turn_end;
    }
    draft.address =
        subscriber.address.value_or(group.scope.session_id.empty() ? model::Address::user : model::Address::session);
    draft.ttl = subscriber.ttl.value_or(base::Duration{});
    draft.target = subscriber.target.value_or(model::Target::agent);
    draft.handler = subscriber.handler.value_or(model::Handler::system);
    draft.directive = subscriber.directive;
    draft.follow_up = why == Leaving::follow_up;
    draft.severity = model::Severity::debug;
    std::int64_t depth = 0;
    for (const model::WaitingRow& row : rows) {
        draft.severity = std::max(draft.severity, row.severity);
        draft.events.push_back({row.event_id, row.sequence, row.count, row.dedupe_key});
        if (draft.handler == model::Handler::agent) depth = std::max(depth, chain_depth_of(row));
    }
    const model::Axes asked = model::axes_of(draft);
    if (depth > 0 && rules::deepen(draft, depth)) made.asked = asked;
    return made;
}

void Notify::render(model::Notification& draft, const Listener& listener, std::span<const model::WaitingRow> rows,
                    base::Timestamp now) {
    const model::Subscriber& subscriber = *listener.subscriber;
    text::NotificationInput input{
        subscriber.id, subscriber.name, draft.priority, draft.inject_at, draft.severity, draft.follow_up, {}, now};
    input.rows.reserve(rows.size());
    for (const model::WaitingRow& row : rows) input.rows.push_back({row.event_json, row.count});
    text::NotificationText rendered =
        text::render_notification(input, listener.content, listener.text, &set_->includes());
    if (!rendered.problem.empty() && complaints_.size() < complaints_max && complained_.insert(subscriber.id).second) {
        complaints_.push_back("subscriber " + subscriber.id + ": " + rendered.problem);
    }
    draft.content = std::move(rendered.content);
    draft.text = std::move(rendered.text);
    draft.model_tokens = rules::estimate_model_tokens(draft.content);
}

void Notify::release(Group& group, const Listener& listener, std::span<const model::WaitingRow> rows, Leaving why,
                     Unit& unit) {
    touch(group);
    for (const model::WaitingRow& row : rows) {
        if (row.stored_count > 0) gone_.push_back(row.ordinal);
        waiting_bytes_ -= std::min(waiting_bytes_, row.event_json.size());
    }
    NewNotification made = draft_of(group, *listener.subscriber, rows, why);
    render(made.notification, listener, rows, unit.now);
    made.source = source_of(rows, *listener.subscriber);
    made.visible = listener.subscriber->visible;
    made.user_is_named = group.scope.user_id != ledger_.owner() || names_user(rows);
    ledger_.add(std::move(made), unit);
}

}  // namespace belfry::engine
