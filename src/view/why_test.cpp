#include "rules/due.hpp"
#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

const model::EventId event_id{*base::parse_uuid("018f0000-0000-7000-8000-0000000000e1")};
constexpr base::Timestamp happened{1'000'000'000};

class WhyTest : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        store.kept_event_id = event_id;
        store.kept_event = ports::FoundEvent{
            7, happened,
            R"({"id":"x","type":"tool.call.failure","source":"runner","severity":"warning","payload":{"tool":"curl"},)"
            R"("dedupe_key":"own","user_id":"ada","session_id":"a1"})"};
    }
    void listen(const std::string& id, const std::string& pattern,
                const std::function<void(model::Subscriber&)>& change = {}) {
        auto catalogue = std::make_shared<model::Catalogue>(*subscribers.catalogue);
        model::Subscriber subscriber;
        subscriber.id = id;
        subscriber.types = {pattern};
        if (change) change(subscriber);
        catalogue->subscribers.push_back(subscriber);
        subscribers.catalogue = std::move(catalogue);
    }
    base::Result<ports::Why> why(const model::Principal& who, const std::string& key, const std::string& session = "") {
        return answer<ports::Why>([&](auto done) { answers.why(who, session, key, done); });
    }
    std::string nobody() {
        const auto found = why(ada, base::format_uuid(event_id.uuid));
        return found ? found->reached_nobody : found.error().message;
    }
};

TEST_F(WhyTest, a_notification_tells_its_whole_way) {
    store.kept_notifications.kept_steps = {{model::NotificationId{of_session},
                                            1,
                                            {},
                                            model::DeliveryState::pending,
                                            model::DeliveryState::pending,
                                            1,
                                            "",
                                            "emitted"},
                                           {model::NotificationId{of_user},
                                            2,
                                            {},
                                            model::DeliveryState::pending,
                                            model::DeliveryState::failed,
                                            1,
                                            "",
                                            "ttl"},
                                           {model::NotificationId{of_session},
                                            3,
                                            {},
                                            model::DeliveryState::pending,
                                            model::DeliveryState::locked,
                                            1,
                                            "token:1",
                                            "claimed"}};
    for (const auto& [key, session] :
         std::vector<std::pair<std::string, std::string>>{{base::format_uuid(of_session), ""}, {"n7", "a1"}}) {
        const auto found = why(ada, key, session);
        ASSERT_TRUE(found.ok()) << found.error().message;
        EXPECT_FALSE(found->event);
        ASSERT_EQ(found->notifications.size(), 1U);
        ASSERT_EQ(found->notifications[0].steps.size(), 2U);
        EXPECT_EQ(found->notifications[0].steps[1].reason, "claimed");
        EXPECT_EQ(found->reached_nobody, "");
    }
    EXPECT_EQ(why(bob, base::format_uuid(of_session)).error().code, base::Code::forbidden);
    EXPECT_EQ(why(ada, base::format_uuid(nobodys)).error().code, base::Code::not_found);
    EXPECT_EQ(why(ada, "n7").error().field, "session");
    EXPECT_EQ(why(ada, "what").error().code, base::Code::not_found);
}

TEST_F(WhyTest, an_event_tells_who_wanted_it_and_which_notification_holds_it) {
    listen("tools", "tool.*");
    listen("other", "task.*");
    model::Notification& holder = store.kept_notifications.kept[0];
    holder.subscriber_id = "tools";
    holder.created_at = happened + base::seconds(2);
    holder.events = {{event_id, 7, 1, "own"}};
    const auto found = why(ada, base::format_uuid(event_id.uuid));
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->event->sequence, 7U);
    ASSERT_EQ(found->subscribers.size(), 1U);
    EXPECT_EQ(found->subscribers[0].id, "tools");
    EXPECT_EQ(found->subscribers[0].verdict, ports::WhyVerdict::wants);
    ASSERT_EQ(found->notifications.size(), 1U);
    EXPECT_EQ(found->notifications[0].notification.ordinal, 1);
    EXPECT_FALSE(found->notifications[0].as_repeat);
    EXPECT_EQ(found->reached_nobody, "");
    EXPECT_EQ(why(bob, base::format_uuid(event_id.uuid)).error().code, base::Code::forbidden);
}

