#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace belfry::wire {

std::string_view reason_phrase(int status);

// `Sun, 06 Nov 1994 08:49:37 GMT`, as the Date field wants it.
std::string http_date(base::Timestamp time);

// One answer as it goes out. Fields that all answers share are written by `append_response`; `extra_fields` are whole
// lines, each with its end.
struct Response {
    int status = 200;
    std::string_view content_type;  // empty: no body and no such field
    std::string_view body;
    std::string_view extra_fields;
    std::string_view date;
    bool keep_alive = true;
    bool omit_body = false;  // an answer to HEAD: the length is told and the body left out
};

void append_response(std::string& out, const Response& response);

// The head of an answer that ends with the connection: no length, no chunks.
void append_stream_head(std::string& out, std::string_view content_type, std::string_view date,
                        std::string_view extra_fields);

}  // namespace belfry::wire
