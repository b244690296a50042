#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/subscriber.hpp"
#include "model/value.hpp"
#include "text/template.hpp"

// How events become the two texts of a notification: TOON for an agent, and some lines for people. Pure: the engine and
// `belfry subscriber test` make the same of the same events.
namespace belfry::text {

// How a subscriber's templates are compiled: a tag that has a line to itself leaves no trace of that line.
inline constexpr TemplateOptions notification_template_options{.trim_blocks = true, .lstrip_blocks = true};

struct NotificationRow {
    std::string_view event_json;  // valid JSON, as readers of the log get the event
    std::int64_t count = 1;       // how often it happened; of a follow-up, how often more
};

struct NotificationInput {
    std::string_view subscriber_id;
    std::string_view subscriber_name;
    model::Priority priority = model::Priority::normal;
    model::InjectAt inject_at = model::InjectAt::turn_start;
    model::Severity severity = model::Severity::info;
    bool follow_up = false;
    std::vector<NotificationRow> rows;  // one at least
    base::Timestamp now;
};

struct NotificationText {
    std::string content;         // valid TOON; as JSON at most limits::event_bytes_max
    std::string text;            // at most limits::notification_text_bytes_max, cut between two characters
    bool used_fallback = false;  // of the content
    std::string problem;         // why a template was not used; empty: none failed
};

// What a template sees (docs/subscribers.md): `events`, each as in the log with `count`, `times` (3, `2 more times`),
// `again` (` (3 times)`, or nothing), `follow_up` and `ts` (15:30:01); `event`, the first; `count`, of all with their
// repeats; `notification`; `timestamp`.
model::Value notification_variables(const NotificationInput& input);

// Renders both texts. A content template that is null, fails, renders nothing that a reader sees (spaces, line ends,
// TOON comments), too much or what is no strict TOON gives way to the fallback: a table
// `<subscriber_id>[n]{type,source,message}` with `times` where something was repeated; its messages are whole, unless
// the table would be too long with them. A text template that is null, fails or renders blanks gives way to one line an
// event. Never fails.
NotificationText render_notification(const NotificationInput& input, const Template* content, const Template* text,
                                     const TemplateResolver* resolver = nullptr);

// What an event says in a sentence: the first member of its payload that holds one (`message`, `error_message`, …), or
// the payload as JSON.
std::string event_message(const model::Value& event);

}  // namespace belfry::text
