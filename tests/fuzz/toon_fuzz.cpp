// The TOON reader and writer. The first byte chooses mode, indentation and delimiter. What is accepted is written and
// read again as the same value, whatever the delimiter, and writing it once more gives the same bytes.
#include <string>

#include "base/assert.hpp"
#include "text/toon.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    if (size == 0) return 0;
    const std::uint8_t choice = data[0];
    const std::string document(reinterpret_cast<const char*>(data + 1), size - 1);
    text::ToonDecodeOptions decode;
    decode.strict = (choice & 1U) == 0;
    decode.indent = 1 + ((choice >> 1U) & 3U);
    const auto read = text::toon_decode(document, decode);
    if (!read.ok()) {
        ASSERT(read.error().message.starts_with("line "));
        return 0;
    }
    text::ToonEncodeOptions encode;
    encode.indent = decode.indent;
    encode.depth_max = 2 * text::toon_depth_max;
    static constexpr text::ToonDelimiter delimiters[] = {text::ToonDelimiter::comma, text::ToonDelimiter::tab,
                                                         text::ToonDelimiter::pipe};
    encode.delimiter = delimiters[(choice >> 3U) % 3];
    const auto written = text::toon_encode(*read, encode);
    ASSERT(written.ok());
    text::ToonDecodeOptions strict;
    strict.indent = decode.indent;
    strict.depth_max = 4 * text::toon_depth_max;
    const auto again = text::toon_decode(*written, strict);
    ASSERT(again.ok());
    ASSERT(*again == *read);
    ASSERT(*text::toon_encode(*again, encode) == *written);
    return 0;
}
