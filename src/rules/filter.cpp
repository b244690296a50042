#include "rules/filter.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::rules {

base::Result<void> check_filter(const model::StreamFilter& filter) {
    if (filter.type_patterns.size() > base::limits::access_bound_entries_max) {
        return base::error(base::Code::invalid,
                           "type has " + std::to_string(filter.type_patterns.size()) + " patterns; at most " +
                               std::to_string(base::limits::access_bound_entries_max) + " are allowed",
                           "type");
    }
    for (const std::string& pattern : filter.type_patterns) {
        if (!is_type_pattern(pattern)) {
            return base::error(base::Code::invalid,
                               "type must be an event type or end in '.*', such as tool.* or tool.call.failure",
                               "type");
        }
    }
    return {};
}

bool passes(const model::StreamFilter& filter, const model::Facets& facets) {
    if (filter.severity_min && facets.severity < *filter.severity_min) return false;
    if (!filter.user_id.empty() && facets.user_id != filter.user_id) return false;
    if (!filter.session_id.empty() && facets.session_id != filter.session_id) return false;
    if (filter.type_patterns.empty()) return true;
    return std::ranges::any_of(filter.type_patterns,
                               [&](const std::string& pattern) { return matches_type(pattern, facets.type); });
}

bool is_from_agent(std::string_view body, std::string_view agent_id) {
    if (body.empty()) return false;  // it was erased
    model::JsonWalker members(model::JsonView{body});
    std::string_view name;
    // It stands before the data, which may be long.
    while (const auto value = members.next(&name)) {
        if (name != "source") continue;
        if (value->kind() != model::JsonKind::object) return false;
        const auto agent = value->member("agent_id");
        return agent && agent->as_text() == agent_id;
    }
    return false;
}

bool is_about_agent(std::string_view body, const std::vector<std::string>& agents) {
    if (body.empty()) return false;  // it was erased
    const model::JsonView entry{body};
    const auto wake = entry.member("wake");
    const auto agent =
        wake && wake->kind() == model::JsonKind::object ? wake->member("agent_id") : entry.member("agent_id");
    if (!agent || agent->kind() != model::JsonKind::string) return false;
    return std::ranges::find(agents, agent->as_text()) != agents.end();
}

}  // namespace belfry::rules
