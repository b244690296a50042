#include <algorithm>
#include <cstring>
#include <span>

#include "model/key_index.hpp"
#include "text/toon.hpp"
#include "text/toon_digits.hpp"
#include "text/toon_header.hpp"
#include "text/toon_lines.hpp"
#include "text/toon_token.hpp"
#include "text/utf8.hpp"

namespace belfry::text {
namespace {

using model::KeyIndex;
using model::Member;
using model::Value;

// Rows repeat the names of their header: two short lines can stand for a tree as large as their product. So the names
// that do not fit into a value itself are bounded by the size of the document.
constexpr std::size_t names_bytes_least = std::size_t{64} << 20;
constexpr std::size_t names_per_byte = 64;

// Reads by recursive descent over lines. Every function leaves `lines_` at the first line that is not its own; false
// means that `failure_` is set.
class Decoder {
public:
    Decoder(std::string_view document, const ToonDecodeOptions& options)
        : options_(options),
          lines_(document, std::max(options.indent, 1), options.strict, failure_),
          names_left_(std::max(names_bytes_least, document.size() * names_per_byte)) {}

    bool document(Value& root);
    [[nodiscard]] const ToonFailure& failure() const { return failure_; }

private:
    // An object under way. Siblings mostly have the same keys in the same order: for as long as an object keeps to the
    // one before it, none of its keys can stand twice, and it will need as much room.
    struct Object {
        explicit Object(std::span<const Member> sibling = {}) : value(Value::object(sibling.size())), like(sibling) {}

        // What the sibling has in the place of the member that came last, or else what stands before that member.
        [[nodiscard]] std::span<const Member> like_last() const {
            const auto members = value.members();
            if (!like.empty()) return like[members.size() - 1].value.members();
            if (members.size() > 1) return members[members.size() - 2].value.members();
            return {};
        }

        Value value;
        std::span<const Member> like;  // of the sibling; empty from the first difference on
        KeyIndex index;
    };

    bool fail(const char* at, std::string message, base::Code code = base::Code::malformed) {
        failure_ = {at, code, std::move(message)};
        return false;
    }

    // Takes the line that is there.
    bool take(ToonLine& line) {
        line = lines_.line();
        if (options_.strict && spans_ > 0 && line.after_blank) return fail(line.from, "a blank line inside an array");
        last_ = line.from;
        return lines_.advance();
    }

    // Where the content of a scope that was opened at `depth` stands; -1: it has none.
    bool content_depth(int depth, int& content) {
        content = -1;
        if (!lines_.more() || lines_.line().depth <= depth) return true;
        content = lines_.line().depth;
        if (options_.strict && content != depth + 1) return fail(lines_.line().from, "indented by more than one level");
        if (content > options_.depth_max) {
            return fail(lines_.line().from, "deeper than " + std::to_string(options_.depth_max) + " levels",
                        base::Code::too_large);
        }
        return true;
    }

    bool over_indented() { return fail(lines_.line().from, "indented deeper than anything that could hold it"); }

    // Where the value of a key goes; null: the key is there already, and may not be. The place holds until the object
    // gets its next key.
    Value* place(Object& object, Value&& key, const char* at) {
        const std::size_t next = object.value.size();
        if (next < object.like.size() && object.like[next].name.same_text(key))
            return &object.value.append(std::move(key), Value());
        object.like = {};
        const std::size_t found = object.index.find_or_expect(object.value, key);
        if (found == KeyIndex::none) return &object.value.append(std::move(key), Value());
        if (!options_.strict) return &object.value.member(found);
        fail(at, "the key \"" + std::string(key.text()) + "\" stands twice");
        return nullptr;
    }

    // The colon behind the key that the sibling has in this place, where the line begins with that key; or null.
    const char* colon_of_expected_key(const Object& object, const char* from, const char* to) const {
        const std::size_t next = object.value.size();
        if (!plain_keys_ || next >= object.like.size()) return nullptr;
        const std::string_view key = object.like[next].key();
        if (static_cast<std::size_t>(to - from) <= key.size() || from[key.size()] != ':') return nullptr;
        return std::memcmp(from, key.data(), key.size()) == 0 ? from + key.size() : nullptr;
    }

