#pragma once

#include <string_view>

#include "base/result.hpp"
#include "client/delivery_types.hpp"

// The daemon's answers about notifications as types; see answers.hpp.
namespace belfry::client {

base::Result<NotificationState> read_notification(std::string_view body);
// Adds a page; gives where the next one begins, 0 after the last.
base::Result<std::int64_t> read_notifications(std::string_view body, std::vector<NotificationState>& into);
base::Result<std::int64_t> read_inbox(std::string_view body, InboxState& into);
// Gives back the id to go on after; empty: there is no more.
base::Result<std::string> read_sink_calls(std::string_view body, std::vector<SinkCallState>& into);
base::Result<WhyState> read_why(std::string_view body);
base::Result<ToolState> read_tool(std::string_view body);
// Adds a page; gives the name after which the next one begins, empty after the last.
base::Result<std::string> read_tools(std::string_view body, std::vector<ToolState>& into);

}  // namespace belfry::client
