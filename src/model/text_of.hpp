#pragma once

#include <string>

#include "model/raw_json.hpp"

namespace belfry::model {

// Returns the text of a content: a text as it is, of a list of parts (`[{"type":"text","text":…}, …]`, as AG-UI and MCP
// have it) the text parts, each on a line of its own. Empty: the content is neither, or it has no text. A list counts
// as parts only if each element is an object with a `type`, or with nothing but a `text`.
[[nodiscard]] std::string text_of(JsonView content);

}  // namespace belfry::model
