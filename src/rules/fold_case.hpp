#pragma once

namespace belfry::rules {

// The small letter of a great one, by Unicode's simple folding: of ASCII, Latin, Greek and Cyrillic. Any other
// character is its own.
[[nodiscard]] char32_t fold_case(char32_t code);

}  // namespace belfry::rules
