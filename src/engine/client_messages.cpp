#include "engine/client_messages.hpp"

#include <charconv>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "engine/enter_session.hpp"
#include "ports/commands/runs.hpp"
#include "rules/admit.hpp"
#include "rules/client_message.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

using base::Code;
using model::InteractionKind;
using model::JsonKind;
using model::JsonView;

base::Error no_session() {
    return base::error(Code::not_found, "Session ID not found or invalid", "session_id", "session_not_found");
}

base::Error invalid(std::string message, const char* field) {
    return base::error(Code::invalid, std::move(message), field);
}

base::Error in_payload(base::Error error) {
    if (!error.field.empty()) error.field = "payload." + error.field;
    return error;
}

std::string key_of(const ports::SendClientMessage& command) {
    std::string key = "m";
    key += command.principal.id;
    key += '\0';
    key += base::format_uuid(*command.message.message_id);
    return key;
}

// Of what it says, not of when: a client that tries again may say so with the time of then or of now.
std::string fingerprint_of(const model::ClientMessage& message) {
    std::string text = message.session_id + '\0' + message.message_type + '\0';
    if (message.payload) text += message.payload->bytes();
    const base::Sha256 hash = base::sha256(text);
    return {reinterpret_cast<const char*>(hash.data()), 16};
}

std::string write_receipt(const ports::ClientReceipt& receipt) {
    return base::format_uuid(receipt.id) + receipt.message;
}

base::Result<ports::ClientReceipt> read_receipt(const std::string& text) {
    constexpr std::size_t uuid_chars = 36;
    const auto id = base::parse_uuid(text.substr(0, uuid_chars));
    if (!id) return base::error(Code::malformed, "a remembered answer is damaged");
    return ports::ClientReceipt{text.substr(uuid_chars), *id, true};
}

std::optional<JsonView> member(const model::ClientMessage& message, std::string_view name) {
    if (!message.payload || message.payload->view().kind() != JsonKind::object) return std::nullopt;
    const auto found = message.payload->member(name);
    return found && found->kind() != JsonKind::null ? found : std::nullopt;
}

std::optional<std::string> text_member(const model::ClientMessage& message, std::string_view name) {
    const auto found = member(message, name);
    if (!found) return std::nullopt;
    return found->as_text();
}

// Also who sent it: a service may speak for the person, and a reader of the history is to see that.
model::RawJson about_words(const ports::SendClientMessage& command, const model::MessageId& id) {
    const model::ClientMessage& message = command.message;
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("via", "client").field("by", command.principal.id);
    writer.field("role", model::role_name(command.principal.role)).field("notification_id", base::format_uuid(id.uuid));
    writer.field("timestamp", base::format_timestamp(message.timestamp));
    if (const std::string rest = rules::besides_words(*message.payload); !rest.empty()) {
        writer.name("payload").raw("{" + rest + "}");
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(out));
}

model::RawJson event_payload(const model::ClientMessage& message) {
    if (!message.payload) return {};
    if (message.payload->view().kind() == JsonKind::object) return *message.payload;
    return model::RawJson::trusted("{\"value\":" + message.payload->bytes() + "}");
}

model::Event event_of(const model::ClientMessage& message, const model::Session& session) {
    model::Event event;
    event.type = "client." + message.message_type;
    event.source = "client";
    event.timestamp = message.timestamp;
    event.payload = event_payload(message);
    event.user_id = session.user_id;
    event.session_id = session.id;
    event.agent_id = session.agent_id;
    return event;
}

base::Result<ports::SignalRun> read_signal(const model::ClientMessage& message, std::string_view action) {
    ports::SignalRun signal;
    signal.session_id = message.session_id;
    if (action == "cancel") signal.signal = ports::RunSignal::cancel;
    else if (action == "pause") signal.signal = ports::RunSignal::pause;
    else if (action == "resume") signal.signal = ports::RunSignal::resume;
    else return invalid("action must be cancel, pause or resume", "payload.action");
    if (const auto run = member(message, "run_id")) {
        const std::string_view text = run->text;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), signal.run_id);
        if (fault != std::errc{} || end != text.data() + text.size() || signal.run_id <= 0) {
            return invalid("run_id must be a positive integer", "payload.run_id");
        }
    }
    signal.reason = text_member(message, "reason").value_or("");
    return signal;
}

}  // namespace

std::vector<std::type_index> ClientMessages::handles() const {
    return {typeid(ports::SendClientMessage)};
}

base::Result<void> ClientMessages::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> ClientMessages::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    std::vector<std::string> keys;
    for (const ports::Command* command : commands) {
        const auto& wish = static_cast<const ports::SendClientMessage&>(*command);
        ids.push_back(wish.message.session_id);
        if (wish.message.message_id) keys.push_back(key_of(wish));
    }
    TRY(sessions_.load(ids, unit));
    if (keys.empty()) return {};
    const base::Timestamp not_before = unit.now - base::limits::idempotency_kept;
    TRY_ASSIGN(std::vector<ports::RememberedAnswer> found, unit.store.idempotency().find(keys, not_before));
    for (ports::RememberedAnswer& answer : found) {
        std::string key = answer.key;
        known_.insert_or_assign(std::move(key), std::move(answer));
    }
    return {};
}

