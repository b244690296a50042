#pragma once

#include <string>
#include <vector>

#include "model/notification.hpp"

namespace belfry::ports {

// Ways out of the house for what goes to a person's inbox: a desktop, a command, a webhook. Asked by the engine when a
// notification goes to interfaces; may be asked from any thread.
class Sinks {
public:
    virtual ~Sinks() = default;
    // The ids of the sinks that want this one.
    [[nodiscard]] virtual std::vector<std::string> wanting(const model::Notification& notification) const = 0;
};

}  // namespace belfry::ports