TEST_F(WhyTest, a_repeat_is_found_in_the_notification_that_counted_it) {
    listen("tools", "tool.*", [](auto& one) { one.dedupe_key = "type:payload.tool"; });
    model::Notification& holder = store.kept_notifications.kept[0];
    holder.subscriber_id = "tools";
    holder.created_at = happened + base::seconds(2);
    holder.events = {{model::EventId{nobodys}, 6, 3, "tool.call.failure:curl:warning"}};
    const auto found = why(ada, base::format_uuid(event_id.uuid));
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_EQ(found->notifications.size(), 1U);
    EXPECT_TRUE(found->notifications[0].as_repeat);
    model::Notification later = holder;  // counted what came after it
    later.id.uuid = nobodys;
    later.created_at = happened + base::seconds(9);
    store.kept_notifications.kept.push_back(later);
    EXPECT_EQ(why(ada, base::format_uuid(event_id.uuid))->notifications.size(), 1U);
    store.kept_notifications.kept.pop_back();
    store.kept_notifications.kept[0].events[0].count = 1;  // nothing was counted there
    EXPECT_TRUE(why(ada, base::format_uuid(event_id.uuid))->notifications.empty());
}

TEST_F(WhyTest, what_waited_while_the_daemon_was_down_is_looked_for_up_to_seven_days) {
    listen("tools", "tool.*");
    clock.time = happened + base::days(30);
    model::Notification& holder = store.kept_notifications.kept[0];
    holder.subscriber_id = "tools";
    holder.events = {{event_id, 7, 1, "own"}};
    const auto is_found_after = [&](base::Duration time) {
        holder.created_at = happened + time;
        return !why(ada, base::format_uuid(event_id.uuid))->notifications.empty();
    };
    EXPECT_TRUE(is_found_after(base::minutes(1)));
    EXPECT_TRUE(is_found_after(base::days(7)));
    EXPECT_FALSE(is_found_after(base::days(7) + base::seconds(1)));
    clock.time = happened + base::days(2);
    EXPECT_FALSE(is_found_after(base::days(3))) << "nor in the future";
}

TEST_F(WhyTest, an_event_that_reached_nobody_tells_why) {
    EXPECT_EQ(nobody(), "nobody listens: no subscriber has a type pattern that matches");
    listen("severe", "tool.*", [](auto& one) { one.severity_min = model::Severity::error; });
    EXPECT_EQ(nobody(), "severe: its severity_filter is above this severity");
    listen("elsewhere", "tool.call.failure", [](auto& one) { one.sources = {"ci"}; });
    listen("subagent", "tool.*");  // the test's user has this one switched off
    EXPECT_EQ(nobody(),
              "severe: its severity_filter is above this severity; elsewhere: it listens to other sources; subagent: "
              "switched off by ada");
    listen("tools", "tool.*");
    EXPECT_TRUE(nobody().starts_with("no notification of tools holds it: ")) << nobody();
    model::WaitingRow row;
    row.subscriber_id = "tools";
    row.scope = {"ada", "a1", ""};
    row.event_id = event_id;
    row.due_at = happened + base::seconds(9);
    row.event_json = "{}";
    store.kept_notifications.kept_rows = {row};
    EXPECT_EQ(nobody(), "still waiting in a batch of tools until 1970-01-01T00:16:49Z");
}

