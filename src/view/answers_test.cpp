#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

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

TEST_F(AnswersTest, a_page_of_sessions_ends_one_after_what_an_answer_holds) {
    auto& kept = store.kept_sessions.kept;
    kept.clear();
    for (int i = 100; i < 400; ++i) {
        model::Session& one = kept.emplace_back();
        one.id = "a" + std::to_string(i);
        one.user_id = "ada";
        const std::string much(base::limits::session_metadata_bytes_max - 2, 'x');
        one.metadata = model::RawJson::trusted('"' + much + '"');
    }
    constexpr std::size_t fill = base::limits::page_bytes_max / base::limits::session_metadata_bytes_max;
    EXPECT_EQ(sessions(ada, "", 300)->size(), fill + 1);
    EXPECT_LT(store.kept_sessions.given, fill + 17) << "no more is read";
    for (model::Session& one : kept) one.metadata = {};
    EXPECT_EQ(sessions(ada, "", 300)->size(), 300U);
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
    question.place = ports::HistoryPlace{{of_user}};
    EXPECT_TRUE(history(ada, question).ok());
    EXPECT_EQ(store.kept_sessions.history_asked, "tree a1 5 " + base::format_uuid(of_user));
    question.shape = ports::HistoryShape::path;
    EXPECT_EQ(history(ada, question).error().code, base::Code::not_found);
    question.session_id = "x";
    EXPECT_EQ(history(ada, question).error().code, base::Code::not_found);
}

TEST_F(AnswersTest, questions_to_a_person_are_listed_no_further_than_an_answer_holds) {
    auto& kept = store.kept_interactions.kept;
    kept.resize(300);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i].ordinal = static_cast<std::int64_t>(i) + 1;
        kept[i].session_id = "a1";
        kept[i].user_id = "ada";
        kept[i].schema = model::RawJson::trusted('"' + std::string(65'534, 'x') + '"');
    }
    for (const char* session : {"", "a1"}) {
        store.kept_interactions.given = 0;
        ports::InteractionFilter filter;
        filter.session_id = session;
        filter.limit = 300;
        const auto list = [&] {
            return answer<std::vector<model::Interaction>>([&](auto done) { answers.interactions(ada, filter, done); });
        };
        EXPECT_EQ(list()->size(), 65U) << "64 fill it";
        EXPECT_LE(store.kept_interactions.given, 80U) << "no more is read";
        filter.limit = 40;
        EXPECT_EQ(list()->size(), 40U);
    }
}

TEST_F(AnswersTest, what_is_proposed_is_shown_to_the_person_and_to_no_agent) {
    auto& kept = store.kept_change_sets.kept;
    kept.resize(2);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i].set.id.uuid.bytes[0] = static_cast<std::uint8_t>(i + 1);
        kept[i].set.ordinal = static_cast<std::int64_t>(i) + 1;
        kept[i].set.user_id = i == 0 ? "ada" : "bob";
    }
    const auto list = [&](const model::Principal& who) {
        ports::ChangeSetFilter filter;
        filter.limit = 10;
        return answer<std::vector<model::ChangeSet>>([&](auto done) { answers.change_sets(who, filter, done); });
    };
    EXPECT_EQ(list(ada)->size(), 1U);
    EXPECT_EQ(store.kept_change_sets.asked.user_id, "ada");
    EXPECT_EQ(list(admin)->size(), 2U);
    EXPECT_EQ(list(agent_of_ada).error().code, base::Code::forbidden);
    const auto find = [&](const model::Principal& who, std::size_t place) {
        return answer<model::ProposedChanges>([&](auto done) { answers.change_set(who, kept.at(place).set.id, done); });
    };
    EXPECT_EQ(find(ada, 0)->set.ordinal, 1);
    EXPECT_EQ(find(ada, 1).error().code, base::Code::not_found);
    EXPECT_EQ(find(agent_of_ada, 0).error().code, base::Code::not_found);
    EXPECT_EQ(find(admin, 1)->set.ordinal, 2);
}

TEST_F(AnswersTest, a_status_says_why_the_store_cannot_be_read) {
    const auto status = [&] { return answer<ports::Status>([&](auto done) { answers.status(admin, done); }); };
    EXPECT_EQ(status()->store_error, "");
    store.figures_failure = base::error(base::Code::io, "the disk is gone");
    EXPECT_EQ(status()->store_error, "the disk is gone");
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

TEST_F(AnswersTest, a_search_finds_by_words_and_by_id_and_nothing_of_others) {
    store.kept_notifications.kept[0].text = "The disk is full";
    ports::NotificationFilter filter;
    filter.search = "DISK a1";
    ASSERT_EQ(notifications(ada, filter)->size(), 1U);
    EXPECT_EQ(notifications(ada, filter)->front().ordinal, 1);
    EXPECT_EQ(notifications(bob, filter)->size(), 0U);
    filter.search = "disk b1";
    EXPECT_EQ(notifications(ada, filter)->size(), 0U);
    filter.search = base::format_uuid(store.kept_notifications.kept[1].id.uuid);
    ASSERT_EQ(notifications(ada, filter)->size(), 1U);
    EXPECT_EQ(notifications(ada, filter)->front().ordinal, 2);
    EXPECT_EQ(notifications(bob, filter)->size(), 0U);
}

TEST_F(AnswersTest, a_search_stops_after_a_while_and_says_where) {
    model::Notification row = store.kept_notifications.kept[1];
    for (row.ordinal = 3; row.ordinal <= 12'000; ++row.ordinal) store.kept_notifications.kept.push_back(row);
    store.kept_notifications.kept.back().text = "needle";
    ports::NotificationFilter filter;
    filter.search = "needle";
    filter.limit = 10;
    const auto ask = [&] {
        return *answer<ports::NotificationPage>([&](auto done) { answers.notifications(ada, filter, done); });
    };
    const ports::NotificationPage first = ask();
    EXPECT_EQ(first.notifications.size(), 0U);
    EXPECT_EQ(first.looked_to, 10'000);
    filter.after = *first.looked_to;
    const ports::NotificationPage rest = ask();
    EXPECT_EQ(rest.notifications.size(), 1U);
    EXPECT_EQ(rest.looked_to, std::nullopt);
}

TEST_F(AnswersTest, notifications_are_listed_of_a_session_or_of_the_user_whom_the_asker_may_see) {
    EXPECT_EQ(notifications(ada)->size(), 2U);
    EXPECT_EQ(store.kept_notifications.asked.user_id, "ada");
    EXPECT_EQ(notifications(bob)->size(), 0U);
    ports::NotificationFilter filter;
    filter.session_id = "a1";
    EXPECT_EQ(notifications(agent_of_a1, filter)->size(), 1U);
    EXPECT_EQ(store.kept_notifications.asked.user_id, "ada") << "of the session's user, whoever had it before";
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
