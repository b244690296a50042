#include "rules/type_pattern.hpp"

namespace belfry::rules {

bool matches_type(std::string_view pattern, std::string_view type) {
    if (!pattern.ends_with(".*")) return pattern == type;
    const std::string_view stem = pattern.substr(0, pattern.size() - 1);  // with its dot
    return type.size() > stem.size() && type.starts_with(stem);
}

bool is_below_prefix(std::string_view prefix, std::string_view type) {
    if (prefix.ends_with(".*")) prefix.remove_suffix(2);
    if (prefix.ends_with('.')) prefix.remove_suffix(1);
    return type.starts_with(prefix) && (type.size() == prefix.size() || type[prefix.size()] == '.');
}

}  // namespace belfry::rules
