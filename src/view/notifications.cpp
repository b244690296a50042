#include <charconv>
#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"

namespace belfry::view {
namespace {

using base::Code;
using Found = base::Result<std::vector<model::Notification>>;

base::Error no_such_notification() {
    return base::error(Code::not_found, "there is no such notification");
}

base::Result<void> may_use_session(ports::Reading& reading, const model::Principal& who, const std::string& id) {
    TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(id));
    if (!session) return base::error(Code::not_found, "there is no such session", "session");
    return rules::may_use_session(who, id, session->user_id);
}

// What lies in a session belongs to whoever may use it, and what lies with a user to whoever sees him.
base::Result<void> may_read(ports::Reading& reading, const model::Principal& who,
                            const model::Notification& notification) {
    const model::Scope& scope = notification.scope;
    if (!scope.session_id.empty()) {
        TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(scope.session_id));
        return rules::may_use_session(who, scope.session_id, session ? session->user_id : scope.user_id);
    }
    std::string user = scope.user_id;
    TRY(rules::may_see_of(who, user));
    if (user != scope.user_id) return base::error(Code::forbidden, "this notification is another user's");
    return {};
}

std::optional<std::int64_t> parse_handle(std::string_view key) {
    if (!key.starts_with('n')) return std::nullopt;
    std::int64_t handle = 0;
    const char* const end = key.data() + key.size();
    const auto [at, ec] = std::from_chars(key.data() + 1, end, handle);
    if (ec != std::errc{} || at != end || handle <= 0) return std::nullopt;
    return handle;
}

base::Result<model::Notification> find_handle(ports::Reading& reading, const model::Principal& who,
                                              const std::string& session_id, std::int64_t handle) {
    if (session_id.empty()) {
        return base::error(Code::invalid, "a handle is known in its session only: name it", "session");
    }
    TRY(may_use_session(reading, who, session_id));
    TRY_ASSIGN(std::optional<model::Notification> found, reading.notifications().find_handle(session_id, handle));
    if (!found) return no_such_notification();
    return std::move(*found);
}

base::Result<model::Notification> find_id(ports::Reading& reading, const model::Principal& who,
                                          const std::string& session_id, const base::Uuid& id) {
    TRY_ASSIGN(std::optional<model::Notification> found, reading.notifications().find(model::NotificationId{id}));
    if (!found) return no_such_notification();
    const bool is_elsewhere =
        !session_id.empty() && found->scope.session_id != session_id && found->handed_to != session_id;
    if (is_elsewhere) return no_such_notification();
    TRY(may_read(reading, who, *found));
    return std::move(*found);
}

}  // namespace

void Answers::notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                           std::function<void(base::Result<model::Notification>)> done) {
    ask<model::Notification>(
        beside_,
        [who, session = std::string(session_id),
         key = std::string(key)](ports::Reading& reading) -> base::Result<model::Notification> {
            if (const auto handle = parse_handle(key)) return find_handle(reading, who, session, *handle);
            if (const auto id = base::parse_uuid(key)) return find_id(reading, who, session, *id);
            return no_such_notification();
        },
        std::move(done));
}

void Answers::notifications(const model::Principal& who, ports::NotificationFilter filter,
                            std::function<void(Found)> done) {
    ask<std::vector<model::Notification>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable -> Found {
            if (filter.session_id.empty()) TRY(rules::may_see_of(who, filter.user_id));
            else TRY(may_use_session(reading, who, filter.session_id));
            return reading.notifications().list(filter);
        },
        std::move(done));
}

}  // namespace belfry::view
