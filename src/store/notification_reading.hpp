#pragma once

#include "ports/store_notifications.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlNotificationReading final : public ports::NotificationReading {
public:
    explicit SqlNotificationReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::Notification>> find(const model::NotificationId& id) override;
    base::Result<std::optional<model::Notification>> find_handle(std::string_view session_id,
                                                                 std::int64_t handle) override;
    base::Result<std::vector<model::Notification>> list(const ports::NotificationFilter& filter) override;
    base::Result<Figures> figures() override;

private:
    Database& database_;
};

}  // namespace belfry::store
