#include "sim/delivery_world_test.hpp"

// What finds room in a queue and in a budget.
namespace belfry::sim {
namespace {

using DeliveryRoom = DeliveryProtocol;

TEST_F(DeliveryRoom, one_that_gives_way_itself_is_answered_as_what_became_of_it) {
    options_.queue_rows_max = 5;
    open();
    for (std::size_t left = options_.queue_rows_max; left > 0; --left) {
        auto command = draft(Target::agent, Handler::system);
        command->draft.severity = model::Severity::error;
        ask(std::move(command));
    }
    const Row last = emit_one(Target::agent, Handler::system);
    EXPECT_EQ(last.state, DeliveryState::failed);
    EXPECT_EQ(last.outcome, "overload");
    EXPECT_EQ(row(last).state, DeliveryState::failed);
}

TEST_F(DeliveryRoom, a_summary_of_what_gave_way_counts_what_was_of_no_event_and_names_none) {
    options_.queue_rows_max = 3;
    open();
    for (int i = 0; i < 5; ++i) emit_one(Target::agent, Handler::system);
    const ports::PullReply told = pull();
    ASSERT_EQ(told.items.size(), 3U);
    const Row& summary = told.items.front().notification;
    EXPECT_EQ(summary.subscriber_id, model::overload_subscriber);
    EXPECT_TRUE(summary.text.starts_with("The queue was full: 3 notifications gave way (3 info)")) << summary.text;
    EXPECT_EQ(summary.text.find("events"), std::string::npos) << summary.text;
    EXPECT_TRUE(summary.events.empty());
}

TEST_F(DeliveryRoom, a_summary_of_what_gave_way_names_an_event_of_it_whatever_gives_way_later) {
    options_.queue_rows_max = 1;
    model::Subscriber plain = subscriber("plain", "a.b");
    plain.window = {};
    plain.dedupe_window = {};
    listen({plain});
    open();
    for (int i = 0; i < 2; ++i) emit("a.b");
    for (int i = 0; i < 2; ++i) emit_one(Target::agent, Handler::system);
    const ports::PullReply told = pull();
    ASSERT_FALSE(told.items.empty());
    const Row& summary = told.items.front().notification;
    ASSERT_EQ(summary.subscriber_id, model::overload_subscriber);
    ASSERT_EQ(summary.events.size(), 1U);
    EXPECT_GT(summary.events.front().sequence, 0U);
    EXPECT_NE(summary.text.find("events are in the log"), std::string::npos) << summary.text;
}

TEST_F(DeliveryRoom, what_needs_an_answer_is_never_summarised) {
    open();
    for (int i = 0; i < 3; ++i) emit_one(Target::user, Handler::agent);
    for (int i = 0; i < 5; ++i) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->budget_tokens = 30;
        for (const auto& item : ask(std::move(command)).items) EXPECT_TRUE(item.stands_for.empty());
    }
}

TEST_F(DeliveryRoom, a_summary_of_what_came_without_events_says_how_many_and_the_first) {
    open();
    for (int i = 0; i < 3; ++i) {
        auto command = draft(Target::agent, Handler::system);
        command->draft.text = "word " + std::to_string(i) + std::string(400, 'x') + "\nmore";
        command->draft.content = command->draft.text;
        ask(std::move(command));
    }
    ports::PullReply told;
    for (int i = 0; i < 4 && told.items.empty(); ++i) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->budget_tokens = 40;
        told = ask(std::move(command));
    }
    ASSERT_EQ(told.items.size(), 1U);
    EXPECT_TRUE(told.items[0].notification.text.starts_with("3 notifications: word 0"));
}

TEST_F(DeliveryRoom, places_are_passed_over_once_a_turn) {
    open();
    const Row one = emit_one(Target::agent, Handler::system);
    auto large = draft(Target::agent, Handler::system);
    for (const InjectAt point : {InjectAt::turn_start, InjectAt::after_tool, InjectAt::turn_end}) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->point = point;
        command->budget_tokens = 1;
        ask(std::move(command));
    }
    EXPECT_LE(row(one).passed_over, 1);
}

}  // namespace
}  // namespace belfry::sim
