#include "text/tokenizer.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_set>

#include "base/characters.hpp"
#include "base/hash.hpp"
#include "text/unicode.hpp"

namespace belfry::text {
namespace {

using base::Code;

constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();

enum class Kind { letter, number, line_end, space, sign };

struct Next {
    Kind kind = Kind::sign;
    std::size_t bytes = 0;  // 0: the text is at its end
};

Kind kind_of(char32_t c) {
    if (c == U'\r' || c == U'\n') return Kind::line_end;
    if (is_letter(c)) return Kind::letter;
    if (is_letter_or_number(c)) return Kind::number;
    // Python calls these four spaces, and patterns do not.
    if (c >= 0x1C && c <= 0x1F) return Kind::sign;
    return is_space(c) ? Kind::space : Kind::sign;
}

Next next_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return {};
    const base::Character character = base::first_character(text.substr(at));
    return {kind_of(character.code), character.bytes};
}

bool is_space_or_end(const Next& next) {
    return next.kind == Kind::space || next.kind == Kind::line_end;
}

std::size_t contraction(std::string_view text) {
    if (text.empty() || text.front() != '\'') return 0;
    const auto begins = [text](std::string_view with) {
        if (text.size() <= with.size()) return false;
        return std::ranges::equal(text.substr(1, with.size()), with,
                                  [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 0x20 : a) == b; });
    };
    for (const std::string_view end : {"s", "t", "m", "d", "re", "ve", "ll"}) {
        if (begins(end)) return 1 + end.size();
    }
    return 0;
}

// How far a run of characters of one kind goes.
std::size_t run_end(std::string_view text, std::size_t at, Kind kind, std::size_t most = std::string_view::npos) {
    for (std::size_t count = 0; count < most; ++count) {
        const Next next = next_at(text, at);
        if (next.bytes == 0 || next.kind != kind) break;
        at += next.bytes;
    }
    return at;
}

std::size_t letters(std::string_view text) {
    const Next first = next_at(text, 0);
    const bool has_leader = first.kind == Kind::space || first.kind == Kind::sign;
    const std::size_t from = has_leader ? first.bytes : 0;
    const std::size_t end = run_end(text, from, Kind::letter);
    return end > from ? end : 0;
}

std::size_t signs(std::string_view text) {
    const std::size_t from = text.front() == ' ' ? 1 : 0;
    const std::size_t end = run_end(text, from, Kind::sign);
    return end > from ? run_end(text, end, Kind::line_end) : 0;
}

std::size_t white_space(std::string_view text) {
    std::size_t end = 0;
    std::size_t after_line = 0;
    std::size_t last = 0;  // where the last character begins
    for (Next next = next_at(text, 0); next.bytes > 0 && is_space_or_end(next); next = next_at(text, end)) {
        last = end;
        end += next.bytes;
        if (next.kind == Kind::line_end) after_line = end;
    }
    if (after_line > 0) return after_line;
    return end == text.size() || last == 0 ? end : last;
}

std::size_t word_bytes(std::string_view text) {
    if (const std::size_t bytes = contraction(text)) return bytes;
    if (const std::size_t bytes = letters(text)) return bytes;
    if (const std::size_t bytes = run_end(text, 0, Kind::number, 3)) return bytes;
    if (const std::size_t bytes = signs(text)) return bytes;
    return white_space(text);
}

// The pieces of one word, a list whose members are joined from the lowest rank on.
struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t before = 0;
    std::size_t after = 0;
    bool is_gone = false;
};

// A pair that might be joined. It is stale where one of the two was joined with another one since.
struct Join {
    std::uint32_t rank = 0;
    std::size_t left = 0;
    std::size_t right = 0;
    std::size_t end = 0;  // of the right one

