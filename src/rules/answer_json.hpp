#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/raw_json.hpp"

namespace belfry::rules {

// The JSON object that begins at text[at], in a text that a language model wrote: whole, in UTF-8, without half
// characters in its escapes, and of few levels. Line ends inside strings are taken, which models often leave as they
// are. Nothing: there is none. What is found is a view of the text and may be walked as any valid JSON.
[[nodiscard]] std::optional<model::JsonView> object_at(std::string_view text, std::size_t at);

}  // namespace belfry::rules
