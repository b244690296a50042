#include "rules/memory_text.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "model/text_of.hpp"
#include "rules/fold_case.hpp"
#include "rules/journal_terms.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::ActionType;
using model::AgentMessage;
using model::AgentMessageKind;
using model::JsonKind;
using model::JsonView;
using model::MemoryMark;

constexpr std::string_view ellipsis = "…";
constexpr std::string_view spaces = " \t\r\n\f\v";

// The longest beginning of this many bytes that ends with a whole character.
std::string_view whole_prefix(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
    return text.substr(0, bytes);
}

bool is_space(char c) {
    return spaces.find(c) != std::string_view::npos;
}

std::optional<JsonView> text_member(JsonView json) {
    if (json.kind() != JsonKind::object) return std::nullopt;
    for (const std::string_view name : {"text", "content"}) {
        const auto found = json.member(name);
        if (found && found->kind() == JsonKind::string) return found;
    }
    return std::nullopt;
}

// Collects strings and numbers, `name: value`, until there are enough.
class Collector {
public:
    explicit Collector(std::string& out) : out_(out) {}

    void add(JsonView json, std::string_view name = {}) {
        if (out_.size() >= limits::memory_text_bytes_max) return;
        switch (json.kind()) {
            case JsonKind::null:
            case JsonKind::boolean: return;
            case JsonKind::string:
            case JsonKind::number: add_text(name, json.as_text()); return;
            case JsonKind::array: add_list(json, name); return;
            case JsonKind::object: add_members(json); return;
        }
    }

private:
    void add_text(std::string_view name, const std::string& text) {
        if (text.empty()) return;
        if (!out_.empty()) out_ += is_space(out_.back()) ? "" : ", ";
        if (!name.empty()) out_.append(name).append(": ");
        out_ += text;
    }

    void add_list(JsonView json, std::string_view name) {
        model::JsonWalker walker(json);
        while (const auto one = walker.next()) {
            add(*one, name);
            name = {};
        }
    }

    void add_members(JsonView json) {
        model::JsonWalker walker(json);
        std::string_view name;
        while (const auto member = walker.next(&name)) {
            // The name stands between its quotes: with them it is a string of its own.
            add(*member, JsonView{std::string_view(name.data() - 1, name.size() + 2)}.as_text());
        }
    }

    std::string& out_;
};

void append_content(std::string& out, const model::RawJson& content) {
    const JsonView json = content.view();
    const auto member = text_member(json);
    const std::string text = member ? member->as_text() : model::text_of(json);
    if (member || !text.empty() || json.kind() == JsonKind::string) out += text;
    else Collector(out).add(json);
}

std::string content_text(const AgentMessage& message) {
    std::string out;
    append_content(out, message.content);
    out.resize(whole_prefix(out, limits::memory_text_bytes_max).size());
    return out;
}

// How a line of a marked text begins. Nothing as a mark: something is closed.
struct Label {
    std::string_view text;
    std::optional<MemoryMark> mark;
};
constexpr std::array<Label, 6> labels{{{"goal:", MemoryMark::goal},
                                       {"decision:", MemoryMark::decision},
                                       {"open loop:", MemoryMark::open_loop},
                                       {"todo:", MemoryMark::open_loop},
                                       {"closed:", std::nullopt},
                                       {"done:", std::nullopt}}};

bool begins_with(std::string_view line, std::string_view label) {
    const auto is_same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 0x20) : a) == b; };
    return line.size() >= label.size() && std::ranges::equal(line.substr(0, label.size()), label, is_same);
}

