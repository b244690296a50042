#pragma once

#include "ports/reading.hpp"
#include "ports/store.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlOutboxTable final : public ports::OutboxTable {
public:
    explicit SqlOutboxTable(Database& database) : database_(database) {}

    base::Result<void> put(const ports::Obligation& obligation) override;
    base::Result<std::vector<ports::Obligation>> claim(base::Timestamp now, base::Timestamp claim_until,
                                                       std::size_t limit) override;
    base::Result<void> release_all() override;
    base::Result<bool> update(const ports::Obligation& obligation, std::int64_t fence) override;
    base::Result<std::optional<ports::Obligation>> find(const base::Uuid& id) override;
    base::Result<bool> reopen(const base::Uuid& id, base::Timestamp now) override;
    base::Result<std::optional<base::Timestamp>> next_due() override;
    base::Result<std::uint64_t> drop_finished(base::Timestamp older_than, std::size_t limit) override;
    base::Result<std::uint64_t> drop_done(std::string_view kind, base::Timestamp older_than,
                                          std::size_t limit) override;

private:
    Database& database_;
};

// Look-ups for those who only read.
base::Result<std::optional<ports::Obligation>> find_obligation(Database& database, const base::Uuid& id);
base::Result<std::vector<ports::Obligation>> find_given_up(Database& database, std::string_view kind,
                                                           const std::optional<ports::GivenUpPlace>& after,
                                                           std::size_t limit);

}  // namespace belfry::store
