#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"

// What records share on their way into JSON and back: names of choices, and members that are null where there is
// nothing.
namespace belfry::model {

template <class Enum, std::size_t count>
std::optional<Enum> parse_choice(const std::array<std::string_view, count>& names, std::string_view name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    return static_cast<Enum>(at - names.begin());
}

inline void append_text(JsonWriter& writer, std::string_view name, std::string_view text) {
    writer.name(name);
    text.empty() ? writer.null() : writer.text(text);
}

inline void append_time(JsonWriter& writer, std::string_view name, const std::optional<base::Timestamp>& time) {
    writer.name(name);
    time ? writer.text(base::format_timestamp(*time)) : writer.null();
}

inline void append_id(JsonWriter& writer, std::string_view name, const std::optional<base::Uuid>& id) {
    writer.name(name);
    id ? writer.text(base::format_uuid(*id)) : writer.null();
}

}  // namespace belfry::model
