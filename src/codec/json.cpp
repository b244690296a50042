#include "codec/json.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Error;
using base::Result;
using model::JsonKind;

static_assert(base::limits::json_depth_max <= 64, "scan_value keeps one bit a level");

const char* name_of(JsonKind kind) {
    switch (kind) {
        case JsonKind::null: return "null";
        case JsonKind::boolean: return "true or false";
        case JsonKind::number: return "a number";
        case JsonKind::string: return "a string";
        case JsonKind::array: return "an array";
        case JsonKind::object: return "an object";
    }
    return "a value";
}

}  // namespace

void JsonSpan::append_compact_to(std::string& out) const {
    if (spaced) append_compact(out, text);
    else out += text;
}

model::RawJson JsonSpan::compact() const {
    std::string bytes;
    append_compact_to(bytes);
    return model::RawJson::trusted(std::move(bytes));
}

JsonReader::JsonReader(std::string_view text, Options options)
    : scan_{text.data(), text.data() + text.size()}, start_(text.data()), options_(options) {
    ASSERT(options.depth_max <= levels_max);
}

Error JsonReader::malformed() const {
    const std::size_t newlines = static_cast<std::size_t>(std::count(start_, scan_.at, '\n'));
    const char* line = scan_.at;
    while (line > start_ && line[-1] != '\n') --line;
    return base::error(Code::malformed, "line " + std::to_string(options_.first_line + newlines) + ", column " +
                                            std::to_string(scan_.at - line + 1) + ": " + scan_.problem);
}

Error JsonReader::malformed(const char* problem) {
    scan_.problem = problem;
    return malformed();
}

Error JsonReader::invalid(std::string message) const {
    return base::error(Code::invalid, std::move(message), path());
}

std::string JsonReader::path() const {
    std::string path;
    for (std::size_t i = path_first_; i < depth_; ++i) {
        const Level& level = levels_[i];
        if (level.index == 0) break;
        if (level.object) {
            if (!path.empty()) path += '.';
            path.append(level.name.data, level.name.size);
        } else {
            path += '[' + std::to_string(level.index - 1) + ']';
        }
    }
    return path;
}

Result<JsonKind> JsonReader::peek() {
    ASSERT(value_due_);
    skip_space(scan_);
    if (scan_.at == scan_.end) return malformed("a value is missing");
    switch (*scan_.at) {
        case '{': return JsonKind::object;
        case '[': return JsonKind::array;
        case '"': return JsonKind::string;
        case 't':
        case 'f': return JsonKind::boolean;
        case 'n': return JsonKind::null;
        default: break;
    }
    if (*scan_.at != '-' && (*scan_.at < '0' || *scan_.at > '9')) return malformed("this is no value");
    return JsonKind::number;
}

bool JsonReader::stands_at(char first) {
    ASSERT(value_due_);
    skip_space(scan_);
    return scan_.at < scan_.end && *scan_.at == first;
}

Error JsonReader::wrong_kind(JsonKind wanted) {
    auto kind = peek();
    if (!kind.ok()) return std::move(kind).error();
    return invalid("must be " + std::string(name_of(wanted)) + ", not " + name_of(*kind));
}

Result<void> JsonReader::begin_container(bool object, Names names) {
    if (depth_ == options_.depth_max) return malformed("nested too deeply");
    levels_[depth_++] = Level{object, names, ++serial_, names_count_, 0, Name{nullptr, 0}};
    ++scan_.at;
    value_due_ = false;
    return {};
}

Result<void> JsonReader::begin_object(Names names) {
    if (!stands_at('{')) return wrong_kind(JsonKind::object);
    return begin_container(true, names);
}

Result<void> JsonReader::begin_array() {
    if (!stands_at('[')) return wrong_kind(JsonKind::array);
    return begin_container(false, Names::repeated);
}

JsonReader::Step JsonReader::begin_item(char close) {
    if (value_due_ && !scan_next_value()) return Step::failed;
    skip_space(scan_);
    if (scan_.at < scan_.end && *scan_.at == close) {
        ++scan_.at;
        names_count_ = level().names_first;
        --depth_;
        return Step::end;
    }
    if (level().index > 0) {
        if (scan_.at == scan_.end || *scan_.at != ',') {
            scan_.fail(close == '}' ? "a comma or } is expected" : "a comma or ] is expected");
            return Step::failed;
        }
        ++scan_.at;
    }
    ++level().index;
    return Step::item;
}

