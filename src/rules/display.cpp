#include "rules/display.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

bool is_separator(char c) {
    return c == '_' || c == '-';
}

bool is_name_char(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || is_separator(c);
}

}  // namespace

std::string display_source(std::string_view source) {
    // What has a space, a dot or a slash in it was written for people, or is an address.
    if (!std::ranges::all_of(source, is_name_char)) return std::string(source);
    std::string shown;
    bool word_begins = true;
    for (const char c : source) {
        if (is_separator(c)) {
            word_begins = true;
            continue;
        }
        if (word_begins && !shown.empty()) shown += ' ';
        shown += word_begins && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
        word_begins = false;
    }
    return shown.empty() ? std::string(source) : shown;
}

}  // namespace belfry::rules
