#include "tools/scope.hpp"

#include <algorithm>

namespace belfry::tools {

base::Result<void> check_category(const Bench& bench, const std::string& id, std::string_view argument) {
    if (std::ranges::find(bench.categories(), id) != bench.categories().end()) return {};
    return base::error(base::Code::not_found, "there is no category " + id + " in your categories",
                       std::string(argument), "out_of_scope");
}

}  // namespace belfry::tools
