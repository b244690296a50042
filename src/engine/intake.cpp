#include "engine/intake.hpp"

#include <algorithm>
#include <set>

#include "base/limits.hpp"
#include "engine/answer.hpp"
#include "engine/enter_session.hpp"
#include "rules/admit.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

using base::Code;

std::string_view view(const std::array<std::uint8_t, 16>& fingerprint) {
    return {reinterpret_cast<const char*>(fingerprint.data()), fingerprint.size()};
}

// The source before the id keeps the ids of one producer together. Ids that rise with time, as most do, then land side
// by side in the index.
std::string event_key(const ports::EmitEvents& command, const model::Event& event) {
    std::string key = "e";
    key += command.principal.id;
    key += '\0';
    key += event.source;
    key += '\0';
    key += event.source_id;
    return key;
}

}  // namespace

std::vector<std::type_index> Intake::handles() const {
    return {typeid(ports::EmitEvents)};
}

base::Result<void> Intake::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> Intake::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> keys;
    std::set<std::string> sessions;  // whose users are those of events that name none, or are not
    for (const ports::Command* command : commands) {
        const auto& emit = static_cast<const ports::EmitEvents&>(*command);
        for (const ports::EventDraft& draft : emit.entries) {
            if (!draft.event.ok()) continue;
            const model::Event& event = *draft.event;
            if (!event.source_id.empty()) keys.push_back(event_key(emit, event));
            if (!event.session_id.empty()) sessions.insert(event.session_id);
        }
    }
    if (!sessions.empty()) {
        const std::vector<std::string> ids(sessions.begin(), sessions.end());
        TRY(sessions_.load(ids, unit));
    }
    if (keys.empty()) return {};
    const base::Timestamp not_before = unit.now - base::limits::idempotency_kept;
    TRY_ASSIGN(std::vector<ports::RememberedAnswer> found, unit.store.idempotency().find(keys, not_before));
    for (ports::RememberedAnswer& answer : found) {
        std::string key = answer.key;
        known_.insert_or_assign(std::move(key), std::move(answer));
    }
    return {};
}

base::Result<const ports::RememberedAnswer*> Intake::recall(const std::string& key,
                                                            std::string_view fingerprint) const {
    const auto at = known_.find(key);
    if (at == known_.end()) return static_cast<const ports::RememberedAnswer*>(nullptr);
    if (at->second.fingerprint != fingerprint) {
        return base::error(Code::conflict, "id was used with another body during the last 24 hours", "id");
    }
    return &at->second;
}

void Intake::remember(std::string key, std::string_view fingerprint, const std::vector<ports::Admission>& entries) {
    fresh_.push_back(key);
    ports::RememberedAnswer answer{key, std::string(fingerprint), write_answer(entries)};
    known_.insert_or_assign(std::move(key), std::move(answer));
}

base::Result<ports::Admission> Intake::admit_entry(const ports::EmitEvents& command, ports::EventDraft& draft,
                                                   Unit& unit) {
    if (!draft.event.ok()) return ports::Admission(draft.event.error());
    // Filled in where it is, for it may be large: run again, the command is filled with the same.
    model::Event& event = *draft.event;
    auto admitted = check(event, command.principal, unit.now);
    if (!admitted.ok()) return ports::Admission(std::move(admitted).error());
    TRY_ASSIGN(admitted, check_addressing(sessions_, command.principal, event.session_id, unit));
    if (!admitted.ok()) return ports::Admission(std::move(admitted).error());

    std::string key;
    if (!event.source_id.empty()) {
        key = event_key(command, event);
        auto before = recall(key, view(draft.fingerprint));
        if (!before.ok()) return ports::Admission(std::move(before).error());
        if (*before != nullptr) {
            auto answer = read_answer((*before)->answer);
            if (!answer.ok()) return ports::Admission(std::move(answer).error());
            ++figures_.events_replayed;
            return std::move(answer->at(0));
        }
    }
    TRY_ASSIGN(admitted, check_naming(sessions_, command.principal, event.session_id, event.user_id, unit));
    if (!admitted.ok()) return ports::Admission(std::move(admitted).error());
    TRY(name_user(sessions_, command.principal, event.session_id, event.user_id, unit));
    TRY_ASSIGN(const ports::Admitted taken, record(event, command.principal, unit));
    ports::Admission admission(taken);
    if (!key.empty()) remember(std::move(key), view(draft.fingerprint), {admission});
    return admission;
}

