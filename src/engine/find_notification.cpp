#include "engine/find_notification.hpp"

#include <charconv>

namespace belfry::engine {

base::Result<std::optional<model::Notification>> find_notification(const std::string& session_id,
                                                                   const std::string& key, Unit& unit) {
    using Found = std::optional<model::Notification>;
    if (const auto uuid = base::parse_uuid(key)) {
        TRY_ASSIGN(Found found, unit.store.notifications().find(model::NotificationId{*uuid}));
        const bool is_elsewhere =
            found && !session_id.empty() && found->handed_to != session_id && found->scope.session_id != session_id;
        return is_elsewhere ? Found{} : std::move(found);
    }
    if (session_id.empty() || !key.starts_with('n')) return Found{};
    std::int64_t handle = 0;
    const char* const end = key.data() + key.size();
    const auto read = std::from_chars(key.data() + 1, end, handle);
    if (read.ec != std::errc{} || read.ptr != end) return Found{};
    return unit.store.notifications().find_handle(session_id, handle);
}

}  // namespace belfry::engine
