#include "engine/outbox.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t claims_max = 16;

base::Duration pause_after(std::int64_t attempts) {
    base::Duration pause = limits::obligation_retry_min;
    for (std::int64_t i = 1; i < attempts && pause < limits::obligation_retry_max; ++i) pause = pause * 2;
    return std::min(pause, limits::obligation_retry_max);
}

}  // namespace

std::vector<std::type_index> Outbox::handles() const {
    return {typeid(ports::PostponeObligation)};
}

base::Result<void> Outbox::rebuild(Unit& unit) {
    dropped();
    // Nobody else performs for this ledger: what an earlier process had claimed is due at once.
    TRY(unit.store.outbox().release_all());
    TRY_ASSIGN(next_due_, unit.store.outbox().next_due());
    return {};
}

base::Result<void> Outbox::apply(ports::Command& command, Unit& unit) {
    auto& postpone = static_cast<ports::PostponeObligation&>(command);
    TRY_ASSIGN(std::optional<ports::Obligation> held, unit.store.outbox().find(postpone.obligation));
    if (!held || held->fence != postpone.fence || held->finished_at) {
        postpone.refuse(base::error(base::Code::conflict, "this claim is not held any more"));
        return {};
    }
    held->claimed_until.reset();
    held->due_at = unit.now + pause_after(held->attempts);
    held->last_error = postpone.reason;
    TRY(unit.store.outbox().update(*held, postpone.fence));
    ++failed_;
    postpone.settle(ports::Nothing{});
    TRY_ASSIGN(pending_due_, unit.store.outbox().next_due());
    due_changed_ = true;
    return {};
}

base::Result<base::Uuid> Outbox::owe(std::string kind, model::RawJson detail, Unit& unit) {
    ports::Obligation obligation;
    obligation.id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    obligation.kind = std::move(kind);
    obligation.detail = std::move(detail);
    obligation.created_at = unit.now;
    obligation.due_at = unit.now;
    TRY(unit.store.outbox().put(obligation));
    pending_due_ = next_due_ ? std::min(*next_due_, unit.now) : unit.now;
    due_changed_ = true;
    return obligation.id;
}

base::Result<void> Outbox::tend(Unit& unit) {
    TRY_ASSIGN(claimed_, unit.store.outbox().claim(unit.now, unit.now + limits::obligation_claim, claims_max));
    TRY_ASSIGN(pending_due_, unit.store.outbox().next_due());
    due_changed_ = true;
    return {};
}

void Outbox::committed(Effects& effects) {
    if (due_changed_) next_due_ = pending_due_;
    effects.figures.obligations_claimed += claimed_.size();
    effects.figures.obligations_failed += failed_;
    for (ports::Obligation& obligation : claimed_) effects.owed.push_back(std::move(obligation));
    dropped();
}

void Outbox::dropped() {
    pending_due_.reset();
    due_changed_ = false;
    claimed_.clear();
    failed_ = 0;
}

}  // namespace belfry::engine
