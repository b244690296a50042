#pragma once

#include <cstdint>
#include <string_view>

namespace belfry::rules {

// About how many model tokens a text takes. No tokenizer: words of letters cost one token per up to six bytes, digits
// one per up to three, any other character that is no space one each, and bytes beyond ASCII one per two (docs/
// notifications.md compares it with a real one). Never zero for a text that is not empty.
std::int64_t estimate_model_tokens(std::string_view text);

}  // namespace belfry::rules
