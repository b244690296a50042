#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::text {

// What went wrong first, and where. Reading functions return false and leave the reason here.
struct ToonFailure {
    const char* at = nullptr;  // a place inside the document; null: nothing went wrong
    base::Code code = base::Code::malformed;
    std::string message;
};

struct ToonLine {
    const char* from = nullptr;  // the content: without indentation, trailing spaces and line end
    const char* to = nullptr;
    int depth = 0;
    bool after_blank = false;  // a blank line stands between it and the line before

    [[nodiscard]] std::string_view content() const { return {from, static_cast<std::size_t>(to - from)}; }
};

// The lines of a document that carry structure, one at a time: comments are gone, blank lines are a mark on the line
// that follows them, and indentation has become depth.
class ToonLines {
public:
    ToonLines(std::string_view document, int indent, bool strict, ToonFailure& failure);

    // Whether a line is there; it then is `line()`.
    [[nodiscard]] bool more() const { return more_; }
    [[nodiscard]] const ToonLine& line() const { return line_; }
    // Of the document: what may be read, if not taken, beyond a line.
    [[nodiscard]] const char* end() const { return end_; }
    // Moves on. False: the next line breaks a rule of indentation.
    bool advance();

private:
    bool measure(const char* begin, const char* end);

    const char* at_;
    const char* end_;
    int indent_;
    bool strict_;
    ToonFailure& failure_;
    ToonLine line_;
    bool more_ = false;
    std::array<signed char, 64> depths_;  // by the spaces of an indentation; -1: they are no level
};

// Past the quoted string whose quote is at `from`: the place after its closing quote, or null where there is none.
const char* skip_quoted(const char* from, const char* to);

// The first place outside of quotes of `wanted`, or null.
const char* find_unquoted(const char* from, const char* to, char wanted);

}  // namespace belfry::text
