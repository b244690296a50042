#pragma once

#include "base/limits.hpp"
#include "engine/capability.hpp"

namespace belfry::engine {

// Whether the store has room. A full disk still takes what is small or what frees some of it, so the store stays open
// for that; but it is not up again before as much as a whole group could be written. That is tried, at growing
// intervals, and taken back.
class Room final : public Capability {
public:
    // The store had none for something.
    void lacked(base::Timestamp now);
    [[nodiscard]] bool is_lacking() const { return lacking_; }

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override { try_at_ = try_at_ - by; }

private:
    enum class Step : std::uint8_t { fill, take_back };

    bool lacking_ = false;
    bool trying_ = false;  // in this transaction
    Step step_ = Step::fill;
    base::Timestamp tried_at_;
    base::Timestamp try_at_;
    base::Duration pause_;
};

}  // namespace belfry::engine
