#pragma once

#include <memory>
#include <utility>

#include "ports/sinks.hpp"

namespace belfry::sim {

// Sinks that a simulation has in its hand.
class HeldSinks final : public ports::Sinks {
public:
    [[nodiscard]] std::shared_ptr<const model::SinkCatalogue> current() const override { return catalogue_; }
    void hold(model::SinkCatalogue catalogue) {
        catalogue_ = std::make_shared<const model::SinkCatalogue>(std::move(catalogue));
    }

private:
    std::shared_ptr<const model::SinkCatalogue> catalogue_ = std::make_shared<const model::SinkCatalogue>();
};

}  // namespace belfry::sim
