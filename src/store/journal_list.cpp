#include "store/journal_list.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/journal_limits.hpp"
#include "store/journal_scope.hpp"
#include "store/journal_walk.hpp"

namespace belfry::store {
namespace {

namespace limits = base::limits;
using model::JournalRecord;

base::Result<void> check_filter(const ports::JournalFilter& filter) {
    TRY(check_scope(filter.categories));
    if (filter.terms.size() > limits::journal_terms_max) {
        return base::error(base::Code::too_large,
                           "a list asks for at most " + std::to_string(limits::journal_terms_max) + " things at once");
    }
    if (filter.any_of.size() > limits::journal_ways_max) {
        return base::error(base::Code::too_large,
                           "a list chooses from at most " + std::to_string(limits::journal_ways_max) + " things");
    }
    if (filter.terms.empty() && filter.any_of.empty() && filter.range_from.empty()) {
        return base::error(base::Code::invalid, "a list needs something to go along");
    }
    return {};
}

}  // namespace

base::Result<std::vector<JournalRecord>> read_in_order(Database& database,
                                                       const std::vector<JournalAddress>& addresses) {
    TRY_ASSIGN(std::vector<JournalRecord> records, read_records(database, addresses));
    std::unordered_map<std::int64_t, std::size_t> places;
    for (std::size_t i = 0; i < addresses.size(); ++i) places[addresses[i].number] = i;
    std::ranges::sort(records, {}, [&](const JournalRecord& record) { return places[record.number]; });
    return records;
}

base::Result<ports::JournalPage> list_records(Database& database, const ports::JournalFilter& filter) {
    TRY(check_filter(filter));
    if (is_empty(filter.categories) || filter.limit == 0) return ports::JournalPage{};
    TRY_ASSIGN(JournalFound found,
               filter.range_from.empty() ? walk_newest(database, filter) : walk_range(database, filter));
    ports::JournalPage page;
    TRY_ASSIGN(page.records, read_in_order(database, found.addresses));
    page.looked_to = std::move(found.looked_to);
    return page;
}

}  // namespace belfry::store
