#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/changes_world_test.hpp"

// Wakes that are not taken, and wakes without a session in which their agent could be given anything.
namespace belfry::sim {
namespace {

class RejectedWakes : public Changes {
protected:
    static std::unique_ptr<ports::WakeAgent> wake_of(const std::string& request, const std::string& session = {}) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->principal = model::house_principal();
        command->agent_id = "fixer";
        command->request_id = request;
        command->session_id = session;
        if (!session.empty()) command->reason = model::WakeReason::user_initiated;
        return command;
    }
    void put_session(const std::string& id, const std::string& user) {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = id;
        command->user_id = user;
        ask(std::move(command));
    }
};

TEST_F(RejectedWakes, are_those_beyond_a_thousand_that_wait_for_one_agent) {
    make_agent("fixer");
    std::vector<ports::AnyCommand> group;
    for (std::size_t i = 0; i < base::limits::wakes_waiting_per_agent_max; ++i) {
        group.push_back(wake_of("r" + std::to_string(i)));
    }
    const auto effects = engine_->step(now_, std::move(group));
    for (const std::string session : {"", "s"}) {
        const auto rejected = try_to(wake_of("one more", session));
        ASSERT_FALSE(rejected.ok()) << session;
        EXPECT_EQ(rejected.error().code, base::Code::overloaded);
    }
    EXPECT_FALSE(ask(wake_of("r7")).is_new) << "one that waits is found again";
    make_agent("other");
    auto of_another = wake_of("r");
    of_another->agent_id = "other";
    EXPECT_TRUE(ask(std::move(of_another)).is_new);
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    end(granted->wake);
    EXPECT_TRUE(ask(wake_of("one more")).is_new);
}

// A caller gave the key of a turn to a run of its own. The session of this run then became another user's, and that
// user was erased.
TEST_F(RejectedWakes, are_those_of_a_turn_whose_session_is_gone) {
    make_agent("fixer", "", "owner");
    auto run = std::make_unique<ports::CreateRun>();
    run->agent_id = "fixer";
    run->session_id = "s";
    run->run_key = rules::turn_run_key("fixer", "s", "t");
    const model::Run made = ask(std::move(run)).run;
    ASSERT_EQ(made.user_id, "owner");
    put_session("s", "bob");
    erase_user("bob");
    const auto rejected = try_to(wake_of("t", "s"));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().field, "turn_id");
    EXPECT_EQ(rejected.error().reason, "taken");
    EXPECT_FALSE(claim("fixer")) << "there is no wake";
    const ports::AddedWake other = ask(wake_of("t2", "s"));
    EXPECT_NE(other.wake.run_id, made.id);
}

TEST_F(RejectedWakes, have_no_home_where_both_names_of_it_are_other_users_sessions) {
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->draft.id = "coach";
    agent->draft.user_id = "ada";
    agent->draft.workflow = model::WorkflowKind::script;
    agent->draft.workflow_settings = model::RawJson::trusted(R"({"steps":[{"do":"say","with":{"text":"x"}}]})");
    ask(std::move(agent));
    const auto grant_for = [this](const std::string& text) {
        auto emitted = std::make_unique<ports::EmitNotification>();
        emitted->draft.text = text;
        emitted->draft.scope.user_id = "ada";
        emitted->draft.scope.agent_id = "coach";
        emitted->draft.address = model::Address::user;
        emitted->draft.target = model::Target::user;
        emitted->draft.handler = model::Handler::agent;
        ask(std::move(emitted));
        live({});
        auto command = std::make_unique<ports::ClaimWake>();
        command->workflow = model::WorkflowKind::script;
        command->holder = "belfry";
        auto granted = ask(std::move(command)).grant;
        EXPECT_TRUE(granted.has_value());
        return granted.value_or(ports::WakeGrant{});
    };
    put_session("agent:coach", "bob");
    put_session("wake:1", "bob");
    const ports::WakeGrant first = grant_for("one");
    ASSERT_EQ(first.wake.id, 1);
    EXPECT_EQ(first.notifications.size(), 1U);
    EXPECT_EQ(first.home_session, "");
    auto back = std::make_unique<ports::CancelWake>();
    back->id = first.wake.id;
    ask(std::move(back));
    const ports::WakeGrant second = grant_for("two");
    EXPECT_EQ(second.home_session, "wake:" + std::to_string(second.wake.id));
}

}  // namespace
}  // namespace belfry::sim
