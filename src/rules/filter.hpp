#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/log.hpp"

namespace belfry::rules {

// Whether a filter is well formed: patterns are patterns, and there are not too many of them.
base::Result<void> check_filter(const model::StreamFilter& filter);

bool passes(const model::StreamFilter& filter, const model::Facets& facets);

// Whether a run event's line names this agent as its source.
bool is_from_agent(std::string_view body, std::string_view agent_id);

// True if an entry of `agent:<user>` is about one of these agents: it has the agent's id itself, or in its wake.
bool is_about_agent(std::string_view body, const std::vector<std::string>& agents);

}  // namespace belfry::rules
