#pragma once

#include "ports/store_context.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlContextTable final : public ports::ContextTable {
public:
    explicit SqlContextTable(Database& database) : database_(database) {}

    base::Result<void> put(const model::ContextValue& value) override;
    base::Result<bool> remove(const model::ContextKey& key, base::Timestamp now) override;
    base::Result<std::vector<model::ContextValue>> in_scope(const ports::ContextScope& scope) override;
    base::Result<std::int64_t> count_others(const model::ContextKey& key, base::Timestamp now) override;
    base::Result<std::uint64_t> drop_expired(base::Timestamp now, std::size_t limit) override;
    base::Result<void> drop_expired_of(std::string_view user_id, base::Timestamp now) override;
    base::Result<void> remove_session(std::string_view session_id) override;
    base::Result<void> set_back(base::Duration by) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

class SqlContextReading final : public ports::ContextReading {
public:
    explicit SqlContextReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::ContextValue>> find(const model::ContextKey& key, base::Timestamp now) override;
    base::Result<std::vector<model::ContextValue>> in_scope(const ports::ContextScope& scope) override;
    base::Result<std::vector<model::ContextValue>> list(const ports::ContextFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
