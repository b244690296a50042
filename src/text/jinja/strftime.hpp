#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace belfry::text::jinja {

// A time in UTC by a format of strftime: %Y %y %m %d %e %H %I %M %S %f %j %p %a %A %b %B %F %T %z %Z %s %%. Anything
// else stays as it is written. English names, whatever the locale.
void append_strftime(std::string& out, base::Timestamp time, std::string_view format);

}  // namespace belfry::text::jinja
