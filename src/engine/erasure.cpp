#include "engine/erasure.hpp"

#include <charconv>

#include "base/change_set_limits.hpp"
#include "base/limits.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

std::uint64_t number_in(const model::RawJson& json, std::string_view name) {
    std::uint64_t value = 0;
    if (const auto member = json.member(name)) {
        std::from_chars(member->text.data(), member->text.data() + member->text.size(), value);
    }
    return value;
}

model::RawJson progress_of(const ports::EraseProgress& progress) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    writer.field("next_position", static_cast<long long>(progress.next));
    writer.field("erased", static_cast<long long>(progress.erased));
    writer.end_object();
    return model::RawJson::trusted(std::move(out));
}

std::string user_member(std::string_view user_id) {
    std::string out = "\"user_id\":\"";
    model::append_escaped(out, user_id);
    out += '"';
    return out;
}

}  // namespace

std::vector<std::type_index> Erasure::handles() const {
    return {typeid(ports::EraseUser), typeid(ports::EraseSlice)};
}

base::Result<void> Erasure::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> Erasure::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::EraseUser*>(&command)) return promise(*wish, unit);
    return slice(static_cast<ports::EraseSlice&>(command), unit);
}

// The answer holds the id of the erasure only, and must outlive the erasure.
std::optional<std::string> Erasure::stored_answer(const ports::Command& command) const {
    std::optional<std::string> answer = Capability::stored_answer(command);
    if (answer) answer->front() = ports::plain_answer;
    return answer;
}

base::Result<void> Erasure::promise(ports::EraseUser& command, Unit& unit) {
    auto allowed = rules::may_administer(command.principal);
    if (allowed.ok() && (command.user_id.empty() || command.user_id.size() > base::limits::scope_id_bytes_max)) {
        allowed = base::error(base::Code::invalid,
                              "user_id must have 1 to " + std::to_string(base::limits::scope_id_bytes_max) + " bytes",
                              "user_id");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    model::RawJson detail = model::RawJson::trusted("{" + user_member(command.user_id) + "}");
    TRY_ASSIGN(const base::Uuid id, outbox_.owe("erase_user", std::move(detail), unit));
    TRY(access_.revoke_user(command.user_id, unit));
    unit.audit("user.erase", command.principal,
               user_member(command.user_id) + ",\"erasure\":\"" + base::format_uuid(id) + "\"");
    command.settle(ports::ErasureReply{id});
    return {};
}

base::Result<void> Erasure::slice(ports::EraseSlice& command, Unit& unit) {
    TRY_ASSIGN(std::optional<ports::Obligation> held, unit.store.outbox().find(command.obligation));
    if (!held || held->fence != command.fence || held->finished_at) {
        command.refuse(not_held());
        return {};
    }
    const auto user = held->detail.member("user_id");
    if (!user) return base::error(base::Code::malformed, "an erasure without user_id is in the outbox");
    ports::EraseProgress progress;
    progress.next = number_in(held->progress, "next_position");
    progress.erased = number_in(held->progress, "erased");
    const std::string user_id = user->as_text();
    const auto local = held->detail.member(local_erasure_member);
    const bool is_local = local && local->text == "true";
    TRY_ASSIGN(std::uint64_t rows, erase_rows(user_id, unit));
    if (!is_local) {
        TRY_ASSIGN(const std::uint64_t common, erase_common(user_id, unit));
        rows += common;
    }
    progress.erased += rows;
    if (rows == 0) {
        TRY_ASSIGN(const ports::LogTable::Erased erased,
                   unit.store.log().erase_user(user_id, progress.next, base::limits::sweep_slice_rows));
        progress.next = erased.next;
        progress.erased += erased.entries;
        progress.finished = erased.finished;
        rewrote_ = rewrote_ || erased.entries > 0;
    }

    held->progress = progress_of(progress);
    held->claimed_until = unit.now + base::limits::obligation_claim;
    held->last_error.clear();
    if (progress.finished) {
        // Their entries are gone; their names would still tell of the person.
        for (const char* prefix : {"inbox:", "agent:", "changes:"})
            TRY(unit.streams.disown(unit.store, prefix + user_id));
        if (!is_local) TRY(sync_.note(user_id, unit));
        // A stored answer does not name its user: all answers that could hold text of the user are removed.
        TRY(idempotency_.erase_answers(unit));
        held->finished_at = unit.now;
        held->claimed_until.reset();
        ++finished_;
        unit.audit(
            "user.erased", model::house_principal(),
            "\"erasure\":\"" + base::format_uuid(held->id) + "\",\"entries\":" + std::to_string(progress.erased));
    }
    TRY_ASSIGN(const bool is_ours, unit.store.outbox().update(*held, command.fence));
    if (!is_ours) return not_held();
    command.settle(progress);
    return {};
}

// Before the rows go: whoever makes a session of that name again begins a stream of his own.
base::Result<std::uint64_t> Erasure::disown_sessions(const std::string& user_id, Unit& unit) {
    const std::vector<std::string> names = unit.streams.sessions_of(user_id, base::limits::sweep_slice_rows);
    for (const std::string& name : names) TRY(unit.streams.disown(unit.store, name));
    return names.size();
}

base::Result<std::uint64_t> Erasure::erase_rows(const std::string& user_id, Unit& unit) {
    constexpr std::size_t slice = base::limits::sweep_slice_rows;
    TRY(notify_.forget_user(user_id, unit));
    // What earlier commands of this transaction made is written first, or it would outlive its user.
    TRY(ledger_.flush(unit));
    TRY(sessions_.flush(unit));
    TRY(settings_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t runs, runs_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t waiting, unit.store.waiting().erase_user(user_id));
    TRY_ASSIGN(const std::uint64_t notifications, unit.store.notifications().erase_user(user_id, slice));
    TRY_ASSIGN(const std::uint64_t streams, disown_sessions(user_id, unit));
    TRY_ASSIGN(const std::uint64_t proposals,
               unit.store.change_sets().erase_user(user_id, slice / base::limits::change_items_max + 1));
    TRY_ASSIGN(const std::uint64_t values, unit.store.context_values().erase_user(user_id, slice));
    TRY_ASSIGN(const std::uint64_t sessions, unit.store.sessions().erase_user(user_id, slice));
    ledger_.count_anew();
    TRY(sessions_.read_again(unit));
    return runs + waiting + notifications + streams + proposals + values + sessions;
}

base::Result<std::uint64_t> Erasure::erase_common(const std::string& user_id, Unit& unit) {
    TRY_ASSIGN(const std::uint64_t timers, timers_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t agents, wakes_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t records, journal_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t changes, changes_.erase_user(user_id, unit));
    TRY_ASSIGN(const std::uint64_t devices, unit.store.sync().erase_user(user_id, base::limits::sweep_slice_rows));
    return timers + agents + records + changes + devices;
}

void Erasure::committed(Effects& effects) {
    effects.forget_tail = effects.forget_tail || rewrote_;
    effects.figures.obligations_finished += finished_;
    effects.erased = effects.erased || finished_ > 0;
    dropped();
}

void Erasure::dropped() {
    rewrote_ = false;
    finished_ = 0;
}

}  // namespace belfry::engine
