#pragma once

#include <string>

// The counted paths. Each has a daemon of its own in `folder`, so that a change of one path moves no other count.
namespace belfry::bench {

// Event of 400 bytes by POST /v1/events, until the answer is written.
void count_ingest(const std::string& folder);
// The same with 100 events in one request.
void count_batch_ingest(const std::string& folder);
// One event to 1,000 followers of the stream `events`, until their bytes are written.
void count_fan_out(const std::string& folder);

// Failed tool call, until the shipped subscriber `tool_failure` has made its notification.
void count_notification(const std::string& folder);
// Pull of three notifications by an agent, and the acknowledgement of that pull: two counts.
void count_delivery(const std::string& folder);

// Event that matches a wake subscription, claim of the wake, end of the wake.
void count_wake(const std::string& folder);
// Call of the built-in tool `create_task` under a claim.
void count_tool_call(const std::string& folder);

// TOON text of 100 events from a tree, and the tree from that text: two counts.
void count_toon(const std::string& folder);
// Both texts of a notification of three events by the shipped templates of `tool_failure`.
void count_template(const std::string& folder);

// Task written on one device, told to another, taken there, acknowledged.
void count_sync_record(const std::string& folder);

}  // namespace belfry::bench
