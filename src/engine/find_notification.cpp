#include "engine/find_notification.hpp"

#include "model/handle.hpp"

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
    const auto handle = model::parse_handle(key);
    if (session_id.empty() || !handle) return Found{};
    return unit.store.notifications().find_handle(session_id, *handle);
}

}  // namespace belfry::engine
