#pragma once

#include <string>
#include <string_view>

namespace belfry::net {

// The interface as OpenAPI 3.1: the table of routes with the schemas below.
const std::string& openapi_document();

// components/schemas, an object of JSON.
const std::string& openapi_schemas();

// Its members, joined by commas, in files of their own.
std::string_view openapi_event_schemas();
std::string_view openapi_session_schemas();
std::string_view openapi_notification_schemas();
std::string_view openapi_delivery_schemas();
std::string_view openapi_interaction_schemas();
std::string_view openapi_change_set_schemas();
std::string_view openapi_context_schemas();
std::string_view openapi_run_schemas();
std::string_view openapi_agent_schemas();
std::string_view openapi_timer_schemas();
std::string_view openapi_message_schemas();
std::string_view openapi_memory_schemas();
std::string_view openapi_sync_schemas();
const std::string& openapi_journal_schemas();
std::string_view openapi_web_schemas();

}  // namespace belfry::net
