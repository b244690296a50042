#pragma once

#include <memory>

#include "net/exchange.hpp"
#include "ports/streams.hpp"

namespace belfry::net::handlers {

// Answers with up to `limit` entries from the cursor on, fetching what is not in memory. A page of a filtered stream
// may hold fewer, even none, and still have more behind it: it says where to go on.
// Entries of a run stand there as they are, others wrapped with their sequence.
enum class PageEntries : std::uint8_t { wrapped, plain };
void answer_page(const Reply& to, std::unique_ptr<ports::Cursor> cursor, std::size_t limit,
                 PageEntries entries = PageEntries::wrapped);

}  // namespace belfry::net::handlers
