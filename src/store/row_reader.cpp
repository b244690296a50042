#include "store/row_reader.hpp"

namespace belfry::store {

base::Result<std::uint64_t> erase_rows(Database& database, std::initializer_list<const Sql*> deletions,
                                       std::string_view user_id, std::size_t limit) {
    std::uint64_t gone = 0;
    for (const Sql* deletion : deletions) {
        if (gone >= limit) break;
        TRY_ASSIGN(const std::int64_t deleted, database.run(*deletion, {bytes(user_id), number(limit - gone)}));
        gone += static_cast<std::uint64_t>(deleted);
    }
    return gone;
}

}  // namespace belfry::store
