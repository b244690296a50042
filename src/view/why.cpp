#include <algorithm>
#include <set>
#include <string>

#include "base/limits.hpp"
#include "model/event.hpp"
#include "model/handle.hpp"
#include "rules/dedupe_key.hpp"
#include "rules/may.hpp"
#include "rules/type_pattern.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"

namespace belfry::view {
namespace {

using Repeats = ports::NotificationReading::Repeats;
constexpr base::Duration late_max = base::days(7);  // that a daemon may have been down

using base::Code;
using ports::Why;
using ports::WhyVerdict;
namespace limits = base::limits;

std::string text_of(model::JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member && member->kind() == model::JsonKind::string ? member->as_text() : std::string();
}

// As far as subscribers look at it.
model::Event event_of(const ports::FoundEvent& found) {
    const model::JsonView json{found.json};
    model::Event event;
    event.type = text_of(json, "type");
    event.source = text_of(json, "source");
    event.severity = model::parse_severity(text_of(json, "severity")).value_or(model::Severity::info);
    event.dedupe_key = text_of(json, "dedupe_key");
    event.user_id = text_of(json, "user_id");
    event.session_id = text_of(json, "session_id");
    event.agent_id = text_of(json, "agent_id");
    if (const auto payload = json.member("payload")) {
        event.payload = model::RawJson::trusted(std::string(payload->text));
    }
    return event;
}

// One question about one event, and what comes to light.
class EventInquiry {
public:
    EventInquiry(ports::Reading& reading, const model::Principal& who, const model::Catalogue& catalogue,
                 const std::string& owner, base::Timestamp now)
        : reading_(reading), who_(who), catalogue_(catalogue), owner_(owner), now_(now) {}

    base::Result<Why> run(const model::EventId& id, ports::FoundEvent found) {
        id_ = id;
        event_ = event_of(found);
        TRY(find_scope());
        TRY(may_read(reading_, who_, scope_));
        TRY(ask_subscribers());
        TRY(look_into_batches());
        TRY(look_into_ledger(found.committed_at));
        why_.event = std::move(found);
        if (why_.notifications.empty()) why_.reached_nobody = reason();
        return std::move(why_);
    }

private:
    base::Result<void> find_scope() {
        scope_ = {event_.user_id, event_.session_id, event_.agent_id};
        if (!scope_.session_id.empty()) {
            TRY_ASSIGN(const std::optional<model::Session> session, reading_.sessions().find(scope_.session_id));
            if (session && scope_.user_id.empty()) scope_.user_id = session->user_id;
            // The event of another user than the session's stayed out of the session.
            if (session && session->user_id != scope_.user_id) scope_.session_id.clear();
        }
        if (scope_.user_id.empty()) scope_.user_id = owner_;
        return {};
    }

    base::Result<void> ask_subscribers() {
        TRY_ASSIGN(const model::UserSettings settings, reading_.sessions().settings(scope_.user_id));
        const auto& off = settings.disabled_subscribers;
        for (const model::Subscriber& subscriber : catalogue_.subscribers) {
            const auto matches = [&](const std::string& pattern) { return rules::matches_type(pattern, event_.type); };
            if (std::ranges::none_of(subscriber.types, matches)) continue;
            WhyVerdict verdict = WhyVerdict::wants;
            const auto& sources = subscriber.sources;
            if (!sources.empty() && std::ranges::find(sources, event_.source) == sources.end()) {
                verdict = WhyVerdict::other_source;
            } else if (subscriber.severity_min && *event_.severity < *subscriber.severity_min) {
                verdict = WhyVerdict::below_severity;
            } else if (!subscriber.core && std::ranges::find(off, subscriber.id) != off.end()) {
                verdict = WhyVerdict::switched_off;
            }
            why_.subscribers.push_back({subscriber.id, verdict});
        }
        return {};
    }

    // Whether a row with this key of this subscriber may stand for a repeat of the event.
    bool is_repeat(std::string_view subscriber_id, const model::Scope& scope, std::string_view key) const {
        if (scope.user_id != scope_.user_id || scope.session_id != scope_.session_id) return false;
        const model::Subscriber* const subscriber = catalogue_.find(subscriber_id);
        if (subscriber == nullptr) return false;
        const auto pattern = rules::DedupeKey::parse(subscriber->dedupe_key);
        if (!pattern) return false;
        std::string own;
        pattern->append(own, event_);
        return !key.empty() && own == key;
    }

    base::Result<void> look_into_batches() {
        TRY_ASSIGN(std::vector<model::WaitingRow> rows, reading_.notifications().waiting_of(scope_.user_id));
        for (model::WaitingRow& row : rows) {
            const bool own = row.event_id == id_;
            if (!own && !(row.count > 1 && is_repeat(row.subscriber_id, row.scope, row.dedupe_key))) continue;
            why_.waiting.push_back(std::move(row));
        }
        return {};
    }

