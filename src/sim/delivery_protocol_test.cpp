#include "ports/commands/delivery.hpp"
#include "sim/engine_world_test.hpp"

// The delivery protocol through the real engine and the real store: what no single rule can promise by itself.
namespace belfry::sim {
namespace {

using base::seconds;
using model::Address;
using model::DeliveryState;
using model::Handler;
using model::Role;
using model::Target;
using Row = model::Notification;

class DeliveryProtocol : public EngineWorld {
protected:
    static model::Principal user(const std::string& name) {
        model::Principal who;
        who.id = "token:" + name;
        who.role = Role::user;
        who.user_id = name;
        return who;
    }
    static model::Principal bound(Role role, const std::string& session) {
        model::Principal who;
        who.id = "token:bound";
        who.role = role;
        who.bounds.sessions = {session};
        return who;
    }

    // What it answers, or the refusal.
    template <class C>
    base::Result<typename C::Reply> try_(std::unique_ptr<C> command, model::Principal who = model::house_principal()) {
        command->principal = std::move(who);
        const C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->result();
    }

    static std::unique_ptr<ports::EmitNotification> draft(Target target, Handler handler, std::string session = "s") {
        auto command = std::make_unique<ports::EmitNotification>();
        command->draft.text = "the matter";
        command->draft.scope.user_id = "ada";
        command->draft.address = session.empty() ? Address::user : Address::session;
        command->draft.scope.session_id = std::move(session);
        command->draft.target = target;
        command->draft.handler = handler;
        return command;
    }
    Row emit_one(Target target, Handler handler, const std::string& session = "s") {
        return ask(draft(target, handler, session)).notification;
    }
    Row emit_keyed(const std::string& key, Target target, Handler handler, const std::string& session = "s") {
        auto command = draft(target, handler, session);
        command->draft.deduplication_key = key;
        return ask(std::move(command)).notification;
    }
    Row row(const Row& one) {
        EXPECT_TRUE(store_->begin().ok());
        auto found = store_->notifications().find(one.id);
        store_->rollback();
        return found.ok() && *found ? **found : Row{};
    }
    static std::unique_ptr<ports::ReportTurn> turn(ports::TurnEdge edge, std::vector<ports::Named> named = {}) {
        auto command = std::make_unique<ports::ReportTurn>();
        command->session_id = "s";
        command->edge = edge;
        command->acknowledged = std::move(named);
        return command;
    }
    void start() { ask(turn(ports::TurnEdge::start)); }
    void end() { ask(turn(ports::TurnEdge::end)); }
    void call(const std::string& tool, ports::ToolCallStatus status) {
        auto command = std::make_unique<ports::ReportToolCall>();
        command->session_id = "s";
        command->tool_name = tool;
        command->call_id = tool;
        command->status = status;
        command->payload =
            model::RawJson::trusted("{\"tool_name\":\"" + tool + "\",\"call_id\":\"" + tool + "\",\"duration_ms\":1}");
        ask(std::move(command));
    }
    static std::unique_ptr<ports::PutSession> put(const std::string& user) {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = "s";
        if (!user.empty()) command->user_id = user;
        return command;
    }
    static std::unique_ptr<ports::MarkNotification> mark(const Row& one) {
        auto command = std::make_unique<ports::MarkNotification>();
        command->which.key = base::format_uuid(one.id.uuid);
        return command;
    }
    void acknowledge_in_inbox(const Row& one) {
        auto command = std::make_unique<ports::AckNotification>();
        command->which.key = base::format_uuid(one.id.uuid);
        command->lease = one.lease;
        command->version = one.version;
        ask(std::move(command));
    }
};

// Turns

TEST_F(DeliveryProtocol, a_second_pull_at_the_start_of_a_turn_hands_over_again_what_the_first_one_took) {
    open();
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
    end();
    EXPECT_EQ(row(passive).state, DeliveryState::delivered);
    EXPECT_EQ(row(decides).outcome, "vetoed");
}

TEST_F(DeliveryProtocol, what_comes_after_a_tool_is_handed_over_again_too_where_the_turn_begins_anew) {
    open();
    start();
    pull();
    auto later = draft(Target::agent, Handler::system);
    later->draft.inject_at = InjectAt::after_tool;
    ask(std::move(later));
    ASSERT_EQ(pull(InjectAt::after_tool).items.size(), 1U);
    EXPECT_TRUE(pull(InjectAt::after_tool).items.empty());
    EXPECT_EQ(pull(InjectAt::turn_start).items.size(), 1U);
}

TEST_F(DeliveryProtocol, a_turn_that_never_ended_has_read_nothing) {
    open();
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

TEST_F(DeliveryProtocol, to_pull_and_then_report_the_start_is_one_turn) {
    open();
    const Row passive = emit_one(Target::agent, Handler::system);
    ASSERT_EQ(pull().items.size(), 1U);
    start();
    end();
    EXPECT_EQ(row(passive).state, DeliveryState::delivered);
    EXPECT_EQ(row(passive).lease, 1);
}

TEST_F(DeliveryProtocol, reports_keep_what_is_held_for_as_long_as_was_asked) {
    open();
    const Row one = emit_one(Target::agent, Handler::agent);
    pull(InjectAt::turn_start, seconds(30));
    pass(seconds(20));
    call("look", ports::ToolCallStatus::success);
    EXPECT_EQ(row(one).lease_until, now_ + seconds(30));
}

TEST_F(DeliveryProtocol, a_stale_lease_at_a_turns_end_is_refused_and_changes_nothing) {
    open();
    start();
    const Row one = emit_one(Target::user, Handler::agent);
    const std::string handle = pull().items.at(0).handle;
    pull();
    const auto refused = try_(turn(ports::TurnEdge::end, {{handle, 1}}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "stale_lease");
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    ask(turn(ports::TurnEdge::end, {{handle, 2}}));
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
}

TEST_F(DeliveryProtocol, one_that_is_named_twice_is_acknowledged_once) {
    open();
    const Row one = emit_one(Target::agent, Handler::agent);
    const std::string handle = pull().items.at(0).handle;
    auto command = std::make_unique<ports::Acknowledge>();
    command->session_id = "s";
    command->items = {{handle, 1}, {base::format_uuid(one.id.uuid), 1}, {handle, 1}};
    EXPECT_EQ(ask(std::move(command)).acknowledged, 1);
}

TEST_F(DeliveryProtocol, a_tool_that_was_called_without_asking_promotes_too) {
    open();
    start();
    const Row one = emit_one(Target::agent, Handler::agent);
    pull();
    call("send_mail", ports::ToolCallStatus::success);
    EXPECT_EQ(row(one).target, Target::user);
    end();
    EXPECT_EQ(row(one).state, DeliveryState::escalated);
}

TEST_F(DeliveryProtocol, what_is_for_another_agent_of_the_user_waits_for_that_one) {
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

// Whose sessions are

TEST_F(DeliveryProtocol, a_session_that_its_user_has_proved_is_not_seized) {
    open();
    const std::string owner = ask(put("")).user_id;
    auto proved = std::make_unique<ports::PullNotifications>();
    proved->session_id = "s";
    ASSERT_TRUE(try_(std::move(proved), user(owner)).ok());
    const auto seized = try_(put("mallory"), user("mallory"));
    ASSERT_FALSE(seized.ok());
    EXPECT_EQ(seized.error().code, base::Code::forbidden);
    auto other = draft(Target::agent, Handler::system);
    other->draft.scope.user_id = "mallory";
    const Row row = ask(std::move(other)).notification;
    EXPECT_EQ(row.address, Address::user);
    EXPECT_TRUE(row.scope.session_id.empty());
    EXPECT_EQ(ask(put("")).user_id, owner);
}

TEST_F(DeliveryProtocol, an_update_does_not_move_a_notification_into_another_users_session) {
    open();
    ask(put("bob"));
    emit_keyed("k", Target::agent, Handler::system, "");
    const Row moved = emit_keyed("k", Target::agent, Handler::system, "s");
    EXPECT_EQ(moved.version, 2);
    EXPECT_TRUE(moved.scope.session_id.empty());
    EXPECT_EQ(moved.address, Address::user);
}

TEST_F(DeliveryProtocol, a_key_is_no_way_into_a_session_that_a_token_has_no_part_in) {
    open();
    const Row hers = emit_keyed("k", Target::agent, Handler::system, "hers");
    auto command = draft(Target::agent, Handler::system, "s");
    command->draft.deduplication_key = "k";
    const auto refused = try_(std::move(command), bound(Role::emitter, "s"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "deduplication_key");
    EXPECT_EQ(row(hers).version, 1);
}

TEST_F(DeliveryProtocol, an_agent_does_not_end_a_session) {
    open();
    ask(put("ada"));
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = "s";
    const auto refused = try_(std::move(command), bound(Role::agent, "s"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::forbidden);
}

// Chains

TEST_F(DeliveryProtocol, what_is_emitted_where_something_is_held_comes_of_it_and_a_chain_ends) {
    open();
    std::vector<Handler> handlers;
    for (int i = 0; i < 4; ++i) {
        const Row one = emit_one(Target::agent, Handler::agent);
        EXPECT_EQ(one.depth, std::min(i, 3));
        handlers.push_back(one.handler);
        pull(InjectAt::turn_start);
    }
    EXPECT_EQ(handlers, (std::vector{Handler::agent, Handler::agent, Handler::agent, Handler::system}));
}

TEST_F(DeliveryProtocol, a_cause_is_found_in_any_session_of_the_user_and_in_no_other_users) {
    open();
    const Row cause = emit_one(Target::agent, Handler::agent, "elsewhere");
    auto command = draft(Target::agent, Handler::agent);
    command->caused_by = base::format_uuid(cause.id.uuid);
    EXPECT_EQ(ask(std::move(command)).notification.depth, 1);
    command = draft(Target::agent, Handler::agent, "");
    command->draft.scope.user_id = "bob";
    command->caused_by = base::format_uuid(cause.id.uuid);
    const auto refused = try_(std::move(command));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "caused_by");
}

TEST_F(DeliveryProtocol, what_a_turn_reports_goes_on_with_its_chain) {
    model::Subscriber asks = subscriber("asks", "tool.call.success");
    asks.window = {};
    asks.handler = Handler::agent;
    asks.dedupe_window = {};
    listen({asks});
    open();
    std::vector<std::int64_t> depths;
    emit_one(Target::agent, Handler::agent);
    for (int i = 0; i < 3; ++i) {
        start();
        pull();
        call("tool" + std::to_string(i), ports::ToolCallStatus::success);
        crash();  // depth is told by what is stored
        end();
        ports::PullReply told = pull();
        depths.push_back(told.items.empty() ? 3 : told.items.front().notification.depth);
    }
    EXPECT_EQ(depths, (std::vector<std::int64_t>{1, 2, 3}));
}

// Room

TEST_F(DeliveryProtocol, one_that_gives_way_itself_is_answered_as_what_became_of_it) {
    open();
    for (std::size_t left = base::limits::waiting_per_scope_max; left > 0; --left) {
        auto command = draft(Target::agent, Handler::system);
        command->draft.severity = model::Severity::error;
        ask(std::move(command));
    }
    const Row last = emit_one(Target::agent, Handler::system);
    EXPECT_EQ(last.state, DeliveryState::failed);
    EXPECT_EQ(last.outcome, "overload");
    EXPECT_EQ(row(last).state, DeliveryState::failed);
}

TEST_F(DeliveryProtocol, what_needs_an_answer_is_never_summarised) {
    open();
    for (int i = 0; i < 3; ++i) emit_one(Target::user, Handler::agent);
    for (int i = 0; i < 5; ++i) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->budget_tokens = 30;
        for (const auto& item : ask(std::move(command)).items) EXPECT_TRUE(item.stands_for.empty());
    }
}

TEST_F(DeliveryProtocol, a_summary_of_what_came_without_events_says_how_many_and_the_first) {
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

TEST_F(DeliveryProtocol, places_are_passed_over_once_a_turn) {
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

// What a person knows

TEST_F(DeliveryProtocol, what_the_person_was_shown_is_told_until_that_is_confirmed) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
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

TEST_F(DeliveryProtocol, a_turn_that_ended_has_read_what_the_person_was_shown) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    start();
    EXPECT_EQ(pull().seen.size(), 1U);
    end();
    start();
    EXPECT_TRUE(pull().seen.empty());
}

TEST_F(DeliveryProtocol, what_the_person_knows_takes_half_of_the_budget_at_most) {
    open();
    ask(put("ada"));
    pass(seconds(1));
    for (int i = 0; i < 20; ++i) acknowledge_in_inbox(emit_one(Target::user, Handler::system, ""));
    emit_one(Target::agent, Handler::system);
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = "s";
    command->budget_tokens = 200;
    const ports::PullReply told = ask(std::move(command));
    EXPECT_LE(told.model_tokens, 200);
    EXPECT_EQ(told.items.size(), 1U);
    EXPECT_FALSE(told.digest.empty());
}

TEST_F(DeliveryProtocol, an_internal_matter_is_neither_narrated_nor_read) {
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

TEST_F(DeliveryProtocol, a_dead_letter_is_sent_again_by_those_who_may_answer_for_its_person_and_once_at_a_time) {
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

// What remains

TEST_F(DeliveryProtocol, an_ended_session_keeps_nothing_of_its_agent) {
    open();
    auto made = put("ada");
    made->agent_id = "coder";
    ask(std::move(made));
    start();
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = "s";
    ask(std::move(command));
    ASSERT_TRUE(store_->begin().ok());
    const std::vector<std::string> ids{"s"};
    const auto kept = store_->sessions().find(ids);
    store_->rollback();
    ASSERT_EQ(kept->size(), 1U);
    EXPECT_EQ(kept->front().agent_id, "");
    EXPECT_EQ(kept->front().progress, model::Progress{});
}

TEST_F(DeliveryProtocol, the_streams_of_an_erased_person_lose_his_name) {
    open();
    emit_one(Target::user, Handler::system, "");
    emit_one(Target::agent, Handler::agent, "");
    erase_user("ada");
    ASSERT_TRUE(store_->begin().ok());
    const auto streams = store_->log().load_streams();
    store_->rollback();
    for (const model::StreamInfo& stream : *streams) {
        EXPECT_EQ(stream.name.find("ada"), std::string::npos) << stream.name;
        EXPECT_EQ(stream.owner, "");
    }
    emit_one(Target::user, Handler::system, "");  // he may come again
    crash();
}

TEST_F(DeliveryProtocol, a_window_is_built_anew_where_its_events_were_housed_elsewhere) {
    model::Subscriber once = subscriber("once", "a.b");
    once.window = {};
    once.dedupe_window = seconds(50);
    listen({once});
    open();
    ask(put("bob"));  // the events are ada's: they stay out of his session
    emit("a.b");
    crash();
    emit("a.b");
    auto session = put("ada");
    session->session_id = "hers";
    ask(std::move(session));
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = "hers";
    EXPECT_EQ(ask(std::move(command)).items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
