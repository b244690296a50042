#pragma once

#include "ports/store_journal.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlJournalTable final : public ports::JournalTable {
public:
    explicit SqlJournalTable(Database& database) : database_(database) {}

    base::Result<std::int64_t> last_number() override;
    base::Result<std::vector<model::JournalRecord>> find(std::string_view user_id,
                                                         std::span<const std::string> ids) override;
    base::Result<void> put(std::span<const model::JournalRecord> records) override;
    base::Result<void> add_terms(std::span<const ports::JournalTerm> terms) override;
    base::Result<void> remove_terms(std::span<const ports::JournalTerm> terms) override;
    base::Result<std::vector<std::string>> with_term(std::string_view user_id, std::string_view term,
                                                     std::size_t limit) override;
    base::Result<ports::JournalPage> list(const ports::JournalFilter& filter) override;
    base::Result<std::vector<model::Link>> find_links(std::span<const ports::LinkName> names) override;
    base::Result<std::vector<model::Link>> links_of(std::string_view user_id, std::span<const std::string> ids,
                                                    std::size_t limit) override;
    base::Result<void> put_links(std::span<const model::Link> links) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

// Those of these ids that are there, with where they lie.
base::Result<std::vector<model::JournalRecord>> find_records(Database& database, std::string_view user_id,
                                                             std::span<const std::string> ids,
                                                             const ports::JournalScope& categories);

}  // namespace belfry::store
