#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::daemon {

// Two files for somebody who looks around: one that works, and one with a slip, so that he sees what Belfry says of it.
// Their names tell that they are examples.
base::Result<void> write_example_subscribers(const std::string& folder);

}  // namespace belfry::daemon
