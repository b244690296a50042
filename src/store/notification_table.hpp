#pragma once

#include "ports/store_notifications.hpp"
#include "store/database.hpp"

namespace belfry::store {

// Notifications by ordinal. An ordinal is never given twice, also where the newest ones were erased: the ledger's row
// remembers the last one.
class SqlNotificationTable final : public ports::NotificationTable {
public:
    explicit SqlNotificationTable(Database& database) : database_(database) {}

    base::Result<std::int64_t> next_ordinal() override;
    base::Result<void> insert(std::span<const model::Notification> notifications) override;

    base::Result<std::vector<model::Notification>> due(const ports::DueQuestion& question) override;
    base::Result<std::int64_t> count_due(const ports::DueQuestion& question) override;
    base::Result<std::int64_t> count_open(const model::Scope& scope) override;
    base::Result<std::optional<model::Notification>> least(const model::Scope& scope, model::Severity below) override;
    base::Result<std::optional<model::Notification>> newest_pending(const model::Scope& scope,
                                                                    std::string_view subscriber_id) override;

    base::Result<std::optional<model::Notification>> find(const model::NotificationId& id) override;
    // One that belongs to no session is found under the session that is its holder.
    base::Result<std::optional<model::Notification>> find_handle(std::string_view session_id,
                                                                 std::int64_t handle) override;
    base::Result<std::vector<model::Notification>> of_pull(const base::Uuid& pull_id) override;
    base::Result<std::vector<model::Notification>> created_since(base::Timestamp since) override;

    base::Result<bool> update(const model::Notification& notification, std::int64_t lease_before) override;
    base::Result<void> pass_over(std::span<const model::NotificationId> ids) override;

    base::Result<bool> mark(const model::Notification& notification) override;
    base::Result<bool> revise(const model::Notification& notification) override;

    base::Result<std::optional<model::Notification>> find_key(std::string_view user_id,
                                                              std::string_view deduplication_key) override;
    base::Result<std::optional<model::Notification>> find_held_key(std::string_view user_id,
                                                                   std::string_view deduplication_key,
                                                                   std::int64_t lease) override;
    base::Result<std::vector<model::Notification>> overdue(base::Timestamp now, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> next_deadline() override;
    base::Result<std::vector<model::Notification>> for_interfaces(const InterfaceQuestion& question) override;
    base::Result<std::vector<model::Notification>> held_by_session(std::string_view session_id) override;
    base::Result<std::vector<model::Notification>> leases_of_session(std::string_view session_id) override;
    base::Result<std::int64_t> renew(std::span<const model::Notification> rows) override;
    base::Result<ports::Facts> facts(const ports::FactQuestion& question) override;
    std::int64_t next_fact_number() override;
    base::Result<void> put_facts(std::span<const model::Notification> rows) override;
    base::Result<bool> has_open_retry(std::string_view user_id, const model::NotificationId& id) override;
    base::Result<std::optional<std::int64_t>> depth_held(std::string_view session_id) override;
    base::Result<std::optional<std::int64_t>> depth_held_by(std::string_view holder) override;
    base::Result<std::vector<model::Notification>> open_of_session(std::string_view session_id,
                                                                   std::size_t limit) override;
    base::Result<void> add_steps(std::span<const model::Transition> steps) override;
    base::Result<std::int64_t> count_steps(const model::NotificationId& id, std::string_view reason) override;

    base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) override;
    // Those in sessions of this user too.
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

    // A transaction has begun, which will be this commit.
    void begun(std::uint64_t commit_number) {
        commit_number_ = static_cast<std::int64_t>(commit_number);
        steps_added_ = facts_numbered_ = 0;
    }

private:
    base::Result<std::vector<model::Notification>> due_in(const std::string& queue, const ports::DueQuestion& question);
    // A deletion that gives back the ids of what it deleted, together with the steps of their way.
    base::Result<std::uint64_t> drop_with_steps(const Sql& deletion, std::initializer_list<Param> params);

    Database& database_;
    std::int64_t commit_number_ = 0;
    std::int64_t steps_added_ = 0;     // in this transaction
    std::int64_t facts_numbered_ = 0;  // in this transaction
};

}  // namespace belfry::store
