#include "text/notification_text.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "model/value_json.hpp"
#include "text/toon.hpp"
#include "text/utf8.hpp"

namespace belfry::text {
namespace {

using model::Value;

constexpr std::array<std::string_view, 9> sentence_members{
    "message", "error_message", "summary", "result_summary", "text", "title", "pattern", "path", "event_name"};
constexpr std::string_view cut_mark = "…";
// Of a content as JSON, which is how its readers get it: whoever can read the largest event can read it.
constexpr std::size_t content_bytes_max = base::limits::event_bytes_max;

std::size_t bytes_as_json(std::string_view text) {
    std::size_t bytes = text.size();
    for (const char c : text) {
        if (c == '"' || c == '\\' || c == '\n') bytes += 1;
        else if (static_cast<unsigned char>(c) < 0x20) bytes += 5;
    }
    return bytes;
}

void cut(std::string& text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return;
    std::size_t end = bytes_max - std::min(bytes_max, cut_mark.size());
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text += cut_mark;
}

std::string more_times(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " more time" : " more times");
}

Value times_of(const NotificationInput& input, std::int64_t count) {
    return input.follow_up ? Value::string(more_times(count)) : Value::integer(count);
}

// To be put behind a sentence.
std::string again(const NotificationInput& input, std::int64_t count) {
    if (input.follow_up) return " (" + more_times(count) + ')';
    return count > 1 ? " (" + std::to_string(count) + " times)" : "";
}

// The time of day of an RFC 3339 time in UTC, as the log has them.
std::string_view time_of_day(const Value& event) {
    constexpr std::size_t from = 11;
    const Value* time = event.find("timestamp");
    return time == nullptr || time->text().size() < from + 8 ? std::string_view() : time->text().substr(from, 8);
}

bool has_repeats(const NotificationInput& input) {
    return input.follow_up || std::ranges::any_of(input.rows, [](const NotificationRow& row) { return row.count > 1; });
}

Value event_of(const NotificationInput& input, const NotificationRow& row) {
    Value event = model::value_from({row.event_json});
    if (!event.is_object()) event = Value::object();
    event.set("count", Value::integer(row.count));
    event.set("times", times_of(input, row.count));
    event.set("again", Value::string(again(input, row.count)));
    event.set("follow_up", Value::boolean(input.follow_up));
    event.set("ts", Value::string(time_of_day(event)));
    return event;
}

Value about(const NotificationInput& input) {
    Value notification = Value::object(7);
    notification.append("subscriber", Value::string(input.subscriber_id));
    notification.append("name", Value::string(input.subscriber_name));
    notification.append("priority", Value::string(model::priority_name(input.priority)));
    notification.append("inject_at", Value::string(model::inject_at_name(input.inject_at)));
    notification.append("severity", Value::string(model::severity_name(input.severity)));
    notification.append("follow_up", Value::boolean(input.follow_up));
    notification.append("repeats", Value::boolean(has_repeats(input)));
    return notification;
}

std::string_view text_member(const Value& event, std::string_view name) {
    const Value* member = event.find(name);
    return member == nullptr ? std::string_view() : member->text();
}

std::string encoded(std::string_view name, Value value) {
    Value root = Value::object(1);
    root.append(name, std::move(value));
    auto encoded = toon_encode(root);
    ASSERT(encoded.ok());  // three levels
    return std::move(encoded).value();
}

std::string message_table(const NotificationInput& input, const Value& events, std::string_view name,
                          std::size_t message_bytes_max) {
    const bool repeats = has_repeats(input);
    Value rows = Value::array(events.size());
    for (const Value& event : events.items()) {
        Value row = Value::object(4);
        row.append("type", Value::string(text_member(event, "type")));
        row.append("source", Value::string(text_member(event, "source")));
        std::string message = event_message(event);
        cut(message, message_bytes_max);
        row.append("message", Value::string(message));
        if (repeats) row.append("times", *event.find("times"));
        rows.push(std::move(row));
    }
    return encoded(name, std::move(rows));
}

// Messages are cut only where the whole would be too long, and no shorter than it must be; how many there are stays.
std::string fallback_content(const NotificationInput& input, const Value& events) {
    // Of one kind they are the subscriber's; of several they are just notifications.
    const auto is_of_first_kind = [&](const Value& event) {
        return text_member(event, "type") == text_member(events.items().front(), "type");
    };
    const bool is_one_kind = std::ranges::all_of(events.items(), is_of_first_kind);
    const std::string_view name = is_one_kind ? input.subscriber_id : std::string_view("notifications");
    std::string content = message_table(input, events, name, std::string::npos);
    for (std::size_t bytes = content_bytes_max / 2; bytes_as_json(content) > content_bytes_max && bytes > 0;
         bytes /= 2) {
        content = message_table(input, events, name, bytes);
    }
    if (bytes_as_json(content) <= content_bytes_max) return content;
    return encoded(name, Value::string(std::to_string(events.size()) + " events; too many to be listed"));
}

// One event is one line, whatever its message holds.
void append_in_one_line(std::string& out, std::string_view text) {
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
}

std::string plain_text(const NotificationInput& input, const Value& events) {
    std::string out(input.subscriber_name.empty() ? input.subscriber_id : input.subscriber_name);
    const bool one = events.size() == 1;
    out += one ? ": " : ":";
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (out.size() > base::limits::notification_text_bytes_max) break;
        if (!one) out += "\n- ";
        append_in_one_line(out, event_message(events.items()[i]));
        out += again(input, input.rows[i].count);
    }
    return out;
}

