#pragma once

#include <string>
#include <string_view>

namespace belfry::cli {

// The lines that two texts do not share, `-` before those that go and `+` before those that come, with up to three
// lines around them for orientation; empty where the texts are the same. For texts of a few thousand lines.
std::string line_diff(std::string_view before, std::string_view after);

}  // namespace belfry::cli
