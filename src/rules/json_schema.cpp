#include "rules/json_schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "base/iso_time.hpp"
#include "model/number.hpp"

namespace belfry::rules {
namespace {

using model::JsonKind;
using model::JsonView;
using model::JsonWalker;

base::Error wrong(const std::string& field, const std::string& message) {
    return base::error(base::Code::invalid, field.empty() ? message : field + " " + message, field);
}

std::string below(const std::string& field, const std::string& name) {
    return field.empty() ? name : field + '.' + name;
}

std::optional<JsonView> object_member(JsonView object, std::string_view name, JsonKind kind) {
    if (object.kind() != JsonKind::object) return std::nullopt;
    const auto member = object.member(name);
    return member && member->kind() == kind ? member : std::nullopt;
}

double number_of(JsonView value) {
    double number = 0;
    const auto read = std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    // What is larger than any number must not pass as nothing; what is smaller than any is as good as nothing.
    const bool is_tiny =
        value.text.find("e-") != std::string_view::npos || value.text.find("E-") != std::string_view::npos;
    if (read.ec != std::errc::result_out_of_range || is_tiny) return number;
    constexpr double endless = std::numeric_limits<double>::infinity();
    return value.text.starts_with('-') ? -endless : endless;
}

std::optional<double> limit_of(JsonView schema, std::string_view name) {
    const auto limit = object_member(schema, name, JsonKind::number);
    return limit ? std::optional(number_of(*limit)) : std::nullopt;
}

// A name as it stands between its quotes.
std::string plain(std::string_view raw_name) {
    std::string quoted = "\"";
    quoted.append(raw_name).append("\"");
    return JsonView{quoted}.as_text();
}

bool is_integer(JsonView value) {
    return model::canonical_number(value.text).find('.') == std::string::npos;
}

bool is_of_type(JsonView value, std::string_view type) {
    switch (value.kind()) {
        case JsonKind::null: return type == "null";
        case JsonKind::boolean: return type == "boolean";
        case JsonKind::number: return type == "number" || (type == "integer" && is_integer(value));
        case JsonKind::string: return type == "string";
        case JsonKind::array: return type == "array";
        case JsonKind::object: break;
    }
    return type == "object";
}

bool is_same(JsonView one, JsonView other) {
    if (one.kind() != other.kind()) return false;
    if (one.kind() == JsonKind::string) return one.as_text() == other.as_text();
    if (one.kind() == JsonKind::number) {
        return model::canonical_number(one.text) == model::canonical_number(other.text);
    }
    return one.text == other.text;
}

std::size_t characters(std::string_view utf8) {
    std::size_t count = 0;
    for (const char c : utf8) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return count;
}

std::string shown(double limit) {
    std::string out;
    model::JsonWriter(out).real(limit);
    return out;
}

base::Result<void> check_type(JsonView schema, JsonView value, const std::string& field) {
    const auto type = schema.member("type");
    if (!type) return {};
    if (type->kind() == JsonKind::string) {
        if (is_of_type(value, type->as_text())) return {};
        return wrong(field, "must be of type " + type->as_text());
    }
    if (type->kind() != JsonKind::array) return {};
    std::string names;
    JsonWalker walker(*type);
    while (const auto one = walker.next()) {
        if (is_of_type(value, one->as_text())) return {};
        names += (names.empty() ? "" : " or ") + one->as_text();
    }
    return wrong(field, "must be of type " + names);
}

base::Result<void> check_choice(JsonView schema, JsonView value, const std::string& field) {
    if (const auto only = schema.member("const"); only && !is_same(*only, value)) {
        return wrong(field, "must be " + std::string(only->text));
    }
    const auto choices = object_member(schema, "enum", JsonKind::array);
    if (!choices) return {};
    JsonWalker walker(*choices);
    while (const auto one = walker.next()) {
        if (is_same(*one, value)) return {};
    }
    return wrong(field, "must be one of " + std::string(choices->text));
}

// Whether an amount lies between the two, in words of what is counted.
base::Result<void> check_amount(JsonView schema, std::string_view least, std::string_view most, double amount,
                                const std::string& what, const std::string& field) {
    const auto min = limit_of(schema, least);
    if (min && amount < *min) return wrong(field, "must " + what + "at least " + shown(*min));
    const auto max = limit_of(schema, most);
    if (max && amount > *max) return wrong(field, "must " + what + "at most " + shown(*max));
    return {};
}

base::Result<void> check_number(JsonView schema, JsonView value, const std::string& field) {
    const double number = number_of(value);
    TRY(check_amount(schema, "minimum", "maximum", number, "be ", field));
    const auto above = limit_of(schema, "exclusiveMinimum");
    if (above && number <= *above) return wrong(field, "must be above " + shown(*above));
    const auto below = limit_of(schema, "exclusiveMaximum");
    if (below && number >= *below) return wrong(field, "must be below " + shown(*below));
    return {};
}

base::Result<void> check_format(JsonView schema, JsonView value, const std::string& field) {
    const auto format = object_member(schema, "format", JsonKind::string);
    if (!format) return {};
    const std::string text = value.as_text();
    if (format->as_text() == "date" && !base::parse_date(text)) {
        return wrong(field, "must be a day such as 2026-11-16");
    }
    if (format->as_text() == "date-time" && !base::is_rfc3339(text)) {
        return wrong(field, "must be a time with its zone, such as 2026-11-16T07:00:00Z");
    }
    return {};
}

base::Result<void> check(JsonView schema, JsonView value, const std::string& field);

base::Result<void> check_array(JsonView schema, JsonView value, const std::string& field) {
    const auto items = object_member(schema, "items", JsonKind::object);
    std::size_t count = 0;
    JsonWalker walker(value);
    while (const auto one = walker.next()) {
        if (items) TRY(check(*items, *one, field + "[" + std::to_string(count) + "]"));
        ++count;
    }
    return check_amount(schema, "minItems", "maxItems", static_cast<double>(count), "have a number of entries of ",
                        field);
}

base::Result<void> check_object(JsonView schema, JsonView value, const std::string& field) {
    if (const auto required = object_member(schema, "required", JsonKind::array)) {
        JsonWalker walker(*required);
        while (const auto name = walker.next()) {
            if (!value.member(name->as_text())) return wrong(below(field, name->as_text()), "must be given");
        }
    }
    const auto properties = object_member(schema, "properties", JsonKind::object);
    const auto others = object_member(schema, "additionalProperties", JsonKind::boolean);
    const bool is_closed = others && others->text == "false";
    JsonWalker walker(value);
    std::string_view raw_name;
    while (const auto member = walker.next(&raw_name)) {
        const std::string name = plain(raw_name);
        const auto property = properties ? properties->member(name) : std::nullopt;
        if (property) TRY(check(*property, *member, below(field, name)));
        else if (is_closed) return wrong(below(field, name), "is not known");
    }
    return {};
}

base::Result<void> check(JsonView schema, JsonView value, const std::string& field) {
    if (schema.kind() != JsonKind::object) return {};
    TRY(check_type(schema, value, field));
    TRY(check_choice(schema, value, field));
    switch (value.kind()) {
        case JsonKind::string:
            TRY(check_format(schema, value, field));
            return check_amount(schema, "minLength", "maxLength", static_cast<double>(characters(value.as_text())),
                                "have a number of characters of ", field);
        case JsonKind::number: return check_number(schema, value, field);
        case JsonKind::array: return check_array(schema, value, field);
        case JsonKind::object: return check_object(schema, value, field);
        case JsonKind::null:
        case JsonKind::boolean: break;
    }
    return {};
}

constexpr std::array<std::string_view, 7> type_names{"null",   "boolean", "integer", "number",
                                                     "string", "array",   "object"};
constexpr std::array<std::string_view, 8> amounts{"minLength", "maxLength",        "minimum",          "maximum",
                                                  "minItems",  "exclusiveMinimum", "exclusiveMaximum", "maxItems"};
constexpr int schema_depth_max = 32;

bool is_type_name(JsonView value) {
    return value.kind() == JsonKind::string && std::ranges::find(type_names, value.as_text()) != type_names.end();
}

base::Result<void> require_kind(JsonView schema, std::string_view word, JsonKind kind, const char* what,
                                const std::string& field) {
    const auto member = schema.member(word);
    if (!member || member->kind() == kind) return {};
    return wrong(below(field, std::string(word)), what);
}

base::Result<void> require_types(JsonView schema, const std::string& field) {
    const auto type = schema.member("type");
    if (!type || is_type_name(*type)) return {};
    bool is_list = type->kind() == JsonKind::array;
    JsonWalker walker(is_list ? *type : JsonView{"[]"});
    while (const auto one = walker.next()) is_list = is_list && is_type_name(*one);
    if (is_list) return {};
    return wrong(below(field, "type"), "must be the name of a type of JSON, or a list of such");
}

base::Result<void> require_names(JsonView schema, const std::string& field) {
    TRY(require_kind(schema, "required", JsonKind::array, "must be a list of names", field));
    const auto names = schema.member("required");
    if (!names) return {};
    JsonWalker walker(*names);
    while (const auto one = walker.next()) {
        if (one->kind() != JsonKind::string) return wrong(below(field, "required"), "must be a list of names");
    }
    return {};
}

base::Result<void> look_through(JsonView schema, const std::string& field, int depth) {
    if (schema.kind() != JsonKind::object) return wrong(field, "must be an object: a JSON Schema");
    if (depth > schema_depth_max) return wrong(field, "lies deeper than a schema may");
    TRY(require_types(schema, field));
    TRY(require_kind(schema, "enum", JsonKind::array, "must be a list of values", field));
    TRY(require_kind(schema, "format", JsonKind::string, "must be a text", field));
    for (const std::string_view word : amounts) {
        TRY(require_kind(schema, word, JsonKind::number, "must be a number", field));
    }
    TRY(require_names(schema, field));
    TRY(require_kind(schema, "properties", JsonKind::object, "must be an object of schemas", field));
    if (const auto properties = schema.member("properties")) {
        JsonWalker walker(*properties);
        std::string_view raw_name;
        while (const auto one = walker.next(&raw_name)) {
            if (one->kind() == JsonKind::boolean) continue;
            TRY(look_through(*one, below(below(field, "properties"), plain(raw_name)), depth + 1));
        }
    }
    const auto items = schema.member("items");
    const bool is_schema = items && items->kind() != JsonKind::boolean;
    return is_schema ? look_through(*items, below(field, "items"), depth + 1) : base::Result<void>{};
}

}  // namespace

base::Result<void> check_schema(JsonView schema, const std::string& root) {
    return look_through(schema, root, 0);
}

base::Result<void> check_against(JsonView schema, JsonView value, const std::string& root) {
    return check(schema, value, root);
}

}  // namespace belfry::rules
