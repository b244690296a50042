#include "model/event_type.hpp"

#include "base/limits.hpp"

namespace belfry::model {
namespace {

bool is_part_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The number of non-empty parts, or 0 where the text has any other character or an empty part.
std::size_t count_parts(std::string_view text) {
    if (text.empty() || text.size() > base::limits::event_type_chars_max) return 0;
    std::size_t parts = 1;
    bool part_is_empty = true;
    for (const char c : text) {
        if (c == '.') {
            if (part_is_empty) return 0;
            ++parts;
            part_is_empty = true;
        } else if (is_part_char(c)) {
            part_is_empty = false;
        } else {
            return 0;
        }
    }
    return part_is_empty ? 0 : parts;
}

}  // namespace

bool is_event_type(std::string_view text) {
    return count_parts(text) >= 2;
}

bool is_type_pattern(std::string_view text) {
    if (text.ends_with(".*")) return count_parts(text.substr(0, text.size() - 2)) >= 1;
    return is_event_type(text);
}

}  // namespace belfry::model
