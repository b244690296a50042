#include "view/answers.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "view/reading_test.hpp"

namespace belfry::view {
namespace {

const base::Uuid of_session = *base::parse_uuid("018f0000-0000-7000-8000-000000000001");
const base::Uuid of_user = *base::parse_uuid("018f0000-0000-7000-8000-000000000002");
const base::Uuid nobodys = *base::parse_uuid("018f0000-0000-7000-8000-000000000003");

class StandingClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return {}; }
    [[nodiscard]] base::Duration monotonic() const override { return {}; }
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
    base::Result<std::vector<model::Session>> sessions(const model::Principal& who, const std::string& user = {}) {
        return answer<std::vector<model::Session>>([&](auto done) { answers.sessions(who, {user, "", 10}, done); });
    }
    base::Result<model::Notification> notification(const model::Principal& who, const std::string& session,
                                                   const std::string& key) {
        return answer<model::Notification>([&](auto done) { answers.notification(who, session, key, done); });
    }
    base::Result<std::vector<model::Notification>> notifications(const model::Principal& who,
                                                                 ports::NotificationFilter filter = {}) {
        return answer<std::vector<model::Notification>>([&](auto done) { answers.notifications(who, filter, done); });
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

TEST_F(AnswersTest, a_session_is_shown_to_those_who_may_use_it) {
    EXPECT_EQ(session(ada, "a1")->id, "a1");
    EXPECT_EQ(session(agent_of_a1, "a1")->id, "a1");
    EXPECT_EQ(session(admin, "b1")->user_id, "bob");
    EXPECT_EQ(session(bob, "a1").error().code, base::Code::forbidden);
    EXPECT_EQ(session(agent_of_a1, "a2").error().code, base::Code::forbidden);
    EXPECT_EQ(session(ada, "x").error().code, base::Code::not_found);
}

TEST_F(AnswersTest, sessions_are_listed_of_the_user_whom_the_asker_may_see) {
    EXPECT_EQ(sessions(ada)->size(), 2U);
    EXPECT_EQ(store.kept_sessions.asked.user_id, "ada");
    EXPECT_EQ(sessions(agent_of_ada)->size(), 2U);
    EXPECT_EQ(sessions(admin)->size(), 3U);
    EXPECT_EQ(sessions(admin, "bob")->size(), 1U);
    EXPECT_EQ(sessions(ada, "bob").error().code, base::Code::forbidden);
    EXPECT_EQ(sessions(agent_of_a1).error().field, "session");
}

TEST_F(AnswersTest, a_history_is_read_as_a_path_or_as_a_tree_by_those_who_may) {
    ports::HistoryQuestion question;
    question.session_id = "a1";
    question.limit = 5;
    EXPECT_EQ(history(bob, question).error().code, base::Code::forbidden);
    const auto path = history(ada, question);
    ASSERT_TRUE(path.ok()) << path.error().message;
    EXPECT_EQ(path->session.id, "a1");
    EXPECT_EQ(store.kept_sessions.history_asked, "path a1 5");
    question.shape = ports::HistoryShape::tree;
    question.node = model::NodeId{of_user};
    EXPECT_TRUE(history(ada, question).ok());
    EXPECT_EQ(store.kept_sessions.history_asked, "tree a1 5 " + base::format_uuid(of_user));
    question.shape = ports::HistoryShape::path;
    EXPECT_EQ(history(ada, question).error().code, base::Code::not_found);
    question.session_id = "x";
    EXPECT_EQ(history(ada, question).error().code, base::Code::not_found);
}

TEST_F(AnswersTest, a_notification_is_found_by_its_id) {
    const std::string id = base::format_uuid(of_session);
    EXPECT_EQ(notification(ada, "", id)->ordinal, 1);
    EXPECT_EQ(notification(agent_of_a1, "", id)->ordinal, 1);
    EXPECT_EQ(notification(ada, "a1", id)->ordinal, 1);
    EXPECT_EQ(notification(ada, "a2", id).error().code, base::Code::not_found);
    EXPECT_EQ(notification(bob, "", id).error().code, base::Code::forbidden);
    EXPECT_EQ(notification(ada, "", base::format_uuid(nobodys)).error().code, base::Code::not_found);
    EXPECT_EQ(notification(ada, "", "what").error().code, base::Code::not_found);
}

TEST_F(AnswersTest, a_notification_without_a_session_is_shown_to_those_who_see_its_user) {
    const std::string id = base::format_uuid(of_user);
    EXPECT_EQ(notification(ada, "", id)->ordinal, 2);
    EXPECT_EQ(notification(agent_of_ada, "", id)->ordinal, 2);
    EXPECT_EQ(notification(ada, "a2", id)->ordinal, 2);
    EXPECT_EQ(notification(bob, "", id).error().code, base::Code::forbidden);
    EXPECT_EQ(notification(agent_of_a1, "", id).error().code, base::Code::forbidden);
}

TEST_F(AnswersTest, a_handle_is_known_in_its_session_only) {
    EXPECT_EQ(notification(ada, "a1", "n7")->ordinal, 1);
    EXPECT_EQ(notification(ada, "a2", "n1")->ordinal, 2);
    EXPECT_EQ(notification(ada, "a1", "n8").error().code, base::Code::not_found);
    EXPECT_EQ(notification(ada, "", "n7").error().field, "session");
    EXPECT_EQ(notification(bob, "a1", "n7").error().code, base::Code::forbidden);
    EXPECT_EQ(notification(ada, "x", "n7").error().code, base::Code::not_found);
    EXPECT_EQ(notification(ada, "a1", "n7x").error().code, base::Code::not_found);
    EXPECT_EQ(notification(ada, "a1", "n-7").error().code, base::Code::not_found);
}

TEST_F(AnswersTest, notifications_are_listed_of_a_session_or_of_the_user_whom_the_asker_may_see) {
    EXPECT_EQ(notifications(ada)->size(), 2U);
    EXPECT_EQ(store.kept_notifications.asked.user_id, "ada");
    EXPECT_EQ(notifications(bob)->size(), 0U);
    ports::NotificationFilter filter;
    filter.session_id = "a1";
    EXPECT_EQ(notifications(agent_of_a1, filter)->size(), 1U);
    EXPECT_EQ(store.kept_notifications.asked.user_id, "");
    EXPECT_EQ(notifications(bob, filter).error().code, base::Code::forbidden);
    filter.session_id = "x";
    EXPECT_EQ(notifications(admin, filter).error().code, base::Code::not_found);
    EXPECT_EQ(notifications(agent_of_a1).error().code, base::Code::forbidden);
}

TEST_F(AnswersTest, settings_are_those_of_the_asker_or_of_the_owner_where_nobody_is_named) {
    EXPECT_EQ(settings(ada, "")->user_id, "ada");
    EXPECT_EQ(settings(admin, "")->user_id, "owner");
    EXPECT_EQ(settings(admin, "bob")->user_id, "bob");
    EXPECT_EQ(settings(admin, "bob")->disabled_subscribers, std::vector<std::string>{"subagent"});
    EXPECT_EQ(settings(agent_of_ada, "")->user_id, "ada");
    EXPECT_EQ(settings(ada, "bob").error().code, base::Code::forbidden);
    EXPECT_EQ(settings(agent_of_ada, "bob").error().code, base::Code::forbidden);
    EXPECT_EQ(settings(agent_of_a1, "").error().code, base::Code::forbidden);
}

TEST_F(AnswersTest, a_store_that_fails_is_told_as_it_is) {
    const base::Error failure = base::error(base::Code::unavailable, "the store is down");
    store.kept_sessions.failure = store.kept_notifications.failure = failure;
    EXPECT_EQ(session(ada, "a1").error(), failure);
    EXPECT_EQ(sessions(ada).error(), failure);
    EXPECT_EQ(notifications(ada).error(), failure);
    EXPECT_EQ(notification(ada, "", base::format_uuid(of_session)).error(), failure);
    EXPECT_EQ(settings(ada, "ada").error(), failure);
}

TEST_F(AnswersTest, the_catalogue_is_the_newest) {
    EXPECT_EQ(answers.catalogue(), subscribers.catalogue);
    auto newer = std::make_shared<model::Catalogue>();
    newer->subscribers.emplace_back().id = "ci";
    subscribers.catalogue = newer;
    EXPECT_NE(answers.catalogue()->find("ci"), nullptr);
}

}  // namespace
}  // namespace belfry::view
