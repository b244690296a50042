#include "engine/outbox.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "engine/sink_calls.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t claims_max = 16;

base::Duration pause_after(std::int64_t failures) {
    base::Duration pause = limits::obligation_retry_min;
    for (std::int64_t i = 1; i < failures && pause < limits::obligation_retry_max; ++i) pause = pause * 2;
    return std::min(pause, limits::obligation_retry_max);
}

bool is_held(const std::optional<ports::Obligation>& obligation, std::int64_t fence) {
    return obligation && obligation->fence == fence && !obligation->finished_at;
}

std::string_view sink_step_name(ports::ObligationEnd end) {
    switch (end) {
        case ports::ObligationEnd::done: return sink_delivered;
        case ports::ObligationEnd::not_needed: return "no_longer_needed";
        case ports::ObligationEnd::given_up: break;
    }
    return "sink_given_up";
}

base::Error not_given_up() {
    return base::error(base::Code::conflict, "only a call that was given up can be made again", {}, "not_given_up");
}

}  // namespace

base::Error not_held() {
    return base::error(base::Code::conflict, "this claim is not held any more", {}, "not_held");
}

std::vector<std::type_index> Outbox::handles() const {
    return {typeid(ports::PostponeObligation), typeid(ports::FinishObligation), typeid(ports::RetrySinkCall)};
}

base::Result<void> Outbox::rebuild(Unit& unit) {
    dropped();
    // Nobody else performs for this ledger: what an earlier process had claimed is due at once. So is what this one
    // has under way, and its performer knows of that.
    TRY(unit.store.outbox().release_all());
    TRY_ASSIGN(next_due_, unit.store.outbox().next_due());
    return {};
}

base::Result<void> Outbox::apply(ports::Command& command, Unit& unit) {
    if (auto* later = dynamic_cast<ports::PostponeObligation*>(&command)) return postpone(*later, unit);
    if (auto* again = dynamic_cast<ports::RetrySinkCall*>(&command)) return retry(*again, unit);
    return finish(static_cast<ports::FinishObligation&>(command), unit);
}

base::Result<void> Outbox::postpone(ports::PostponeObligation& command, Unit& unit) {
    TRY_ASSIGN(std::optional<ports::Obligation> held, unit.store.outbox().find(command.obligation));
    if (!is_held(held, command.fence)) {
        command.refuse(not_held());
        return {};
    }
    ++failed_;
    held->claimed_until.reset();
    held->last_error = command.reason;
    const bool is_call = held->kind == sink_kind || held->kind == tool_call_kind;
    const std::int64_t failures = is_call ? count_failure(*held) : held->attempts;
    held->due_at = unit.now + pause_after(failures);  // a claim that nobody came to use is no failure of a call
    if (held->kind == sink_kind) {
        const bool is_last = failures >= limits::sink_attempts_max;
        if (is_last) end(*held, ports::ObligationEnd::given_up, command.reason, unit);
        TRY(record_sink_step(*held, is_last ? "sink_given_up" : "sink_failed", command.reason, unit));
    }
    TRY(write(*held, unit));
    command.settle(ports::Nothing{});
    return {};
}

base::Result<void> Outbox::finish(ports::FinishObligation& command, Unit& unit) {
    TRY_ASSIGN(std::optional<ports::Obligation> held, unit.store.outbox().find(command.obligation));
    if (!is_held(held, command.fence)) {
        command.refuse(not_held());
        return {};
    }
    end(*held, command.end, command.note, unit);
    if (held->kind == sink_kind) {
        TRY(record_sink_step(*held, sink_step_name(command.end), command.note, unit));
    }
    TRY(write(*held, unit));
    command.settle(ports::Nothing{});
    return {};
}

base::Result<bool> Outbox::fulfil(const base::Uuid& id, std::int64_t fence, Unit& unit) {
    TRY_ASSIGN(std::optional<ports::Obligation> held, unit.store.outbox().find(id));
    if (!is_held(held, fence)) return false;
    end(*held, ports::ObligationEnd::done, {}, unit);
    TRY(write(*held, unit));
    return true;
}

base::Result<void> Outbox::retry(ports::RetrySinkCall& command, Unit& unit) {
    TRY_ASSIGN(const std::optional<ports::Obligation> call, unit.store.outbox().find(command.obligation));
    auto allowed = rules::may_manage_sink_calls(command.principal);
    if (allowed.ok() && (!call || call->kind != sink_kind)) {
        allowed = base::error(base::Code::not_found, "there is no such call of a sink");
    } else if (allowed.ok() && (!call->finished_at || call->last_error.empty())) {
        allowed = not_given_up();
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(const bool is_reopened, unit.store.outbox().reopen(call->id, unit.now));
    if (!is_reopened) return not_given_up();
    TRY(record_sink_step(*call, "sink_retried", command.principal.id, unit));
    TRY_ASSIGN(pending_due_, unit.store.outbox().next_due());
    due_changed_ = true;
    command.settle(ports::Nothing{});
    return {};
}

void Outbox::end(ports::Obligation& held, ports::ObligationEnd how, std::string_view note, Unit& unit) {
    held.claimed_until.reset();
    held.finished_at = unit.now;
    held.last_error.clear();
    ++finished_;
    if (how != ports::ObligationEnd::given_up) return;
    held.last_error = note;
    std::string detail = "\"obligation\":\"" + base::format_uuid(held.id) + "\",\"kind\":\"" + held.kind +
                         "\",\"detail\":" + held.detail.bytes() + ",\"why\":\"";
    model::append_escaped(detail, note);
    unit.audit("obligation.given_up", model::house_principal(), detail + '"');
}

base::Result<void> Outbox::write(const ports::Obligation& held, Unit& unit) {
    TRY_ASSIGN(const bool is_ours, unit.store.outbox().update(held, held.fence));
    if (!is_ours) return not_held();
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
    effects.figures.obligations_finished += finished_;
    for (ports::Obligation& obligation : claimed_) effects.owed.push_back(std::move(obligation));
    dropped();
}

void Outbox::dropped() {
    pending_due_.reset();
    due_changed_ = false;
    claimed_.clear();
    failed_ = 0;
    finished_ = 0;
}

}  // namespace belfry::engine
