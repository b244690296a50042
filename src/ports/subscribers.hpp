#pragma once

#include <memory>

#include "model/subscriber.hpp"

namespace belfry::ports {

// Where subscribers come from: the files as they were read last. Asked by the engine whenever it builds its memory and
// when it is told to look again; may be asked from any thread. Never null.
class Subscribers {
public:
    virtual ~Subscribers() = default;
    [[nodiscard]] virtual std::shared_ptr<const model::Catalogue> current() const = 0;
};

}  // namespace belfry::ports
