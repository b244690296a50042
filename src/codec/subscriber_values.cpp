#include "codec/subscriber_values.hpp"

#include <algorithm>
#include <charconv>

#include "base/nearest.hpp"
#include "model/raw_json.hpp"

namespace belfry::codec {
namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return is_lower(c) || is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z');
}

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// A text as it would stand in JSON, a long one only by its beginning.
std::string shown_text(std::string_view text) {
    constexpr std::size_t bytes_max = 60;
    std::size_t end = std::min(text.size(), bytes_max);
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    std::string out = "\"";
    model::append_escaped(out, text.substr(0, end));
    return out + (end < text.size() ? "…\"" : "\"");
}

std::string shown(const TomlValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return shown_text(*text);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (std::holds_alternative<double>(value)) return "a fraction";
    return "a list";
}

// Takes `:12` from the front of the text.
std::uint32_t take_number(std::string_view& text) {
    std::uint32_t number = 0;
    if (!text.starts_with(':')) return 0;
    const auto [end, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (failure != std::errc()) return 0;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

bool is_identifier(std::string_view text) {
    const auto is_part = [](char c) { return is_lower(c) || is_digit(c) || c == '_'; };
    return !text.empty() && is_lower(text.front()) && std::ranges::all_of(text, is_part);
}

bool is_version(std::string_view text) {
    int numbers = 0;
    for (;;) {
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        if (digits == 0) return false;
        ++numbers;
        text.remove_prefix(digits);
        if (text.empty()) return numbers == 3;
        if (text.front() != '.') return false;
        text.remove_prefix(1);
    }
}

bool is_member_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_word);
}

bool is_template_name(std::string_view text) {
    constexpr std::string_view folder = "templates/";
    if (!text.starts_with(folder)) return false;
    text.remove_prefix(folder.size());
    return !text.empty() && is_word(text.front()) &&
           std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_dedupe_key(std::string_view text) {
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t colon = std::min(text.find(':', from), text.size());
        if (text.substr(from, colon - from) == "payload.") return false;
        from = colon + 1;
    }
    return true;
}

bool has_characters(std::string_view utf8, std::size_t min, std::size_t max) {
    const std::size_t count = count_characters(utf8);
    return count >= min && count <= max;
}

model::SubscriberProblem problem_of_toml(const base::Error& error, std::string_view file) {
    model::SubscriberProblem problem;
    problem.file = file;
    problem.field = error.field;
    std::string_view message = error.message;
    if (message.starts_with(file)) message.remove_prefix(file.size());
    problem.line = take_number(message);
    problem.column = take_number(message);
    if (message.starts_with(": ")) message.remove_prefix(2);
    problem.message = message;
    return problem;
}

void SubscriberFields::add(model::SubscriberProblem problem) {
    problem.file = table_.file;
    problems_.push_back(std::move(problem));
}

void SubscriberFields::missing(std::string_view key, std::string_view what) {
    add({{}, 0, 0, std::string(key), "is missing: " + std::string(what), true});
}

void SubscriberFields::warn(std::string_view key, std::string message) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return;
    add({{}, entry->line, entry->column, std::string(key), std::move(message), false});
}

void SubscriberFields::refuse_unknown(std::span<const std::string_view> tables,
                                      std::span<const std::string_view> fields, std::string_view free_prefix,
                                      std::string_view of) {
    const auto unknown = [&](std::string_view key, std::uint32_t line, std::uint32_t column, std::string_view what,
                             std::span<const std::string_view> known) {
        const std::string near = base::nearest(key, known);
        std::string message = "is no " + std::string(what) + " of " + std::string(of);
        if (!near.empty()) message += "; did you mean " + near + "?";
        add({{}, line, column, std::string(key), std::move(message), true});
    };
    for (const TomlEntry& entry : table_.entries) {
        if (std::ranges::find(fields, entry.key) != fields.end()) continue;
        if (!free_prefix.empty() && entry.key.starts_with(free_prefix)) continue;
        unknown(entry.key, entry.line, entry.column, "field", fields);
    }
    for (const TomlName& name : table_.tables) {
        if (std::ranges::find(tables, name.key) != tables.end()) continue;
        const auto is_inside = [&name](const TomlEntry& entry) { return entry.key.starts_with(name.key + '.'); };
        if (std::ranges::any_of(table_.entries, is_inside)) continue;  // said above
        unknown(name.key, name.line, name.column, "table", tables);
    }
}

void SubscriberFields::refuse(const TomlEntry& entry, const std::string& rule) {
    add({{}, entry.line, entry.column, entry.key, rule + ", not " + shown(entry.value), true});
}

void SubscriberFields::required_text(std::string_view key, std::string& into, Check check, const std::string& rule) {
    if (!has(key)) missing(key, rule.starts_with("must ") ? "it " + rule : rule);
    text(key, into, check, rule);
}

void SubscriberFields::text(std::string_view key, std::string& into, Check check, const std::string& rule) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return;
    const auto* given = std::get_if<std::string>(&entry->value);
    if (given == nullptr) return refuse(*entry, "must be a text");
    if (!check(*given)) return refuse(*entry, rule);
    into = *given;
}

void SubscriberFields::secret(std::string_view key, std::string& into, Check check, const std::string& rule) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return;
    const auto* given = std::get_if<std::string>(&entry->value);
    if (given != nullptr && check(*given)) into = *given;
    else add({{}, entry->line, entry->column, entry->key, rule, true});
}

void SubscriberFields::list(std::string_view key, std::vector<std::string>& into, std::size_t min, std::size_t max,
                            Check check, const std::string& rule) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return;
    const auto* given = std::get_if<std::vector<std::string>>(&entry->value);
    if (given == nullptr) return refuse(*entry, "must be a list of texts");
    if (given->size() < min || given->size() > max) {
        add({{},
             entry->line,
             entry->column,
             entry->key,
             "must have " + std::to_string(min) + " to " + std::to_string(max) + " entries, not " +
                 std::to_string(given->size()),
             true});
    }
    for (std::size_t i = 0; i < given->size() && i < max; ++i) {
        if (check((*given)[i])) continue;
        add({{},
             entry->line,
             entry->column,
             entry->key + '[' + std::to_string(i) + ']',
             shown_text((*given)[i]) + ' ' + rule,
             true});
    }
    into = *given;
}

std::optional<std::int64_t> SubscriberFields::number(std::string_view key, std::int64_t min, std::int64_t max) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return std::nullopt;
    const auto* given = std::get_if<std::int64_t>(&entry->value);
    if (given != nullptr && *given >= min && *given <= max) return *given;
    refuse(*entry, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
}

void SubscriberFields::flag(std::string_view key, bool& into) {
    const TomlEntry* entry = table_.find(key);
    if (entry == nullptr) return;
    if (const auto* given = std::get_if<bool>(&entry->value)) into = *given;
    else refuse(*entry, "must be true or false");
}

}  // namespace belfry::codec