base::Result<void> ClientMessages::apply(ports::Command& command, Unit& unit) {
    auto& wish = static_cast<ports::SendClientMessage&>(command);
    if (auto fine = rules::check_client_message(wish.message, unit.now); !fine.ok()) {
        wish.refuse(std::move(fine).error());
        return {};
    }
    const std::string key = wish.message.message_id ? key_of(wish) : "";
    if (const auto before = known_.find(key); !key.empty() && before != known_.end()) {
        if (before->second.fingerprint != fingerprint_of(wish.message)) {
            wish.refuse(base::error(Code::conflict, "message_id was used with another message during the last 24 hours",
                                    "message_id"));
            return {};
        }
        wish.settle(read_receipt(before->second.answer));
        return {};
    }
    TRY_ASSIGN(model::Session* const session, sessions_.find(wish.message.session_id, unit));
    bool is_there = session != nullptr && !session->deleted_at;
    if (is_there) {
        TRY_ASSIGN(const auto may, check_use(sessions_, wish.principal, session->id, session->user_id, unit));
        is_there = may.ok();
    }
    if (!is_there) {
        wish.refuse(no_session());
        return {};
    }
    TRY_ASSIGN(Receipt receipt, take(wish, *session, unit));
    if (receipt.ok() && !key.empty()) {
        fresh_.push_back(key);
        known_.insert_or_assign(key,
                                ports::RememberedAnswer{key, fingerprint_of(wish.message), write_receipt(*receipt)});
    }
    wish.settle(std::move(receipt));
    return {};
}

base::Result<ClientMessages::Receipt> ClientMessages::take(const ports::SendClientMessage& command,
                                                           model::Session& session, Unit& unit) {
    const std::string& type = command.message.message_type;
    if (type == "user_input") return take_words(command, session, unit);
    if (type == "control_signal") return take_signal(command, session, unit);
    if (type == "tool_confirmation") return take_answer(command, InteractionKind::confirmation, unit);
    if (type == "elicitation_response") return take_answer(command, InteractionKind::elicitation, unit);
    return take_event(command, session, unit);
}

base::Result<ClientMessages::Receipt> ClientMessages::take_words(const ports::SendClientMessage& command,
                                                                 model::Session& session, Unit& unit) {
    const model::ClientMessage& message = command.message;
    if (auto may = rules::may_speak_for(command.principal, session.user_id, session.id); !may.ok()) {
        return Receipt(std::move(may).error());
    }
    TRY_ASSIGN(auto added, user_messages_.add(
                               session, rules::words_of(*message.payload),
                               [&](const model::MessageId& id) { return about_words(command, id); }, unit));
    if (!added.ok()) return Receipt(std::move(added).error());
    return Receipt(ports::ClientReceipt{"Message received", added->id.uuid});
}

base::Result<ClientMessages::Receipt> ClientMessages::take_event(const ports::SendClientMessage& command,
                                                                 const model::Session& session, Unit& unit) {
    TRY_ASSIGN(ports::Admission admission,
               intake_.take_in(event_of(command.message, session), command.principal, unit));
    if (!admission.ok()) return Receipt(std::move(admission).error());
    return Receipt(ports::ClientReceipt{"Event recorded", admission->id.uuid});
}

// The signal is recorded as an event too, so that somebody can tell later what was stopped. Belfry's own word about
// what it did: a token that may emit no such events may stop a run all the same, here as over HTTP.
base::Result<ClientMessages::Receipt> ClientMessages::take_signal(const ports::SendClientMessage& command,
                                                                  const model::Session& session, Unit& unit) {
    const auto action = text_member(command.message, "action");
    if (!action) return take_event(command, session, unit);
    auto signal = read_signal(command.message, *action);
    if (!signal.ok()) return Receipt(std::move(signal).error());
    signal->principal = command.principal;
    model::Event event = event_of(command.message, session);
    if (auto fine = rules::admit(event, unit.now); !fine.ok()) return Receipt(std::move(fine).error());
    ports::Command* const inner = &*signal;
    TRY(runs_.load(std::span(&inner, 1), unit));
    TRY(runs_.apply(*signal, unit));
    ASSERT(signal->is_settled());
    if (!signal->result().ok()) return Receipt(in_payload(signal->result().error()));
    TRY_ASSIGN(const ports::Admission told, intake_.take_in(std::move(event), model::house_principal(), unit));
    ASSERT(told.ok());  // it was looked at before
    return Receipt(ports::ClientReceipt{"Run " + std::to_string(signal->result()->id) + ": " + *action, told->id.uuid});
}

base::Result<ClientMessages::Receipt> ClientMessages::take_answer(const ports::SendClientMessage& command,
                                                                  InteractionKind kind, Unit& unit) {
    const model::ClientMessage& message = command.message;
    auto id = text_member(message, "id");
    if (!id && kind == InteractionKind::confirmation) id = text_member(message, "confirmation_id");
    if (!id) return Receipt(invalid("payload.id must be given", "payload.id"));
    ports::InteractionAnswer words;
    words.decision = text_member(message, "decision");
    words.action = text_member(message, "action");
    if (const auto content = member(message, "content")) {
        words.content = model::RawJson::trusted(std::string(content->text));
    }
    TRY_ASSIGN(auto answered, interactions_.answer(command.principal, message.session_id, kind, *id, words, unit));
    if (!answered.ok()) return Receipt(in_payload(std::move(answered).error()));
    return Receipt(ports::ClientReceipt{"Answer recorded", answered->id.uuid});
}

base::Result<void> ClientMessages::flush(Unit& unit) {
    if (fresh_.empty()) return {};
    std::vector<ports::RememberedAnswer> answers;
    answers.reserve(fresh_.size());
    for (const std::string& key : fresh_) answers.push_back(known_.at(key));
    return unit.store.idempotency().put(answers, unit.now);
}

void ClientMessages::committed(Effects&) {
    dropped();
}

void ClientMessages::dropped() {
    known_.clear();
    fresh_.clear();
}

}  // namespace belfry::engine
