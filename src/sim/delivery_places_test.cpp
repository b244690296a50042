#include "ports/commands/runs.hpp"
#include "sim/delivery_world_test.hpp"

// Whose sessions are, what comes of what, and what remains of those who are gone.
namespace belfry::sim {
namespace {

using DeliveryPlaces = DeliveryProtocol;

// Whose sessions are

TEST_F(DeliveryPlaces, a_session_that_its_user_has_proved_is_not_seized) {
    open();
    const std::string owner = ask(put("")).user_id;
    auto proved = std::make_unique<ports::PullNotifications>();
    proved->session_id = "s";
    proved->point = InjectAt::after_tool;  // no turn is begun by it
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

// A session that a local hook has made: nobody has proved whose it is.
TEST_F(DeliveryPlaces, a_session_in_which_something_was_said_is_not_seized_though_nobody_named_its_user) {
    open();
    const std::string owner = ask(put("")).user_id;
    auto said = std::make_unique<ports::PostMessage>();
    said->session_id = "s";
    said->content = "the password is x";
    ask(std::move(said));
    const auto seized = try_(put("mallory"), user("mallory"));
    ASSERT_FALSE(seized.ok());
    EXPECT_EQ(seized.error().code, base::Code::forbidden);
    model::Principal anybody;
    anybody.role = Role::emitter;
    auto other = draft(Target::agent, Handler::system);
    other->draft.scope.user_id = "mallory";
    const auto sent = try_(std::move(other), anybody);
    ASSERT_TRUE(sent.ok());
    EXPECT_TRUE(sent->notification.scope.session_id.empty());
    EXPECT_EQ(ask(put("")).user_id, owner);
    // Who may use it as it is may still say whose it is.
    EXPECT_EQ(ask(put("ada")).user_id, "ada");
}

TEST_F(DeliveryPlaces, whoever_may_use_a_session_settles_whose_it_is_by_what_he_sends_into_it) {
    open();
    start();
    EXPECT_EQ(emit_one(Target::agent, Handler::system).scope.session_id, "s");
    EXPECT_EQ(ask(put("")).user_id, "ada");
    EXPECT_FALSE(ask(put("")).user_is_default);
}

TEST_F(DeliveryPlaces, a_session_in_which_something_waits_is_not_seized) {
    open();
    auto waits = draft(Target::agent, Handler::agent);  // without a record in the conversation
    waits->draft.scope.user_id.clear();
    ask(std::move(waits));
    EXPECT_FALSE(try_(put("mallory"), user("mallory")).ok());
}

TEST_F(DeliveryPlaces, what_its_agent_reports_is_no_word_about_whose_a_session_is) {
    open();
    start();
    call("look", ports::ToolCallStatus::success);
    EXPECT_TRUE(ask(put("")).user_is_default);
    EXPECT_EQ(ask(put("ada")).user_id, "ada");
}

TEST_F(DeliveryPlaces, a_session_in_which_a_turn_was_begun_is_not_seized_by_an_event) {
    listen({subscriber("all", "x.y")});
    open();
    start();
    auto command = std::make_unique<ports::EmitEvents>();
    command->entries.push_back({event_of_ada("x.y"), {}});
    model::Principal anybody;
    anybody.role = Role::emitter;
    ASSERT_TRUE(try_(std::move(command), anybody).ok());
    pass(seconds(10));
    EXPECT_NE(ask(put("")).user_id, "ada");
    EXPECT_TRUE(pull().items.empty());
}

TEST_F(DeliveryPlaces, a_session_that_only_has_a_name_goes_to_whoever_it_turns_out_to_be_of) {
    open();
    ask(put(""));
    EXPECT_EQ(ask(put("ada")).user_id, "ada");
    EXPECT_FALSE(try_(put("mallory"), user("mallory")).ok());
}

TEST_F(DeliveryPlaces, a_run_of_a_persons_own_token_proves_whose_its_session_is) {
    open();
    auto run = std::make_unique<ports::CreateRun>();
    run->session_id = "s";
    ASSERT_TRUE(try_(std::move(run), user("owner")).ok());
    EXPECT_FALSE(ask(put("")).user_is_default);
}

TEST_F(DeliveryPlaces, what_was_gathered_before_its_sessions_user_was_named_is_his) {
    listen({subscriber("all", "x.y")});
    open();
    auto command = std::make_unique<ports::EmitEvents>();
    command->entries.push_back({event_of_ada("x.y"), {}});
    command->entries.back().event->user_id.clear();
    ask(std::move(command));
    ask(put("ada"));
    const auto pulled = pull();
    ASSERT_EQ(pulled.items.size(), 1U);
    EXPECT_EQ(pulled.items[0].notification.scope.user_id, "ada");
    EXPECT_EQ(pulled.items[0].notification.scope.session_id, "s");
}

TEST_F(DeliveryPlaces, an_update_does_not_move_a_notification_into_another_users_session) {
    open();
    ask(put("bob"));
    emit_keyed("k", Target::agent, Handler::system, "");
    const Row moved = emit_keyed("k", Target::agent, Handler::system, "s");
    EXPECT_EQ(moved.version, 2);
    EXPECT_TRUE(moved.scope.session_id.empty());
    EXPECT_EQ(moved.address, Address::user);
}

TEST_F(DeliveryPlaces, a_key_is_no_way_into_a_session_that_a_token_has_no_part_in) {
    open();
    ask(put("ada"));
    const Row hers = emit_keyed("k", Target::agent, Handler::system, "hers");
    auto command = draft(Target::agent, Handler::system, "s");
    command->draft.deduplication_key = "k";
    const auto refused = try_(std::move(command), bound(Role::emitter, "s"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "deduplication_key");
    EXPECT_EQ(row(hers).version, 1);
}

TEST_F(DeliveryPlaces, an_agent_does_not_end_a_session) {
    open();
    ask(put("ada"));
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = "s";
    const auto refused = try_(std::move(command), bound(Role::agent, "s"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::forbidden);
}

// Chains

TEST_F(DeliveryPlaces, what_is_emitted_where_something_is_held_comes_of_it_and_a_chain_ends) {
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

TEST_F(DeliveryPlaces, what_another_emits_where_something_is_held_comes_of_nothing) {
    open();
    emit_one(Target::agent, Handler::agent);
    pull(InjectAt::turn_start);
    model::Principal program;
    program.id = "token:program";
    program.role = Role::service;
    const auto unrelated = try_(draft(Target::agent, Handler::agent), program);
    ASSERT_TRUE(unrelated.ok());
    EXPECT_EQ(unrelated->notification.depth, 0);
    EXPECT_FALSE(unrelated->notification.caused_by);
    const auto own = try_(draft(Target::agent, Handler::agent), bound(Role::agent, "s"));
    ASSERT_TRUE(own.ok());
    EXPECT_EQ(own->notification.depth, 1);
}

TEST_F(DeliveryPlaces, a_cause_is_found_in_any_session_of_the_user_and_in_no_other_users) {
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

TEST_F(DeliveryPlaces, what_a_turn_reports_goes_on_with_its_chain) {
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
        const ports::PullReply pulled = pull();
        auto report = call_of("tool" + std::to_string(i), ports::ToolCallStatus::success);
        report->pull_id = pulled.pull_id;
        ask(std::move(report));
        crash();  // depth is told by what is stored
        ask(end_of(pulled));
        ports::PullReply told = pull();
        depths.push_back(told.items.empty() ? 3 : told.items.front().notification.depth);
    }
    EXPECT_EQ(depths, (std::vector<std::int64_t>{1, 2, 3}));
}

// What remains

TEST_F(DeliveryPlaces, an_ended_session_keeps_nothing_of_its_agent) {
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

TEST_F(DeliveryPlaces, the_streams_of_an_erased_person_lose_his_name) {
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

TEST_F(DeliveryPlaces, a_window_is_built_anew_where_its_events_were_housed_elsewhere) {
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
