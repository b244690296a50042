#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"
#include "model/notification.hpp"
#include "model/raw_json.hpp"
#include "model/rehearsal.hpp"
#include "model/subscriber.hpp"
#include "model/tool.hpp"

// Notifications and subscribers as readers get them, in one place for all who write them.
namespace belfry::codec {

// Text, or null where it is empty; a time, or null where there is none.
void append_text_or_null(model::JsonWriter& writer, std::string_view name, std::string_view text);
void append_time_or_null(model::JsonWriter& writer, std::string_view name, std::optional<base::Timestamp> time);

// `n7`, or null for one that was never handed over.
void append_handle(model::JsonWriter& writer, std::string_view name, std::int64_t handle);

// The array of its events: `[{"id":…,"sequence":…,"count":…}]`.
void append_notified_events(model::JsonWriter& writer, std::string_view name,
                            const std::vector<model::NotifiedEvent>& events);

// The whole of it with its delivery state. Instructions to the model, who emitted it and who holds it are no person's:
// with a user's token they are null.
enum class Readers : std::uint8_t { all, person };
void append_notification(model::JsonWriter& writer, const model::Notification& notification,
                         Readers readers = Readers::all);

// An item of a person's inbox: what an interface shows, with what the person did with it and what became of it.
void append_inbox_item(model::JsonWriter& writer, const model::Notification& notification);

// One step of a notification's way.
void append_transition(model::JsonWriter& writer, const model::Transition& step);

// `own`: what is agreed on about it where it is Belfry's own; null: somebody has registered it.
void append_tool(model::JsonWriter& writer, const model::ToolInfo& tool, const model::ToolContract* own);

// What its file says. `enabled`: for the user who is asked about; nothing where that is not known, shown as null. A
// core one is always enabled. `user_id` is shown where it is not empty.
void append_subscriber(model::JsonWriter& writer, const model::Subscriber& subscriber, std::optional<bool> enabled,
                       std::string_view user_id = {});

// A notification that the subscriber would make.
void append_rehearsed(model::JsonWriter& writer, const model::Subscriber& subscriber, const model::Rehearsed& made);

void append_subscriber_problem(model::JsonWriter& writer, const model::SubscriberProblem& problem);

}  // namespace belfry::codec