Result<bool> JsonReader::next_field(std::string_view& name) {
    ASSERT(depth_ > 0 && level().object);
    const Step step = begin_item('}');
    if (step == Step::failed) return malformed();
    if (step == Step::end) return false;
    skip_space(scan_);
    if (scan_.at == scan_.end || *scan_.at != '"') return malformed("a name in quotes is expected");
    const char* const token = scan_.at;
    if (!scan_string(scan_)) return malformed();
    name_token_ = std::string_view(token, static_cast<std::size_t>(scan_.at - token));
    name = name_token_.substr(1, name_token_.size() - 2);
    if (scan_.escaped) name = names_resolved_.emplace_front(model::JsonView{name_token_}.as_text());
    level().name = Name{name.data(), name.size()};
    skip_space(scan_);
    if (scan_.at == scan_.end || *scan_.at != ':') return malformed("a colon is expected after a name");
    ++scan_.at;
    value_due_ = true;
    if (level().names == Names::once && !remember_name(name)) return invalid("this name stands twice in one object");
    return true;
}

bool JsonReader::remember_name(std::string_view name) {
    for (std::size_t i = level().names_first; i < names_count_; ++i) {
        if (std::string_view(names_[i].data, names_[i].size) == name) return false;
    }
    if (names_count_ == names_.size()) return names_spilled_.emplace(level().serial, name).second;
    names_[names_count_++] = Name{name.data(), name.size()};
    return true;
}

Result<bool> JsonReader::next_element() {
    ASSERT(depth_ > 0 && !level().object);
    const Step step = begin_item(']');
    if (step == Step::failed) return malformed();
    value_due_ = step == Step::item;
    return value_due_;
}

Result<std::string_view> JsonReader::read_string() {
    if (!stands_at('"')) return wrong_kind(JsonKind::string);
    const char* const from = scan_.at;
    if (!scan_string(scan_)) return malformed();
    value_due_ = false;
    const std::string_view token(from, static_cast<std::size_t>(scan_.at - from));
    if (!scan_.escaped) return token.substr(1, token.size() - 2);
    scratch_ = model::JsonView{token}.as_text();
    return std::string_view(scratch_);
}

Result<std::string_view> JsonReader::read_number_text() {
    TRY_ASSIGN(const JsonKind kind, peek());
    if (kind != JsonKind::number) return wrong_kind(JsonKind::number);
    const char* const from = scan_.at;
    if (!scan_number(scan_)) return malformed();
    value_due_ = false;
    return std::string_view(from, static_cast<std::size_t>(scan_.at - from));
}

Result<std::int64_t> JsonReader::read_integer() {
    TRY_ASSIGN(const std::string_view digits, read_number_text());
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc{} || end != digits.data() + digits.size()) {
        return invalid("must be a whole number of 64 bits");
    }
    return value;
}

Result<bool> JsonReader::read_bool() {
    const bool value = stands_at('t');
    if (!value && !stands_at('f')) return wrong_kind(JsonKind::boolean);
    if (!scan_word(scan_, value ? "true" : "false")) return malformed();
    value_due_ = false;
    return value;
}

Result<bool> JsonReader::take_null() {
    if (!stands_at('n')) return false;
    if (!scan_word(scan_, "null")) return malformed();
    value_due_ = false;
    return true;
}

bool JsonReader::scan_next_value() {
    ASSERT(value_due_);
    if (!scan_value(scan_, std::min<std::size_t>(options_.depth_max - depth_, 64))) return false;
    value_due_ = false;
    return true;
}

Result<void> JsonReader::skip_value() {
    if (!scan_next_value()) return malformed();
    return {};
}

Result<JsonSpan> JsonReader::raw_value() {
    skip_space(scan_);
    scan_.spaced = false;
    const char* const from = scan_.at;
    TRY(skip_value());
    return JsonSpan{{from, static_cast<std::size_t>(scan_.at - from)}, scan_.spaced};
}

Result<void> JsonReader::leave_to(std::size_t depth) {
    std::string_view name;
    while (depth_ > depth) {
        auto more = level().object ? next_field(name) : next_element();
        if (!more.ok() && more.error().code == Code::malformed) return std::move(more).error();
    }
    return {};
}

Result<void> JsonReader::finish() {
    ASSERT(depth_ == 0);
    if (value_due_) TRY(skip_value());
    skip_space(scan_);
    if (scan_.at != scan_.end) return malformed("something follows the value");
    return {};
}

Result<model::RawJson> validate(std::string_view text) {
    JsonReader reader(text);
    TRY_ASSIGN(const JsonSpan value, reader.raw_value());
    TRY(reader.finish());
    return value.compact();
}

}  // namespace belfry::codec
