// The stream that a client reads: pieces of any size give the same events. And the positions that a client gives.
#include <vector>

#include "base/assert.hpp"
#include "codec/sse.hpp"

namespace {

using namespace belfry;

std::string read(std::string_view text, std::size_t piece) {
    codec::SseParser parser(1000);
    std::string seen;
    bool failed = false;
    for (std::size_t at = 0; at < text.size() && !failed; at += piece)
        failed = !parser.feed(text.substr(at, piece)).ok();
    while (auto message = parser.next()) {
        ASSERT(message->id.find('\n') == std::string::npos && !message->event.empty());
        seen += message->id + '\n' + message->event + '\n' + message->data + '\n';
    }
    return seen + parser.last_event_id() + (failed ? "!" : "") + std::to_string(parser.retry_ms().value_or(-1));
}

void check_position(std::string_view text) {
    const auto position = codec::parse_position(text);
    if (!position.ok()) return;
    const std::string digits = std::to_string(*position);
    const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
    ASSERT(text.substr(zeros) == digits);
    ASSERT(*position <= 9223372036854775807U);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(text, text.size() + 1);
    ASSERT(read(text, 1) == whole);
    ASSERT(read(text, 7) == whole);
    check_position(text);
    return 0;
}