    bool root_header(const ToonHeader& header, Value& root);
    bool fields(Object& object, int depth);
    bool field(Object& object, const char* from, const char* to, int depth);
    bool key_value(Object& object, const char* from, const char* colon, const char* to, int depth);
    bool value_after(const Object& object, const char* colon, const char* to, int depth, Value& value);
    bool body(const ToonHeader& header, const char* to, int depth, Value& value);
    bool inline_array(const ToonHeader& header, const char* from, const char* to, Value& value);
    bool list(const ToonHeader& header, int depth, Value& value);
    bool list_item(const ToonLine& line, std::span<const Member> sibling, Value& value);
    bool table(const ToonHeader& header, int depth, Value& value);
    bool keyed_table(const ToonHeader& header, int depth, Value& value);
    static bool is_row(const ToonLine& line, char delimiter);
    bool row(const ToonHeader& header, const char* from, const char* to, Value& value);
    bool row_object(const std::vector<ToonField>& fields, bool repeats, ToonCells& cells, Value& value);
    bool row_with_repeats(const std::vector<ToonField>& fields, ToonCells& cells, Value& value);
    bool check_count(const ToonHeader& header, std::size_t count, const char* at, const char* what);
    // Room for what was declared. A lenient reader believes no length: nothing would hold the next header to its own.
    std::size_t sensible(std::size_t declared) const {
        return options_.strict ? std::min<std::size_t>(declared, 1 << 16) : 0;
    }
    bool pay_for_names(const ToonHeader& header);

