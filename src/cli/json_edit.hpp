#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/value.hpp"

// Changes to a JSON text that leave every byte alone that they are not about: a person's file keeps its order, its
// indentation and its way of writing numbers.
namespace belfry::cli {

// A value in the text: from its first byte to behind its last.
struct JsonPlace {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// A child of an object or an array; of an object it begins with its name.
struct JsonChild {
    std::string name;  // empty in an array
    std::size_t begin = 0;
    JsonPlace value;
};

// The whole value of a text; malformed, with line and column, where it is none.
base::Result<JsonPlace> json_root(std::string_view text);
// The children of the container there; invalid where it is no object (no array). An object's name that stands twice is
// refused: nobody could tell which one counts.
base::Result<std::vector<JsonChild>> json_members(std::string_view text, JsonPlace object);
base::Result<std::vector<JsonChild>> json_elements(std::string_view text, JsonPlace array);
[[nodiscard]] const JsonChild* find_member(const std::vector<JsonChild>& members, std::string_view name);
std::string_view json_at(std::string_view text, JsonPlace place);

// Puts a child behind the last one of the container, written as its neighbours are: on lines of its own with their
// indentation, or on theirs. `name` is empty for an array.
std::string with_child(std::string_view text, JsonPlace container, const std::vector<JsonChild>& children,
                       std::string_view name, const model::Value& value);
// Takes a child out, with its comma and the space around it.
std::string without_child(std::string_view text, JsonPlace container, const std::vector<JsonChild>& children,
                          std::size_t which);

}  // namespace belfry::cli
