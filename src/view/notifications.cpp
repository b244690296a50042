#include <string>
#include <utility>

#include "base/limits.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/search.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using Page = base::Result<ports::NotificationPage>;
constexpr std::size_t looked_through_max = 10'000;  // rows, for one answer
constexpr std::size_t looked_at_once = 200;

// Who asks for notifications, and in which session; without a session, of a user.
struct Reader {
    const model::Principal& who;
    std::optional<model::Session> session;

    [[nodiscard]] bool sees(const model::Notification& row) const {
        return !session || !rules::is_for_another(who, *session, row.scope);
    }
};

bool passes(const model::Notification& row, const ports::NotificationFilter& filter) {
    const bool is_theirs = (filter.user_id.empty() || row.scope.user_id == filter.user_id) &&
                           (filter.session_id.empty() || row.scope.session_id == filter.session_id) &&
                           (filter.subscriber_id.empty() || row.subscriber_id == filter.subscriber_id);
    return is_theirs && (!filter.state || row.state == *filter.state) &&
           (!filter.open_only || !model::is_terminal(row.state));
}

// No index knows words, nor which rows a guest of a session may read: rows are looked at one after the other, at most
// `looked_through_max` for one answer. An id is found at once.
Page search(ports::Reading& reading, const Reader& reader, ports::NotificationFilter filter) {
    ports::NotificationPage page;
    const std::vector<std::string> words = rules::search_words(filter.search);
    if (const auto id = words.size() == 1 ? base::parse_uuid(words.front()) : std::nullopt) {
        TRY_ASSIGN(auto found, reading.notifications().find(model::NotificationId{*id}));
        if (found && filter.after == 0 && passes(*found, filter) && reader.sees(*found))
            page.notifications.push_back(std::move(*found));
        return page;
    }
    const std::size_t wanted = std::exchange(filter.limit, looked_at_once);
    std::size_t bytes = 0;
    for (std::size_t looked = 0; looked < looked_through_max; looked += looked_at_once) {
        TRY_ASSIGN(std::vector<model::Notification> rows, reading.notifications().list(filter));
        const bool is_last = rows.size() < looked_at_once;
        for (model::Notification& row : rows) {
            filter.after = row.ordinal;
            if (!rules::mentions(row, words) || !reader.sees(row)) continue;
            bytes += bytes_of(row);
            page.notifications.push_back(std::move(row));
            if (page.notifications.size() == wanted) return page;
            if (bytes < base::limits::page_bytes_max) continue;
            page.looked_to = filter.after;
            return page;
        }
        if (is_last) return page;
    }
    page.looked_to = filter.after;
    return page;
}

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
                            std::function<void(Page)> done) {
    ask<ports::NotificationPage>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable -> Page {
            if (filter.session_id.empty()) TRY(rules::may_see_of(who, filter.user_id));
            else TRY(narrow_to_session(reading, who, filter.session_id, filter.user_id));
            Reader reader{who, {}};
            if (!filter.session_id.empty()) {
                TRY_ASSIGN(reader.session, reading.sessions().find(filter.session_id));
            }
            const bool is_guest = reader.session && rules::is_guest(who, *reader.session);
            if (is_guest || !filter.search.empty()) return search(reading, reader, std::move(filter));
            ports::NotificationPage page;
            TRY_ASSIGN(page.notifications, read_page<model::Notification>(
                                               filter.limit,
                                               [&](std::size_t wanted, const std::vector<model::Notification>& before) {
                                                   filter.limit = wanted;
                                                   if (!before.empty()) filter.after = before.back().ordinal;
                                                   return reading.notifications().list(filter);
                                               },
                                               bytes_of));
            return page;
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
