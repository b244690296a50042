#include "codec/toml.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/utf8.hpp"
#include "model/raw_json.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;
namespace limits = base::limits;

std::string place(std::string_view file, const toml::source_position& at) {
    return std::string(file) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

std::string quoted_part(std::string_view part) {
    const bool bare = !part.empty() && std::ranges::all_of(part, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (bare) return std::string(part);
    std::string quoted = "\"";
    model::append_escaped(quoted, part);
    return quoted + '"';
}

class Flattener {
public:
    explicit Flattener(TomlTable& out) : out_(out) {}

    Result<void> add_table(const toml::table& table, const std::string& prefix, std::size_t depth) {
        if (depth > limits::toml_depth_max) {
            return base::error(Code::invalid,
                               place(out_.file, table.source().begin) + ": tables are nested too deeply");
        }
        for (const auto& [name, node] : table) {
            const std::string key = prefix + quoted_part(name.str());
            if (const toml::table* inner = node.as_table()) {
                out_.tables.push_back(key);
                TRY(add_table(*inner, key + '.', depth + 1));
            } else {
                TRY_ASSIGN(TomlValue value, value_of(node, key));
                const toml::source_position at = node.source().begin;
                out_.entries.push_back({key, std::move(value), at.line, at.column});
            }
        }
        return {};
    }

private:
    Result<TomlValue> value_of(const toml::node& node, const std::string& key) const {
        if (const auto* text = node.as_string()) return TomlValue(text->get());
        if (const auto* number = node.as_integer()) return TomlValue(number->get());
        if (const auto* truth = node.as_boolean()) return TomlValue(truth->get());
        if (const auto* real = node.as_floating_point()) return TomlValue(real->get());
        const toml::array* list = node.as_array();
        if (list == nullptr) return refuse(node, key);
        std::vector<std::string> texts;
        for (const toml::node& element : *list) {
            const auto* text = element.as_string();
            if (text == nullptr) return refuse(element, key);
            texts.push_back(text->get());
        }
        return TomlValue(std::move(texts));
    }

    [[nodiscard]] base::Error refuse(const toml::node& node, const std::string& key) const {
        return base::error(Code::invalid,
                           place(out_.file, node.source().begin) +
                               ": a text, a number, true, false or a list of texts is expected here",
                           key);
    }

    TomlTable& out_;
};

}  // namespace

const TomlEntry* TomlTable::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &TomlEntry::key);
    return found == entries.end() ? nullptr : &*found;
}

std::string TomlTable::place_of(const TomlEntry& entry) const {
    return file + ':' + std::to_string(entry.line) + ':' + std::to_string(entry.column);
}

Result<TomlTable> parse_toml(std::string_view text, std::string_view file) {
    // toml++ takes tables apart by recursion, and a dotted key can nest as many of them as it has bytes.
    if (text.size() > limits::toml_bytes_max) {
        return base::error(Code::too_large, std::string(file) + ": a TOML file has at most " +
                                                std::to_string(limits::toml_bytes_max) + " bytes");
    }
    const toml::parse_result parsed = toml::parse(text, file);
    if (!parsed) {
        const toml::parse_error& error = parsed.error();
        return base::error(Code::malformed, place(file, error.source().begin) + ": " + to_utf8(error.description()));
    }
    TomlTable table;
    table.file = file;
    TRY(Flattener(table).add_table(parsed.table(), "", 0));
    std::ranges::sort(table.entries, {}, &TomlEntry::key);
    return table;
}

}  // namespace belfry::codec
