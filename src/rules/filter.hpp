#pragma once

#include "base/result.hpp"
#include "model/log.hpp"

namespace belfry::rules {

// Whether a filter is well formed: patterns are patterns, and there are not too many of them.
base::Result<void> check_filter(const model::StreamFilter& filter);

bool passes(const model::StreamFilter& filter, const model::Facets& facets);

}  // namespace belfry::rules
