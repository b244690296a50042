#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "model/raw_json.hpp"

// How the handlers write a page of a list. Each reads one row more than it was asked for, which tells that more follow.
namespace belfry::net::handlers {

// The member `data`: at most `limit` of the rows and, beyond the first, no more than keep the answer in bounds. Returns
// the last one of them where more follow. `body` is what the writer writes to; `append` takes the writer and a row.
template <class Row, class Append>
const Row* append_data(model::JsonWriter& writer, const std::string& body, const std::vector<Row>& rows,
                       std::size_t limit, Append append) {
    writer.name("data").begin_array();
    std::size_t count = 0;
    while (count < rows.size() && count < limit && body.size() < base::limits::page_bytes_max) {
        append(writer, rows[count++]);
    }
    writer.end_array();
    return count > 0 && count < rows.size() ? &rows[count - 1] : nullptr;
}

// A whole answer: `data`, `next` and `has_more`. `append_next` writes from the last row shown where the next page
// begins.
template <class Row, class Append, class AppendNext>
std::string page_body(const std::vector<Row>& rows, std::size_t limit, Append append, AppendNext append_next) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    const Row* const last = append_data(writer, body, rows, limit, append);
    writer.name("next");
    if (last != nullptr) append_next(writer, *last);
    else writer.null();
    writer.name("has_more").boolean(last != nullptr).end_object();
    return body;
}

}  // namespace belfry::net::handlers
