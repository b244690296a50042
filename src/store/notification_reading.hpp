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
    base::Result<Figures> figures(std::string_view user_id) override;

    base::Result<std::vector<model::Transition>> steps(const model::NotificationId& id) override;
    base::Result<std::vector<model::Notification>> of_event(const model::EventId& id, base::Timestamp from,
                                                            base::Timestamp to, Repeats repeats) override;
    base::Result<std::vector<model::WaitingRow>> waiting_of(std::string_view user_id) override;
    base::Result<std::int64_t> count_waiting(std::string_view user_id, std::string_view session_id) override;
    base::Result<ports::Due> due(const ports::DueQuestion& question) override;
    base::Result<ports::Facts> facts(const ports::FactQuestion& question) override;
    base::Result<std::vector<model::Notification>> inbox(const InboxQuestion& question) override;
    base::Result<InboxCounts> inbox_counts(std::string_view user_id, std::string_view session_id) override;

private:
    Database& database_;
};

}  // namespace belfry::store
