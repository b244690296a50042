#include <charconv>
#include <filesystem>

#include "base/nearest.hpp"
#include "host/config_fields.hpp"
#include "host/files.hpp"
#include "host/sizes.hpp"
#include "model/raw_json.hpp"

namespace belfry::host {
namespace {

std::string quoted(const ConfigInput& input) {
    std::string out;
    model::JsonWriter writer(out);
    if (const auto* text = std::get_if<std::string>(&input)) writer.text(*text);
    else if (const auto* number = std::get_if<std::int64_t>(&input)) writer.number(*number);
    else if (const auto* flag = std::get_if<bool>(&input)) writer.boolean(*flag);
    else if (std::holds_alternative<std::vector<std::string>>(input)) out = "a list";
    else out = "that";
    return out;
}

base::Error must_be(std::string what, const ConfigInput& input) {
    return base::error(base::Code::invalid, "must be " + what + ", not " + quoted(input));
}

std::string show_number(NumberSlot::Kind kind, std::int64_t value) {
    switch (kind) {
        case NumberSlot::Kind::plain: return std::to_string(value);
        case NumberSlot::Kind::bytes: return format_bytes(value);
        case NumberSlot::Kind::duration: return base::format_duration({value});
    }
    return {};
}

std::optional<std::int64_t> parse_number(NumberSlot::Kind kind, const ConfigInput& input) {
    if (const auto* number = std::get_if<std::int64_t>(&input)) {
        if (kind != NumberSlot::Kind::duration) return *number;
        // A bare number of a duration counts seconds; what overflows is out of range anyway.
        if (*number < 0 || *number > base::days(100'000).us / 1'000'000) return -1;
        return base::seconds(*number).us;
    }
    const auto* text = std::get_if<std::string>(&input);
    if (text == nullptr) return std::nullopt;
    if (kind == NumberSlot::Kind::bytes) return parse_bytes(*text);
    if (kind == NumberSlot::Kind::duration) {
        const auto duration = base::parse_duration(*text);
        return duration ? std::optional<std::int64_t>(duration->us) : std::nullopt;
    }
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failed != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return number;
}

base::Result<void> apply(const NumberSlot& slot, const ConfigInput& input, Config& config) {
    const std::optional<std::int64_t> number = parse_number(slot.kind, input);
    if (!number || *number < slot.min || *number > slot.max) {
        std::string what;
        if (slot.kind == NumberSlot::Kind::plain) what = "a whole number";
        else if (slot.kind == NumberSlot::Kind::bytes) what = "a size like \"8GiB\"";
        else what = "a time like \"30d\" or \"12h\"";
        return must_be(what + " from " + show_number(slot.kind, slot.min) + " to " + show_number(slot.kind, slot.max),
                       input);
    }
    slot.set(config, *number);
    return {};
}

base::Result<void> apply(const TextSlot& slot, const ConfigInput& input, const std::string& folder, Config& config) {
    const auto* text = std::get_if<std::string>(&input);
    if (text == nullptr) return must_be("a text", input);
    if (text->find('\0') != std::string::npos) return base::error(base::Code::invalid, "must not hold a NUL byte");
    std::string& at = slot.at(config);
    at = *text;
    if (slot.kind == TextSlot::Kind::path && !at.empty() && at != "off") {
        at = std::filesystem::path(join_path(at.front() == '/' ? "" : folder, at)).lexically_normal().string();
        if (at.size() > 1 && at.back() == '/') at.pop_back();
    }
    return {};
}

base::Result<void> apply(const ListSlot& slot, const ConfigInput& input, Config& config) {
    std::vector<std::string> list;
    if (const auto* given = std::get_if<std::vector<std::string>>(&input)) {
        list = *given;
    } else if (const auto* text = std::get_if<std::string>(&input)) {
        std::string_view rest = *text;
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            list.emplace_back(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    } else {
        return must_be("a list of texts", input);
    }
    for (const std::string& entry : list) {
        if (entry.empty()) return base::error(base::Code::invalid, "must not hold an empty entry");
    }
    slot.at(config) = std::move(list);
    return {};
}

base::Result<void> apply(const ChoiceSlot& slot, const ConfigInput& input, Config& config) {
    const auto* text = std::get_if<std::string>(&input);
    std::string names;
    for (std::size_t i = 0; i < slot.names.size(); ++i) {
        if (text != nullptr && slot.names[i] == *text) {
            slot.set(config, i);
            return {};
        }
        if (i > 0) names += i + 1 == slot.names.size() ? " or " : ", ";
        names += slot.names[i];
    }
    return must_be(names, input);
}

constexpr std::string_view mask = "***";

// Whether nobody is to see the value of this setting of libpq. None has a percent sign in its name, but whoever writes
// one can hide any name behind it.
bool is_secret(std::string_view name) {
    return name.ends_with("password") || name.starts_with("scram_") || name.find("secret") != std::string_view::npos ||
           name.find('%') != std::string_view::npos;
}

// `postgres://user:***@host/db?password=***`. The settings come first: their values may hold what looks like the end
// of a user's password.
std::string masked_url(std::string url) {
    for (std::size_t at = url.find_first_of("?&"); at != std::string::npos; at = url.find_first_of("?&", at + 1)) {
        const std::size_t end = std::min(url.find('&', at + 1), url.size());
        const std::size_t equals = url.find('=', at + 1);
        if (equals >= end || !is_secret(std::string_view(url).substr(at + 1, equals - at - 1))) continue;
        url.replace(equals + 1, end - equals - 1, mask);
    }
    const std::size_t colon = url.find(':', url.find("://") + 3);
    const std::size_t at = url.rfind('@');
    if (at != std::string::npos && colon < at) url.replace(colon + 1, at - colon - 1, mask);
    return url;
}

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Where a value of the other form ends: at its quote or at a space, unless a backslash stands before it.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    const bool is_quoted = at < text.size() && text[at] == '\'';
    for (at += is_quoted ? 1 : 0; at < text.size(); ++at) {
        if (text[at] == '\\') ++at;
        else if (is_quoted && text[at] == '\'') return at + 1;
        else if (!is_quoted && is_space(text[at])) return at;
    }
    return text.size();
}

// `host = h password = ***`. What is no setting is masked with all that follows: who knows what it was to be.
std::string masked_settings(std::string_view text) {
    std::string out;
    std::size_t at = 0;
    const auto skip_spaces = [&] {
        while (at < text.size() && is_space(text[at])) ++at;
    };
    for (;;) {
        const std::size_t begin = at;
        skip_spaces();
        const std::size_t name = at;
        if (at == text.size()) return out.append(text.substr(begin));
        while (at < text.size() && text[at] != '=' && !is_space(text[at])) ++at;
        const bool hides = is_secret(text.substr(name, at - name));
        skip_spaces();
        if (at == text.size() || text[at] != '=') return out.append(text.substr(begin, name - begin)).append(mask);
        ++at;
        skip_spaces();
        const std::size_t value = at;
        at = end_of_value(text, at);
        out.append(text.substr(begin, value - begin)).append(hides ? mask : text.substr(value, at - value));
    }
}

// Configurations are shown to others.
std::string masked(const std::string& url) {
    return url.find("://") == std::string::npos ? masked_settings(url) : masked_url(url);
}

}  // namespace

base::Result<void> apply_config(const ConfigField& field, const ConfigInput& input, const std::string& folder,
                                Config& config) {
    if (const auto* text = std::get_if<TextSlot>(&field.slot)) return apply(*text, input, folder, config);
    if (const auto* number = std::get_if<NumberSlot>(&field.slot)) return apply(*number, input, config);
    if (const auto* list = std::get_if<ListSlot>(&field.slot)) return apply(*list, input, config);
    return apply(std::get<ChoiceSlot>(field.slot), input, config);
}

std::string show_config(const ConfigField& field, const Config& config) {
    std::string out;
    model::JsonWriter writer(out);
    Config copy = config;  // the slots give writable places
    if (const auto* text = std::get_if<TextSlot>(&field.slot)) {
        const std::string& value = text->at(copy);
        writer.text(text->kind == TextSlot::Kind::secret_url ? masked(value) : value);
    } else if (const auto* number = std::get_if<NumberSlot>(&field.slot)) {
        if (number->kind == NumberSlot::Kind::plain) writer.number(number->get(config));
        else writer.text(show_number(number->kind, number->get(config)));
    } else if (const auto* list = std::get_if<ListSlot>(&field.slot)) {
        writer.begin_array();
        for (const std::string& entry : list->at(copy)) writer.text(entry);
        writer.end_array();
    } else {
        const auto& choice = std::get<ChoiceSlot>(field.slot);
        writer.text(choice.names[choice.get(config)]);
    }
    return out;
}

std::string nearest_config_field(std::string_view name) {
    std::vector<std::string_view> names;
    for (const ConfigField& field : all_config_fields()) names.push_back(field.info.name);
    return base::nearest(name, names);
}

}  // namespace belfry::host
