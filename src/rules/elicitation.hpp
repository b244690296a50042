#pragma once

#include "base/result.hpp"
#include "model/raw_json.hpp"

namespace belfry::rules {

// Whether what a form was filled in with is what its schema wants. Of JSON Schema these words are looked at: `type`
// (one or several), `enum`, `const`; of objects `properties`, `required` and `additionalProperties: false`; of texts
// `minLength` and `maxLength`, in characters; of numbers `minimum`, `maximum` and their exclusive kind; of arrays
// `items`, `minItems` and `maxItems`. Any other word is for the interface, and lets everything pass. The error names
// the field: `content.age`.
base::Result<void> check_content(model::JsonView schema, model::JsonView content);

}  // namespace belfry::rules
