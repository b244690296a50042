#include "engine/delivery.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "engine/awareness.hpp"
#include "engine/check_text.hpp"
#include "engine/enter_session.hpp"
#include "engine/find_notification.hpp"
#include "engine/hold.hpp"
#include "rules/admit.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/model_tokens.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;
constexpr std::size_t read_at_once = 8;

base::Error refused(rules::Refusal refusal) {
    const bool is_lease = refusal == rules::Refusal::no_lease || refusal == rules::Refusal::stale_lease;
    const char* const field = is_lease ? "lease" : refusal == rules::Refusal::stale_version ? "version" : "";
    return base::error(Code::conflict, std::string(rules::refusal_text(refusal)), field,
                       std::string(rules::refusal_name(refusal)));
}

base::Error no_such() {
    return base::error(Code::not_found, "there is no such notification");
}

base::Result<void> check(const model::Notification& draft) {
    TRY(check_text(draft.content, limits::notification_content_bytes_max, "content"));
    TRY(check_text(draft.text, limits::notification_content_bytes_max, "text"));
    TRY(check_text(draft.directive, limits::subscriber_directive_bytes_max, "directive"));
    TRY(check_text(draft.tone_hint, limits::tone_hint_bytes_max, "tone_hint"));
    TRY(check_text(draft.deduplication_key, limits::deduplication_key_bytes_max, "deduplication_key"));
    TRY(check_text(draft.metadata.bytes(), limits::notification_metadata_bytes_max, "metadata"));
    TRY(rules::check_scope_id(draft.scope.user_id, "user_id"));
    TRY(rules::check_scope_id(draft.scope.session_id, "session_id"));
    TRY(rules::check_scope_id(draft.scope.agent_id, "agent_id"));
    if (draft.content.empty() && draft.text.empty()) {
        return base::error(Code::invalid, "content or text must be given", "content");
    }
    if (draft.address == model::Address::session && draft.scope.session_id.empty()) {
        return base::error(Code::invalid, "address session needs a session_id", "session_id");
    }
    if (draft.ttl.us < 0 || draft.ttl > limits::notification_ttl_max) {
        return base::error(
            Code::invalid,
            "ttl_s must lie between 0 and " + std::to_string(limits::notification_ttl_max.us / 1'000'000), "ttl_s");
    }
    return {};
}

}  // namespace

std::vector<std::type_index> Delivery::handles() const {
    return {typeid(ports::EmitNotification),    typeid(ports::AckNotification),   typeid(ports::MarkNotification),
            typeid(ports::NarrateNotification), typeid(ports::RetryNotification), typeid(ports::OpenInbox),
            typeid(ports::ContinueInbox),       typeid(ports::CloseInbox)};
}

base::Result<void> Delivery::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> Delivery::apply(ports::Command& command, Unit& unit) {
    // What was decided before in this transaction must be there to be found.
    TRY(ledger_.settle(unit));
    if (auto* wish = dynamic_cast<ports::EmitNotification*>(&command)) return emit(*wish, unit);
    if (auto* wish = dynamic_cast<ports::AckNotification*>(&command)) return ack(*wish, unit);
    if (auto* wish = dynamic_cast<ports::MarkNotification*>(&command)) return mark(*wish, unit);
    if (auto* wish = dynamic_cast<ports::NarrateNotification*>(&command)) return narrate(*wish, unit);
    if (auto* wish = dynamic_cast<ports::RetryNotification*>(&command)) return retry(*wish, unit);
    if (auto* wish = dynamic_cast<ports::OpenInbox*>(&command)) return open(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ContinueInbox*>(&command)) return go_on(*wish, unit);
    return close(static_cast<ports::CloseInbox&>(command), unit);
}

