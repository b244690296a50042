#include "cast.hpp"

#include <algorithm>

#include "edge.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"

namespace observer::sim {

void Stage::make_session(const std::string& user, const std::string& prefix,
                         const std::function<void(std::string)>& then) {
    const std::string session = user + "-" + prefix + "-" + std::to_string(recorder.count("session"));
    auto command = std::make_unique<ports::PutSession>();
    command->session_id = session;
    command->user_id = user;
    node.ask<ports::PutSession>(std::move(command), admin_token(),
                                [this, began = recorder.tick(), session, user, then](const auto* result) {
                                    const Answer answer = answer_of(result);
                                    recorder.add("admin", SessionMade{session, user, answer}, began);
                                    if (answer.is_accepted()) live[session] = user;
                                    then(answer.is_accepted() ? session : std::string());
                                });
}

void Stage::delete_session(const std::string& session, const std::string& user, bool is_replaced) {
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = session;
    node.ask<ports::DeleteSession>(std::move(command), user_token(user),
                                   [this, began = recorder.tick(), session, user, is_replaced](const auto* result) {
                                       const Answer answer = answer_of(result, 204);
                                       recorder.add(user, SessionDeleted{session, user, answer}, began);
                                       if (!answer.is_unknown()) live.erase(session);
                                       if (is_replaced) replace_session(session, user, 20);
                                   });
}

void Stage::replace_session(const std::string& session, const std::string& user, int tries) {
    make_session(user, "talk", [this, session, user, tries](const std::string& made) {
        if (!made.empty()) std::ranges::replace(sessions[user], session, made);
        else if (tries > 0 && !is_ending)
            schedule.after(50'000, [this, session, user, tries] { replace_session(session, user, tries - 1); });
    });
}

}  // namespace observer::sim
