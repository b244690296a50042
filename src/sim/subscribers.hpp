#pragma once

#include <memory>
#include <utility>

#include "ports/subscribers.hpp"

namespace belfry::sim {

// Subscribers that a test or a simulation has in its hand.
class HeldSubscribers final : public ports::Subscribers {
public:
    HeldSubscribers() : HeldSubscribers(model::Catalogue{}) {}
    explicit HeldSubscribers(model::Catalogue catalogue) { hold(std::move(catalogue)); }

    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }
    void hold(model::Catalogue catalogue) {
        catalogue_ = std::make_shared<const model::Catalogue>(std::move(catalogue));
    }

private:
    std::shared_ptr<const model::Catalogue> catalogue_;
};

}  // namespace belfry::sim
