#pragma once

#include "ports/store_interactions.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlInteractionTable final : public ports::InteractionTable {
public:
    explicit SqlInteractionTable(Database& database) : database_(database) {}

    base::Result<void> add(const model::Interaction& interaction) override;
    base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) override;
    base::Result<bool> settle(const model::Interaction& interaction) override;
    base::Result<std::int64_t> count_pending(std::string_view user_id, std::string_view session_id) override;
    base::Result<std::vector<model::Interaction>> pending(std::string_view user_id, std::string_view session_id,
                                                          std::size_t limit) override;
    base::Result<bool> is_always_allowed(std::string_view session_id, std::string_view tool_name) override;
    base::Result<std::vector<model::Interaction>> allowing(std::string_view session_id,
                                                           std::string_view tool_name) override;
    base::Result<void> take_back(const model::InteractionId& id) override;
    base::Result<std::vector<model::Interaction>> overdue(base::Timestamp now, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> next_deadline() override;
    base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) override;

private:
    Database& database_;
};

class SqlInteractionReading final : public ports::InteractionReading {
public:
    explicit SqlInteractionReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) override;
    base::Result<std::vector<model::Interaction>> list(const ports::InteractionFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
