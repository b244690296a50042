#include "sim/delivery_world_test.hpp"

// What a person knows, and what is sent to him again.
namespace belfry::sim {
namespace {

using DeliveryPerson = DeliveryProtocol;

// What a person knows

TEST_F(DeliveryPerson, what_the_person_was_shown_is_told_until_that_is_confirmed) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    pass(seconds(1));
    EXPECT_EQ(pull().seen.size(), 1U);  // and the answer is lost
    const ports::PullReply told = pull();
    ASSERT_EQ(told.seen.size(), 1U);
    EXPECT_GT(told.model_tokens, 0);
    auto arrived = std::make_unique<ports::Acknowledge>();
    arrived->session_id = "s";
    arrived->pull_id = told.pull_id;
    ask(std::move(arrived));
    EXPECT_TRUE(pull().seen.empty());
}

// All commands of one commit have its time.
TEST_F(DeliveryPerson, what_is_shown_in_the_commit_of_a_hand_over_is_told_by_the_next) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    const Row second = emit_one(Target::user, Handler::system, "");
    pass(seconds(1));
    auto first = std::make_unique<ports::PullNotifications>();
    first->principal = model::house_principal();
    first->session_id = "s";
    auto shown = std::make_unique<ports::AckNotification>();
    shown->principal = model::house_principal();
    shown->which.key = base::format_uuid(second.id.uuid);
    shown->lease = second.lease;
    shown->version = second.version;
    const auto* const pulled = first.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(first));
    group.push_back(std::move(shown));
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_EQ(pulled->result()->seen.size(), 1U);
    auto arrived = std::make_unique<ports::Acknowledge>();
    arrived->session_id = "s";
    arrived->pull_id = pulled->result()->pull_id;
    ask(std::move(arrived));
    pass(seconds(1));
    EXPECT_EQ(pull().seen.size(), 1U);
}

// The counts of interfaces begin at zero after a start, so an interface may go that was not counted.
TEST_F(DeliveryPerson, an_interface_that_goes_uncounted_hides_nothing_that_another_one_shows) {
    open();
    ask(put("ada"));
    auto inbox = std::make_unique<ports::OpenInbox>();
    inbox->user_id = "ada";
    ask(std::move(inbox));
    pass(seconds(1));
    auto gone = std::make_unique<ports::CloseInbox>();
    gone->principal = model::house_principal();
    gone->user_id = "ada";
    gone->session_id = "s";
    auto shown = draft(Target::user, Handler::system);
    shown->principal = model::house_principal();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(gone));
    group.push_back(std::move(shown));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(pull().seen.size(), 1U);
}

TEST_F(DeliveryPerson, a_turn_that_ended_has_read_what_the_person_was_shown) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    pass(seconds(1));
    start();
    EXPECT_EQ(pull().seen.size(), 1U);
    end();
    start();
    EXPECT_TRUE(pull().seen.empty());
}

TEST_F(DeliveryPerson, what_the_person_knows_takes_half_of_the_budget_at_most) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    for (int i = 0; i < 20; ++i) acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    emit_one(Target::agent, Handler::system);
    pass(seconds(1));
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = "s";
    command->budget_tokens = 200;
    const ports::PullReply told = ask(std::move(command));
    EXPECT_LE(told.model_tokens, 200);
    EXPECT_EQ(told.items.size(), 1U);
    EXPECT_FALSE(told.digest.empty());
}

TEST_F(DeliveryPerson, an_internal_matter_is_neither_narrated_nor_read) {
    open();
    const Row one = emit_one(Target::agent, Handler::agent);
    pull();
    auto command = std::make_unique<ports::NarrateNotification>();
    command->which = {"s", "n1"};
    command->lease = 1;
    command->words = "chatter";
    const auto narrated = try_(std::move(command));
    ASSERT_FALSE(narrated.ok());
    EXPECT_EQ(narrated.error().reason, "wrong_channel");
    const auto marked = try_(mark(one));
    ASSERT_FALSE(marked.ok());
    EXPECT_EQ(marked.error().reason, "wrong_channel");
    EXPECT_FALSE(row(one).seen_at);
}

// Dead letters

TEST_F(DeliveryPerson, a_dead_letter_is_sent_again_by_those_who_may_answer_for_its_person_and_once_at_a_time) {
    open();
    const Row one = emit_one(Target::user, Handler::system, "");
    pass(base::days(31));
    ASSERT_EQ(row(one).state, DeliveryState::failed);
    const auto retry = [&] {
        auto command = std::make_unique<ports::RetryNotification>();
        command->which.key = base::format_uuid(one.id.uuid);
        return command;
    };
    EXPECT_EQ(try_(retry(), user("mallory")).error().code, base::Code::forbidden);
    const auto again = try_(retry(), user("ada"));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->retry_of, one.id);
    EXPECT_EQ(try_(retry(), user("ada")).error().code, base::Code::conflict);
    acknowledge_in_inbox(*again);
    EXPECT_TRUE(try_(retry(), user("ada")).ok());
}

TEST_F(DeliveryPerson, a_dead_letter_stays_its_persons_though_its_session_is_anothers_by_now) {
    open();
    auto unnamed = draft(Target::agent, Handler::system);
    unnamed->draft.scope.user_id.clear();
    const Row one = ask(std::move(unnamed)).notification;
    pass(base::days(31));
    ASSERT_EQ(row(one).state, DeliveryState::failed);
    ASSERT_EQ(ask(put("ada")).user_id, "ada");
    auto retry = std::make_unique<ports::RetryNotification>();
    retry->which.key = base::format_uuid(one.id.uuid);
    const Row again = ask(std::move(retry));
    EXPECT_EQ(again.scope.user_id, one.scope.user_id);
    EXPECT_TRUE(again.scope.session_id.empty());
}

}  // namespace
}  // namespace belfry::sim