base::Result<void> Delivery::emit(ports::EmitNotification& command, Unit& unit) {
    NewNotification wish;
    // A copy: what is filled in counts for this try alone, for the command is run again where its group fails.
    wish.notification = command.draft;
    wish.source = "Belfry";
    wish.user_is_named = !command.draft.scope.user_id.empty() || rules::proves_user(command.principal);
    model::Notification& draft = wish.notification;
    if (rules::waits_for_turn_end(draft.priority, draft.target, draft.handler)) {
        draft.inject_at = model::InjectAt::turn_end;
    }
    TRY_ASSIGN(auto allowed, prepare(command, wish, unit));
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    if (wish.user_is_named) {
        TRY(name_user(sessions_, command.principal, draft.scope.session_id, draft.scope.user_id, unit));
    }
    // Where it belongs is settled before it can take the place of another.
    TRY(ledger_.house(wish, unit));
    if (!draft.deduplication_key.empty()) {
        TRY_ASSIGN(auto before, find_before(draft.scope.user_id, draft.deduplication_key, command.lease, unit));
        if (before) return emit_again(command, std::move(wish), std::move(*before), unit);
    }
    return make(command, std::move(wish), unit);
}

// Whose place it may take. A holder speaks of the row that he holds, also where another one follows that by now.
base::Result<std::optional<model::Notification>> Delivery::find_before(const std::string& user_id,
                                                                       const std::string& key,
                                                                       std::optional<std::int64_t> lease, Unit& unit) {
    ports::NotificationTable& table = unit.store.notifications();
    if (lease) {
        TRY_ASSIGN(auto held, table.find_held_key(user_id, key, *lease));
        if (held) return held;
    }
    return table.find_key(user_id, key);
}

// The draft as it is to become a row, or why it may not.
base::Result<base::Result<void>> Delivery::prepare(const ports::EmitNotification& command, NewNotification& wish,
                                                   Unit& unit) {
    using Allowed = base::Result<void>;
    model::Notification& draft = wish.notification;
    if (auto checked = check(draft); !checked.ok()) return Allowed(std::move(checked).error());
    if (draft.scope.user_id.empty() && !draft.scope.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(draft.scope.session_id, unit));
        if (session != nullptr) draft.scope.user_id = session->user_id;
    }
    if (draft.scope.user_id.empty()) draft.scope.user_id = rules::default_user(command.principal, ledger_.owner());
    if (auto may = rules::may_notify(command.principal, draft.scope, draft.severity, draft.priority); !may.ok()) {
        return Allowed(std::move(may).error());
    }
    TRY_ASSIGN(auto may_address, check_addressing(sessions_, command.principal, draft.scope.session_id, unit));
    if (!may_address.ok()) return Allowed(std::move(may_address).error());
    if (!draft.directive.empty() || !draft.tone_hint.empty()) {
        if (auto may = rules::may_direct(command.principal, draft.scope); !may.ok()) {
            return Allowed(base::error(may.error().code, may.error().message,
                                       draft.directive.empty() ? "tone_hint" : "directive"));
        }
    }
    TRY_ASSIGN(auto may_name, check_naming(sessions_, command.principal, command.draft.scope.session_id,
                                           command.draft.scope.user_id, unit));
    if (!may_name.ok()) return Allowed(std::move(may_name).error());
    draft.emitter = command.principal.id;
    if (draft.content.empty()) draft.content = draft.text;
    if (draft.text.empty()) draft.text = draft.content;
    draft.model_tokens = rules::estimate_model_tokens(draft.content);
    return trace(command, wish, unit);
}

