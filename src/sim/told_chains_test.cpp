#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/changes_world_test.hpp"

// Chains of agents that tell one another something: through notifications, through what a turn reports, and through
// wakes of many signals.
namespace belfry::sim {
namespace {

using model::Handler;
using model::Role;
using model::WakeState;

// Coach and pupil of ada, each with a session of its own, and a worker with a token for each of them.
class ToldChains : public Changes {
protected:
    ToldChains() {
        for (const std::string agent : {"coach", "pupil"}) {
            settle_agent(agent);
            auto session = std::make_unique<ports::PutSession>();
            session->session_id = "of-" + agent;
            session->user_id = "ada";
            session->agent_id = agent;
            ask(std::move(session));
        }
    }
    static model::Principal worker(const std::string& name, Role role = Role::agent) {
        model::Principal who;
        who.id = "token:" + name;
        who.role = role;
        who.bounds.users = {"ada"};
        return who;
    }
    template <class C>
    base::Result<typename C::Reply> as(const model::Principal& who, std::unique_ptr<C> command) {
        command->principal = who;
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    // It is the agent's to see to: in its session, or (by its name) in none.
    static std::unique_ptr<ports::EmitNotification> told(const std::string& agent, bool in_session) {
        auto command = std::make_unique<ports::EmitNotification>();
        command->draft.text = "your turn";
        command->draft.scope = {"ada", in_session ? "of-" + agent : "", in_session ? "" : agent};
        command->draft.address = in_session ? model::Address::session : model::Address::user;
        command->draft.handler = Handler::agent;
        return command;
    }
    model::Notification tell(const model::Principal& who, const std::string& agent, bool in_session) {
        const auto made = as(who, told(agent, in_session));
        EXPECT_TRUE(made.ok()) << made.error().message;
        return made.ok() ? made->notification : model::Notification{};
    }
    std::optional<ports::WakeGrant> claim_as(const model::Principal& who, const std::string& agent) {
        live({});
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent};
        const auto reply = as(who, std::move(command));
        EXPECT_TRUE(reply.ok());
        return reply.ok() ? reply->grant : std::nullopt;
    }
    // Takes what waits for the agent, and has seen to it.
    void see_to(const model::Principal& who, const model::Wake& wake) {
        auto pull = std::make_unique<ports::PullNotifications>();
        pull->session_id = "of-" + wake.agent_id;
        pull->point = InjectAt::turn_start;
        EXPECT_TRUE(as(who, std::move(pull)).ok());
        for (const ports::TurnEdge edge : {ports::TurnEdge::start, ports::TurnEdge::end}) {
            auto turn = std::make_unique<ports::ReportTurn>();
            turn->session_id = "of-" + wake.agent_id;
            turn->edge = edge;
            EXPECT_TRUE(as(who, std::move(turn)).ok());
        }
    }
    void finish(const model::Principal& who, const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        EXPECT_TRUE(as(who, std::move(command)).ok());
    }
    static std::int64_t depth_of(const model::WakeSignal& signal) {
        const auto said = signal.body.member("chain_depth");
        return said ? std::stoll(std::string(said->text)) : 0;
    }
    // Each tells the other, until it is the person's to see.
    void tell_each_other(Role role, bool in_session, int crash_at) {
        std::vector<std::int64_t> depths;
        model::Notification last = tell(worker("ci", Role::service), "coach", in_session);
        for (int i = 0; last.handler == Handler::agent && i < 10; ++i) {
            const std::string agent = i % 2 == 0 ? "coach" : "pupil";
            const model::Principal who = worker(agent, role);
            const auto granted = claim_as(who, agent);
            ASSERT_TRUE(granted) << i;
            depths.push_back(depth_of(granted->signals.at(0)));
            if (i == crash_at) crash_and_open();
            see_to(who, granted->wake);
            last = tell(who, i % 2 == 0 ? "pupil" : "coach", in_session);
            finish(who, granted->wake);
        }
        EXPECT_EQ(depths, (std::vector<std::int64_t>{0, 1, 2}));
        EXPECT_EQ(last.depth, base::limits::chain_depth_max);
        EXPECT_EQ(last.target, model::Target::user) << "the person is told instead";
        live({});
        EXPECT_FALSE(claim_as(worker("pupil"), "pupil"));
    }
    void subscribe(const std::string& agent, const std::string& type) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = agent;
        command->draft.types = {type};
        command->draft.window = {};
        ask(std::move(command));
    }
    void emit_saying(const std::string& type, const std::string& depth, const std::string& agent = {}, int times = 1) {
        auto command = std::make_unique<ports::EmitEvents>();
        for (int i = 0; i < times; ++i) {
            model::Event event = event_of_ada(type);
            event.session_id.clear();
            event.agent_id = agent;
            if (!depth.empty()) event.extensions = R"("other":"x","chain_depth":)" + depth;
            command->entries.push_back({std::move(event), {}});
        }
        ask(std::move(command));
    }
};

TEST_F(ToldChains, through_sessions_have_an_end) {
    tell_each_other(Role::agent, true, -1);
}

TEST_F(ToldChains, without_sessions_have_an_end) {
    tell_each_other(Role::agent, false, -1);
}

TEST_F(ToldChains, of_workers_with_tokens_of_another_role_have_an_end) {
    tell_each_other(Role::service, false, -1);
}

TEST_F(ToldChains, are_not_forgotten_in_a_crash) {
    tell_each_other(Role::agent, false, 1);
}

TEST_F(ToldChains, are_not_shortened_by_a_cause_that_is_named) {
    const model::Notification first = tell(worker("ci", Role::service), "coach", false);
    auto second = told("coach", false);
    second->caused_by = base::format_uuid(first.id.uuid);
    ASSERT_EQ(as(worker("ci", Role::service), std::move(second))->notification.depth, 1);
    const model::Principal who = worker("coach");
    const auto granted = claim_as(who, "coach");
    ASSERT_TRUE(granted);
    auto named = told("pupil", false);
    named->caused_by = base::format_uuid(first.id.uuid);
    const auto made = as(who, std::move(named));
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->notification.depth, 2);
    EXPECT_EQ(made->notification.caused_by, first.id);
}

