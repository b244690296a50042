#pragma once

#include <string_view>

namespace belfry::bench {

// A benchmark that saw something wrong has no figure to give: it says what it saw on stderr and ends with status 1.
[[noreturn]] void fail(std::string_view what);

// The same, followed by what errno means.
[[noreturn]] void fail_errno(std::string_view what);

// The same, followed by the beginning of the bytes that were not understood, control characters made visible.
[[noreturn]] void fail_bytes(std::string_view what, std::string_view bytes);

}  // namespace belfry::bench
