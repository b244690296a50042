#pragma once

#include <string>

#include "model/value.hpp"
#include "text/toon_lines.hpp"

namespace belfry::text {

// The primitive that one token stands for; spaces around it are gone already.
bool read_toon_primitive(const char* from, const char* to, model::Value& value, ToonFailure& failure);

// The string of the quoted token that begins at `from`; `after` is the place behind its closing quote.
bool read_toon_quoted(const char* from, const char* to, model::Value& value, const char*& after, ToonFailure& failure);

// The key that one token stands for: quoted, or literally what it is.
bool read_toon_key(const char* from, const char* to, model::Value& key, ToonFailure& failure);

inline void trim_toon(const char*& from, const char*& to) {
    while (from < to && *from == ' ') ++from;
    while (from < to && to[-1] == ' ') --to;
}

// Walks the tokens of a line between delimiters that stand outside of quotes.
class ToonCells {
public:
    // `end` is that of the document.
    ToonCells(const char* from, const char* to, const char* end, char delimiter)
        : at_(from), to_(to), end_(end), delimiter_(delimiter) {}

    [[nodiscard]] bool more() const { return at_ != nullptr; }
    [[nodiscard]] const char* at() const { return at_; }
    // No more cells than these are left: each but the last takes a byte at least.
    [[nodiscard]] std::size_t most() const { return more() ? static_cast<std::size_t>(to_ - at_) + 1 : 0; }
    bool next(model::Value& value, ToonFailure& failure);
    // Appends all of them to an array.
    bool take_all(model::Value& array, ToonFailure& failure);

private:
    const char* short_number(const char* at, model::Value& value) const;
    bool take_until(const char* end);
    bool next_quoted(const char* from, model::Value& value, ToonFailure& failure);

    const char* at_;  // null: the last token is behind
    const char* to_;
    const char* end_;
    char delimiter_;
};

}  // namespace belfry::text
