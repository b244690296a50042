// What a server answers to us, hostile ones among them: pieces of any size give the same as the whole, no more body
// than came, and headers that hold no line of their own.
#include <string>

#include "base/assert.hpp"
#include "wire/http_answer.hpp"

namespace {

using belfry::wire::AnswerParser;

void check_headers(const belfry::wire::HttpAnswer& head) {
    ASSERT(head.status >= 100 && head.status <= 999);
    ASSERT(head.body.empty());
    for (const auto& [name, value] : head.headers) {
        ASSERT(!name.empty() && name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ \t:\r\n") == std::string::npos);
        ASSERT(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    }
}

std::string read(std::string_view text, std::size_t piece, bool of_head) {
    AnswerParser parser(of_head, 300);
    std::string body;
    bool failed = false;
    for (std::size_t at = 0; at < text.size() && !failed; at += piece) {
        const std::string part(text.substr(at, piece));  // elsewhere in memory at every call
        failed = !parser.take(part, body).ok();
    }
    ASSERT(body.size() <= text.size());
    ASSERT(!of_head || body.empty());
    if (failed) return "malformed " + body;
    std::string seen = body + (parser.is_complete() ? " complete" : "");
    if (parser.has_head()) {
        check_headers(parser.head());
        seen += std::to_string(parser.head().status);
        for (const auto& [name, value] : parser.head().headers) seen += '\n' + name + ':' + value;
    }
    const bool ended = parser.end().ok();
    ASSERT(!ended || parser.has_head());
    return seen + (ended ? " ended" : " broken off") + (parser.keeps_connection() ? " kept" : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const bool of_head : {false, true}) {
        const std::string whole = read(text, text.size() + 1, of_head);
        ASSERT(read(text, 1, of_head) == whole);
        ASSERT(read(text, 7, of_head) == whole);
    }
    return 0;
}
