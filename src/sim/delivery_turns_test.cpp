#include "sim/delivery_world_test.hpp"

// What a turn takes, keeps, lets go and ends.
namespace belfry::sim {
namespace {

using DeliveryTurns = DeliveryProtocol;

TEST_F(DeliveryTurns, a_second_pull_at_the_start_of_a_turn_hands_over_again_what_the_first_one_took) {
    open();
    ask(put("ada"));
    start();
    const Row passive = emit_one(Target::agent, Handler::system);
    const Row decides = emit_one(Target::agent, Handler::agent);
    ASSERT_EQ(pull().items.size(), 2U);  // and the answer is lost
    const auto again = pull();
    ASSERT_EQ(again.items.size(), 2U);
    for (const auto& item : again.items) {
        EXPECT_TRUE(item.again);
        EXPECT_EQ(item.notification.lease, 2);
    }
    EXPECT_EQ(try_(turn(ports::TurnEdge::end)).error().reason, "no_lease") << "another runtime may have pulled";
    ask(end_of(again));
    EXPECT_EQ(row(passive).state, DeliveryState::delivered);
    EXPECT_EQ(row(decides).outcome, "vetoed");
}

TEST_F(DeliveryTurns, what_comes_after_a_tool_is_handed_over_again_too_where_the_turn_begins_anew) {
    open();
    ask(put("ada"));
    start();
    pull();
    auto later = draft(Target::agent, Handler::system);
    later->draft.inject_at = InjectAt::after_tool;
    ask(std::move(later));
    ASSERT_EQ(pull(InjectAt::after_tool).items.size(), 1U);
    EXPECT_TRUE(pull(InjectAt::after_tool).items.empty());
    EXPECT_EQ(pull(InjectAt::turn_start).items.size(), 1U);
}

TEST_F(DeliveryTurns, a_turn_that_never_ended_has_read_nothing) {
    open();
    ask(put("ada"));
    start();
    const Row passive = emit_one(Target::agent, Handler::system);
    ASSERT_EQ(pull().items.size(), 1U);
    crash();  // of the agent too
    start();
    call("look", ports::ToolCallStatus::success);  // renews nothing that was let go
    end();
    EXPECT_EQ(row(passive).state, DeliveryState::locked);
    start();
    const auto again = pull();
    ASSERT_EQ(again.items.size(), 1U);
    EXPECT_EQ(again.items[0].notification.lease, 2);
}

TEST_F(DeliveryTurns, to_pull_and_then_report_the_start_is_one_turn) {
    open();
    const Row passive = emit_one(Target::agent, Handler::system);
    ASSERT_EQ(pull().items.size(), 1U);
    start();
    end();
    EXPECT_EQ(row(passive).state, DeliveryState::delivered);
    EXPECT_EQ(row(passive).lease, 1);
}

TEST_F(DeliveryTurns, reports_keep_what_is_held_for_as_long_as_was_asked) {
    open();
    const Row one = emit_one(Target::agent, Handler::agent);
    pull(InjectAt::turn_start, seconds(30));
    pass(seconds(20));
    call("look", ports::ToolCallStatus::success);
    EXPECT_EQ(row(one).lease_until, now_ + seconds(30));
}

TEST_F(DeliveryTurns, a_stale_lease_at_a_turns_end_is_refused_and_changes_nothing) {
    open();
    ask(put("ada"));
    start();
    const Row one = emit_one(Target::agent, Handler::agent);
    const std::string handle = pull().items.at(0).handle;
    pull();
    const auto refused = try_(turn(ports::TurnEdge::end, {{handle, 1, {}}}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "stale_lease");
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    ask(turn(ports::TurnEdge::end, {{handle, 2, {}}}));
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
}

TEST_F(DeliveryTurns, one_that_is_named_twice_is_acknowledged_once) {
    open();
    const Row one = emit_one(Target::agent, Handler::agent);
    const std::string handle = pull().items.at(0).handle;
    auto command = std::make_unique<ports::Acknowledge>();
    command->session_id = "s";
    command->items = {{handle, 1, {}}, {base::format_uuid(one.id.uuid), 1, {}}, {handle, 1, {}}};
    EXPECT_EQ(ask(std::move(command)).acknowledged, 1);
}

TEST_F(DeliveryTurns, a_tool_that_was_called_without_asking_promotes_too) {
    open();
    ask(put("ada"));
    start();
    const Row one = emit_one(Target::agent, Handler::agent);
    pull();
    call("send_mail", ports::ToolCallStatus::success);
    EXPECT_EQ(row(one).target, Target::user);
    end();
    EXPECT_EQ(row(one).state, DeliveryState::escalated);
    EXPECT_EQ(row(one).text, "the matter (tool used: send_mail)");
}

TEST_F(DeliveryTurns, what_is_for_another_agent_of_the_user_waits_for_that_one) {
    open();
    auto command = draft(Target::agent, Handler::system, "");
    command->draft.scope.agent_id = "coder";
    ask(std::move(command));
    auto session = put("ada");
    session->agent_id = "writer";
    ask(std::move(session));
    EXPECT_TRUE(pull().items.empty());
    session = put("ada");
    session->agent_id = "coder";
    ask(std::move(session));
    EXPECT_EQ(pull().items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