TEST_F(WhyTest, an_event_without_a_user_is_the_sessions_users_or_the_owners) {
    store.kept_event->json = R"({"type":"a.b","source":"s","severity":"info","payload":{},"session_id":"b1"})";
    EXPECT_TRUE(why(bob, base::format_uuid(event_id.uuid)).ok());
    EXPECT_FALSE(why(ada, base::format_uuid(event_id.uuid)).ok());
    store.kept_event->json = R"({"type":"a.b","source":"s","severity":"info","payload":{}})";
    EXPECT_FALSE(why(bob, base::format_uuid(event_id.uuid)).ok());
    EXPECT_TRUE(why(somebody(model::Role::user, "owner"), base::format_uuid(event_id.uuid)).ok());
}

class InboxTest : public AnswersTest {
protected:
    base::Result<ports::Inbox> inbox(const model::Principal& who, const std::string& user = "",
                                     const std::string& session = "") {
        return answer<ports::Inbox>([&](auto done) { answers.inbox(who, {user, session, true, 9, 5}, done); });
    }
    base::Result<ports::ContextPreview> context(const model::Principal& who, model::InjectAt point,
                                                std::int64_t budget = 0) {
        return answer<ports::ContextPreview>([&](auto done) { answers.context(who, {"a1", point, budget, {}}, done); });
    }
};

TEST_F(InboxTest, is_shown_to_its_user_and_whoever_sees_him) {
    const auto own = inbox(ada);
    ASSERT_TRUE(own.ok());
    EXPECT_EQ(own->user_id, "ada");
    EXPECT_EQ(own->items.size(), 2U);
    EXPECT_EQ(own->counts.unread, 2U);
    EXPECT_EQ(own->counts.waiting, 1U);
    const auto& asked = store.kept_notifications.inbox_asked;
    EXPECT_TRUE(asked.unread_only);
    EXPECT_EQ(asked.before, 9);
    EXPECT_EQ(asked.limit, 5U);
    EXPECT_EQ(inbox(admin)->user_id, "owner");
    EXPECT_EQ(inbox(agent_of_ada).error().code, base::Code::forbidden) << "agents learn by what they are handed";
    EXPECT_EQ(inbox(bob, "ada").error().code, base::Code::forbidden);
    EXPECT_EQ(inbox(agent_of_a1).error().code, base::Code::forbidden);
}

TEST_F(InboxTest, of_a_session_is_its_users) {
    EXPECT_EQ(inbox(agent_of_a1, "", "a1").error().code, base::Code::forbidden);
    EXPECT_EQ(inbox(ada, "", "a1")->user_id, "ada");
    EXPECT_EQ(inbox(ada, "", "a1")->counts.unread, 1U) << "of this session";
    EXPECT_EQ(store.kept_notifications.inbox_asked.session_id, "a1");
    EXPECT_EQ(inbox(bob, "", "a1").error().code, base::Code::forbidden);
    EXPECT_EQ(inbox(admin, "bob", "a1").error().field, "user");
    EXPECT_EQ(inbox(ada, "", "x").error().code, base::Code::not_found);
}

