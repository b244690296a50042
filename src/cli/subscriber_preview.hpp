#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/rehearsal.hpp"
#include "text/subscriber_templates.hpp"

namespace belfry::cli {

// What the subscriber would make of the events of a file (see read_events), or of sample events.
base::Result<model::Rehearsal> preview(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                                       const std::optional<std::string>& file, base::Timestamp now);

// `tool_failure high after_tool: 3 events, 41 tokens`
std::string preview_title(const model::Subscriber& subscriber, const model::Rehearsed& made);
std::string preview_json(const model::Subscriber& subscriber, const model::Rehearsed& made);

}  // namespace belfry::cli
