// Frames of a WebSocket client: pieces of any size give the same as the whole, and no message is longer than allowed.
#include <string>

#include "base/assert.hpp"
#include "wire/websocket.hpp"

namespace {

using belfry::wire::FrameReader;
using Event = FrameReader::Event;

std::string read(std::string_view text, std::size_t piece, FrameReader::Messages messages) {
    FrameReader reader(300, messages);
    std::string seen;
    while (!text.empty()) {
        const std::string part(text.substr(0, piece));  // elsewhere in memory at every call
        text.remove_prefix(part.size());
        std::string_view rest = part;
        for (;;) {
            const Event event = reader.next(rest);
            if (event == Event::none) break;
            seen += static_cast<char>('0' + static_cast<int>(event));
            if (event == Event::text || event == Event::binary) {
                ASSERT(messages == FrameReader::Messages::wanted && reader.message().size() <= 300);
                seen += reader.message();
                reader.forget_message();
            }
            if (event == Event::ping || event == Event::close) {
                ASSERT(reader.payload().size() <= 125);
                seen += reader.payload();
            }
            if (event == Event::error) return seen + std::to_string(reader.error_code());
        }
        ASSERT(rest.empty());
        ASSERT(reader.held() <= 1024);
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto messages : {FrameReader::Messages::wanted, FrameReader::Messages::passed_over}) {
        const std::string whole = read(text, text.size() + 1, messages);
        ASSERT(read(text, 1, messages) == whole);
        ASSERT(read(text, 7, messages) == whole);
    }
    return 0;
}
