#pragma once

#include <atomic>
#include <string>

#include "ports/beside.hpp"
#include "ports/clock.hpp"
#include "ports/metrics.hpp"
#include "ports/queries.hpp"
#include "view/follow.hpp"

namespace belfry::view {

// Answers to questions about Belfry itself.
class Answers final : public ports::Queries {
public:
    Answers(ports::Beside& beside, const Follow& follow, const ports::Clock& clock, const ports::Metrics& metrics,
            std::int64_t pid);

    [[nodiscard]] ports::Readiness readiness() const override { return readiness_; }
    void status(const model::Principal& who, std::function<void(base::Result<ports::Status>)> done) override;
    void obligation(const model::Principal& who, const base::Uuid& id,
                    std::function<void(base::Result<ports::Obligation>)> done) override;

    void set_readiness(ports::Readiness readiness) { readiness_ = readiness; }  // from any thread

private:
    ports::Beside& beside_;
    const Follow& follow_;
    const ports::Clock& clock_;
    const ports::Metrics& metrics_;
    std::int64_t pid_;
    base::Timestamp started_at_;
    std::atomic<ports::Readiness> readiness_{ports::Readiness::starting};
};

}  // namespace belfry::view
