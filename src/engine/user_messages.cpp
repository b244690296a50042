#include "engine/user_messages.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "model/notification_json.hpp"
#include "rules/due.hpp"
#include "rules/may_wake.hpp"
#include "rules/portion.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t sessions_a_page = 4096;

}  // namespace

base::Result<base::Result<model::SessionMessage>> UserMessages::add(model::Session& session, std::string content,
                                                                    const Describe& describe, Unit& unit) {
    using Added = base::Result<model::SessionMessage>;
    model::SessionMessage message;
    message.id = model::MessageId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    TRY_ASSIGN(const std::int64_t waiting, unit.store.user_messages().count(session.id));
    if (waiting >= static_cast<std::int64_t>(limits::user_messages_waiting_max)) {
        return Added(base::error(base::Code::overloaded, std::to_string(limits::user_messages_waiting_max) +
                                                             " messages wait in this session already"));
    }
    TRY(sessions_.open_node(session, session.head, unit));
    message.node = session.head;
    message.session_id = session.id;
    message.ordinal = session.next_message++;
    message.role = model::MessageRole::user;
    message.content = std::move(content);
    message.metadata = describe(message.id);
    message.created_at = unit.now;
    TRY(SessionBook::say(session, message, unit));
    sessions_.touch(session);
    TRY(unit.store.user_messages().wait(message.id));
    TRY(request_turn(session, message.id, unit));
    return Added(std::move(message));
}

base::Result<void> UserMessages::hand_over(ports::PullReply& reply, const model::Session& session,
                                           const std::string& agent_id, base::Duration lease, Unit& unit) {
    TRY_ASSIGN(std::vector<model::SessionMessage> due,
               unit.store.user_messages().due(session.id, unit.now, limits::user_messages_pull_max));
    reply.model_tokens += rules::keep_messages_that_fit(due);
    if (due.empty()) return {};
    std::vector<model::MessageId> ids;
    for (const model::SessionMessage& message : due) {
        ids.push_back(message.id);
        sessions_.note_words({message.id.uuid, session.user_id, session.id, agent_id, message.content});
    }
    reply.user_messages = std::move(due);
    watch(session.id, unit.now + lease);
    if (!reply.lease_until) reply.lease_until = unit.now + lease;
    return unit.store.user_messages().hand_over(ids, reply.pull_id, unit.now + lease);
}

base::Result<std::int64_t> UserMessages::confirm(const std::string& session_id, const base::Uuid& pull_id, Unit& unit) {
    return unit.store.user_messages().confirm(session_id, pull_id);
}

base::Result<void> UserMessages::confirm_held(const std::string& session_id, Unit& unit) {
    return unit.store.user_messages().confirm_held(session_id, unit.now);
}

base::Result<void> UserMessages::let_go(const std::string& session_id, const std::optional<base::Uuid>& pull_id,
                                        Unit& unit) {
    return unit.store.user_messages().let_go(session_id, pull_id);
}

base::Result<void> UserMessages::renew(const std::string& session_id, const std::optional<base::Uuid>& pull_id,
                                       base::Duration lease, Unit& unit) {
    return unit.store.user_messages().renew(session_id, pull_id, unit.now, unit.now + lease);
}

base::Result<void> UserMessages::after_turn(model::Session& session, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::SessionMessage> due, unit.store.user_messages().due(session.id, unit.now, 1));
    return due.empty() ? base::Result<void>{} : request_turn(session, due.front().id, unit);
}

void UserMessages::hear(model::Session& session, Unit& unit) {
    model::Progress& progress = session.progress;
    progress.heard_at = unit.now;
    if (std::exchange(progress.turn_asked, false)) watch(session.id, unit.now + progress.lease);
    sessions_.touch(session);
}

// A turn that is under way will come by; it needs no further one, unless its agent is not heard of any more.
base::Result<void> UserMessages::request_turn(model::Session& session, const model::MessageId& id, Unit& unit) {
    if (rules::is_in_turn(session.progress, unit.now)) {
        watch(session.id, rules::heard_until(session.progress, unit.now));
        return {};
    }
    session.progress.turn_asked = true;
    sessions_.touch(session);
    model::Notification about;  // only as far as whatever runs the agent is told
    about.id = {id.uuid};
    about.scope = {session.user_id, session.id, rules::agent_to_wake(session)};
    about.priority = model::Priority::high;
    sessions_.wish_turn({TurnWish::Cause::user_input, id.uuid, session.user_id, session.id, session.agent_id});
    std::string body;
    model::append_turn_requested_json(body, about, "user_input");
    TRY_ASSIGN(const model::StreamId stream, unit.streams.named(unit.store, "agent:" + session.user_id, session.user_id,
                                                                model::RetentionClass::delivery));
    const model::Facets facets{model::Severity::info, "turn_requested", session.user_id, session.id};
    unit.streams.append(unit.store, stream, facets, body);
    return {};
}

base::Result<void> UserMessages::rebuild(Unit& unit) {
    dropped();
    watched_.clear();
    for (std::string after;;) {
        TRY_ASSIGN(const std::vector<std::string> some, unit.store.user_messages().sessions(after, sessions_a_page));
        for (const std::string& id : some) watched_.emplace(unit.now, id);
        if (some.size() < sessions_a_page) return {};
        after = some.back();
    }
}

base::Result<void> UserMessages::apply(ports::Command&, Unit&) {
    return {};
}

std::optional<base::Timestamp> UserMessages::next_due() const {
    if (watched_.empty()) return std::nullopt;
    return watched_.begin()->first;
}

base::Result<void> UserMessages::tend(Unit& unit) {
    std::vector<std::string> ids;
    for (auto at = watched_.begin(); at != watched_.end() && ids.size() < limits::sweep_slice_rows; ++at) {
        if (at->first > unit.now) break;
        ids.push_back(at->second);
    }
    tended_ = ids.size();
    TRY(sessions_.load(ids, unit));
    for (const std::string& id : ids) TRY(look_after(id, unit));
    return {};
}

base::Result<void> UserMessages::look_after(const std::string& session_id, Unit& unit) {
    TRY_ASSIGN(model::Session* const session, sessions_.find(session_id, unit));
    if (session == nullptr || session->deleted_at || session->progress.turn_asked) return {};
    const base::Timestamp until = rules::heard_until(session->progress, unit.now);
    if (until > unit.now) {
        watch(session_id, until);
        return {};
    }
    TRY_ASSIGN(const std::vector<model::SessionMessage> due, unit.store.user_messages().due(session_id, unit.now, 1));
    if (!due.empty()) return request_turn(*session, due.front().id, unit);
    TRY_ASSIGN(const std::int64_t waiting, unit.store.user_messages().count(session_id));
    if (waiting > 0) watch(session_id, unit.now + session->progress.lease);  // some hold them for longer
    return {};
}

void UserMessages::committed(Effects&) {
    for (; tended_ > 0; --tended_) watched_.erase(watched_.begin());
    watched_.insert(std::make_move_iterator(fresh_.begin()), std::make_move_iterator(fresh_.end()));
    fresh_.clear();
}

void UserMessages::dropped() {
    fresh_.clear();
    tended_ = 0;
}

}  // namespace belfry::engine
