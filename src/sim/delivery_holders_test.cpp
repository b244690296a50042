#include "sim/delivery_world_test.hpp"

// Who may act on a notification that is held, and when the user has been told (docs/decisions/0019).
namespace belfry::sim {
namespace {

class DeliveryHolders : public DeliveryProtocol {
protected:
    static constexpr const char* handle = "n1";

    // R1 pulls and lets its lease run out; R2 takes over in the same session, with the same token.
    void take_over() {
        first_ = pull(InjectAt::turn_start, seconds(1));
        ask(turn(ports::TurnEdge::start));
        pass(seconds(2));
        second_ = pull_naming(std::nullopt, InjectAt::after_tool);
        if (second_.items.empty()) second_ = pull();
        ASSERT_EQ(second_.items.size(), 1U);
        ASSERT_EQ(second_.items[0].notification.lease, 2);
    }
    ports::PullReply pull_naming(std::optional<base::Uuid> pull_id, InjectAt point,
                                 base::Duration lease = base::limits::lease_default) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->point = point;
        command->lease = lease;
        command->pull_id = pull_id;
        return ask(std::move(command));
    }
    base::Result<Row> narrate(std::optional<std::int64_t> lease, std::optional<base::Uuid> pull_id = {}) {
        auto command = std::make_unique<ports::NarrateNotification>();
        command->which = {"s", handle};
        command->lease = lease;
        command->pull_id = pull_id;
        command->words = "told";
        return try_(std::move(command));
    }
    base::Result<ports::HeartbeatReply> beat(std::optional<base::Uuid> pull_id, std::vector<ports::Named> leases = {}) {
        auto command = std::make_unique<ports::Heartbeat>();
        command->session_id = "s";
        command->pull_id = pull_id;
        command->leases = std::move(leases);
        return try_(std::move(command));
    }
    base::Result<ports::AcknowledgeReply> name(std::int64_t lease) {
        auto command = std::make_unique<ports::Acknowledge>();
        command->session_id = "s";
        command->items = {{handle, lease, {}}};
        return try_(std::move(command));
    }
    void say() {
        auto command = std::make_unique<ports::PostMessage>();
        command->session_id = "s";
        command->role = model::MessageRole::assistant;
        command->content = "something";
        ask(std::move(command));
    }
    base::Result<ports::ReportReply> use(const char* tool, ports::ToolCallStatus status,
                                         std::optional<base::Uuid> pull_id = {}, const std::string& handling = {}) {
        auto command = call_of(tool, status);
        command->pull_id = pull_id;
        command->handling = handling;
        return try_(std::move(command));
    }
    std::vector<Row> notices() {
        EXPECT_TRUE(store_->begin().ok());
        auto all = store_->notifications().for_interfaces({.user_id = "ada", .limit = 100});
        store_->rollback();
        return all.ok() ? std::move(*all) : std::vector<Row>{};
    }
    void delete_session() {
        auto command = std::make_unique<ports::DeleteSession>();
        command->session_id = "s";
        ask(std::move(command));
    }

    ports::PullReply first_;
    ports::PullReply second_;
};

// Takeovers

TEST_F(DeliveryHolders, a_runtime_that_lost_its_lease_neither_ends_the_turn_nor_renews_nor_uses_a_tool) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent);
    take_over();
    const Row held = row(one);
    for (const auto& pull_id : {std::optional<base::Uuid>(), std::optional(first_.pull_id)}) {
        const std::string reason = pull_id ? "stale_lease" : "no_lease";
        for (const bool names_it : {false, true}) {
            auto end = turn(ports::TurnEdge::end);
            end->pull_id = pull_id;
            if (names_it) end->acknowledged = {{handle, {}, {}}};
            EXPECT_EQ(try_(std::move(end)).error().reason, reason);
        }
        EXPECT_EQ(beat(pull_id).error().reason, reason);
        EXPECT_EQ(use("send_mail", ports::ToolCallStatus::pending, pull_id).error().reason, reason);
        EXPECT_EQ(row(one), held) << "it changes nothing";
    }
    EXPECT_EQ(beat({}, {{handle, 1, {}}}).error().reason, "stale_lease");
    EXPECT_EQ(narrate(1).error().reason, "stale_lease");
    EXPECT_EQ(name(1).error().reason, "stale_lease");
    EXPECT_EQ(row(one), held);
    EXPECT_TRUE(narrate(2).ok());
}

