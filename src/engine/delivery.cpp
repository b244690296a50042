#include "engine/delivery.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "engine/find_notification.hpp"
#include "rules/may.hpp"
#include "rules/model_tokens.hpp"
#include "rules/route.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;

base::Error refused(rules::Refusal refusal) {
    const bool is_lease = refusal == rules::Refusal::no_lease || refusal == rules::Refusal::stale_lease;
    const char* const field = is_lease ? "lease" : refusal == rules::Refusal::stale_version ? "version" : "";
    return base::error(Code::conflict, std::string(rules::refusal_text(refusal)), field,
                       std::string(rules::refusal_name(refusal)));
}

base::Error no_such() {
    return base::error(Code::not_found, "there is no such notification");
}

base::Result<void> check_bytes(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() <= bytes_max) return {};
    return base::error(Code::too_large, std::string(field) + " may have " + std::to_string(bytes_max) + " bytes",
                       field);
}

base::Result<void> check(const model::Notification& draft) {
    TRY(check_bytes(draft.content, limits::notification_content_bytes_max, "content"));
    TRY(check_bytes(draft.text, limits::notification_content_bytes_max, "text"));
    TRY(check_bytes(draft.directive, limits::subscriber_directive_bytes_max, "directive"));
    TRY(check_bytes(draft.tone_hint, limits::tone_hint_bytes_max, "tone_hint"));
    TRY(check_bytes(draft.deduplication_key, limits::deduplication_key_bytes_max, "deduplication_key"));
    TRY(check_bytes(draft.metadata.bytes(), limits::notification_metadata_bytes_max, "metadata"));
    TRY(check_bytes(draft.scope.user_id, limits::scope_id_bytes_max, "user_id"));
    TRY(check_bytes(draft.scope.session_id, limits::scope_id_bytes_max, "session_id"));
    TRY(check_bytes(draft.scope.agent_id, limits::scope_id_bytes_max, "agent_id"));
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
            typeid(ports::CloseInbox)};
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
    return close(static_cast<ports::CloseInbox&>(command), unit);
}

base::Result<void> Delivery::emit(ports::EmitNotification& command, Unit& unit) {
    model::Notification& draft = command.draft;
    auto allowed = check(draft);
    if (allowed.ok() && draft.scope.user_id.empty() && !draft.scope.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(draft.scope.session_id, unit));
        if (session != nullptr) draft.scope.user_id = session->user_id;
    }
    if (draft.scope.user_id.empty()) draft.scope.user_id = rules::default_user(command.principal, ledger_.owner());
    if (allowed.ok()) allowed = rules::may_notify(command.principal, draft.scope, draft.severity);
    if (allowed.ok()) {
        TRY_ASSIGN(allowed, trace(command, unit));
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    draft.emitter = command.principal.id;
    if (draft.content.empty()) draft.content = draft.text;
    if (draft.text.empty()) draft.text = draft.content;
    draft.model_tokens = rules::estimate_model_tokens(draft.content);
    if (!draft.deduplication_key.empty()) {
        TRY_ASSIGN(auto before, unit.store.notifications().find_key(draft.scope.user_id, draft.deduplication_key));
        if (before) return emit_again(command, std::move(*before), unit);
    }
    return make(command, unit);
}

// What an agent says of its own accord while it deals with something comes of that; a chain has an end.
base::Result<base::Result<void>> Delivery::trace(ports::EmitNotification& command, Unit& unit) {
    model::Notification& draft = command.draft;
    const std::string& session_id = draft.scope.session_id;
    std::optional<model::Notification> cause;
    if (!command.caused_by.empty()) {
        TRY_ASSIGN(cause, find_notification(session_id, command.caused_by, unit));
        if (!cause) {
            return base::Result<void>(
                base::error(Code::invalid, "there is no notification " + command.caused_by, "caused_by"));
        }
    } else if (command.principal.role == model::Role::agent && !session_id.empty()) {
        TRY_ASSIGN(const std::vector<model::Notification> held, unit.store.notifications().held_by_session(session_id));
        for (const model::Notification& one : held) {
            if (!cause || one.depth > cause->depth) cause = one;
        }
    }
    if (!cause) return base::Result<void>{};
    draft.caused_by = cause->id;
    draft.depth = cause->depth + 1;
    if (draft.depth >= limits::chain_depth_max && rules::route(draft).starts_turn) {
        draft.handler = model::Handler::system;
        draft.target = model::Target::user;
    }
    return base::Result<void>{};
}

base::Result<void> Delivery::make(ports::EmitNotification& command, Unit& unit) {
    NewNotification added;
    added.notification = command.draft;
    added.source = command.principal.id;
    TRY_ASSIGN(model::Notification made, ledger_.add_now(std::move(added), unit));
    command.settle(ports::EmittedNotification{std::move(made), true});
    return {};
}

base::Result<void> Delivery::emit_again(ports::EmitNotification& command, model::Notification before, Unit& unit) {
    const rules::Repeat repeat = rules::repeat(before, command.lease);
    if (repeat != rules::Repeat::overwrites) {
        if (repeat == rules::Repeat::follows) command.draft.follows = before.id;
        return make(command, unit);
    }
    const std::int64_t lease = before.lease;
    const rules::Route way = rules::route(before);
    rules::Steps steps;
    rules::overwrite(before, command.draft, unit.now, steps);
    TRY(ledger_.tell_update(before, lease, way, std::move(steps), unit));
    command.settle(ports::EmittedNotification{std::move(before), false});
    return {};
}

base::Result<void> Delivery::ack(ports::AckNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    base::Result<void> allowed =
        row ? rules::may_answer_for(command.principal, row->scope.user_id, row->scope.session_id)
            : base::Result<void>(no_such());
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
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
    ++acknowledged_;
    command.settle(std::move(*row));
    return {};
}

