#include "engine/room.hpp"

#include <algorithm>

namespace belfry::engine {
namespace {

// Among the answers that are remembered, which go after a day by themselves; no principal's key begins so.
constexpr const char* trial_key = "\nroom";

}  // namespace

void Room::lacked(base::Timestamp now) {
    if (lacking_) return;
    lacking_ = true;
    step_ = Step::fill;
    pause_ = base::limits::reopen_pause_min;
    try_at_ = now + pause_;
}

// What the store holds does not tell whether there is room for more.
base::Result<void> Room::rebuild(Unit&) {
    trying_ = false;
    return {};
}

base::Result<void> Room::apply(ports::Command&, Unit&) {
    return {};
}

std::optional<base::Timestamp> Room::next_due() const {
    return lacking_ ? std::optional(try_at_) : std::nullopt;
}

base::Result<void> Room::tend(Unit& unit) {
    trying_ = true;
    tried_at_ = unit.now;
    // Of chance, because a store may press together what is not.
    const std::size_t bytes = step_ == Step::fill ? base::limits::group_bytes_max : 0;
    return unit.store.idempotency().put({{trial_key, "", unit.random.bytes(bytes)}}, unit.now);
}

void Room::committed(Effects&) {
    if (!trying_) return;
    trying_ = false;
    lacking_ = step_ == Step::fill;
    step_ = Step::take_back;
    try_at_ = tried_at_;
}

void Room::dropped() {
    if (!trying_) return;
    trying_ = false;
    step_ = Step::fill;
    pause_ = std::min(pause_ * 2, base::limits::reopen_pause_max);
    try_at_ = tried_at_ + pause_;
}

}  // namespace belfry::engine
