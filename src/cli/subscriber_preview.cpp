#include "cli/subscriber_preview.hpp"

#include <algorithm>

#include "cli/events_input.hpp"
#include "cli/sample_events.hpp"
#include "codec/event.hpp"
#include "model/value_json.hpp"
#include "rules/admit.hpp"
#include "rules/batch.hpp"
#include "rules/dedupe_key.hpp"
#include "rules/match.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::cli {
namespace {

base::Result<std::vector<model::Event>> read_file_events(const std::string& path, base::Timestamp now) {
    TRY_ASSIGN(const model::Value values, read_events(path));
    std::vector<model::Event> events;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto event = codec::parse_event(model::to_json(values.items()[i]));
        if (event.ok() && event->source.empty()) event->source = "example";
        auto admitted = event.ok() ? rules::admit(*event, now) : base::Result<void>(event.error());
        if (!admitted.ok()) {
            const std::string field = admitted.error().field.empty() ? "" : admitted.error().field + ": ";
            return base::error(admitted.error().code,
                               path + ": event " + std::to_string(i + 1) + ": " + field + admitted.error().message);
        }
        events.push_back(std::move(event).value());
    }
    return events;
}

// Batches of one subscriber, in one scope and at one moment.
class Rehearsal {
public:
    Rehearsal(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates, base::Timestamp now)
        : subscriber_(subscriber), templates_(templates), now_(now), index_({&subscriber, 1}) {}

    base::Result<Previews> run(const std::vector<model::Event>& events) {
        TRY_ASSIGN(const rules::DedupeKey key, rules::DedupeKey::parse(subscriber_.dedupe_key));
        for (const model::Event& event : events) take(event, key);
        if (!batch_.empty()) render(batch_.leave(now_, subscriber_.dedupe_window), false);
        const auto repeats = batch_.end_windows(now_ + subscriber_.dedupe_window);
        if (!repeats.empty()) render(repeats, true);
        return std::move(previews_);
    }

private:
    void take(const model::Event& event, const rules::DedupeKey& dedupe_key) {
        std::vector<std::uint32_t> found;
        index_.match(event.type, event.source, *event.severity, found);
        // Whether another subscriber would want it is not asked here.
        const bool rings = subscriber_.unmatched && *event.severity >= model::Severity::error;
        if (found.empty() && !rings) {
            ++previews_.not_wanted;
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
        Preview made;
        made.subscriber = &subscriber_;
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
        made.rendered = text::render_notification(input, templates_.content_of(subscriber_),
                                                  templates_.text_of(subscriber_), &templates_);
        made.tokens = rules::estimate_model_tokens(made.rendered.content);
        previews_.made.push_back(std::move(made));
    }

    const model::Subscriber& subscriber_;
    const text::SubscriberTemplates& templates_;
    base::Timestamp now_;
    rules::SubscriberIndex index_;
    rules::Batch batch_;
    Previews previews_;
};

}  // namespace

base::Result<Previews> preview(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                               const std::optional<std::string>& file, base::Timestamp now) {
    std::vector<model::Event> events;
    if (file) {
        TRY_ASSIGN(events, read_file_events(*file, now));
    } else {
        events = sample_events(subscriber, now);
        for (model::Event& event : events) TRY(rules::admit(event, now));
    }
    return Rehearsal(subscriber, templates, now).run(events);
}

std::string preview_title(const Preview& preview) {
    std::string title = "-- " + preview.subscriber->id + (preview.follow_up ? " (follow-up) " : " ");
    title += std::string(model::priority_name(preview.subscriber->priority)) + ' ';
    title += std::string(model::inject_at_name(preview.subscriber->inject_at)) + ": ";
    title += std::to_string(preview.events) + (preview.events == 1 ? " event" : " events");
    title += ", " + std::to_string(preview.tokens) + " tokens";
    return preview.rendered.used_fallback ? title + ", the fallback" : title;
}

std::string preview_json(const Preview& preview) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("subscriber", preview.subscriber->id);
    writer.field("priority", model::priority_name(preview.subscriber->priority));
    writer.field("inject_at", model::inject_at_name(preview.subscriber->inject_at));
    writer.field("severity", model::severity_name(preview.severity));
    writer.name("follow_up").boolean(preview.follow_up);
    writer.field("rows", static_cast<long long>(preview.rows)).field("events", static_cast<long long>(preview.events));
    writer.field("tokens", static_cast<long long>(preview.tokens));
    writer.field("content", preview.rendered.content).field("text", preview.rendered.text);
    writer.name("used_fallback").boolean(preview.rendered.used_fallback);
    writer.field("problem", preview.rendered.problem).end_object();
    return json;
}

}  // namespace belfry::cli
