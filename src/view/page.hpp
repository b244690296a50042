#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "model/notification.hpp"

namespace belfry::view {

inline std::size_t bytes_of(const model::Notification& one) {
    return one.content.size() + one.text.size() + one.metadata.bytes().size();
}

// Reads a page of rows that may be large a few at a time, and no further than an answer can hold: it ends with the row
// after the one that fills limits::page_bytes_max, so that whoever writes the answer sees that more follow. `read`
// gives up to so many rows that follow the last one of those it is shown; `size` is about what one holds.
template <class Row, class Read, class Size>
base::Result<std::vector<Row>> read_page(std::size_t limit, Read read, Size size) {
    constexpr std::size_t rows_at_once = 16;
    std::vector<Row> page;
    std::size_t bytes = 0;
    while (page.size() < limit) {
        const std::size_t wanted = std::min(rows_at_once, limit - page.size());
        TRY_ASSIGN(std::vector<Row> rows, read(wanted, std::as_const(page)));
        const bool is_last = rows.size() < wanted;
        for (Row& row : rows) {
            const bool is_full = bytes >= base::limits::page_bytes_max;
            bytes += size(row);
            page.push_back(std::move(row));
            if (is_full) return page;
        }
        if (is_last) break;
    }
    return page;
}

}  // namespace belfry::view
