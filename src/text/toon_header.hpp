#pragma once

#include <cstddef>
#include <vector>

#include "model/value.hpp"
#include "text/toon_lines.hpp"

namespace belfry::text {

struct ToonField {
    model::Value name;
    std::vector<ToonField> group;  // empty: a leaf, which takes one cell
};

// The declaration of an array or of a keyed table: `key[3|]{a|b}:`.
struct ToonHeader {
    bool has_key = false;
    model::Value key;
    std::size_t length = 0;
    bool keyed = false;
    char delimiter = ',';
    std::vector<ToonField> fields;
    std::size_t leaves = 0;
    std::size_t name_bytes = 0;  // of the names that a value cannot hold in itself, which every row allocates anew
    bool repeats = false;        // a field name stands twice in one group
    const char* rest = nullptr;  // what follows the colon
};

enum class ToonHeaderKind { none, header, broken };

// Reads a header off the beginning of a line's content. `broken`: it means to be one and is not, `failure` says why; a
// strict reader refuses it, a lenient one takes the line for a key and its value.
ToonHeaderKind read_toon_header(const char* from, const char* to, int depth_max, ToonHeader& header,
                                ToonFailure& failure);

}  // namespace belfry::text
