// What a client sends before anything is known about it: HTTP requests and WebSocket frames. Pieces of any size give
// the same as the whole.
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "wire/http_request.hpp"
#include "wire/target.hpp"
#include "wire/websocket.hpp"

namespace {

using namespace belfry;

constexpr wire::RequestLimits limits{512, 16, 128, 256};

std::string describe(const wire::Request& request) {
    std::string out(wire::method_name(request.method));
    out.append("\n").append(request.path).append("\n").append(request.query).append("\n").append(request.body);
    for (const wire::HeaderField& field : request.fields) out.append("\n").append(field.name).append(field.value);
    return out + (request.keep_alive ? "k" : "") + (request.asks_upgrade ? "u" : "");
}

// All requests that lie in `text`, read as if it came `piece` bytes at a time. That the rest is none may be noticed
// later when it comes in small pieces, so it is not told.
std::string read_requests(const std::string& text, std::size_t piece) {
    wire::RequestParser parser(limits);
    std::string seen;
    std::size_t start = 0;
    for (std::size_t end = std::min(piece, text.size());;) {
        const std::string moved = text.substr(start, end - start);  // elsewhere in memory at every call
        const auto state = moved.empty() ? wire::RequestParser::State::need_more : parser.parse(moved);
        if (state == wire::RequestParser::State::failed) return seen;
        if (state == wire::RequestParser::State::complete) {
            ASSERT(parser.size() > 0 && parser.size() <= moved.size());
            ASSERT(parser.request().body.size() <= limits.body_bytes_max);
            seen += describe(parser.request());
            start += parser.size();
            parser.reset();
            continue;
        }
        if (end == text.size()) return seen;
        end = std::min(end + piece, text.size());
    }
}

std::string read_frames(std::string_view text, std::size_t piece) {
    wire::FrameReader reader(100);
    std::string seen;
    while (!text.empty()) {
        std::string_view part = text.substr(0, piece);
        text.remove_prefix(part.size());
        while (!part.empty()) {
            const auto event = reader.next(part);
            if (event == wire::FrameReader::Event::error) return seen + "error";
            if (event != wire::FrameReader::Event::none) seen += reader.payload() + "\n";
        }
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string whole = read_requests(text, text.size() + 1);
    ASSERT(read_requests(text, 1) == whole);
    ASSERT(read_requests(text, 13) == whole);
    ASSERT(read_frames(text, 1) == read_frames(text, text.size() + 1));
    if (const auto query = wire::parse_query(text)) ASSERT(query->size() <= text.size());
    return 0;
}