// What stands before and behind a label in lists and in emphasis: `- **Goal:** …`.
std::string_view without_signs(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r-*#>");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

// The label that a line begins with; takes it away.
const Label* take_label(std::string_view& line) {
    const std::string_view rest = without_signs(line);
    const auto* const label =
        std::ranges::find_if(labels, [rest](const Label& one) { return begins_with(rest, one.text); });
    if (label == labels.end()) return nullptr;
    line = without_signs(rest.substr(label->text.size()));
    return label;
}

void add_mark(std::vector<MarkedText>& marks, std::optional<MemoryMark> mark, std::string_view text) {
    std::string line = one_line(text, limits::summary_item_bytes_max);
    if (!line.empty()) marks.push_back({mark, std::move(line)});
}

void add_marked_lines(std::vector<MarkedText>& marks, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (const Label* const label = take_label(line)) add_mark(marks, label->mark, line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// True where the content itself says what the message is.
bool add_named_mark(std::vector<MarkedText>& marks, const AgentMessage& message) {
    if (message.content.view().kind() != JsonKind::object) return false;
    const auto member = message.content.member("mark");
    const auto text = text_member(message.content.view());
    if (!member || !text || member->kind() != JsonKind::string) return false;
    const std::string name = member->as_text();
    const auto mark = model::parse_memory_mark(name);
    if (!mark && name != "closed") return false;
    const std::string said = text->as_text();
    std::string_view words = said;
    take_label(words);
    add_mark(marks, mark, words);
    return true;
}

std::optional<MemoryMark> mark_of_action(const AgentMessage& message) {
    if (message.kind != AgentMessageKind::action || !message.action) return std::nullopt;
    if (message.action->type == ActionType::propose_plan) return MemoryMark::decision;
    if (message.action->type == ActionType::ask_user) return MemoryMark::open_loop;
    return std::nullopt;
}

bool has_one_of(std::string_view piece, const std::vector<std::string>& words) {
    return std::ranges::any_of(words_of(piece),
                               [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); });
}

struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::vector<Piece> pieces_of(std::string_view text) {
    std::vector<Piece> pieces;
    for (std::size_t at = 0; (at = text.find_first_not_of(spaces, at)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(spaces, at), text.size());
        pieces.push_back({at, end});
        at = end;
    }
    return pieces;
}

}  // namespace

std::string clipped(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string(text);
    if (bytes < ellipsis.size()) return std::string(whole_prefix(text, bytes));
    return std::string(whole_prefix(text, bytes - ellipsis.size())).append(ellipsis);
}

std::string one_line(std::string_view text, std::size_t bytes) {
    std::string line;
    bool is_apart = false;
    // More than enough was read where something is cut off after all.
    while (!text.empty() && line.size() <= bytes) {
        const base::Character next = base::first_character(text);
        if (base::is_space(next.code)) {
            is_apart = !line.empty();
        } else if (!base::is_harmful(next.code)) {
            if (is_apart) line += ' ';
            is_apart = false;
            line += text.substr(0, next.bytes);
        }
        text.remove_prefix(next.bytes);
    }
    return clipped(line, bytes);
}

std::string memory_text(const AgentMessage& message) {
    std::string out;
    const auto begin = [&out](std::string_view word) {
        if (!word.empty()) out.append(word).append("\n");
    };
    if (message.action) begin(message.action->tool_name);
    begin(message.metadata.error_code);
    begin(message.metadata.error_message);
    append_content(out, message.content);
    out.resize(whole_prefix(out, limits::memory_text_bytes_max).size());
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
}

bool may_set_marks(AgentMessageKind kind) {
    return kind != AgentMessageKind::observation && kind != AgentMessageKind::tool_result &&
           kind != AgentMessageKind::summary;
}

std::vector<MarkedText> marks_of(const AgentMessage& message) {
    std::vector<MarkedText> marks;
    if (!may_set_marks(message.kind) || add_named_mark(marks, message)) return marks;
    const std::string text = content_text(message);
    if (const auto mark = mark_of_action(message)) add_mark(marks, mark, text);
    else add_marked_lines(marks, text);
    return marks;
}

std::vector<std::string> memory_words(const AgentMessage& message) {
    return words_of(memory_text(message));
}

std::string snippet_of(std::string_view text, const std::vector<std::string>& words, std::size_t bytes) {
    const std::vector<Piece> pieces = pieces_of(text);
    if (pieces.empty()) return {};
    const auto found = std::ranges::find_if(pieces, [&](const Piece& piece) {
        return has_one_of(text.substr(piece.begin, piece.end - piece.begin), words);
    });
    std::size_t first = found == pieces.end() ? 0 : static_cast<std::size_t>(found - pieces.begin());
    const std::size_t word = first;
    // A third of it stands before the word.
    while (first > 0 && pieces[word].begin - pieces[first - 1].begin <= bytes / 3) --first;
    std::size_t last = word;
    while (last + 1 < pieces.size() && pieces[last + 1].end - pieces[first].begin <= bytes) ++last;
    std::string out(first > 0 ? "… " : "");
    out += one_line(text.substr(pieces[first].begin, pieces[last].end - pieces[first].begin), bytes);
    if (last + 1 < pieces.size()) out += " …";
    return out;
}

std::string item_key(std::string_view text) {
    std::string key;
    bool is_apart = false;
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        if (next.bytes == 1 && is_space(text.front())) {
            is_apart = !key.empty();
        } else {
            if (is_apart) key += ' ';
            is_apart = false;
            const char32_t code = fold_case(next.code);
            // A key is compared, never shown: other characters than ASCII stand there as their numbers.
            if (code < 0x80) key += static_cast<char>(code);
            else key.append("\x01").append(std::to_string(static_cast<std::uint32_t>(code))).append("\x01");
        }
        text.remove_prefix(next.bytes);
    }
    return key;
}

bool is_same_item(std::string_view a, std::string_view b) {
    return item_key(a) == item_key(b);
}

}  // namespace belfry::rules
