#pragma once

#include <string>

#include "model/raw_json.hpp"

namespace belfry::model {

// Returns the text of a content: a text as it is, of a list of parts (`[{"type":"text","text":…}, …]`, as AG-UI and MCP
// have it) the texts of its parts, each on a line of its own. Empty: the content is neither, or it has no text. A list
// counts as parts if each element is an object with a string as its `type` or `text`. A list in which no element has a
// `type` and some element has more than a `text` is data: its other members would be lost.
[[nodiscard]] std::string text_of(JsonView content);

}  // namespace belfry::model
