#include "text/jinja/library.hpp"

#include <algorithm>

#include "text/jinja/filters.hpp"

namespace belfry::text::jinja {
namespace {

std::vector<FilterEntry> all_filters() {
    std::vector<FilterEntry> all;
    for (const auto& some : {text_filters(), number_filters(), list_filters(), order_filters(), belfry_filters()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end(), [](const FilterEntry& a, const FilterEntry& b) { return a.name < b.name; });
    return all;
}

}  // namespace

FilterFunction find_filter(std::string_view name) {
    static const std::vector<FilterEntry> table = all_filters();
    const auto found = std::lower_bound(table.begin(), table.end(), name,
                                        [](const FilterEntry& entry, std::string_view n) { return entry.name < n; });
    return found == table.end() || found->name != name ? nullptr : found->function;
}

}  // namespace belfry::text::jinja