TEST_F(ToldChains, are_not_of_what_others_say_meanwhile) {
    wake_now("coach", "r");
    ASSERT_TRUE(claim_as(worker("coach"), "coach"));
    EXPECT_EQ(tell(worker("ci", Role::service), "pupil", true).depth, 0);
    EXPECT_EQ(tell(worker("pupil"), "pupil", false).depth, 0);
    EXPECT_EQ(tell(worker("coach"), "pupil", false).depth, 1);
}

TEST_F(ToldChains, go_on_through_what_a_turn_reports_whatever_name_it_gives_itself) {
    subscribe("pupil", "tool.call.success");
    const model::Notification first = tell(worker("ci", Role::service), "coach", true);
    auto second = told("coach", true);
    second->caused_by = base::format_uuid(first.id.uuid);
    ASSERT_EQ(as(worker("ci", Role::service), std::move(second))->notification.depth, 1);
    const model::Principal who = worker("coach");
    const auto granted = claim_as(who, "coach");
    ASSERT_TRUE(granted);
    see_to(who, granted->wake);  // nothing is held any more
    auto call = std::make_unique<ports::ReportToolCall>();
    call->session_id = "of-coach";
    call->agent_id = "somebody";
    call->tool_name = call->call_id = "t";
    call->status = ports::ToolCallStatus::success;
    call->payload = model::RawJson::trusted(R"({"tool_name":"t","call_id":"t","duration_ms":1})");
    ASSERT_TRUE(as(who, std::move(call)).ok());
    const auto woken = claim_as(worker("pupil"), "pupil");
    ASSERT_TRUE(woken);
    EXPECT_EQ(depth_of(woken->signals.at(0)), 2);
}

