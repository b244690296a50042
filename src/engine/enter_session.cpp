#include "engine/enter_session.hpp"

#include "base/limits.hpp"
#include "rules/may.hpp"

namespace belfry::engine {

using base::Code;
namespace limits = base::limits;

base::Result<base::Result<model::Session*>> enter_session(SessionBook& book, const std::string& owner,
                                                          const model::Principal& who, const std::string& id,
                                                          Unit& unit) {
    using Entered = base::Result<model::Session*>;
    if (id.empty() || id.size() > limits::scope_id_bytes_max) {
        return Entered(base::error(
            Code::invalid, "a session's id has 1 to " + std::to_string(limits::scope_id_bytes_max) + " bytes", "id"));
    }
    TRY_ASSIGN(model::Session * session, book.find(id, unit));
    const std::string user = session != nullptr ? session->user_id : rules::default_user(who, owner);
    if (auto allowed = rules::may_use_session(who, id, user); !allowed.ok()) return Entered(std::move(allowed).error());
    if (session != nullptr && session->deleted_at) return Entered(base::error(Code::gone, "this session was deleted"));
    if (session == nullptr) {
        TRY_ASSIGN(session, book.find_or_make(id, user, !rules::proves_user(who), unit));
    } else if (session->user_is_default && rules::proves_user(who)) {
        session->user_is_default = false;
        book.touch(*session);
    }
    return Entered(session);
}

bool may_become_anothers(const model::Session& session) {
    return session.user_is_default && session.next_message == 1 && session.turns_started == 0 &&
           !session.last_turn_started_at;
}

}  // namespace belfry::engine