// What an agent says while it deals with something comes of that, wherever it says it; a chain has an end. What others
// say in its session meanwhile does not.
base::Result<base::Result<void>> Delivery::trace(const ports::EmitNotification& command, NewNotification& wish,
                                                 Unit& unit) {
    model::Notification& draft = wish.notification;
    const model::Principal& who = command.principal;
    const std::string& session_id = draft.scope.session_id;
    std::optional<model::Notification> cause;
    if (!command.caused_by.empty()) {
        const bool is_id = base::parse_uuid(command.caused_by).has_value();
        TRY_ASSIGN(cause, find_notification(is_id ? std::string() : session_id, command.caused_by, unit));
        if (!cause || cause->scope.user_id != draft.scope.user_id) {
            return base::Result<void>(
                base::error(Code::invalid, "there is no notification " + command.caused_by, "caused_by"));
        }
    } else if (!session_id.empty()) {
        TRY_ASSIGN(const std::vector<model::Notification> held, unit.store.notifications().held_by_session(session_id));
        for (const model::Notification& one : held) {
            const bool is_by_its_agent = who.role == model::Role::agent || who.id == one.holder;
            if (!is_by_its_agent) continue;
            if (one.scope.user_id == draft.scope.user_id && (!cause || one.depth > cause->depth)) cause = one;
        }
    }
    const bool is_agents = who.role == model::Role::agent;
    std::optional<std::int64_t> elsewhere;
    if (is_agents) {
        TRY_ASSIGN(elsewhere, unit.store.notifications().depth_held_by(who.id));
    }
    TRY_ASSIGN(const auto under,
               wakes_.depth_under(who, draft.scope.user_id, is_agents ? session_id : std::string(), unit));
    if (!cause && !under && !elsewhere) return base::Result<void>{};
    if (cause) draft.caused_by = cause->id;
    const std::int64_t before = std::max({cause ? cause->depth : 0, under.value_or(0), elsewhere.value_or(0)});
    const model::Axes asked = model::axes_of(draft);
    if (rules::deepen(draft, before + 1)) wish.asked = asked;
    return base::Result<void>{};
}

base::Result<void> Delivery::make(ports::EmitNotification& command, NewNotification wish, Unit& unit) {
    TRY_ASSIGN(model::Notification made, ledger_.add_now(std::move(wish), unit));
    command.settle(ports::EmittedNotification{std::move(made), true});
    return {};
}

base::Result<void> Delivery::emit_again(ports::EmitNotification& command, NewNotification wish, model::Notification row,
                                        Unit& unit) {
    // Whoever knows a key of his user's may still have no part in the session that its notification lives in.
    auto may = rules::may_notify(command.principal, row.scope, row.severity);
    if (may.ok()) {
        TRY_ASSIGN(may, check_addressing(sessions_, command.principal, row.scope.session_id, unit));
    }
    if (!may.ok()) {
        command.refuse(base::error(Code::forbidden, "a notification that this token may not change has this key",
                                   "deduplication_key"));
        return {};
    }
    const rules::Repeat repeat = rules::repeat(row, command.principal.id, command.lease);
    if (repeat != rules::Repeat::overwrites) {
        if (repeat == rules::Repeat::follows) wish.notification.follows = row.id;
        return make(command, std::move(wish), unit);
    }
    const model::Notification before = row;
    rules::Steps steps;
    rules::overwrite(row, wish.notification, unit.now, steps);
    TRY(ledger_.tell_update(row, before, std::move(steps), unit));
    command.settle(ports::EmittedNotification{std::move(row), false});
    return {};
}

// The row that a command is about, where its principal may speak for the person; else the command is refused.
template <class Command>
base::Result<std::optional<model::Notification>> Delivery::find_for_person(Command& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    const auto allowed = row ? rules::may_answer_for(command.principal, row->scope.user_id, row->scope.session_id)
                             : base::Result<void>(no_such());
    if (allowed.ok()) return row;
    command.refuse(allowed.error());
    return std::optional<model::Notification>{};
}

base::Result<void> Delivery::ack(ports::AckNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_for_person(command, unit));
    if (!row) return {};
    const std::int64_t lease = row->lease;
    rules::Steps steps;
    rules::Acknowledgement word{rules::Voice::interface, command.principal.id, command.lease, command.version,
                                command.how};
    const rules::Refusal refusal = rules::acknowledge(*row, unit.now, word, steps);
    if (refusal != rules::Refusal::none) {
        command.refuse(refused(refusal));
        return {};
    }
    rules::mark_read(*row, command.how == "clicked" ? model::ReadMark::acted : model::ReadMark::seen, unit.now);
    TRY(ledger_.change(*row, lease, std::move(steps), command.principal.id, unit));
    TRY(marks_.note(*row, unit));
    ++acknowledged_;
    command.settle(std::move(*row));
    return {};
}

