#pragma once

#include "ports/store_journal.hpp"
#include "store/database.hpp"

namespace belfry::store {

// A list costs what it looks at: candidates along its terms, newest first, in slices; of each the other terms, one
// probe of a key a term; and the records of the page.
class SqlJournalReading final : public ports::JournalReading {
public:
    explicit SqlJournalReading(Database& database) : database_(database) {}

    base::Result<std::vector<model::JournalRecord>> find(std::string_view user_id, std::span<const std::string> ids,
                                                         const ports::JournalScope& categories) override;
    base::Result<ports::JournalPage> list(const ports::JournalFilter& filter) override;
    base::Result<std::vector<std::string>> terms_from(std::string_view user_id, std::string_view prefix,
                                                      std::size_t limit) override;
    base::Result<std::vector<model::Link>> links(const ports::LinkFilter& filter) override;
    base::Result<std::vector<model::JournalRecord>> records_after(std::string_view user_id, std::int64_t number,
                                                                  const ports::JournalScope& categories,
                                                                  std::size_t limit) override;
    base::Result<std::vector<model::Link>> links_after(const ports::LinkName& last,
                                                       const ports::JournalScope& categories,
                                                       std::size_t limit) override;
    base::Result<bool> holds_anything(std::string_view user_id) override;

private:
    Database& database_;
};

}  // namespace belfry::store
