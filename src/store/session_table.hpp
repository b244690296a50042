#pragma once

#include "ports/store_sessions.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlSessionTable final : public ports::SessionTable {
public:
    explicit SqlSessionTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::Session>> find(std::span<const std::string> ids) override;
    base::Result<void> put(std::span<const model::Session> sessions) override;
    base::Result<void> empty(std::string_view id) override;
    base::Result<void> add_node(const model::ContextNode& node) override;
    base::Result<std::optional<model::ContextNode>> find_node(std::string_view session_id,
                                                              const model::NodeId& id) override;
    base::Result<void> append_system_messages(std::span<const SystemMessages> messages) override;
    base::Result<std::optional<model::ContextNode>> find_system_message(std::string_view session_id,
                                                                        const base::Uuid& notification_id,
                                                                        base::Timestamp since) override;
    base::Result<void> put_system_messages(const model::ContextNode& node) override;
    base::Result<void> add_message(const model::SessionMessage& message) override;
    base::Result<std::optional<std::int64_t>> message_ordinal(const model::MessageId& id) override;

    base::Result<void> add_reminder(const model::Reminder& reminder) override;
    base::Result<std::vector<model::Reminder>> reminders(std::string_view session_id) override;
    base::Result<void> remove_reminder(const base::Uuid& id) override;

    base::Result<std::optional<base::Timestamp>> next_timeout() override;
    base::Result<std::vector<std::string>> timed_out(base::Timestamp now, std::size_t limit) override;

    // At most `limit` rows at once, a session's own row after all that belongs to it: notifications and what waits in
    // its batches too. Counts rows.
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace belfry::store