    bool operator>(const Join& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
};

base::Error wrong(std::size_t line, std::string message) {
    return base::error(Code::invalid, "line " + std::to_string(line) + ": " + std::move(message), "tokenizer");
}

struct Entry {
    std::string bytes;
    std::uint32_t rank = 0;
};

base::Result<Entry> read_line(std::string_view line, std::size_t number) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return wrong(number, "must be a token in base64, a space and its rank");
    auto bytes = base::parse_base64(line.substr(0, space));
    if (!bytes || bytes->empty()) return wrong(number, "the token is not base64");
    if (bytes->size() > Tokenizer::token_bytes_max) {
        return wrong(number, "the token is longer than " + std::to_string(Tokenizer::token_bytes_max) + " bytes");
    }
    const std::string_view digits = line.substr(space + 1);
    std::uint32_t rank = 0;
    const auto [at, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (failed != std::errc{} || at != digits.data() + digits.size() || rank == no_rank) {
        return wrong(number, "the rank must be a whole number below 4294967295");
    }
    return Entry{std::move(*bytes), rank};
}

}  // namespace

base::Result<Tokenizer> Tokenizer::read(std::string_view file) {
    if (file.size() > file_bytes_max) {
        return base::error(Code::too_large, "is longer than " + std::to_string(file_bytes_max) + " bytes", "tokenizer");
    }
    Ranks ranks;
    std::unordered_set<std::uint32_t> taken;
    std::size_t longest = 0;
    for (std::size_t number = 1; !file.empty(); ++number) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        std::string_view line = file.substr(0, end);
        file.remove_prefix(std::min(end + 1, file.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        TRY_ASSIGN(Entry entry, read_line(line, number));
        if (!taken.insert(entry.rank).second) return wrong(number, "another token has this rank already");
        longest = std::max(longest, entry.bytes.size());
        if (!ranks.try_emplace(std::move(entry.bytes), entry.rank).second) {
            return wrong(number, "this token has a rank already");
        }
        if (ranks.size() > tokens_max) {
            return wrong(number, "there are more than " + std::to_string(tokens_max) + " tokens");
        }
    }
    if (ranks.empty()) return base::error(Code::invalid, "has no tokens in it", "tokenizer");
    return Tokenizer(std::move(ranks), longest);
}

std::uint32_t Tokenizer::rank_of(std::string_view bytes) const {
    if (bytes.size() > longest_) return no_rank;
    const auto found = ranks_.find(bytes);
    return found == ranks_.end() ? no_rank : found->second;
}

std::int64_t Tokenizer::count_word(std::string_view word) const {
    if (word.size() <= 1 || rank_of(word) != no_rank) return 1;
    constexpr std::size_t none = std::string_view::npos;
    std::vector<Piece> pieces(word.size());
    std::priority_queue<Join, std::vector<Join>, std::greater<>> joins;
    const auto offer = [&](std::size_t left) {
        const std::size_t right = pieces[left].after;
        if (right == none) return;
        const std::uint32_t rank = rank_of(word.substr(pieces[left].begin, pieces[right].end - pieces[left].begin));
        if (rank != no_rank) joins.push({rank, left, right, pieces[right].end});
    };
    for (std::size_t i = 0; i < word.size(); ++i) {
        pieces[i] = {i, i + 1, i == 0 ? none : i - 1, i + 1 == word.size() ? none : i + 1, false};
    }
    for (std::size_t i = 0; i < word.size(); ++i) offer(i);
    auto count = static_cast<std::int64_t>(word.size());
    while (!joins.empty()) {
        const Join join = joins.top();
        joins.pop();
        Piece& left = pieces[join.left];
        Piece& right = pieces[join.right];
        if (left.is_gone || right.is_gone || left.after != join.right || right.end != join.end) continue;
        left.end = right.end;
        left.after = right.after;
        right.is_gone = true;
        if (left.after != none) pieces[left.after].before = join.left;
        --count;
        offer(join.left);
        if (left.before != none) offer(left.before);
    }
    return count;
}

std::int64_t Tokenizer::count(std::string_view text) const {
    std::int64_t tokens = 0;
    for (const std::string_view word : split_for_tokens(text)) tokens += count_word(word);
    return tokens;
}

std::vector<std::string_view> split_for_tokens(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t bytes = std::max<std::size_t>(word_bytes(text), 1);
        words.push_back(text.substr(0, bytes));
        text.remove_prefix(bytes);
    }
    return words;
}

}  // namespace belfry::text
