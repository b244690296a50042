// Messages framed with a header: pieces of any size give the same as the whole, and no more is held than was sent.
#include <string>

#include "base/assert.hpp"
#include "wire/lsp_framing.hpp"

namespace {

using belfry::wire::LspReader;

std::string read(std::string_view text, std::size_t piece) {
    LspReader reader(200, 1000);
    std::string seen;
    while (!text.empty()) {
        const std::string part(text.substr(0, piece));  // elsewhere in memory at every call
        text.remove_prefix(part.size());
        std::string_view rest = part;
        for (;;) {
            const LspReader::Event event = reader.next(rest);
            if (event == LspReader::Event::none) break;
            if (event == LspReader::Event::message) {
                ASSERT(reader.message().size() <= 200);
                seen.append("<").append(reader.message()).append(">");
            }
            if (event == LspReader::Event::too_large) seen += "large;";
            if (event == LspReader::Event::hopeless) return seen + "hopeless";
            if (event == LspReader::Event::broken) return seen + "broken";
        }
        ASSERT(rest.empty());
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string whole = read(text, text.size() + 1);
    ASSERT(read(text, 1) == whole);
    ASSERT(read(text, 7) == whole);
    std::string framed;
    belfry::wire::append_lsp_message(framed, text.substr(0, 200));
    ASSERT(read(framed, 3) == "<" + text.substr(0, 200) + ">");
    return 0;
}
