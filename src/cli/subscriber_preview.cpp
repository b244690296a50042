#include "cli/subscriber_preview.hpp"

#include "cli/events_input.hpp"
#include "codec/event.hpp"
#include "codec/notification_json.hpp"
#include "model/value_json.hpp"
#include "view/rehearse.hpp"

namespace belfry::cli {
namespace {

base::Result<std::vector<model::Event>> read_file_events(const std::string& path) {
    TRY_ASSIGN(const model::Value values, read_events(path));
    std::vector<model::Event> events;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto event = codec::parse_event(model::to_json(values.items()[i]));
        if (!event.ok()) {
            const std::string field = event.error().field.empty() ? "" : event.error().field + ": ";
            return base::error(event.error().code,
                               path + ": event " + std::to_string(i + 1) + ": " + field + event.error().message);
        }
        if (event->source.empty()) event->source = "example";
        events.push_back(std::move(event).value());
    }
    return events;
}

}  // namespace

base::Result<model::Rehearsal> preview(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                                       const std::optional<std::string>& file, base::Timestamp now) {
    if (!file) return view::rehearse(subscriber, templates, {}, now);
    TRY_ASSIGN(std::vector<model::Event> events, read_file_events(*file));
    if (events.empty()) return model::Rehearsal{};
    auto rehearsal = view::rehearse(subscriber, templates, std::move(events), now);
    if (!rehearsal.ok()) return base::error(rehearsal.error().code, *file + ": " + rehearsal.error().message);
    return rehearsal;
}

std::string preview_title(const model::Subscriber& subscriber, const model::Rehearsed& made) {
    std::string title = "-- " + subscriber.id + (made.follow_up ? " (follow-up) " : " ");
    title += std::string(model::priority_name(subscriber.priority)) + ' ';
    title += std::string(model::inject_at_name(subscriber.inject_at)) + ": ";
    title += std::to_string(made.events) + (made.events == 1 ? " event" : " events");
    title += ", " + std::to_string(made.tokens) + " tokens";
    return made.used_fallback ? title + ", the fallback" : title;
}

std::string preview_json(const model::Subscriber& subscriber, const model::Rehearsed& made) {
    std::string json;
    model::JsonWriter writer(json);
    codec::append_rehearsed(writer, subscriber, made);
    return json;
}

}  // namespace belfry::cli
