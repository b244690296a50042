#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/value.hpp"

// TOON 4.0 (toon-format/spec), both ways. docs/toon.md says what is supported and how numbers are kept.
namespace belfry::text {

enum class ToonDelimiter : char { comma = ',', tab = '\t', pipe = '|' };

inline constexpr int toon_depth_max = 256;
inline constexpr std::size_t toon_bytes_max = std::size_t{1} << 30;

struct ToonEncodeOptions {
    int indent = 2;  // spaces a level, at least 1
    ToonDelimiter delimiter = ToonDelimiter::comma;
    int depth_max = toon_depth_max;
    // Of the text. Lines of a deep tree are mostly indentation, so the text may be many times as large as the tree; it
    // is given up at the end of the line that goes beyond.
    std::size_t bytes_max = toon_bytes_max;
};

struct ToonDecodeOptions {
    int indent = 2;
    bool strict = true;
    int depth_max = toon_depth_max;
    std::size_t bytes_max = toon_bytes_max;
};

// The canonical text of a tree, without a newline at its end. Fails only for a tree that is too deep or too large.
base::Result<std::string> toon_encode(const model::Value& value, const ToonEncodeOptions& options = {});
// The same, appended; on failure `out` is as it was.
base::Result<void> append_toon(std::string& out, const model::Value& value, const ToonEncodeOptions& options = {});

// The tree of a TOON document. An error names line and column, both counted from 1, columns in characters. Bytes that
// are no UTF-8 are refused in either mode. Time is linear in the size of the document.
base::Result<model::Value> toon_decode(std::string_view document, const ToonDecodeOptions& options = {});

// One string as a value of TOON would stand: quoted and escaped where the format demands it.
void append_toon_string(std::string& out, std::string_view text, ToonDelimiter delimiter);
void append_toon_quoted(std::string& out, std::string_view text);
void append_toon_key(std::string& out, std::string_view key);

}  // namespace belfry::text
