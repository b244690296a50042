#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace belfry::codec {

using TomlValue = std::variant<std::string, std::int64_t, bool, double, std::vector<std::string>>;

// One value of a TOML file under its full key. Parts of a key are joined by dots (`server.port`); a part that is not
// made of letters, digits, dashes and underscores stands in quotes, so that no two keys look alike.
struct TomlEntry {
    std::string key;
    TomlValue value;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// A table's full key, written as an entry's is.
struct TomlName {
    std::string key;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// A TOML document, flat.
struct TomlTable {
    std::string file;                // as given, for messages
    std::vector<TomlEntry> entries;  // in the order of their keys
    std::vector<TomlName> tables;    // tables that are named, empty ones too

    [[nodiscard]] const TomlEntry* find(std::string_view key) const;
};

// Reads TOML 1.0: strings, integers, booleans, floats and lists of strings in tables of any depth. What is no TOML is
// Code::malformed and other kinds of values (dates, other lists, lists of tables) are Code::invalid with the key as
// `field`; both messages begin with file, line and column. More than
// limits::toml_bytes_max is Code::too_large.
base::Result<TomlTable> parse_toml(std::string_view text, std::string_view file);

}  // namespace belfry::codec
