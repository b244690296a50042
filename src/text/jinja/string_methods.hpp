#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/jinja/meter.hpp"

namespace belfry::text::jinja {

bool has_string_method(std::string_view name);

// str.replace, at most `most` times; any number where it is negative.
void append_replaced(Meter& meter, std::string& out, std::string_view text, std::string_view old,
                     std::string_view fresh, std::int64_t most);

// str.isupper and str.islower.
bool is_all_cased(std::string_view text, bool upper);

}  // namespace belfry::text::jinja