base::Result<void> Delivery::mark(ports::MarkNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_for_person(command, unit));
    if (!row) return {};
    if (!rules::is_for_eyes(*row)) {
        command.refuse(refused(rules::Refusal::wrong_channel));
        return {};
    }
    if (rules::mark_read(*row, command.mark, unit.now)) {
        TRY(ledger_.mark(*row, command.principal.id, unit));
        TRY(marks_.note(*row, unit));
    }
    // The mark may be of an earlier content: the user has read the new one, too.
    TRY(note_fact(*row, model::FactStatus::seen, unit));
    command.settle(std::move(*row));
    return {};
}

base::Result<void> Delivery::narrate(ports::NarrateNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    base::Result<void> allowed = no_such();
    if (row) {
        TRY_ASSIGN(allowed, check_use(sessions_, command.principal, row->handed_to, row->scope.user_id, unit));
    }
    if (allowed.ok()) allowed = check_text(command.words, limits::narration_bytes_max, "text");
    if (allowed.ok() && command.words.empty()) allowed = base::error(Code::invalid, "text must not be empty", "text");
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(auto lease, lease_of(command, *row, unit));
    if (!lease.ok()) {
        command.refuse(std::move(lease).error());
        return {};
    }
    TRY_ASSIGN(auto others, find_others(command, *row, unit));
    if (!others.ok()) {
        command.refuse(std::move(others).error());
        return {};
    }
    // One item for all: it names the tools of each.
    for (const model::Notification& other : *others) rules::add_tools(*row, other.used_tools);
    rules::Steps steps;
    const rules::Refusal refusal =
        rules::narrate(*row, unit.now, {command.principal.id, *lease, command.version, command.words}, steps);
    if (refusal != rules::Refusal::none) {
        command.refuse(refused(refusal));
        return {};
    }
    TRY(ledger_.change(*row, *lease, std::move(steps), command.principal.id, unit));
    TRY(say_in_session(*row, unit));
    ++acknowledged_;
    for (model::Notification& other : *others) {
        const std::int64_t before = other.lease;
        rules::Steps along;
        if (rules::tell_with(other, unit.now, command.principal.id, along) != rules::Refusal::none) continue;
        TRY(ledger_.change(other, before, std::move(along), command.principal.id, unit));
        ++acknowledged_;
    }
    command.settle(std::move(*row));
    return {};
}

// The lease under which the caller narrates: named, or proven by the pull. The outer result is the store's.
base::Result<base::Result<std::int64_t>> Delivery::lease_of(const ports::NarrateNotification& command,
                                                            const model::Notification& row, Unit& unit) {
    using Lease = base::Result<std::int64_t>;
    TRY_ASSIGN(const model::Session* const session, sessions_.find(row.handed_to, unit));
    const rules::HoldProof proof = session != nullptr
                                       ? proof_of(*session, command.principal, command.pull_id, {}, unit.now)
                                       : rules::HoldProof{command.principal.id, command.pull_id, {}};
    if (session != nullptr && !rules::may_be_own(row, proof, session->progress.pulls)) {
        return Lease(not_holder(rules::Hold::stale, command.which.key));
    }
    if (command.lease) return Lease(*command.lease);
    const bool is_handed = row.state == model::DeliveryState::locked && row.narration.empty();
    if (session == nullptr || !is_handed) return Lease(row.lease);  // the rule refuses it
    const rules::Hold hold = rules::judge_hold(row, proof, session->progress.pulls);
    if (hold == rules::Hold::proven) return Lease(row.lease);
    return Lease(not_holder(hold, command.which.key));
}