// What an event says of its own depth

TEST_F(ToldChains, are_not_shortened_by_what_an_event_says_of_itself) {
    subscribe("coach", "pupil.said");
    subscribe("pupil", "coach.said");
    emit_saying("pupil.said", "2");
    const auto coach = claim("coach");
    ASSERT_TRUE(coach);
    ASSERT_EQ(depth_of(coach->signals.at(0)), 2);
    for (const char* said : {"0", "1", "-9", "\"7\"", "null", "9999999999999999999999"}) {
        emit_saying("coach.said", said, "coach");
    }
    const auto pupil = claim("pupil");
    ASSERT_TRUE(pupil);
    ASSERT_EQ(pupil->signals.size(), 6U);
    for (const model::WakeSignal& signal : pupil->signals) {
        EXPECT_EQ(depth_of(signal), 3) << signal.body.bytes();
        const std::string_view body = signal.body.bytes();
        EXPECT_EQ(body.find("chain_depth"), body.rfind("chain_depth")) << "it stands there once";
        EXPECT_EQ(signal.body.member("other")->text, R"("x")");
    }
}

TEST_F(ToldChains, are_as_deep_as_an_event_says_where_that_is_deeper) {
    subscribe("coach", "pupil.said");
    subscribe("pupil", "coach.said");
    emit_saying("pupil.said", "");
    ASSERT_TRUE(claim("coach"));
    emit_saying("coach.said", "3", "coach");
    const auto pupil = claim("pupil");
    ASSERT_TRUE(pupil);
    EXPECT_EQ(depth_of(pupil->signals.at(0)), 3);
}

// Wakes of many signals

// How deep what coach changes is, told by pupil's signal.
#define EXPECT_DEPTH_OF_CHANGE(wake, depth)               \
    do {                                                  \
        watch("pupil", {"id:coach"});                     \
        ASSERT_TRUE(set_own_goal(wake, "x").ok());        \
        live(base::seconds(1));                           \
        const auto woken = claim("pupil");                \
        ASSERT_TRUE(woken);                               \
        EXPECT_EQ(depth_of(woken->signals.at(0)), depth); \
    } while (false)

TEST_F(ToldChains, are_told_by_the_last_of_many_signals_too) {
    subscribe("coach", "ci.failed");
    emit_saying("ci.failed", "", {}, 600);
    emit_saying("ci.failed", "2");
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->wake.signals, 601);
    crash_and_open();
    EXPECT_DEPTH_OF_CHANGE(granted->wake, 3);
}

TEST_F(ToldChains, are_told_by_what_comes_when_a_wake_is_full) {
    subscribe("coach", "ci.failed");
    for (int i = 0; i < 10; ++i) emit_saying("ci.failed", "", {}, base::limits::wake_signals_max / 10);
    crash_and_open();
    emit_saying("ci.failed", "1");
    emit_saying("ci.failed", "2");
    emit_saying("ci.failed", "2");
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->wake.signals, base::limits::wake_signals_max + 3);
    crash_and_open();
    ASSERT_TRUE(store_->begin().ok());
    const auto kept = store_->wakes().signals(granted->wake.id, base::limits::wake_signals_max, 10);
    store_->rollback();
    ASSERT_TRUE(kept.ok());
    EXPECT_EQ(kept->size(), 2U) << "the third goes no deeper";
    EXPECT_DEPTH_OF_CHANGE(granted->wake, 3);
}

TEST_F(ToldChains, are_told_by_what_was_folded_into_a_wake_by_hand) {
    subscribe("coach", "ci.failed");
    emit_saying("ci.failed", "2");
    crash_and_open();
    wake_now("coach", "r");
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->wake.signals, 2);
    EXPECT_DEPTH_OF_CHANGE(granted->wake, 3);
}

#undef EXPECT_DEPTH_OF_CHANGE

}  // namespace
}  // namespace belfry::sim
