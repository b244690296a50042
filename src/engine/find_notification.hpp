#pragma once

#include <optional>
#include <string>

#include "engine/capability.hpp"
#include "model/notification.hpp"

namespace belfry::engine {

// A notification by its id, or by its handle (`n7`) in the session that was handed it. With a session named, an id of
// another session's is not found.
base::Result<std::optional<model::Notification>> find_notification(const std::string& session_id,
                                                                   const std::string& key, Unit& unit);

}  // namespace belfry::engine