// The notifications that the same words tell: all of them the caller's, or an error. The outer result is the store's.
base::Result<base::Result<std::vector<model::Notification>>> Delivery::find_others(
    const ports::NarrateNotification& command, const model::Notification& first, Unit& unit) {
    using Others = base::Result<std::vector<model::Notification>>;
    std::vector<model::Notification> others;
    if (command.also.empty()) return Others(std::move(others));
    TRY_ASSIGN(const model::Session* const session, sessions_.find(first.handed_to, unit));
    if (session == nullptr) return Others(no_such());
    const rules::HoldProof proof = proof_of(*session, command.principal, command.pull_id, command.also, unit.now);
    for (const ports::Named& named : command.also) {
        TRY_ASSIGN(auto row, find_notification(session->id, named.key, unit));
        const bool is_first = row && row->id == first.id;
        const bool is_twice = row && std::ranges::find(others, row->id, &model::Notification::id) != others.end();
        if (is_first || is_twice) continue;
        if (!row) return Others(base::error(Code::not_found, "there is no notification " + named.key, "also"));
        const bool is_held =
            row->state == model::DeliveryState::locked && row->narration.empty() && row->handed_to == session->id;
        const rules::Hold hold = is_held ? rules::judge_hold(*row, proof, session->progress.pulls) : rules::Hold::stale;
        if (hold != rules::Hold::proven) return Others(not_holder(hold, named.key));
        others.push_back(std::move(*row));
    }
    return Others(std::move(others));
}

// The agent's words belong into the conversation that they were meant for.
base::Result<void> Delivery::say_in_session(const model::Notification& row, Unit& unit) {
    if (row.address != model::Address::session) return {};
    TRY_ASSIGN(model::Session* const session, sessions_.find(row.scope.session_id, unit));
    if (session == nullptr) return {};
    model::SessionMessage message = sessions_.new_message(*session, model::MessageRole::assistant, unit);
    message.content = row.narration;
    message.metadata = model::RawJson::trusted("{\"notification_id\":\"" + base::format_uuid(row.id.uuid) + "\"}");
    return SessionBook::say(*session, message, unit);
}

base::Result<void> Delivery::retry(ports::RetryNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_for_person(command, unit));
    if (!row) return {};
    if (row->state != model::DeliveryState::failed) {
        command.refuse(
            base::error(Code::conflict, "only a notification that failed can be sent again", {}, "not_failed"));
        return {};
    }
    TRY_ASSIGN(const bool is_under_way, unit.store.notifications().has_open_retry(row->scope.user_id, row->id));
    if (is_under_way) {
        command.refuse(
            base::error(Code::conflict, "this notification was sent again and is on its way", {}, "retry_under_way"));
        return {};
    }
    NewNotification again;
    again.notification = rules::again(*row);
    again.source = "Belfry";
    again.user_is_named = true;  // whoever he was, he is recorded
    // As its subscriber wants it today; of one that is gone nobody has said that it is to be kept out of sight.
    const auto catalogue = subscribers_.current();
    const model::Subscriber* const subscriber = catalogue->find(row->subscriber_id);
    again.visible = subscriber == nullptr || subscriber->visible;
    TRY_ASSIGN(model::Notification made, ledger_.add_now(std::move(again), unit));
    command.settle(std::move(made));
    return {};
}

