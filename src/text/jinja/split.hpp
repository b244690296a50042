#pragma once

#include <string_view>
#include <vector>

namespace belfry::text::jinja {

// Python's ways of cutting a string; the parts point into it. `most` is the largest number of cuts, negative for any.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, long long most);
std::vector<std::string_view> split_at_from_right(std::string_view text, std::string_view separator, long long most);
std::vector<std::string_view> split_at_space(std::string_view text, long long most);
std::vector<std::string_view> split_at_space_from_right(std::string_view text, long long most);
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

// Cuts characters that `chars` holds off the ends.
std::string_view strip_chars(std::string_view text, std::string_view chars, bool left, bool right);

}  // namespace belfry::text::jinja
