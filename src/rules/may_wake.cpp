#include "rules/may_wake.hpp"

#include "rules/may.hpp"

namespace belfry::rules {

using model::Role;

base::Result<void> may_work_for(const model::Principal& who, std::string_view user_id) {
    return may_use_session(who, {}, user_id);
}

base::Result<void> may_wake(const model::Principal& who, std::string_view user_id, std::string_view session_id,
                            bool session_is_there) {
    TRY(may_use_session(who, session_id, user_id));
    const bool names_no_user = who.role != Role::admin && who.role != Role::user && who.bounds.users.empty();
    if (session_is_there || !names_no_user || who.bounds.sessions.empty()) return {};
    return base::error(base::Code::forbidden, "this token is bound to a session that is not there", "session_id");
}

}  // namespace belfry::rules