base::Result<void> Delivery::open(ports::OpenInbox& command, Unit& unit) {
    const model::Session* session = nullptr;
    if (!command.session_id.empty()) {
        TRY_ASSIGN(session, sessions_.find(command.session_id, unit));
    }
    std::string user_id = command.user_id;
    if (user_id.empty()) {
        user_id = session != nullptr ? session->user_id : rules::default_user(command.principal, ledger_.owner());
    }
    auto allowed = rules::may_answer_for(command.principal, user_id, command.session_id);
    if (allowed.ok() && session != nullptr && is_anothers(*session, user_id)) {
        allowed = rules::may_answer_for(command.principal, session->user_id, command.session_id);
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(const model::StreamId stream, ledger_.inbox_stream(user_id, unit));
    ports::OpenedInbox reply;
    reply.stream = "inbox:" + user_id;
    reply.until = ledger_.last_ordinal();
    TRY_ASSIGN(ports::InboxPortion first,
               portion({.user_id = user_id, .session_id = command.session_id, .until = reply.until},
                       command.principal.id, unit));
    reply.waiting = std::move(first.waiting);
    reply.more = first.more;
    TRY_ASSIGN(reply.questions, unit.store.interactions().pending(user_id, command.session_id, limits::inbox_open_max));
    // What was said of them just now stands before this place in the stream: the newcomer has it already.
    reply.as_of = unit.streams.head(stream);
    interfaces_.push_back({user_id, command.session_id, true});
    ledger_.will_move(user_id, command.session_id, 1);
    command.settle(std::move(reply));
    return {};
}

base::Result<void> Delivery::go_on(ports::ContinueInbox& command, Unit& unit) {
    if (auto allowed = rules::may_answer_for(command.principal, command.user_id, command.session_id); !allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(ports::InboxPortion reply, portion({.user_id = command.user_id,
                                                   .session_id = command.session_id,
                                                   .after = command.after,
                                                   .until = command.until},
                                                  command.principal.id, unit));
    command.settle(std::move(reply));
    return {};
}

// A few at a time: rows may be large, and all of them stand in memory while the engine waits.
base::Result<ports::InboxPortion> Delivery::portion(ports::NotificationTable::InterfaceQuestion question,
                                                    const std::string& by, Unit& unit) {
    question.limit = read_at_once;
    ports::InboxPortion out;
    std::size_t bytes = 0;
    do {
        TRY_ASSIGN(std::vector<model::Notification> rows, unit.store.notifications().for_interfaces(question));
        out.more = rows.size() == question.limit;
        for (model::Notification& row : rows) {
            bytes += row.content.size() + row.text.size() + row.metadata.bytes().size();
            question.after = row.ordinal;
            TRY(sent_to_interface(row, by, unit));
            out.waiting.push_back(std::move(row));
        }
    } while (out.more && out.waiting.size() < limits::inbox_open_max && bytes < limits::page_bytes_max);
    return out;
}

base::Result<void> Delivery::sent_to_interface(model::Notification& row, const std::string& by, Unit& unit) {
    TRY(note_shown(row, unit));
    const bool is_again = row.state != model::DeliveryState::pending;
    if (is_again) {
        TRY_ASSIGN(const std::int64_t attempts,
                   unit.store.notifications().count_steps(row.id, rules::step_reason::sent));
        if (attempts >= limits::attempts_audited_max) return {};
    }
    const std::int64_t lease = row.lease;
    rules::Steps steps;
    if (rules::dispatch(row, unit.now, by, steps) != rules::Refusal::none) return {};
    if (is_again) {
        ledger_.note(std::move(steps));
        return {};
    }
    return ledger_.change(row, lease, std::move(steps), by, unit);
}

base::Result<void> Delivery::close(ports::CloseInbox& command, Unit&) {
    interfaces_.push_back({command.user_id, command.session_id, false});
    ledger_.will_move(command.user_id, command.session_id, -1);
    command.settle(ports::Nothing{});
    return {};
}

void Delivery::committed(Effects& effects) {
    for (const Change& change : interfaces_) {
        if (change.comes) ledger_.came(change.user_id, change.session_id);
        else ledger_.went(change.user_id, change.session_id);
    }
    effects.figures.notifications_acknowledged += acknowledged_;
    dropped();
}

void Delivery::dropped() {
    interfaces_.clear();
    acknowledged_ = 0;
}

}  // namespace belfry::engine
