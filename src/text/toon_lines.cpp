#include "text/toon_lines.hpp"

#include <cstring>

#include "text/toon_digits.hpp"

namespace belfry::text {
namespace {

// Eight at a time, where there are eight.
const char* skip_spaces(const char* at, const char* to) {
    while (to - at >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        word ^= 0x2020202020202020U;
        if (word != 0) return at + std::countr_zero(word) / 8;
        at += 8;
    }
    while (at < to && *at == ' ') ++at;
    return at;
}

}  // namespace

ToonLines::ToonLines(std::string_view document, int indent, bool strict, ToonFailure& failure)
    : at_(document.data()),
      end_(document.data() + document.size()),
      indent_(indent),
      strict_(strict),
      failure_(failure) {
    depths_.fill(-1);
    for (std::size_t spaces = 0, depth = 0; spaces < depths_.size(); spaces += static_cast<std::size_t>(indent)) {
        depths_[spaces] = static_cast<signed char>(depth++);
    }
}

bool ToonLines::advance() {
    bool after_blank = false;
    while (at_ < end_) {
        const char* begin = at_;
        const auto* newline =
            static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end_ - begin)));
        const char* end = newline == nullptr ? end_ : newline;
        at_ = newline == nullptr ? end_ : newline + 1;
        if (end > begin && end[-1] == '\r') --end;
        while (end > begin && end[-1] == ' ') --end;
        const char* content = skip_spaces(begin, end);
        if (content == end) {
            after_blank = true;
            continue;
        }
        if (*content == '#') continue;
        line_.after_blank = after_blank;
        line_.from = content;
        line_.to = end;
        const auto spaces = static_cast<std::size_t>(content - begin);
        if (spaces < depths_.size() && depths_[spaces] >= 0 && *content != '\t') [[likely]] {
            line_.depth = depths_[spaces];
            return more_ = true;
        }
        if (!measure(begin, end)) return more_ = false;
        if (line_.from == line_.to) {
            after_blank = true;
            continue;
        }
        return more_ = true;
    }
    more_ = false;
    return true;
}

bool ToonLines::measure(const char* begin, const char* end) {
    std::ptrdiff_t spaces = line_.from - begin;
    if (*line_.from == '\t') {
        if (strict_) {
            failure_ = {line_.from, base::Code::malformed, "a tab in the indentation"};
            return false;
        }
        // Lenient reading takes a tab for one level.
        while (line_.from < end && (*line_.from == '\t' || *line_.from == ' ')) {
            spaces += *line_.from++ == '\t' ? indent_ : 1;
        }
    }
    if (strict_ && spaces % indent_ != 0) {
        failure_ = {line_.from, base::Code::malformed,
                    "indented by " + std::to_string(spaces) + " spaces, not a multiple of " + std::to_string(indent_)};
        return false;
    }
    line_.depth = static_cast<int>(spaces / indent_ > 1'000'000 ? 1'000'000 : spaces / indent_);
    return true;
}

const char* skip_quoted(const char* from, const char* to) {
    for (const char* at = from + 1; at < to; at += 2) {
        at = find_any(at, to, '"', '\\');
        if (at < to && *at == '"') return at + 1;
    }
    return nullptr;
}

const char* find_unquoted(const char* from, const char* to, char wanted) {
    const char* at = find_any(from, to, wanted, '"');
    while (at < to && *at == '"') {
        at = skip_quoted(at, to);
        if (at == nullptr) return nullptr;
        at = find_any(at, to, wanted, '"');
    }
    return at < to ? at : nullptr;
}

}  // namespace belfry::text