    // First around its time; what waited while the daemon was down came into being much later, and then only what
    // names the event itself can be told from later repeats.
    base::Result<void> look_into_ledger(base::Timestamp at) {
        const base::Timestamp soon = at + limits::batch_window_max + limits::dedupe_window_max + base::minutes(1);
        TRY(take_from_ledger(at, soon, Repeats::wanted));
        const bool is_found = !why_.notifications.empty() || !why_.waiting.empty();
        const base::Timestamp late = std::min(now_, at + late_max);
        return is_found || soon >= late ? base::Result<void>() : take_from_ledger(soon, late, Repeats::left_out);
    }

    // Of a subscriber that did not tell the event itself, the first one after it that counted a repeat of its key.
    base::Result<void> take_from_ledger(base::Timestamp from, base::Timestamp to, Repeats repeats) {
        TRY_ASSIGN(std::vector<model::Notification> found, reading_.notifications().of_event(id_, from, to, repeats));
        const auto is_own = [&](const model::NotifiedEvent& event) { return event.id == id_; };
        const auto holds_it = [&](const model::Notification& one) { return std::ranges::any_of(one.events, is_own); };
        std::set<std::string> told;
        for (const model::Notification& one : found) {
            if (holds_it(one)) told.insert(one.subscriber_id);
        }
        for (model::Notification& one : found) {
            const auto is_folded = [&](const model::NotifiedEvent& event) {
                return event.count > 1 && is_repeat(one.subscriber_id, one.scope, event.dedupe_key);
            };
            const bool own = holds_it(one);
            if (!own && (repeats == Repeats::left_out || std::ranges::none_of(one.events, is_folded))) continue;
            if (!own && !told.insert(one.subscriber_id).second) continue;
            if (!may_read(reading_, who_, one.scope).ok()) continue;
            TRY_ASSIGN(std::vector<model::Transition> steps, reading_.notifications().steps(one.id));
            why_.notifications.push_back({std::move(one), std::move(steps), !own});
        }
        return {};
    }

    [[nodiscard]] std::string reason() const {
        if (!why_.waiting.empty()) {
            const model::WaitingRow& first = *std::ranges::min_element(why_.waiting, {}, &model::WaitingRow::due_at);
            return "still waiting in a batch of " + first.subscriber_id + " until " +
                   base::format_timestamp(first.due_at);
        }
        if (why_.subscribers.empty()) return "nobody listens: no subscriber has a type pattern that matches";
        std::string parts;
        for (const ports::WhySubscriber& one : why_.subscribers) {
            if (one.verdict == WhyVerdict::wants) {
                return "no notification of " + one.id +
                       " holds it: it was a repeat of what had been told already, came before the subscriber did, or "
                       "its notification is gone after its time";
            }
            if (!parts.empty()) parts += "; ";
            parts += one.id;
            if (one.verdict == WhyVerdict::below_severity) parts += ": its severity_filter is above this severity";
            if (one.verdict == WhyVerdict::other_source) parts += ": it listens to other sources";
            if (one.verdict == WhyVerdict::switched_off) parts += ": switched off by " + scope_.user_id;
        }
        return parts;
    }

    ports::Reading& reading_;
    const model::Principal& who_;
    const model::Catalogue& catalogue_;
    const std::string& owner_;
    base::Timestamp now_;
    model::EventId id_;
    model::Event event_;
    model::Scope scope_;
    Why why_;
};

base::Result<Why> why_of(ports::Reading& reading, model::Notification notification) {
    Why why;
    TRY_ASSIGN(std::vector<model::Transition> steps, reading.notifications().steps(notification.id));
    why.notifications.push_back({std::move(notification), std::move(steps), false});
    return why;
}

}  // namespace

void Answers::why(const model::Principal& who, std::string_view session_id, std::string_view key,
                  std::function<void(base::Result<Why>)> done) {
    ask<Why>(
        beside_,
        [who, session = std::string(session_id), key = std::string(key), catalogue = catalogue(), owner = owner_,
         now = clock_.now()](ports::Reading& reading) -> base::Result<Why> {
            auto notification = find_notification(reading, who, session, key);
            if (notification) return why_of(reading, std::move(notification).value());
            const auto id = base::parse_uuid(key);
            const bool is_handle = model::parse_handle(key).has_value();
            if (notification.error().code != Code::not_found || is_handle) return notification.error();
            if (!id) return base::error(Code::not_found, "there is no event and no notification of this id");
            TRY_ASSIGN(std::optional<ports::FoundEvent> event, reading.event(model::EventId{*id}));
            if (!event) return base::error(Code::not_found, "there is no event and no notification of this id");
            return EventInquiry(reading, who, *catalogue, owner, now).run(model::EventId{*id}, std::move(*event));
        },
        std::move(done));
}

}  // namespace belfry::view