base::Result<std::string_view> Intake::person_of(const model::Event& event, Unit& unit) {
    if (!event.user_id.empty()) return std::string_view(event.user_id);
    if (event.session_id.empty()) return std::string_view(owner_);
    TRY_ASSIGN(const model::Session* const session, sessions_.find(event.session_id, unit));
    return std::string_view(session != nullptr ? session->user_id : owner_);
}

base::Result<ports::Admitted> Intake::record(model::Event& event, const model::Principal& by, Unit& unit) {
    event.id = model::EventId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    const std::size_t own_extensions = event.extensions.size();
    TRY_ASSIGN(const std::string_view person, person_of(event, unit));
    TRY(wakes_.trace(event, person, by, unit));
    body_.clear();
    model::append_event_json(body_, event);
    event.extensions.resize(own_extensions);  // the command may be run again
    model::Facets facets{*event.severity, event.type, person, event.session_id};
    // Naming another user's session does not make it part of that: whoever reads the session does not see it.
    if (!event.user_id.empty() && !event.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(event.session_id, unit));
        if (session != nullptr && is_anothers(*session, event.user_id)) facets.session_id = {};
    }
    const model::Sequence sequence = unit.streams.append(unit.store, StreamBook::events, facets, body_);
    ++figures_.events_accepted;
    TRY(notify_.notice(event, body_, sequence, unit));
    TRY(wakes_.notice(event, body_, person, unit));
    return ports::Admitted{event.id, sequence};
}

base::Result<void> Intake::check(model::Event& event, const model::Principal& by, base::Timestamp now) {
    TRY(rules::admit(event, now));
    return rules::may_emit(by, event);
}

base::Result<ports::Admitted> Intake::take_checked(model::Event event, const model::Principal& by, Unit& unit) {
    // It has its user from its session: that is no word about whose the session is.
    return record(event, by, unit);
}

base::Result<ports::Admission> Intake::take_in(model::Event event, const model::Principal& by, Unit& unit) {
    if (auto fits = check(event, by, unit.now); !fits.ok()) return ports::Admission(std::move(fits).error());
    TRY_ASSIGN(const ports::Admitted taken, take_checked(std::move(event), by, unit));
    return ports::Admission(taken);
}

base::Result<void> Intake::apply(ports::Command& command, Unit& unit) {
    auto& emit = static_cast<ports::EmitEvents&>(command);
    ports::EmitReply reply;
    reply.entries.reserve(emit.entries.size());
    const std::uint64_t replayed_before = figures_.events_replayed;
    for (ports::EventDraft& draft : emit.entries) {
        TRY_ASSIGN(ports::Admission admission, admit_entry(emit, draft, unit));
        reply.entries.push_back(std::move(admission));
        if (!reply.entries.back().ok()) ++figures_.events_refused;
    }
    reply.replayed = !reply.entries.empty() && figures_.events_replayed - replayed_before == reply.entries.size();
    emit.settle(std::move(reply));
    return {};
}

std::optional<std::string> Intake::stored_answer(const ports::Command& command) const {
    const auto& result = static_cast<const ports::EmitEvents&>(command).result();
    // A request of which no entry was accepted changed nothing: the corrected request may use the key again.
    const auto is_accepted = [](const ports::Admission& entry) { return entry.ok(); };
    if (!result.ok() || std::ranges::none_of(result->entries, is_accepted)) return std::nullopt;
    return write_answer(result->entries);
}

base::Result<void> Intake::replay(ports::Command& command, std::string stored) {
    TRY_ASSIGN(std::vector<ports::Admission> entries, read_answer(stored));
    figures_.events_replayed += entries.size();
    static_cast<ports::EmitEvents&>(command).settle(ports::EmitReply{std::move(entries), true});
    return {};
}

base::Result<void> Intake::flush(Unit& unit) {
    if (fresh_.empty()) return {};
    std::vector<ports::RememberedAnswer> answers;
    answers.reserve(fresh_.size());
    for (const std::string& key : fresh_) answers.push_back(known_.at(key));
    return unit.store.idempotency().put(answers, unit.now);
}

void Intake::committed(Effects& effects) {
    effects.figures.events_accepted += figures_.events_accepted;
    effects.figures.events_refused += figures_.events_refused;
    effects.figures.events_replayed += figures_.events_replayed;
    dropped();
}

void Intake::dropped() {
    known_.clear();
    fresh_.clear();
    figures_ = {};
}

}  // namespace belfry::engine
