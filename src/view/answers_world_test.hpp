#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "view/answers.hpp"
#include "view/reading_test.hpp"

namespace belfry::view {

inline const base::Uuid of_session = *base::parse_uuid("018f0000-0000-7000-8000-000000000001");
inline const base::Uuid of_user = *base::parse_uuid("018f0000-0000-7000-8000-000000000002");
inline const base::Uuid nobodys = *base::parse_uuid("018f0000-0000-7000-8000-000000000003");

class StandingClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return time; }
    [[nodiscard]] base::Duration monotonic() const override { return {}; }
    base::Timestamp time;
};

class OneCatalogue final : public ports::Subscribers {
public:
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue; }
    std::shared_ptr<const model::Catalogue> catalogue = std::make_shared<model::Catalogue>();
};

// Two sessions of ada, one of bob, and a notification in ada's first and one for her without a session.
class AnswersTest : public ::testing::Test {
protected:
    void SetUp() override {
        for (const auto& [id, user] :
             std::vector<std::pair<std::string, std::string>>{{"a1", "ada"}, {"a2", "ada"}, {"b1", "bob"}}) {
            model::Session session;
            session.id = id;
            session.user_id = user;
            store.kept_sessions.kept.push_back(session);
        }
        model::Notification notification;
        notification.id.uuid = of_session;
        notification.ordinal = 1;
        notification.scope = {"ada", "a1", ""};
        notification.handed_to = "a1";
        notification.handle = 7;
        store.kept_notifications.kept.push_back(notification);
        notification.id.uuid = of_user;
        notification.ordinal = 2;
        notification.scope = {"ada", "", ""};
        notification.handed_to = "a2";
        notification.handle = 1;
        store.kept_notifications.kept.push_back(notification);
    }

    static model::Principal somebody(model::Role role, std::string user = {}, std::vector<std::string> users = {},
                                     std::vector<std::string> sessions = {}) {
        model::Principal who;
        who.role = role;
        who.user_id = std::move(user);
        who.bounds.users = std::move(users);
        who.bounds.sessions = std::move(sessions);
        return who;
    }

    // Asks, and checks that no answer comes before the call has returned.
    template <class T, class Ask>
    base::Result<T> answer(Ask ask) {
        std::optional<base::Result<T>> got;
        ask([&got](base::Result<T> result) { got.emplace(std::move(result)); });
        EXPECT_FALSE(got.has_value());
        beside.do_reads();
        beside.answer();
        if (!got) return base::error(base::Code::internal, "no answer came");
        return std::move(*got);
    }
    base::Result<model::Session> session(const model::Principal& who, const std::string& id) {
        return answer<model::Session>([&](auto done) { answers.session(who, id, done); });
    }
    base::Result<std::vector<model::Session>> sessions(const model::Principal& who, const std::string& user = {},
                                                       std::size_t limit = 10) {
        return answer<std::vector<model::Session>>([&](auto done) { answers.sessions(who, {user, "", limit}, done); });
    }
    base::Result<model::Notification> notification(const model::Principal& who, const std::string& session,
                                                   const std::string& key) {
        return answer<model::Notification>([&](auto done) { answers.notification(who, session, key, done); });
    }
    base::Result<std::vector<model::Notification>> notifications(const model::Principal& who,
                                                                 ports::NotificationFilter filter = {}) {
        filter.limit = 10;
        TRY_ASSIGN(auto page,
                   answer<ports::NotificationPage>([&](auto done) { answers.notifications(who, filter, done); }));
        return std::move(page.notifications);
    }
    base::Result<ports::History> history(const model::Principal& who, ports::HistoryQuestion question) {
        return answer<ports::History>([&](auto done) { answers.history(who, question, done); });
    }
    base::Result<model::UserSettings> settings(const model::Principal& who, const std::string& user) {
        return answer<model::UserSettings>([&](auto done) { answers.settings(who, user, done); });
    }

    TestStore store;
    LaterBeside beside{store};
    ports::Metrics metrics;
    Follow follow{beside, metrics};
    StandingClock clock;
    OneCatalogue subscribers;
    Answers answers{beside, follow, clock, metrics, subscribers, "owner", 1};

    const model::Principal admin = somebody(model::Role::admin);
    const model::Principal ada = somebody(model::Role::user, "ada");
    const model::Principal bob = somebody(model::Role::user, "bob");
    const model::Principal agent_of_a1 = somebody(model::Role::agent, "", {}, {"a1"});
    const model::Principal agent_of_ada = somebody(model::Role::agent, "", {"ada"});
};

}  // namespace belfry::view
