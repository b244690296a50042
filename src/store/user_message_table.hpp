#pragma once

#include "ports/store_interactions.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlUserMessageTable final : public ports::UserMessageTable {
public:
    explicit SqlUserMessageTable(Database& database) : database_(database) {}

    base::Result<void> wait(const model::MessageId& id) override;
    base::Result<std::int64_t> count(std::string_view session_id) override;
    base::Result<std::optional<ports::WordsPlace>> place(const model::MessageId& id, base::Timestamp now) override;
    base::Result<std::vector<model::SessionMessage>> due(std::string_view session_id, base::Timestamp now,
                                                         std::size_t limit) override;
    base::Result<std::vector<std::string>> sessions(std::string_view after, std::size_t limit) override;
    base::Result<void> hand_over(std::span<const model::MessageId> ids, const base::Uuid& pull_id,
                                 base::Timestamp until) override;
    base::Result<std::int64_t> confirm(std::string_view session_id, const base::Uuid& pull_id) override;
    base::Result<void> confirm_held(std::string_view session_id, base::Timestamp now) override;
    base::Result<void> let_go(std::string_view session_id, const std::optional<base::Uuid>& pull_id) override;
    base::Result<void> renew(std::string_view session_id, const std::optional<base::Uuid>& pull_id, base::Timestamp now,
                             base::Timestamp until) override;

private:
    Database& database_;
};

}  // namespace belfry::store
