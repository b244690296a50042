#pragma once

#include <string>

#include "base/result.hpp"
#include "model/raw_json.hpp"

namespace belfry::rules {

// Whether a value is what its schema wants. Of JSON Schema these words are looked at: `type` (one or several), `enum`,
// `const`; of objects `properties`, `required` and `additionalProperties: false`; of texts `minLength` and `maxLength`,
// in characters, and the formats `date` and `date-time`; of numbers `minimum`, `maximum` and their exclusive kind; of
// arrays `items`, `minItems` and `maxItems`. Any other word is for people, and lets everything pass. The error names
// the field below `root`: `content.age`; where that is empty, `age`.
base::Result<void> check_against(model::JsonView schema, model::JsonView value, const std::string& root);

// Whether a schema says with those words something that can be looked at; it is an object, and what lies in it is not
// deeper than a schema needs. The error names the place below `root`.
base::Result<void> check_schema(model::JsonView schema, const std::string& root);

}  // namespace belfry::rules
