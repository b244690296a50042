#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/subscriber.hpp"
#include "text/notification_text.hpp"
#include "text/subscriber_templates.hpp"

namespace belfry::cli {

// A notification that a subscriber would make.
struct Preview {
    const model::Subscriber* subscriber = nullptr;
    bool follow_up = false;
    model::Severity severity = model::Severity::debug;
    std::size_t rows = 0;
    std::int64_t events = 0;  // with their repeats
    std::int64_t tokens = 0;  // that the content takes, estimated
    text::NotificationText rendered;
};

struct Previews {
    std::vector<Preview> made;
    std::size_t not_wanted = 0;  // events of other types, sources or severities
};

// What the subscriber would make of the events of a file (see read_events), or of sample events, if all came at this
// moment: batches, repeats and follow-ups by the same rules as in the engine.
base::Result<Previews> preview(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                               const std::optional<std::string>& file, base::Timestamp now);

// `tool_failure high after_tool: 3 events, 41 tokens`
std::string preview_title(const Preview& preview);
std::string preview_json(const Preview& preview);

}  // namespace belfry::cli
