#pragma once

#include <memory>

#include "model/sink.hpp"

namespace belfry::ports {

// Where sinks come from: the files as they were read last. May be asked from any thread. Never null.
class Sinks {
public:
    virtual ~Sinks() = default;
    [[nodiscard]] virtual std::shared_ptr<const model::SinkCatalogue> current() const = 0;
};

}  // namespace belfry::ports