TEST_F(DeliveryHolders, a_pull_of_a_runtime_that_lost_its_lease_takes_nothing_from_the_one_who_has_it) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent);
    first_ = pull(InjectAt::turn_start, seconds(1));
    ask(end_of(first_));
    const Row two = emit_one(Target::user, Handler::agent);
    first_ = pull(InjectAt::turn_start, seconds(1));
    ASSERT_EQ(first_.items.size(), 1U);
    pass(seconds(2));
    second_ = pull();
    ASSERT_EQ(second_.items.size(), 1U);
    const Row held = row(two);
    EXPECT_EQ(held.lease, 2);
    EXPECT_TRUE(pull_naming(first_.pull_id, InjectAt::after_tool).items.empty()) << "R1 goes on with its turn";
    EXPECT_EQ(row(two), held);
}

TEST_F(DeliveryHolders, a_pull_or_a_lease_proves_who_holds_it) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent);
    take_over();
    ASSERT_TRUE(beat(second_.pull_id).ok());
    EXPECT_EQ(beat(second_.pull_id)->renewed, 1);
    EXPECT_EQ(beat({}, {{handle, 2, {}}})->renewed, 1);
    EXPECT_EQ(beat({}, {{base::format_uuid(one.id.uuid), 2, {}}})->renewed, 1);
    EXPECT_TRUE(narrate({}, second_.pull_id).ok());
    EXPECT_TRUE(try_(end_of(second_)).ok());
}

TEST_F(DeliveryHolders, a_pull_proves_what_the_pulls_before_it_in_its_chain_handed_out) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent);
    const auto started = pull();
    auto later = draft(Target::agent, Handler::agent);
    later->draft.inject_at = InjectAt::after_tool;
    const Row two = ask(std::move(later)).notification;
    const auto next = pull_naming(started.pull_id, InjectAt::after_tool);
    ASSERT_EQ(next.items.size(), 1U);
    EXPECT_EQ(beat(next.pull_id)->renewed, 2);
    ask(end_of(next));
    EXPECT_EQ(row(one).outcome, "vetoed");
    EXPECT_EQ(row(two).outcome, "vetoed");
}

TEST_F(DeliveryHolders, another_token_must_name_the_lease) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent);
    pull();
    const model::Principal other = bound(Role::agent, "s");
    EXPECT_EQ(try_(turn(ports::TurnEdge::end), other).error().reason, "no_lease");
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    EXPECT_TRUE(try_(turn(ports::TurnEdge::end, {{handle, 1, {}}}), other).ok());
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
}

// Telling

TEST_F(DeliveryHolders, a_narration_is_open_until_an_interface_acknowledges_it) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent, "");
    pull();
    const auto told = narrate(1);
    ASSERT_TRUE(told.ok());
    EXPECT_EQ(told->state, DeliveryState::locked);
    ask(turn(ports::TurnEdge::end, {{handle, {}, {}}}));
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].narration, "told");
    acknowledge_in_inbox(*told);
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
    EXPECT_TRUE(notices().empty());
}

TEST_F(DeliveryHolders, an_acknowledgement_does_not_tell_the_user) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent, "");
    pull();
    const auto named = name(1);
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(named->acknowledged, 0);
    EXPECT_EQ(named->untold, std::vector<std::string>{handle});
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    end();
    EXPECT_EQ(row(one).state, DeliveryState::escalated);
}

TEST_F(DeliveryHolders, a_message_of_the_turn_before_tells_nothing) {
    open();
    ask(put("ada"));
    pull();
    say();
    end();
    auto later = draft(Target::user, Handler::agent);
    later->draft.inject_at = InjectAt::after_tool;
    const Row one = ask(std::move(later)).notification;
    ASSERT_EQ(pull(InjectAt::after_tool).items.size(), 1U);
    ask(turn(ports::TurnEdge::end, {{handle, {}, {}}}));
    EXPECT_EQ(row(one).state, DeliveryState::escalated);
}

TEST_F(DeliveryHolders, a_message_of_the_turn_tells_its_conversation) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent);
    pull();
    say();
    ask(turn(ports::TurnEdge::end, {{handle, {}, {}}}));
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
}

TEST_F(DeliveryHolders, the_word_of_a_holder_before_is_not_the_next_ones) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::user, Handler::agent);
    first_ = pull(InjectAt::turn_start, seconds(1));
    ASSERT_EQ(name(1)->untold.size(), 1U);
    pass(seconds(2));
    second_ = pull();
    say();  // about something else
    ask(end_of(second_));
    EXPECT_EQ(row(one).state, DeliveryState::escalated) << "nobody has told the user, and R2 did not say so";
}

// EXTERNAL tools

TEST_F(DeliveryHolders, a_tool_before_the_acknowledgement_makes_one_item_that_names_it) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent, "");
    pull();
    ASSERT_TRUE(use("send_mail", ports::ToolCallStatus::pending, {}, handle).ok());
    ask(turn(ports::TurnEdge::end, {{handle, {}, {}}}));
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].id, one.id);
    EXPECT_EQ(notices()[0].text, "the matter (tool used: send_mail)");
}

