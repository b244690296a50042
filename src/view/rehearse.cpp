#include "view/rehearse.hpp"

#include <algorithm>

#include "rules/admit.hpp"
#include "rules/batch.hpp"
#include "rules/dedupe_key.hpp"
#include "rules/match.hpp"
#include "rules/model_tokens.hpp"
#include "text/notification_text.hpp"
#include "view/sample_events.hpp"

namespace belfry::view {
namespace {

// Batches of one subscriber, in one scope and at one moment.
class Stage {
public:
    Stage(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates, base::Timestamp now)
        : subscriber_(subscriber), templates_(templates), now_(now), index_({&subscriber, 1}) {}

    base::Result<model::Rehearsal> run(std::vector<model::Event> events) {
        TRY_ASSIGN(const rules::DedupeKey key, rules::DedupeKey::parse(subscriber_.dedupe_key));
        for (const model::Event& event : events) take(event, key);
        if (!batch_.empty()) render(batch_.leave(now_, subscriber_.dedupe_window), false);
        const auto repeats = batch_.end_windows(now_ + subscriber_.dedupe_window);
        if (!repeats.empty()) render(repeats, true);
        rehearsal_.events = std::move(events);
        return std::move(rehearsal_);
    }

private:
    void take(const model::Event& event, const rules::DedupeKey& dedupe_key) {
        std::vector<std::uint32_t> found;
        index_.match(event.type, event.source, *event.severity, found);
        // Whether another subscriber would want it is not asked here.
        const bool rings = subscriber_.unmatched && *event.severity >= model::Severity::error;
        if (found.empty() && !rings) {
            ++rehearsal_.not_wanted;
            return;
        }
        std::string key;
        dedupe_key.append(key, event);
        std::string json;
        model::append_event_json(json, event);
        batch_.take({key, event.id, 0, *event.severity, json, now_}, subscriber_.window, subscriber_.dedupe_window);
        const bool at_once = subscriber_.priority == model::Priority::critical || subscriber_.window.us == 0;
        if (batch_.size() < (at_once ? 1 : subscriber_.max_size)) return;
        render(batch_.leave(now_, subscriber_.dedupe_window), false);
    }

    void render(const std::vector<model::WaitingRow>& rows, bool follow_up) {
        model::Rehearsed made;
        made.follow_up = follow_up;
        made.rows = rows.size();
        text::NotificationInput input;
        for (const model::WaitingRow& row : rows) {
            input.rows.push_back({row.event_json, row.count});
            made.events += row.count;
            made.severity = std::max(made.severity, row.severity);
        }
        input.subscriber_id = subscriber_.id;
        input.subscriber_name = subscriber_.name;
        input.priority = subscriber_.priority;
        input.inject_at = subscriber_.inject_at;
        input.severity = made.severity;
        input.follow_up = follow_up;
        input.now = now_;
        text::NotificationText rendered = text::render_notification(input, templates_.content_of(subscriber_),
                                                                    templates_.text_of(subscriber_), &templates_);
        made.tokens = rules::estimate_model_tokens(rendered.content);
        made.content = std::move(rendered.content);
        made.text = std::move(rendered.text);
        made.used_fallback = rendered.used_fallback;
        made.problem = std::move(rendered.problem);
        rehearsal_.made.push_back(std::move(made));
    }

    const model::Subscriber& subscriber_;
    const text::SubscriberTemplates& templates_;
    base::Timestamp now_;
    rules::SubscriberIndex index_;
    rules::Batch batch_;
    model::Rehearsal rehearsal_;
};

}  // namespace

base::Result<model::Rehearsal> rehearse(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                                        std::vector<model::Event> events, base::Timestamp now) {
    if (events.empty()) events = sample_events(subscriber, now);
    for (std::size_t i = 0; i < events.size(); ++i) {
        auto admitted = rules::admit(events[i], now);
        if (admitted.ok()) continue;
        const std::string field = admitted.error().field.empty() ? "" : admitted.error().field + ": ";
        return base::error(admitted.error().code,
                           "event " + std::to_string(i + 1) + ": " + field + admitted.error().message, "events");
    }
    return Stage(subscriber, templates, now).run(std::move(events));
}

}  // namespace belfry::view
