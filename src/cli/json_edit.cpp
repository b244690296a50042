#include "cli/json_edit.hpp"

#include "codec/json.hpp"
#include "model/value_json.hpp"

namespace belfry::cli {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::size_t offset_in(std::string_view text, std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
}

JsonPlace place_in(std::string_view text, std::string_view part) {
    const std::size_t begin = offset_in(text, part);
    return {begin, begin + part.size()};
}

// The white space at the beginning of the line that this byte stands on.
std::string_view indentation_at(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(line, std::min(text.find_first_not_of(" \t", line), at) - line);
}

// One level of indentation: that of the first member of the whole, or two spaces.
std::string_view unit_of(std::string_view text) {
    const std::size_t open = text.find('{');
    const std::size_t first = open == std::string_view::npos ? open : text.find_first_not_of(spaces, open + 1);
    if (first == std::string_view::npos || text[first] != '"' ||
        text.substr(open, first - open).find('\n') == std::string_view::npos) {
        return "  ";
    }
    const std::string_view unit = indentation_at(text, first);
    return unit.empty() ? "  " : unit;
}

std::string_view line_end_of(std::string_view text) {
    return text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
}

// Is the file written on several lines? An empty one will be.
bool has_lines(std::string_view text) {
    const std::size_t last = text.find_last_not_of(spaces);
    return text.substr(0, last).find('\n') != std::string_view::npos ||
           text.find_first_not_of(" \t\r\n{}") == std::string_view::npos;
}

std::string render(const model::Value& value, std::string_view indentation, std::string_view unit,
                   std::string_view line_end) {
    std::string out;
    const std::string plain = model::to_json(value, 1);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (plain[i] != '\n') {
            out += plain[i];
            continue;
        }
        out += line_end;
        out += indentation;
        for (; i + 1 < plain.size() && plain[i + 1] == ' '; ++i) out += unit;
    }
    return out;
}

}  // namespace

base::Result<JsonPlace> json_root(std::string_view text) {
    codec::JsonReader reader(text);
    TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
    TRY(reader.finish());
    return place_in(text, span.text);
}

base::Result<std::vector<JsonChild>> json_members(std::string_view text, JsonPlace object) {
    codec::JsonReader reader(json_at(text, object));
    std::vector<JsonChild> members;
    TRY(reader.begin_object());
    for (;;) {
        std::string_view name;
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) return members;
        JsonChild member{std::string(name), offset_in(text, reader.name_token()), {}};
        TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
        member.value = place_in(text, span.text);
        members.push_back(std::move(member));
    }
}

base::Result<std::vector<JsonChild>> json_elements(std::string_view text, JsonPlace array) {
    codec::JsonReader reader(json_at(text, array));
    std::vector<JsonChild> elements;
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return elements;
        TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
        const JsonPlace place = place_in(text, span.text);
        elements.push_back({{}, place.begin, place});
    }
}

const JsonChild* find_member(const std::vector<JsonChild>& members, std::string_view name) {
    for (const JsonChild& member : members) {
        if (member.name == name) return &member;
    }
    return nullptr;
}

std::string_view json_at(std::string_view text, JsonPlace place) {
    return text.substr(place.begin, place.end - place.begin);
}

std::string with_child(std::string_view text, JsonPlace container, const std::vector<JsonChild>& children,
                       std::string_view name, const model::Value& value) {
    const std::string_view line_end = line_end_of(text);
    const std::string_view unit = unit_of(text);
    const bool is_empty = children.empty();
    const bool on_lines = is_empty
                              ? has_lines(text)
                              : text.substr(container.begin, children.front().begin - container.begin).find('\n') !=
                                    std::string_view::npos;
    std::string indentation(indentation_at(text, is_empty ? container.begin : children.front().begin));
    if (is_empty) indentation += unit;
    std::string child;
    if (!name.empty()) {
        model::append_json(child, model::Value::string(name));
        child += on_lines ? ": " : ":";
    }
    child += on_lines ? render(value, indentation, unit, line_end) : model::to_json(value);
    std::string lead;
    if (on_lines) lead = std::string(line_end) + indentation;
    if (!is_empty) {
        const std::size_t at = children.back().value.end;
        return std::string(text.substr(0, at)) + "," + lead + child + std::string(text.substr(at));
    }
    if (on_lines) child += std::string(line_end) + std::string(indentation_at(text, container.begin));
    return std::string(text.substr(0, container.begin + 1)) + lead + child +
           std::string(text.substr(container.end - 1));
}

std::string without_child(std::string_view text, JsonPlace container, const std::vector<JsonChild>& children,
                          std::size_t which) {
    std::size_t from = children[which].begin;
    std::size_t to = children[which].value.end;
    if (children.size() == 1) {
        from = container.begin + 1;
        to = container.end - 1;
    } else if (which == 0) {
        to = children[1].begin;
    } else {
        from = children[which - 1].value.end;
    }
    return std::string(text.substr(0, from)) + std::string(text.substr(to));
}

}  // namespace belfry::cli
