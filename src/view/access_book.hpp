#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ports/clock.hpp"
#include "ports/queries.hpp"

namespace belfry::view {

// The access tokens as they were last committed, for the network's thread.
class AccessBook final : public ports::Access {
public:
    explicit AccessBook(const ports::Clock& clock) : clock_(clock) {}

    [[nodiscard]] base::Result<model::Principal> authenticate(std::string_view token) const override;
    [[nodiscard]] std::uint64_t generation() const override { return generation_; }
    [[nodiscard]] base::Result<std::vector<model::AccessToken>> tokens(const model::Principal& who) const override;

    void adopt(std::shared_ptr<const std::vector<model::AccessToken>> tokens);

private:
    const ports::Clock& clock_;
    std::shared_ptr<const std::vector<model::AccessToken>> tokens_;
    std::unordered_map<std::string_view, const model::AccessToken*> by_id_;
    std::uint64_t generation_ = 0;
};

}  // namespace belfry::view