    ToonDecodeOptions options_;
    ToonFailure failure_;
    ToonLines lines_;
    int spans_ = 0;               // arrays around us whose first item was read
    std::size_t names_left_ = 0;  // bytes that rows may still repeat of their field names
    // No key so far was quoted or could have been a header: text that equals a key of before is that key.
    bool plain_keys_ = true;
    const char* last_ = nullptr;
};

bool Decoder::document(Value& root) {
    if (!lines_.advance()) return false;
    if (!lines_.more()) {
        root = Value::object();
        return true;
    }
    const ToonLine first = lines_.line();
    if (first.depth > 0) return over_indented();
    ToonHeader header;
    const ToonHeaderKind kind = read_toon_header(first.from, first.to, options_.depth_max, header, failure_);
    if (kind == ToonHeaderKind::broken && options_.strict) return false;
    failure_ = {};
    if (kind == ToonHeaderKind::header && !header.has_key) return root_header(header, root);
    if (first.content() == "[]") {
        root = Value::array();
        if (!lines_.advance()) return false;
        if (!lines_.more() || !options_.strict) return true;
        return fail(lines_.line().from, "text after the end of the document's array");
    }
    if (kind == ToonHeaderKind::none && find_unquoted(first.from, first.to, ':') == nullptr) {
        if (!read_toon_primitive(first.from, first.to, root, failure_) || !lines_.advance()) return false;
        return !lines_.more() || fail(first.from, "a value without a key, and more lines after it");
    }
    Object object;
    if (!fields(object, 0)) return false;
    root = std::move(object.value);
    return true;
}

bool Decoder::root_header(const ToonHeader& header, Value& root) {
    ToonLine line;
    if (!take(line) || !body(header, line.to, 0, root)) return false;
    if (!lines_.more() || !options_.strict) return true;
    return fail(lines_.line().from, "text after the end of the document's array or table");
}

bool Decoder::fields(Object& object, int depth) {
    while (lines_.more() && lines_.line().depth == depth) {
        ToonLine line;
        if (!take(line) || !field(object, line.from, line.to, depth)) return false;
    }
    return !lines_.more() || lines_.line().depth < depth || over_indented();
}

bool Decoder::field(Object& object, const char* from, const char* to, int depth) {
    if (const char* colon = colon_of_expected_key(object, from, to)) {
        Value& value = object.value.append(Value(object.like[object.value.size()].name), Value());
        return value_after(object, colon, to, depth, value);
    }
    const char* at = find_any(from, to, ':', '[', '"');
    if (at < to && *at == ':') return key_value(object, from, at, to, depth);
    ToonHeader header;
    const ToonHeaderKind kind = read_toon_header(from, to, options_.depth_max, header, failure_);
    plain_keys_ = plain_keys_ && kind == ToonHeaderKind::header && header.has_key && *at == '[';
    if (kind == ToonHeaderKind::none) return key_value(object, from, find_unquoted(from, to, ':'), to, depth);
    if (kind == ToonHeaderKind::broken && options_.strict) return false;
    failure_ = {};
    if (kind == ToonHeaderKind::broken || !header.has_key) {
        if (options_.strict) return fail(from, "a header without a key is for the document's root or for list items");
        return key_value(object, from, find_unquoted(from, to, ':'), to, depth);
    }
    Value* value = place(object, std::move(header.key), from);
    return value != nullptr && body(header, to, depth, *value);
}

// `colon`: the first outside of quotes, or null.
bool Decoder::key_value(Object& object, const char* from, const char* colon, const char* to, int depth) {
    if (colon == nullptr) {
        // An unterminated key is the better reason.
        if (*from == '"' && skip_quoted(from, to) == nullptr) return fail(from, "a string without its closing quote");
        return fail(to, "a colon is missing after the key");
    }
    Value key;
    if (!read_toon_key(from, colon, key, failure_)) return false;
    Value* value = place(object, std::move(key), from);
    return value != nullptr && value_after(object, colon, to, depth, *value);
}

// What stands behind the colon of the member that came last, or below it.
bool Decoder::value_after(const Object& object, const char* colon, const char* to, int depth, Value& value) {
    const char* from = colon + 1;
    while (from < to && *from == ' ') ++from;
    if (from == to) {
        int content = 0;
        if (!content_depth(depth, content)) return false;
        Object nested(object.like_last());
        if (content >= 0 && !fields(nested, content)) return false;
        value = std::move(nested.value);
        return true;
    }
    if (to - from == 2 && from[0] == '[' && from[1] == ']') {
        value = Value::array();
        return true;
    }
    return read_toon_primitive(from, to, value, failure_);
}

// What a header declares: the text behind its colon, or the lines below it. `depth` is that of the header.
bool Decoder::body(const ToonHeader& header, const char* to, int depth, Value& value) {
    if (header.repeats && options_.strict) return fail(header.rest - 1, "a field name stands twice");
    if (header.keyed) return keyed_table(header, depth, value);
    if (!header.fields.empty()) return table(header, depth, value);
    const char* from = header.rest;
    while (from < to && *from == ' ') ++from;
    return from < to ? inline_array(header, from, to, value) : list(header, depth, value);
}

bool Decoder::check_count(const ToonHeader& header, std::size_t count, const char* at, const char* what) {
    if (!options_.strict || count == header.length) return true;
    return fail(at, std::to_string(header.length) + " " + what + " were declared, " +
                        (count > header.length ? "more" : std::to_string(count)) + " are there");
}

bool Decoder::inline_array(const ToonHeader& header, const char* from, const char* to, Value& value) {
    value = Value::array(sensible(std::min<std::size_t>(header.length, static_cast<std::size_t>(to - from))));
    ToonCells cells(from, to, lines_.end(), header.delimiter);
    if (!cells.take_all(value, failure_)) return false;
    return check_count(header, value.size(), header.rest, "values");
}

bool Decoder::list(const ToonHeader& header, int depth, Value& value) {
    value = Value::array();
    int content = 0;
    if (!content_depth(depth, content)) return false;
    const char* where = last_;
    while (content >= 0 && lines_.more() && lines_.line().depth == content) {
        const ToonLine& line = lines_.line();
        if (*line.from != '-' || (line.to - line.from > 1 && line.from[1] != ' ')) break;
        if (options_.strict && value.size() == header.length)
            return check_count(header, value.size() + 1, line.from, "items");
        ToonLine taken;
        if (!take(taken)) return false;
        if (value.size() == 0) ++spans_;
        Value& item = value.push(Value());
        const auto items = value.items();
        if (!list_item(taken, items.size() > 1 ? items[items.size() - 2].members() : std::span<const Member>(), item))
            return false;
    }
    if (value.size() > 0) --spans_;
    return check_count(header, value.size(), where, "items");
}

bool Decoder::list_item(const ToonLine& line, std::span<const Member> sibling, Value& value) {
    const char* from = line.from + 1;
    while (from < line.to && *from == ' ') ++from;
    if (from == line.to) {
        value = Value::object();
        return true;
    }
    if (line.to - from == 2 && from[0] == '[' && from[1] == ']') {
        value = Value::array();
        return true;
    }
    if (*from == '[') {
        ToonHeader header;
        const ToonHeaderKind kind = read_toon_header(from, line.to, options_.depth_max, header, failure_);
        if (kind == ToonHeaderKind::broken && options_.strict) return false;
        failure_ = {};
        if (kind == ToonHeaderKind::header && header.fields.empty()) return body(header, line.to, line.depth, value);
        if (kind == ToonHeaderKind::header && options_.strict) return fail(from, "a table in a list item needs a key");
    }
    if (find_unquoted(from, line.to, ':') == nullptr) return read_toon_primitive(from, line.to, value, failure_);
    // The first field stands one level deeper than its hyphen.
    Object object(sibling);
    if (!field(object, from, line.to, line.depth + 1)) return false;
    if (lines_.more() && lines_.line().depth > line.depth && !fields(object, line.depth + 1)) return false;
    value = std::move(object.value);
    return true;
}

// A row, unless a colon comes before the first delimiter; either counts outside of quotes only.
bool Decoder::is_row(const ToonLine& line, char delimiter) {
    for (const char* at = line.from; at < line.to; ++at) {
        if (*at == delimiter) return true;
        if (*at == ':') return false;
        if (*at != '"') continue;
        at = skip_quoted(at, line.to);
        if (at == nullptr) return true;
        --at;
    }
    return true;
}

bool Decoder::table(const ToonHeader& header, int depth, Value& value) {
    value = Value::array(sensible(header.length));
    int content = 0;
    if (!content_depth(depth, content)) return false;
    const char* where = last_;
    while (content >= 0 && lines_.more() && lines_.line().depth == content && is_row(lines_.line(), header.delimiter)) {
        if (options_.strict && value.size() == header.length) {
            return check_count(header, value.size() + 1, lines_.line().from, "rows");
        }
        ToonLine line;
        if (!take(line)) return false;
        if (value.size() == 0) ++spans_;
        if (!row(header, line.from, line.to, value.push(Value()))) return false;
    }
    if (value.size() > 0) --spans_;
    return check_count(header, value.size(), where, "rows");
}

bool Decoder::keyed_table(const ToonHeader& header, int depth, Value& value) {
    plain_keys_ = false;
    Object object;
    int content = 0;
    if (!content_depth(depth, content)) return false;
    const char* where = last_;
    std::size_t count = 0;
    while (content >= 0 && lines_.more() && lines_.line().depth == content) {
        if (options_.strict && count == header.length)
            return check_count(header, count + 1, lines_.line().from, "entries");
        ToonLine line;
        if (!take(line)) return false;
        if (count++ == 0) ++spans_;
        const char* colon = find_unquoted(line.from, line.to, ':');
        if (colon == nullptr) return fail(line.to, "a colon is missing after the entry's key");
        Value key;
        const char* from = colon + 1;
        while (from < line.to && *from == ' ') ++from;
        if (!read_toon_key(line.from, colon, key, failure_)) return false;
        Value* entry = place(object, std::move(key), line.from);
        if (entry == nullptr || !row(header, from, line.to, *entry)) return false;
    }
    if (count > 0) --spans_;
    value = std::move(object.value);
    return check_count(header, count, where, "entries");
}

bool Decoder::row(const ToonHeader& header, const char* from, const char* to, Value& value) {
    if (!pay_for_names(header)) return false;
    // An entry row with nothing behind its colon has no cell; a table's row always has one.
    ToonCells cells(from < to ? from : nullptr, to, lines_.end(), header.delimiter);
    if (!row_object(header.fields, header.repeats, cells, value)) return false;
    if (!cells.more() || !options_.strict) return true;
    return fail(cells.at(), "more cells than the " + std::to_string(header.leaves) + " fields");
}

bool Decoder::pay_for_names(const ToonHeader& header) {
    if (header.name_bytes <= names_left_) {
        names_left_ -= header.name_bytes;
        return true;
    }
    return fail(last_,
                "rows repeat their field names into more than " + std::to_string(names_per_byte) +
                    " times the size of the document",
                base::Code::too_large);
}

bool Decoder::row_object(const std::vector<ToonField>& fields, bool repeats, ToonCells& cells, Value& value) {
    if (repeats) return row_with_repeats(fields, cells, value);
    value = Value::object(std::min(fields.size(), cells.most()));
    for (const ToonField& field : fields) {
        if (!cells.more()) return !options_.strict || fail(last_, "fewer cells than fields");
        Value& cell = value.append(field.name, Value());
        if (field.group.empty() ? !cells.next(cell, failure_) : !row_object(field.group, false, cells, cell))
            return false;
    }
    return true;
}

// Of a field name that stands twice the last cell wins; only a lenient reader comes here.
bool Decoder::row_with_repeats(const std::vector<ToonField>& fields, ToonCells& cells, Value& value) {
    Object object;
    for (const ToonField& field : fields) {
        if (!cells.more()) break;
        Value* cell = place(object, Value(field.name), last_);
        if (cell == nullptr) return false;
        if (field.group.empty() ? !cells.next(*cell, failure_) : !row_with_repeats(field.group, cells, *cell))
            return false;
    }
    value = std::move(object.value);
    return true;
}

base::Error located(std::string_view document, const char* at, base::Code code, const std::string& message) {
    const auto offset = static_cast<std::size_t>(at - document.data());
    const std::string_view before = document.substr(0, offset);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
    return base::error(
        code, "line " + std::to_string(line) + ", column " + std::to_string(utf8_length(in_line) + 1) + ": " + message);
}

}  // namespace

base::Result<Value> toon_decode(std::string_view document, const ToonDecodeOptions& options) {
    if (document.size() > options.bytes_max) {
        return base::error(base::Code::too_large, "more than " + std::to_string(options.bytes_max) + " bytes");
    }
    if (const std::size_t valid = utf8_valid_prefix(document); valid < document.size()) {
        return located(document, document.data() + valid, base::Code::malformed, "bytes that are no UTF-8");
    }
    std::string_view text = document;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    Decoder decoder(text, options);
    Value root;
    if (decoder.document(root)) return root;
    const ToonFailure& failure = decoder.failure();
    return located(text, failure.at, failure.code, failure.message);
}

}  // namespace belfry::text
