#pragma once

#include <memory>

#include "net/exchange.hpp"
#include "ports/streams.hpp"

namespace belfry::net::handlers {

// Answers with up to `limit` entries from the cursor on, fetching what is not in memory. A page of a filtered stream
// may hold fewer, even none, and still have more behind it: it says where to go on.
void answer_page(const Reply& to, std::unique_ptr<ports::Cursor> cursor, std::size_t limit);

}  // namespace belfry::net::handlers
