#pragma once

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/rehearsal.hpp"
#include "text/subscriber_templates.hpp"

namespace belfry::view {

// What the subscriber would make of events, if all came at this moment: batches, repeats and follow-ups by the same
// rules as in the engine. Events that nobody could emit are refused; none at all are made up.
base::Result<model::Rehearsal> rehearse(const model::Subscriber& subscriber, const text::SubscriberTemplates& templates,
                                        std::vector<model::Event> events, base::Timestamp now);

}  // namespace belfry::view