TEST_F(InboxTest, tools_are_for_all_who_may_read) {
    store.kept_tools.resize(100);
    for (std::size_t i = 0; i < store.kept_tools.size(); ++i) {
        store.kept_tools[i].name = "tool" + std::to_string(100 + i);
        store.kept_tools[i].schema = model::RawJson::trusted('"' + std::string(65'534, 'x') + '"');
    }
    const auto tools = [&](const model::Principal& who, const std::string& after) {
        return answer<std::vector<ports::KnownTool>>([&](auto done) { answers.tools(who, after, 100, done); });
    };
    const auto tool = [&](const model::Principal& who, const std::string& name) {
        return answer<ports::KnownTool>([&](auto done) { answers.tool(who, name, done); });
    };
    EXPECT_EQ(tools(agent_of_a1, "")->size(), 65U) << "64 fill an answer";
    EXPECT_LE(store.tools_given, 80U) << "no more is read";
    EXPECT_EQ(tools(agent_of_a1, "tool197")->size(), 2U);
    EXPECT_EQ(tools(somebody(model::Role::emitter), "").error().code, base::Code::forbidden);
    store.tools_given = 0;
    EXPECT_EQ(tool(agent_of_a1, "tool150")->info.name, "tool150");
    EXPECT_EQ(store.tools_given, 0U) << "one is looked for by its name";
    EXPECT_EQ(tool(agent_of_a1, "tool200").error().code, base::Code::not_found);
    EXPECT_EQ(tool(somebody(model::Role::emitter), "tool150").error().code, base::Code::forbidden);
}

TEST_F(InboxTest, tools_of_belfrys_own_stand_among_those_that_are_registered) {
    std::vector<model::ToolContract> own(3);
    own[0].name = "a_own";
    own[1].name = "m_own";
    own[2].name = "z_own";
    for (const char* const name : {"b", "m_own", "n"}) store.kept_tools.emplace_back().name = name;
    Answers all{beside, follow, clock, metrics, subscribers, "owner", 1, base::limits::runs_kept, nullptr, own};
    const auto names = [&](const std::string& after, std::size_t limit) {
        std::string found;
        const auto tools =
            answer<std::vector<ports::KnownTool>>([&](auto done) { all.tools(agent_of_a1, after, limit, done); });
        for (const ports::KnownTool& one : *tools) found += one.info.name + (one.own != nullptr ? "! " : " ");
        return found;
    };
    EXPECT_EQ(names("", 10), "a_own! b m_own! n z_own! ");
    EXPECT_EQ(names("", 2), "a_own! b ");
    EXPECT_EQ(names("b", 1), "m_own! ");
    EXPECT_EQ(names("m_own", 1), "n ");
    EXPECT_EQ(names("n", 1), "z_own! ");
    EXPECT_EQ(names("z_own", 1), "");
    const auto one = answer<ports::KnownTool>([&](auto done) { all.tool(agent_of_a1, "m_own", done); });
    EXPECT_EQ(one->own, &own[1]) << "one that was registered before is not there any more";
}

TEST_F(InboxTest, a_preview_asks_for_what_is_due_as_a_pull_does) {
    model::Session& session = store.kept_sessions.kept[0];
    session.agent_id = "coder";
    session.progress.turn_pulled = true;
    session.last_turn_ended_at = base::Timestamp{-3};
    clock.time = base::Timestamp{7};
    const ports::DueQuestion& asked = store.kept_notifications.due_asked;
    ASSERT_TRUE(context(agent_of_a1, model::InjectAt::turn_start).ok());
    EXPECT_EQ(asked.session_id + " " + asked.user_id + " " + asked.agent_id, "a1 ada coder");
    EXPECT_EQ(asked.classes, rules::due_classes(model::InjectAt::turn_start));
    EXPECT_TRUE(asked.or_handed_before);
    EXPECT_EQ(asked.or_before, base::Timestamp{-3});
    EXPECT_EQ(asked.now, base::Timestamp{7});
    EXPECT_EQ(asked.limit, base::limits::pull_items_max);
    ASSERT_TRUE(context(agent_of_a1, model::InjectAt::after_tool).ok());
    EXPECT_EQ(asked.classes, rules::due_classes(model::InjectAt::after_tool));
    EXPECT_FALSE(asked.or_handed_before);
    EXPECT_EQ(asked.or_before, std::nullopt);
}

TEST_F(InboxTest, a_preview_holds_what_a_pull_would_hand_over) {
    ports::Due& due = store.kept_notifications.kept_due;
    due.first.resize(4);
    due.count = 9;
    for (std::size_t i = 0; i < due.first.size(); ++i) {
        due.first[i].ordinal = static_cast<std::int64_t>(i) + 1;
        due.first[i].model_tokens = i == 1 ? 30 : 10;
    }
    model::WaitingRow row;
    row.scope = {"ada", "a1", ""};
    row.count = 2;
    store.kept_notifications.kept_rows.push_back(row);
    row.scope.session_id = "a2";
    store.kept_notifications.kept_rows.push_back(row);

    EXPECT_EQ(context(agent_of_a1, model::InjectAt::turn_start)->due.size(), 4U);
    EXPECT_EQ(context(agent_of_a1, model::InjectAt::turn_start)->waiting, 5) << "what is beyond one hand-over";
    const auto found = context(ada, model::InjectAt::turn_start, 80);
    ASSERT_EQ(found->due.size(), 2U) << "nothing overtakes what did not fit";
    EXPECT_EQ(found->due[0].ordinal, 1);
    EXPECT_EQ(found->model_tokens, 64) << "with what stands around each";
    EXPECT_EQ(found->waiting, 7);
    EXPECT_EQ(found->batched, 2);
    EXPECT_TRUE(found->user_messages.empty());
    store.kept_sessions.waiting.emplace_back().content = "Use tabs";
    EXPECT_EQ(context(ada, model::InjectAt::after_tool)->user_messages.at(0).content, "Use tabs");
    EXPECT_EQ(context(bob, model::InjectAt::turn_start).error().code, base::Code::forbidden);
}

TEST_F(InboxTest, a_preview_tells_at_the_start_of_a_turn_what_the_person_has_seen) {
    store.kept_sessions.kept[0].aware_no = 5;
    store.kept_sessions.kept[0].progress.digest_no = 6;
    store.kept_notifications.kept.clear();
    model::Notification& shown = store.kept_notifications.kept_facts.oldest.emplace_back();
    shown.fact = {7, 1, model::FactStatus::seen, {}};
    shown.address = model::Address::user;
    shown.text = "The backup failed";
    store.kept_notifications.kept_facts.count = 1;
    store.kept_notifications.kept_facts.in_inbox = 7;
    const auto found = context(agent_of_a1, model::InjectAt::turn_start);
    ASSERT_EQ(found->seen.size(), 1U);
    EXPECT_TRUE(found->seen[0].ends_with("The backup failed")) << found->seen[0];
    EXPECT_NE(found->digest.find("shown 7 notifications"), std::string::npos) << found->digest;
    EXPECT_GT(found->model_tokens, 0) << "it takes its part of the budget";
    EXPECT_EQ(store.kept_notifications.facts_asked, "ada a1 5 6") << "after the last fact that it was told";
    const auto counted = context(agent_of_a1, model::InjectAt::turn_start, 2)->seen;
    ASSERT_EQ(counted.size(), 1U) << "no room but for the count";
    EXPECT_TRUE(counted[0].ends_with(" more, told in later turns")) << counted[0];
    const auto later = context(agent_of_a1, model::InjectAt::after_tool);
    EXPECT_TRUE(later->seen.empty() && later->digest.empty()) << "once a turn";
}

TEST_F(InboxTest, a_preview_gives_the_budget_first_to_what_comes_first) {
    store.kept_notifications.kept_due.first.resize(2);
    store.kept_notifications.kept_due.count = 2;
    for (model::Notification& one : store.kept_notifications.kept_due.first) one.model_tokens = 10;
    EXPECT_EQ(context(ada, model::InjectAt::turn_start, 50)->due.size(), 2U);
    store.kept_sessions.waiting.emplace_back().content = "one two three four five six seven";
    const auto found = context(ada, model::InjectAt::turn_start, 50);
    EXPECT_EQ(found->due.size(), 1U) << "the person's own words cost too";
    EXPECT_EQ(found->waiting, 1);
}

TEST_F(InboxTest, a_preview_of_a_deleted_session_is_refused_like_a_pull) {
    store.kept_sessions.kept[0].deleted_at = base::Timestamp{0};
    EXPECT_EQ(context(ada, model::InjectAt::turn_start).error().code, base::Code::gone);
}

}  // namespace
}  // namespace belfry::view