TEST_F(DeliveryHolders, a_tool_after_the_acknowledgement_gives_a_notice_that_names_it) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent, "");
    pull();
    ASSERT_EQ(name(1)->acknowledged, 1);
    ASSERT_TRUE(use("send_mail", ports::ToolCallStatus::pending, {}, handle).ok());
    ASSERT_TRUE(use("send_mail", ports::ToolCallStatus::success, {}, handle).ok());
    end();
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].caused_by, one.id);
    EXPECT_EQ(notices()[0].text, "the matter (tool used: send_mail)");
}

TEST_F(DeliveryHolders, an_acknowledgement_that_is_repeated_in_a_later_turn_makes_no_notice_of_its_tools) {
    open();
    ask(put("ada"));
    emit_one(Target::agent, Handler::agent, "");
    pull();
    ASSERT_EQ(name(1)->acknowledged, 1);
    end();
    pull();
    ASSERT_EQ(name(1)->acknowledged, 1) << "said again";
    ASSERT_TRUE(use("send_mail", ports::ToolCallStatus::pending, {}, {}).ok());
    EXPECT_TRUE(notices().empty()) << "the tool is about something else";
}

TEST_F(DeliveryHolders, a_tool_that_a_runtime_without_the_lease_has_used_is_told_and_changes_nothing) {
    open();
    ask(put("ada"));
    const Row one = emit_one(Target::agent, Handler::agent, "");
    take_over();
    const Row held = row(one);
    ASSERT_TRUE(use("send_mail", ports::ToolCallStatus::success, first_.pull_id, handle).ok());
    EXPECT_EQ(row(one), held);
    ASSERT_EQ(notices().size(), 1U);
    EXPECT_EQ(notices()[0].caused_by, one.id);
}

// Chains, updates and deleted sessions

TEST_F(DeliveryHolders, a_chain_goes_on_wherever_an_agent_emits_and_whatever_cause_it_names) {
    open();
    ask(put("ada"));
    const Row shallow = emit_one(Target::agent, Handler::agent, "elsewhere");
    auto deep = draft(Target::agent, Handler::agent);
    deep->caused_by = base::format_uuid(shallow.id.uuid);
    ASSERT_EQ(ask(std::move(deep)).notification.depth, 1);
    model::Principal agent;
    agent.id = "token:agent";
    agent.role = Role::agent;
    agent.bounds.users = {"ada"};
    auto pulled = std::make_unique<ports::PullNotifications>();
    pulled->session_id = "s";
    ASSERT_EQ(try_(std::move(pulled), agent)->items.size(), 1U);
    const auto child = try_(draft(Target::agent, Handler::agent, ""), agent);
    ASSERT_TRUE(child.ok());
    EXPECT_EQ(child->notification.depth, 2) << "to the user, without a session";
    auto named = draft(Target::agent, Handler::agent, "");
    named->caused_by = base::format_uuid(shallow.id.uuid);
    const auto other = try_(std::move(named), agent);
    ASSERT_TRUE(other.ok()) << other.error().message;
    EXPECT_EQ(other->notification.depth, 2) << "an older cause does not shorten the chain";
}

TEST_F(DeliveryHolders, only_the_holder_updates_what_it_holds) {
    open();
    ask(put("ada"));
    const Row one = emit_keyed("k", Target::user, Handler::agent);
    pull();
    const auto update = [&](model::Principal who, std::int64_t lease) {
        auto command = draft(Target::user, Handler::agent);
        command->draft.deduplication_key = "k";
        command->lease = lease;
        return try_(std::move(command), std::move(who));
    };
    const auto guessed = update(user("ada"), 1);
    ASSERT_TRUE(guessed.ok());
    EXPECT_TRUE(guessed->is_new);
    EXPECT_EQ(guessed->notification.follows, one.id);
    EXPECT_EQ(row(one).version, 1);
    const auto own = update(model::house_principal(), 1);
    ASSERT_TRUE(own.ok());
    EXPECT_EQ(own->notification.id, one.id);
}

TEST_F(DeliveryHolders, a_deleted_session_tells_the_user_at_once_and_gives_decisions_to_another_session) {
    open();
    ask(put("ada"));
    const Row must_tell = emit_one(Target::user, Handler::agent);
    const Row decides = emit_one(Target::agent, Handler::agent, "");
    ASSERT_EQ(pull().items.size(), 2U);
    delete_session();
    EXPECT_EQ(row(must_tell).state, DeliveryState::escalated);
    EXPECT_EQ(row(must_tell).address, Address::user);
    EXPECT_EQ(row(decides).state, DeliveryState::locked);
    EXPECT_EQ(row(decides).holder, "");
    auto other = put("ada");
    other->session_id = "t";
    ask(std::move(other));
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = "t";
    EXPECT_EQ(ask(std::move(command)).items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
