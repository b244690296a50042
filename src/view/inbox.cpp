#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using Question = ports::NotificationReading::InboxQuestion;

// Whose inbox it is, and whether the asker may see it.
base::Result<void> settle_user(ports::Reading& reading, const model::Principal& who, const std::string& owner,
                               Question& question) {
    if (question.session_id.empty()) {
        if (question.user_id.empty()) question.user_id = rules::default_user(who, owner);
        return rules::may_answer_for(who, question.user_id, {});
    }
    TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(question.session_id));
    if (!session) return base::error(base::Code::not_found, "there is no such session", "session");
    TRY(rules::may_answer_for(who, session->user_id, session->id));
    if (!question.user_id.empty() && question.user_id != session->user_id) {
        return base::error(base::Code::not_found, "this session is another user's", "user");
    }
    question.user_id = session->user_id;
    return {};
}

}  // namespace

void Answers::inbox(const model::Principal& who, Question question,
                    std::function<void(base::Result<ports::Inbox>)> done) {
    ask<ports::Inbox>(
        beside_,
        [who, question = std::move(question),
         owner = owner_](ports::Reading& reading) mutable -> base::Result<ports::Inbox> {
            TRY(settle_user(reading, who, owner, question));
            ports::Inbox inbox;
            inbox.user_id = question.user_id;
            TRY_ASSIGN(inbox.items, read_page<model::Notification>(
                                        question.limit,
                                        [&](std::size_t wanted, const std::vector<model::Notification>& before) {
                                            question.limit = wanted;
                                            if (!before.empty()) question.before = before.back().ordinal;
                                            return reading.notifications().inbox(question);
                                        },
                                        bytes_of));
            TRY_ASSIGN(inbox.counts, reading.notifications().inbox_counts(question.user_id, question.session_id));
            return inbox;
        },
        std::move(done));
}

}  // namespace belfry::view
