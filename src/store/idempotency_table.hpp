#pragma once

#include "ports/store.hpp"
#include "store/database.hpp"

namespace belfry::store {

// Answers by request key, in the order of their giving, so that the old ones lie together and go together.
class SqlIdempotencyTable final : public ports::IdempotencyTable {
public:
    explicit SqlIdempotencyTable(Database& database) : database_(database) {}

    base::Result<void> load();
    base::Result<std::vector<ports::RememberedAnswer>> find(const std::vector<std::string>& keys,
                                                            base::Timestamp not_before) override;
    base::Result<void> put(const std::vector<ports::RememberedAnswer>& answers, base::Timestamp now) override;
    base::Result<std::uint64_t> drop(base::Timestamp older_than, std::size_t limit) override;
    base::Result<void> erase_personal() override;

private:
    Database& database_;
    std::int64_t next_ordinal_ = 1;  // may skip numbers after a rollback; only the order counts
};

}  // namespace belfry::store
