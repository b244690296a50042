#include "engine/session_book.hpp"

#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "engine/session_stream.hpp"
#include "model/session_stream.hpp"

namespace belfry::engine {

base::Result<void> SessionBook::load(std::span<const std::string> ids, Unit& unit) {
    std::vector<std::string> unknown;
    for (const std::string& id : ids) {
        if (entries_.try_emplace(id).second) unknown.push_back(id);
    }
    if (unknown.empty()) return {};
    TRY_ASSIGN(std::vector<model::Session> found, unit.store.sessions().find(unknown));
    for (model::Session& session : found) {
        std::string id = session.id;
        entries_[std::move(id)].session = std::move(session);
    }
    return {};
}

base::Result<model::Session*> SessionBook::find(const std::string& id, Unit& unit) {
    TRY(load(std::span(&id, 1), unit));
    Entry& entry = entries_[id];
    return entry.session ? &*entry.session : nullptr;
}

base::Result<model::Session*> SessionBook::find_or_make(const std::string& id, const std::string& user_id,
                                                        bool is_default, Unit& unit) {
    TRY_ASSIGN(model::Session* const found, find(id, unit));
    if (found != nullptr) return found;
    model::Session session;
    session.id = id;
    session.user_id = user_id;
    session.user_is_default = is_default;
    session.created_at = unit.now;
    model::Session& made = entries_[id].session.emplace(std::move(session));
    TRY(open_node(made, std::nullopt, unit));
    return &made;
}

void SessionBook::touch(const model::Session& session) {
    const auto at = entries_.find(session.id);
    ASSERT(at != entries_.end());
    at->second.touched = true;
}

base::Result<void> SessionBook::open_node(model::Session& session, const std::optional<model::NodeId>& parent,
                                          Unit& unit) {
    model::ContextNode node;
    node.id = model::NodeId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    node.session_id = session.id;
    node.parent = parent;
    node.created_at = unit.now;
    TRY(unit.store.sessions().add_node(node));
    session.head = node.id;
    session.head_system_messages = 0;
    touch(session);
    return tell_node(session, node, unit);
}

base::Result<void> SessionBook::add(model::Session& session, model::SystemMessage message, Standing standing,
                                    Unit& unit) {
    model::Progress& progress = session.progress;
    const bool is_ahead = standing == Standing::before_output && progress.output_node == session.head.uuid &&
                          progress.alert_next < progress.alert_end;
    // A node's messages are one value of the store, written anew with each of them: so it stays small.
    if (!is_ahead && session.head_system_messages >= base::limits::node_system_messages_max) {
        TRY(open_node(session, session.head, unit));
    }
    message.id = model::MessageId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    message.ordinal = is_ahead ? progress.alert_next++ : session.next_message++;
    ++session.head_system_messages;
    std::string& json = system_messages_[session.head];
    if (!json.empty()) json += ',';
    model::append_system_message_json(json, message);
    touch(session);
    return tell_system_message(session, message, unit);
}

base::Result<bool> SessionBook::rewrite(const model::Session& session, const model::NotificationId& id,
                                        base::Timestamp since, const std::optional<model::NewWords>& words,
                                        Unit& unit) {
    TRY(flush(unit));  // it may be of this transaction
    TRY_ASSIGN(auto node, unit.store.sessions().find_system_message(session.id, id.uuid, since));
    if (!node) return false;
    node->system_messages = model::with_words(node->system_messages, id.uuid, words);
    TRY(unit.store.sessions().put_system_messages(*node));
    const Rewritten how = words ? Rewritten::changed : Rewritten::removed;
    TRY(tell_rewritten(session, node->id, id.uuid, how, unit));
    return true;
}

void SessionBook::begin_output(model::Session& session) {
    model::Progress& progress = session.progress;
    const bool is_in_turn = progress.in_turn || progress.turn_pulled;
    if (!is_in_turn || progress.output_node) return;
    progress.output_node = session.head.uuid;
    progress.alert_next = session.next_message;
    session.next_message += base::limits::node_system_messages_max;
    progress.alert_end = session.next_message;
}

model::SessionMessage SessionBook::new_message(model::Session& session, model::MessageRole role, Unit& unit) {
    model::SessionMessage message;
    message.id = model::MessageId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    message.node = session.head;
    message.session_id = session.id;
    if (role != model::MessageRole::user) begin_output(session);
    message.ordinal = session.next_message++;
    if (role == model::MessageRole::assistant) session.progress.answered_through = message.ordinal;
    message.role = role;
    message.created_at = unit.now;
    touch(session);
    return message;
}

base::Result<void> SessionBook::say(const model::Session& session, const model::SessionMessage& message, Unit& unit) {
    TRY(unit.store.sessions().add_message(message));
    return tell_message(session, message, unit);
}

base::Result<void> SessionBook::flush(Unit& unit) {
    std::vector<model::Session> changed;
    for (auto& [id, entry] : entries_) {
        if (!entry.touched) continue;
        entry.touched = false;
        entry.session->updated_at = unit.now;
        // Whoever may read the conversation may follow it.
        TRY(unit.streams.give(unit.store, model::session_stream_name(id), entry.session->user_id));
        changed.push_back(*entry.session);
    }
    if (!changed.empty()) TRY(unit.store.sessions().put(changed));
    if (system_messages_.empty()) return {};
    std::vector<ports::SessionTable::SystemMessages> messages;
    messages.reserve(system_messages_.size());
    for (auto& [node, json] : system_messages_) messages.push_back({node, std::move(json)});
    system_messages_.clear();
    return unit.store.sessions().append_system_messages(messages);
}

base::Result<void> SessionBook::read_again(Unit& unit) {
    std::vector<std::string> ids;
    for (const auto& [id, entry] : entries_) ids.push_back(id);
    entries_.clear();
    return load(ids, unit);
}

void SessionBook::clear() {
    entries_.clear();
    system_messages_.clear();
    turn_wishes_.clear();
    words_.clear();
}

}  // namespace belfry::engine
