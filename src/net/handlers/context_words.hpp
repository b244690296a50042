#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "model/context_value.hpp"

// What the handlers of pulls and of context values share.
namespace belfry::net::handlers {

// `context` of a pull: true, false, or a list of names.
base::Result<model::ContextRequest> read_context_request(codec::JsonReader& reader);
// The same of a query: `true`, or names joined by commas.
base::Result<model::ContextRequest> parse_context_request(const std::string& text);

// The members `context` and `context_left_out` of a pull.
void append_context(model::JsonWriter& writer, const std::vector<model::ContextValue>& values,
                    const std::vector<std::string>& left_out);

}  // namespace belfry::net::handlers
