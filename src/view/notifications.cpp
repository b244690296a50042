#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using Found = base::Result<std::vector<model::Notification>>;

}  // namespace

void Answers::notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                           std::function<void(base::Result<model::Notification>)> done) {
    ask<model::Notification>(
        beside_,
        [who, session = std::string(session_id), key = std::string(key)](ports::Reading& reading) {
            return find_notification(reading, who, session, key);
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
            return read_page<model::Notification>(
                filter.limit,
                [&](std::size_t wanted, const std::vector<model::Notification>& before) {
                    filter.limit = wanted;
                    if (!before.empty()) filter.after = before.back().ordinal;
                    return reading.notifications().list(filter);
                },
                bytes_of);
        },
        std::move(done));
}

void Answers::ledger_figures(const model::Principal& who, std::string_view user_id,
                             std::function<void(base::Result<ports::NotificationReading::Figures>)> done) {
    ask<ports::NotificationReading::Figures>(
        beside_,
        [who, user = std::string(user_id)](
            ports::Reading& reading) mutable -> base::Result<ports::NotificationReading::Figures> {
            TRY(rules::may_see_of(who, user));
            return reading.notifications().figures(user);
        },
        std::move(done));
}

}  // namespace belfry::view
