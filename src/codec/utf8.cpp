#include "codec/utf8.hpp"

namespace belfry::codec {

bool is_utf8(std::string_view bytes) {
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    while (at < end) {
        const std::size_t length = utf8_sequence(at, end);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

std::string to_utf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    while (at < end) {
        const std::size_t length = utf8_sequence(at, end);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++at;
        } else {
            out.append(at, length);
            at += length;
        }
    }
    return out;
}

}  // namespace belfry::codec