// A line end before and after the content is the template's layout. Spaces are left: a reader judges them.
void trim_line_ends(std::string& text) {
    text.erase(text.find_last_not_of("\r\n") + 1);
    text.erase(0, std::min(text.find_first_not_of("\r\n"), text.size()));
}

void add_problem(std::string& problem, std::string_view more) {
    if (!problem.empty()) problem += "; ";
    problem += more;
}

// True for TOON without a value: a document of comments only, or one blank string.
bool says_nothing(const Value& document) {
    if (document.is_string()) return base::is_blank(document.text());
    return document.is_object() && document.size() == 0;
}

base::Result<std::string> content_of(const Template& source, const Value& variables, const TemplateResolver* resolver) {
    TRY_ASSIGN(std::string rendered, source.render(variables, resolver));
    trim_line_ends(rendered);
    if (base::is_blank(rendered)) return base::error(base::Code::invalid, source.name() + ": renders nothing");
    if (bytes_as_json(rendered) > content_bytes_max) {
        return base::error(base::Code::too_large, source.name() + ": renders more than " +
                                                      std::to_string(content_bytes_max) + " bytes as JSON");
    }
    const auto read = toon_decode(rendered);
    if (!read.ok()) return base::error(base::Code::invalid, source.name() + ": no TOON: " + read.error().message);
    if (says_nothing(*read)) {
        return base::error(base::Code::invalid, source.name() + ": renders nothing but comments or spaces");
    }
    return rendered;
}

}  // namespace

std::string event_message(const Value& event) {
    const Value* payload = event.find("payload");
    if (payload == nullptr) return {};
    for (const std::string_view name : sentence_members) {
        const Value* member = payload->find(name);
        if (member == nullptr || member->is_null()) continue;
        return member->is_string() ? std::string(member->text()) : model::to_json(*member);
    }
    return payload->size() == 0 ? std::string() : model::to_json(*payload);
}

Value notification_variables(const NotificationInput& input) {
    ASSERT(!input.rows.empty());
    Value events = Value::array(input.rows.size());
    std::int64_t count = 0;
    for (const NotificationRow& row : input.rows) {
        events.push(event_of(input, row));
        count += row.count;
    }
    Value variables = Value::object(5);
    variables.append("event", events.items()[0]);
    variables.append("events", std::move(events));
    variables.append("count", Value::integer(count));
    variables.append("notification", about(input));
    variables.append("timestamp", Value::string(base::format_timestamp(input.now)));
    return variables;
}

NotificationText render_notification(const NotificationInput& input, const Template* content, const Template* text,
                                     const TemplateResolver* resolver) {
    const Value variables = notification_variables(input);
    const Value& events = *variables.find("events");
    NotificationText made;
    if (content != nullptr) {
        auto rendered = content_of(*content, variables, resolver);
        if (rendered.ok()) made.content = std::move(rendered).value();
        else add_problem(made.problem, rendered.error().message);
    }
    if (made.content.empty()) {
        made.used_fallback = true;
        made.content = fallback_content(input, events);
    }
    if (text != nullptr) {
        auto rendered = text->render(variables, resolver);
        if (rendered.ok()) made.text = std::move(rendered).value();
        else add_problem(made.problem, rendered.error().message);
        trim_line_ends(made.text);
    }
    if (base::is_blank(made.text)) made.text = plain_text(input, events);
    cut(made.text, base::limits::notification_text_bytes_max);
    return made;
}

}  // namespace belfry::text
