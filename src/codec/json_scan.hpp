#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The tokens of JSON (RFC 8259), scanned strictly and without a copy. `codec/json` is what the rest of the house uses.
namespace belfry::codec {

// Where a scan stands. A function that returns false has set `problem`, and `at` is the byte at fault.
struct JsonScan {
    const char* at = nullptr;
    const char* end = nullptr;
    const char* problem = nullptr;
    bool spaced = false;   // white space was passed over between tokens
    bool escaped = false;  // the last string has an escape

    bool fail(const char* why) {
        problem = why;
        return false;
    }
};

// Moves to the next token or the end.
inline void skip_space(JsonScan& scan) {
    while (scan.at < scan.end && (*scan.at == ' ' || *scan.at == '\n' || *scan.at == '\r' || *scan.at == '\t')) {
        ++scan.at;
        scan.spaced = true;
    }
}

// Each stands at the first byte of its token and moves past the last one.
bool scan_string(JsonScan& scan);
bool scan_number(JsonScan& scan);
bool scan_word(JsonScan& scan, std::string_view word);

// One value of any kind, with at most `depth_max` containers inside each other (never more than 64).
bool scan_value(JsonScan& scan, std::size_t depth_max);

// Valid JSON without the white space between its tokens.
void append_compact(std::string& out, std::string_view json);

}  // namespace belfry::codec