base::Result<void> Delivery::mark(ports::MarkNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    base::Result<void> allowed =
        row ? rules::may_answer_for(command.principal, row->scope.user_id, row->scope.session_id)
            : base::Result<void>(no_such());
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    if (rules::mark_read(*row, command.mark, unit.now)) TRY(ledger_.mark(*row, command.principal.id, unit));
    command.settle(std::move(*row));
    return {};
}

base::Result<void> Delivery::narrate(ports::NarrateNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    base::Result<void> allowed = row ? rules::may_use_session(command.principal, row->handed_to, row->scope.user_id)
                                     : base::Result<void>(no_such());
    if (allowed.ok()) allowed = check_bytes(command.words, limits::narration_bytes_max, "text");
    if (allowed.ok() && command.words.empty()) allowed = base::error(Code::invalid, "text must not be empty", "text");
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    const std::int64_t lease = row->lease;
    rules::Steps steps;
    const rules::Refusal refusal =
        rules::narrate(*row, unit.now, command.principal.id, command.lease, command.words, steps);
    if (refusal != rules::Refusal::none) {
        command.refuse(refused(refusal));
        return {};
    }
    TRY(ledger_.change(*row, lease, std::move(steps), command.principal.id, unit));
    TRY(say_in_session(*row, unit));
    ++acknowledged_;
    command.settle(std::move(*row));
    return {};
}

// The agent's words belong into the conversation that they were meant for.
base::Result<void> Delivery::say_in_session(const model::Notification& row, Unit& unit) {
    if (row.address != model::Address::session) return {};
    TRY_ASSIGN(model::Session* const session, sessions_.find(row.scope.session_id, unit));
    if (session == nullptr) return {};
    model::SessionMessage message;
    message.id = model::MessageId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    message.node = session->head;
    message.session_id = session->id;
    message.ordinal = session->next_message++;
    message.role = model::MessageRole::assistant;
    message.content = row.narration;
    message.metadata = model::RawJson::trusted("{\"notification_id\":\"" + base::format_uuid(row.id.uuid) + "\"}");
    message.created_at = unit.now;
    sessions_.touch(*session);
    return unit.store.sessions().add_message(message);
}

base::Result<void> Delivery::retry(ports::RetryNotification& command, Unit& unit) {
    TRY_ASSIGN(auto row, find_notification(command.which.session_id, command.which.key, unit));
    auto allowed = row ? rules::may_observe(command.principal) : base::Result<void>(no_such());
    if (allowed.ok() && row->state != model::DeliveryState::failed) {
        allowed = base::error(Code::conflict, "only a notification that failed can be sent again");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    NewNotification again;
    model::Notification& fresh = again.notification;
    fresh.scope = row->scope;
    fresh.subscriber_id = row->subscriber_id;
    fresh.priority = row->priority;
    fresh.inject_at = row->inject_at;
    fresh.severity = row->severity;
    fresh.address = row->address;
    fresh.target = row->target;
    fresh.handler = row->handler;
    fresh.content = row->content;
    fresh.text = row->text;
    fresh.directive = row->directive;
    fresh.tone_hint = row->tone_hint;
    fresh.metadata = row->metadata;
    fresh.events = row->events;
    fresh.follow_up = true;  // starts no dedupe window
    fresh.model_tokens = row->model_tokens;
    fresh.emitter = row->emitter;
    fresh.ttl = row->ttl;
    fresh.depth = row->depth;
    fresh.retry_of = row->id;
    again.source = "Belfry";
    TRY_ASSIGN(model::Notification made, ledger_.add_now(std::move(again), unit));
    command.settle(std::move(made));
    return {};
}

base::Result<void> Delivery::open(ports::OpenInbox& command, Unit& unit) {
    if (command.user_id.empty()) command.user_id = rules::default_user(command.principal, ledger_.owner());
    if (auto allowed = rules::may_answer_for(command.principal, command.user_id, command.session_id); !allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(const model::StreamId stream, ledger_.inbox_stream(command.user_id, unit));
    ports::OpenedInbox reply;
    reply.stream = "inbox:" + command.user_id;
    TRY_ASSIGN(reply.waiting, unit.store.notifications().for_interfaces(command.user_id, command.session_id,
                                                                        limits::inbox_open_max + 1));
    reply.more = reply.waiting.size() > limits::inbox_open_max;
    if (reply.more) reply.waiting.pop_back();
    for (model::Notification& row : reply.waiting) {
        if (row.state != model::DeliveryState::pending) continue;
        const std::int64_t lease = row.lease;
        rules::Steps steps;
        if (rules::dispatch(row, unit.now, command.principal.id, steps) != rules::Refusal::none) continue;
        TRY(ledger_.change(row, lease, std::move(steps), command.principal.id, unit));
    }
    TRY_ASSIGN(reply.questions,
               unit.store.interactions().pending(command.user_id, command.session_id, limits::inbox_open_max));
    // What was said of them just now stands before this place in the stream: the newcomer has it already.
    reply.as_of = unit.streams.head(stream);
    interfaces_.push_back({command.user_id, true});
    command.settle(std::move(reply));
    return {};
}

base::Result<void> Delivery::close(ports::CloseInbox& command, Unit&) {
    interfaces_.push_back({command.user_id, false});
    command.settle(ports::Nothing{});
    return {};
}

void Delivery::committed(Effects& effects) {
    for (const Change& change : interfaces_) {
        if (change.comes) ledger_.came(change.user_id);
        else ledger_.went(change.user_id);
    }
    effects.figures.notifications_acknowledged += acknowledged_;
    dropped();
}

void Delivery::dropped() {
    interfaces_.clear();
    acknowledged_ = 0;
}

}  // namespace belfry::engine
