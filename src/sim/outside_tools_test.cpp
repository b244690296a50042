#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "base/tool_limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// Tools that somebody outside carries out, through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

using model::OutsideCallState;
using model::ToolStatus;

class OutsideTools : public EngineWorld {
protected:
    OutsideTools() {
        open();
        make_agent("coach", {"tool:mail", "tool:hook"});
        put("mail", model::ToolRunner::worker);
        put("hook", model::ToolRunner::webhook);
    }

    void make_agent(const std::string& id, std::vector<std::string> capabilities) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.capabilities = std::move(capabilities);
        ask(std::move(command));
    }
    model::ToolInfo tool(const std::string& name, model::ToolRunner by) {
        model::ToolInfo made;
        made.name = name;
        made.impact = model::Impact::internal;
        made.schema = model::RawJson::trusted(
            R"({"type":"object","required":["to"],"properties":{"to":{"type":"string"}},"additionalProperties":false})");
        made.capabilities = {model::own_capability_of(name)};
        made.execution.by = by;
        if (by == model::ToolRunner::webhook) made.execution.url = "http://localhost:1/x";
        return made;
    }
    void put(const std::string& name, model::ToolRunner by) { put(tool(name, by)); }
    void put(model::ToolInfo made) {
        auto command = std::make_unique<ports::PutTool>();
        command->tool = std::move(made);
        ask(std::move(command));
    }

    void say_policy(model::ToolPolicy policy) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = "coach";
        command->patch.tool_policies = {{"mail", policy}};
        ask(std::move(command));
    }
    void name_session(const std::string& id) {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = id;
        command->user_id = "ada";
        ask(std::move(command));
    }
    void answer(const std::string& question, const std::string& word) {
        auto command = std::make_unique<ports::AnswerInteraction>();
        command->id = {*base::parse_uuid(question)};
        command->answer.decision = word;
        model::Principal ada;
        ada.id = "token:ada";
        ada.role = model::Role::user;
        ada.user_id = "ada";
        EXPECT_TRUE(try_to(std::move(command), ada).ok());
    }

    model::Wake wake(const std::string& request = "r", const std::string& session = {}) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = "coach";
        command->request_id = request;
        command->session_id = session;
        if (!session.empty()) command->reason = model::WakeReason::user_initiated;
        ask(std::move(command));
        return *claim_wake();
    }
    std::optional<model::Wake> claim_wake() {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"coach"};
        command->holder = "worker";
        command->lease = base::limits::wake_lease_max;
        auto grant = ask(std::move(command)).grant;
        return grant ? std::optional(grant->wake) : std::nullopt;
    }
    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command,
                                           const model::Principal& who = model::house_principal()) {
        command->principal = who;
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    base::Result<ports::CalledTool> call(const model::Wake& held, const std::string& operation,
                                         const std::string& name = "mail",
                                         const std::string& with = R"({"to":"bob"})") {
        auto command = std::make_unique<ports::CallTool>();
        command->id = held.id;
        command->fence = held.fence;
        command->operation_id = operation;
        command->call = ports::ToolWish{name, model::RawJson::trusted(with)};
        return try_to(std::move(command));
    }
    // Of a call that has a result: its error code, or nothing.
    std::string refusal(const model::Wake& held, const std::string& operation, const std::string& name = "mail",
                        const std::string& with = R"({"to":"bob"})") {
        const auto called = call(held, operation, name, with);
        EXPECT_TRUE(called.ok() && called->result);
        return called.ok() && called->result ? called->result->metadata.error_code : "none";
    }
    std::optional<model::OutsideCall> claim(std::vector<std::string> tools = {"mail"},
                                            const model::Principal& who = model::house_principal()) {
        auto command = std::make_unique<ports::ClaimOutsideCall>();
        command->tools = std::move(tools);
        command->holder = "h";
        auto reply = try_to(std::move(command), who);
        EXPECT_TRUE(reply.ok()) << reply.error().message;
        return reply.ok() ? reply->call : std::nullopt;
    }
    base::Result<model::OutsideCall> renew(const model::OutsideCall& held) {
        auto command = std::make_unique<ports::RenewOutsideCall>();
        command->id = held.id;
        command->fence = held.fence;
        return try_to(std::move(command));
    }
    base::Result<model::OutsideCall> end(const model::OutsideCall& held,
                                         std::optional<ports::OutsideCallError> error = {}, bool release = false) {
        auto command = std::make_unique<ports::EndOutsideCall>();
        command->id = held.id;
        command->fence = held.fence;
        command->result = model::RawJson::trusted(R"({"sent":true})");
        command->error = std::move(error);
        command->release = release;
        return try_to(std::move(command));
    }
    void end_wake(const model::Wake& held) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = held.id;
        command->fence = held.fence;
        EXPECT_TRUE(try_to(std::move(command)).ok());
    }
    // Whatever it leaves undone.
    void end_wake_anyhow(const model::Wake& held) {
        auto command = std::make_unique<ports::CancelWake>();
        command->id = held.id;
        ask(std::move(command));
    }
    std::vector<model::AgentMessage> thread(const model::Wake& held) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agent_messages().newest(held.thread_id, 100);
        store_->rollback();
        return found.ok() ? *found : std::vector<model::AgentMessage>{};
    }
    std::vector<model::AgentMessage> results(const model::Wake& held) {
        std::vector<model::AgentMessage> all = thread(held);
        std::erase_if(all, [](const auto& one) { return one.kind != model::AgentMessageKind::tool_result; });
        return all;
    }
    std::vector<ports::Obligation> owed() { return engine_->tend(now_).owed; }
};

TEST_F(OutsideTools, a_call_waits_for_a_worker_whose_result_completes_the_pair) {
    const model::Wake held = wake();
    const auto called = call(held, "op1");
    ASSERT_TRUE(called.ok()) << called.error().message;
    EXPECT_FALSE(called->result);
    ASSERT_TRUE(called->waits_for);
    EXPECT_EQ(called->waits_for->whom, ports::ToolWait::For::outside);
    const auto work = claim();
    ASSERT_TRUE(work);
    EXPECT_EQ(base::format_uuid(work->id.uuid), called->waits_for->id);
    EXPECT_EQ(work->operation_id, "op1");
    EXPECT_EQ(work->arguments.bytes(), R"({"to":"bob"})");
    EXPECT_FALSE(claim()) << "it is somebody's";
    const auto again = call(held, "op1");
    EXPECT_FALSE(again->is_new);
    EXPECT_TRUE(again->waits_for) << "still";
    ASSERT_TRUE(end(*work).ok());
    const auto done = call(held, "op1");
    ASSERT_TRUE(done.ok() && done->result);
    EXPECT_FALSE(done->waits_for);
    EXPECT_EQ(done->result->content.bytes(), R"({"sent":true})");
    EXPECT_EQ(done->result->metadata.status, ToolStatus::success);
    EXPECT_EQ(results(held).size(), 1U);
    EXPECT_EQ(end(*work).error().reason, "stale_claim") << "it has one end";
}

TEST_F(OutsideTools, what_crashes_at_any_step_loses_and_repeats_nothing) {
    const model::Wake held = wake();
    const auto called = call(held, "op1");
    crash();
    EXPECT_EQ(call(held, "op1")->waits_for->id, called->waits_for->id);
    const auto work = claim();
    ASSERT_TRUE(work);
    crash();
    EXPECT_FALSE(claim()) << "the claim is kept";
    ASSERT_TRUE(renew(*work).ok());
    crash();
    ASSERT_TRUE(end(*work).ok());
    crash();
    EXPECT_TRUE(call(held, "op1")->result);
    EXPECT_EQ(results(held).size(), 1U);
    EXPECT_FALSE(claim());
}

TEST_F(OutsideTools, a_call_whose_time_is_over_is_ended_by_the_claim_that_finds_it) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    now_ = now_ + base::limits::tool_time_default;  // and the clock of the engine has not been looked at
    (void)call(held, "op2");
    const auto work = claim();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->operation_id, "op2");
    const auto late = call(held, "op1");
    ASSERT_TRUE(late.ok() && late->result);
    EXPECT_EQ(late->result->metadata.error_code, "timed_out");
}

TEST_F(OutsideTools, a_call_that_belfry_carries_out_itself_is_ended_by_nobody_else) {
    const model::Wake held = wake();
    const auto called = call(held, "op1", "hook");
    ASSERT_TRUE(called.ok() && called->waits_for);
    const auto owed = this->owed();
    ASSERT_EQ(owed.size(), 1U);
    const auto end_as = [&](const model::Principal& who) {
        auto command = std::make_unique<ports::EndOutsideCall>();
        command->id = {*base::parse_uuid(called->waits_for->id)};
        command->fence = owed[0].fence;
        command->result = model::RawJson::trusted(R"({"sent":true})");
        return try_to(std::move(command), who);
    };
    model::Principal admin = model::house_principal();
    admin.id = "token:admin";
    const auto rejected = end_as(admin);
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().reason, "stale_claim");
    EXPECT_EQ(rejected.error().field, "id");
    EXPECT_TRUE(results(held).empty());
    EXPECT_TRUE(end_as(model::house_principal()).ok());
    EXPECT_EQ(results(held).size(), 1U);
}

TEST_F(OutsideTools, a_long_reason_of_a_failure_is_cut_between_two_letters) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    const auto work = claim();
    ASSERT_TRUE(work);
    std::string reason = "xx";
    while (reason.size() <= base::limits::agent_error_message_bytes_max) reason += "\u20ac";  // three bytes each
    ASSERT_TRUE(end(*work, ports::OutsideCallError{"broken", reason}).ok());
    const auto failed = call(held, "op1");
    ASSERT_TRUE(failed.ok() && failed->result);
    const std::string& told = failed->result->metadata.error_message;
    EXPECT_EQ(told, reason.substr(0, told.size()));
    EXPECT_EQ(told.size() % 3, 2U) << "whole letters";
    EXPECT_GT(told.size() + 3, base::limits::agent_error_message_bytes_max);
    EXPECT_LE(told.size(), base::limits::agent_error_message_bytes_max);
}

TEST_F(OutsideTools, what_is_asked_of_belfrys_own_tools_is_asked_of_others_too) {
    const model::Wake held = wake();
    EXPECT_EQ(refusal(held, "a", "mail", R"({})"), "invalid_arguments");
    EXPECT_EQ(refusal(held, "b", "mail", R"({"to":1})"), "invalid_arguments");
    EXPECT_EQ(refusal(held, "c", "mailx"), "unknown_tool");
    EXPECT_EQ(refusal(held, ""), "missing_operation_id");
    model::ToolInfo timed = tool("mail", model::ToolRunner::worker);
    timed.wake_reasons = {model::WakeReason::timer};
    put(timed);
    EXPECT_EQ(refusal(held, "d"), "not_permitted");
    put("other", model::ToolRunner::worker);
    EXPECT_EQ(refusal(held, "e", "other"), "not_permitted") << "the agent has no tool:other";
    put("plain", model::ToolRunner::nobody);
    EXPECT_EQ(refusal(held, "f", "plain"), "unknown_tool") << "it is only classified";
    EXPECT_EQ(results(held).size(), 7U);
    EXPECT_FALSE(claim({"mail", "other"})) << "nothing of it went out";
}

TEST_F(OutsideTools, what_is_felt_outside_is_the_persons_matter_before_anybody_carries_it_out) {
    for (const model::Impact impact : {model::Impact::internal, model::Impact::external}) {
        const bool is_external = impact == model::Impact::external;
        const std::string session = is_external ? "s2" : "s1";
        model::ToolInfo mail = tool("mail", model::ToolRunner::worker);
        mail.impact = impact;
        put(mail);
        name_session(session);
        auto note = std::make_unique<ports::EmitNotification>();
        note->draft.scope.user_id = "ada";
        note->draft.scope.session_id = session;
        note->draft.address = model::Address::session;
        note->draft.target = model::Target::agent;
        note->draft.handler = model::Handler::agent;
        note->draft.text = "the matter";
        const auto told = ask(std::move(note)).notification;
        const model::Wake held = wake("turn", session);
        auto pulled = std::make_unique<ports::PullNotifications>();
        pulled->session_id = session;
        ASSERT_EQ(ask(std::move(pulled)).items.size(), 1U);
        (void)call(held, session);
        ASSERT_TRUE(store_->begin().ok());
        const auto row = store_->notifications().find(told.id);
        store_->rollback();
        EXPECT_EQ((*row)->target, is_external ? model::Target::user : model::Target::agent);
        end_wake_anyhow(held);
    }
}

TEST_F(OutsideTools, nothing_goes_out_before_the_person_who_is_asked_says_yes) {
    say_policy(model::ToolPolicy::ask);
    name_session("s1");
    const model::Wake held = wake("turn", "s1");
    EXPECT_EQ(refusal(held, "wrong", "mail", "{}"), "invalid_arguments") << "nobody is asked about it";
    for (const std::string word : {"deny", "allow_once"}) {
        const auto asked = call(held, word);
        ASSERT_TRUE(asked.ok() && asked->waits_for);
        EXPECT_EQ(asked->waits_for->whom, ports::ToolWait::For::person);
        EXPECT_FALSE(claim()) << "he has not answered yet";
        const auto again = call(held, word);
        ASSERT_TRUE(again.ok() && again->waits_for);
        EXPECT_EQ(again->waits_for->id, asked->waits_for->id);
        answer(asked->waits_for->id, word);
        if (word == "deny") EXPECT_EQ(refusal(held, word), "denied");
        EXPECT_FALSE(claim()) << "it goes out when it is called again";
    }
    const auto out = call(held, "allow_once");
    ASSERT_TRUE(out.ok() && out->waits_for);
    EXPECT_EQ(out->waits_for->whom, ports::ToolWait::For::outside);
    const auto work = claim();
    ASSERT_TRUE(work);
    ASSERT_TRUE(end(*work).ok());
    const auto done = call(held, "allow_once");
    ASSERT_TRUE(done.ok() && done->result);
    EXPECT_EQ(done->result->content.bytes(), R"({"sent":true})");
    EXPECT_FALSE(claim()) << "once";
}

TEST_F(OutsideTools, what_cannot_be_tried_is_not_proposed_and_does_not_go_out) {
    say_policy(model::ToolPolicy::propose);
    const model::Wake held = wake();
    EXPECT_EQ(refusal(held, "op1"), "cannot_be_proposed");
    EXPECT_EQ(refusal(held, "op2", "mail", "{}"), "invalid_arguments");
    say_policy(model::ToolPolicy::ask);
    EXPECT_EQ(refusal(held, "op3"), "cannot_be_proposed") << "nobody hears the question";
    EXPECT_FALSE(claim());
    say_policy(model::ToolPolicy::run);
    EXPECT_TRUE(call(held, "op4")->waits_for);
    EXPECT_TRUE(claim());
}

TEST_F(OutsideTools, a_lease_that_runs_out_makes_it_claimable_again_so_often) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    std::int64_t fence = 0;
    model::OutsideCall first;
    model::ToolInfo patient = tool("mail", model::ToolRunner::worker);
    for (std::int64_t i = 1; i <= base::limits::tool_attempts_max; ++i) {
        auto command = std::make_unique<ports::ClaimOutsideCall>();
        command->tools = {"mail"};
        command->lease = base::seconds(2);
        const auto work = try_to(std::move(command))->call;
        ASSERT_TRUE(work) << i;
        if (i == 1) first = *work;
        EXPECT_EQ(work->operation_id, "op1");
        EXPECT_EQ(work->attempts, i);
        EXPECT_GT(work->fence, fence);
        fence = work->fence;
        pass(base::seconds(3));
    }
    EXPECT_EQ(end(first).error().reason, "stale_claim");
    EXPECT_FALSE(claim());
    const auto done = call(held, "op1");
    ASSERT_TRUE(done->result);
    EXPECT_EQ(done->result->metadata.error_code, "tool_unavailable");
}

TEST_F(OutsideTools, whoever_was_overtaken_cannot_renew_or_end_it) {
    const model::Wake held = wake();
    model::ToolInfo patient = tool("mail", model::ToolRunner::worker);
    patient.execution.time_max = base::seconds(600);
    put(patient);
    (void)call(held, "op1");
    const auto first = claim();
    pass(base::seconds(61));
    const auto second = claim();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(renew(*first).error().reason, "stale_claim");
    EXPECT_EQ(end(*first).error().reason, "stale_claim");
    ASSERT_TRUE(end(*second, ports::OutsideCallError{"full", "the mailbox is full"}).ok());
    const auto done = call(held, "op1");
    EXPECT_EQ(done->result->metadata.error_code, "full");
    EXPECT_EQ(done->result->metadata.error_message, "the mailbox is full");
}

TEST_F(OutsideTools, what_has_no_result_in_its_time_has_timed_out_and_a_late_end_is_refused) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    const auto work = claim();
    pass(base::seconds(59));
    ASSERT_TRUE(work);
    EXPECT_EQ(call(held, "op1")->result, std::nullopt);
    pass(base::seconds(2));
    EXPECT_EQ(call(held, "op1")->result->metadata.error_code, "timed_out");
    EXPECT_EQ(end(*work).error().reason, "stale_claim");
    EXPECT_EQ(results(held).size(), 1U);
    (void)call(held, "op2");
    pass(base::seconds(61));
    EXPECT_FALSE(claim()) << "nor is one begun whose time is over";
    EXPECT_EQ(call(held, "op2")->result->metadata.error_code, "timed_out");
}

TEST_F(OutsideTools, what_is_given_back_is_the_next_ones_and_costs_no_attempt) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    for (int i = 0; i < 7; ++i) {
        const auto work = claim();
        ASSERT_TRUE(work) << i;
        EXPECT_EQ(work->attempts, 1);
        ASSERT_TRUE(end(*work, {}, true).ok());
    }
}

TEST_F(OutsideTools, the_end_of_a_run_abandons_what_nobody_has_begun_and_waits_for_the_rest) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    (void)call(held, "op2");
    const auto work = claim();
    ASSERT_TRUE(work);
    end_wake(held);
    auto said = results(held);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].metadata.error_code, "abandoned");
    EXPECT_EQ(said[0].metadata.operation_id, "op2");
    EXPECT_FALSE(claim());
    crash();
    ASSERT_TRUE(end(*work).ok()) << "the pair is completed all the same";
    said = results(held);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0].metadata.operation_id, "op1");
    EXPECT_EQ(said[0].metadata.status, ToolStatus::success);
}

TEST_F(OutsideTools, what_comes_back_after_the_end_of_the_run_is_abandoned) {
    const model::Wake held = wake();
    model::ToolInfo patient = tool("mail", model::ToolRunner::worker);
    patient.execution.time_max = base::seconds(600);
    put(patient);
    (void)call(held, "op1");
    const auto work = claim();
    end_wake(held);
    EXPECT_TRUE(results(held).empty());
    pass(base::seconds(61));
    ASSERT_EQ(results(held).size(), 1U);
    EXPECT_EQ(results(held)[0].metadata.error_code, "abandoned");
    EXPECT_FALSE(claim());
}

TEST_F(OutsideTools, a_result_that_the_agents_worker_has_told_himself_stays_and_hinders_no_end) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    (void)call(held, "op2");
    const auto work = claim();
    ASSERT_TRUE(work);
    auto command = std::make_unique<ports::AppendAgentMessages>();
    command->id = held.id;
    command->fence = held.fence;
    for (const char* const operation : {"op1", "op2"}) {
        model::AgentMessage told;
        told.kind = model::AgentMessageKind::tool_result;
        told.metadata.operation_id = operation;
        told.metadata.status = ToolStatus::error;
        told.metadata.error_code = "impatient";
        told.tool_result.emplace();
        command->drafts.push_back(std::move(told));
    }
    ASSERT_TRUE(try_to(std::move(command)).ok());
    EXPECT_TRUE(end(*work).ok());
    end_wake(held);
    const auto said = results(held);
    ASSERT_EQ(said.size(), 2U);
    for (const model::AgentMessage& one : said) EXPECT_EQ(one.metadata.error_code, "impatient");
    EXPECT_FALSE(claim());
}

TEST_F(OutsideTools, another_claim_of_the_same_wake_finds_the_call_where_it_stands) {
    const model::Wake held = wake();
    const auto called = call(held, "op1");
    auto give_back = std::make_unique<ports::EndWake>();
    give_back->id = held.id;
    give_back->fence = held.fence;
    give_back->release = true;
    ASSERT_TRUE(try_to(std::move(give_back)).ok());
    const auto work = claim();
    ASSERT_TRUE(end(*work).ok()) << "while nobody has the wake";
    const auto next = claim_wake();
    ASSERT_TRUE(next);
    EXPECT_EQ(call(held, "op1").error().reason, "stale_claim");
    const auto done = call(*next, "op1");
    ASSERT_TRUE(done.ok() && done->result);
    EXPECT_EQ(done->action.id, called->action.id);
}

TEST_F(OutsideTools, a_webhook_is_owed_and_its_answer_ends_both_at_once) {
    const model::Wake held = wake();
    const auto called = call(held, "op1", "hook");
    ASSERT_TRUE(called->waits_for);
    auto owed_now = owed();
    ASSERT_EQ(owed_now.size(), 1U);
    EXPECT_EQ(owed_now[0].kind, "tool_call");
    EXPECT_EQ(base::format_uuid(owed_now[0].id), called->waits_for->id);
    crash();
    owed_now = owed();
    ASSERT_EQ(owed_now.size(), 1U) << "it is owed after a crash, too";
    model::OutsideCall asked;
    asked.id.uuid = owed_now[0].id;
    asked.fence = owed_now[0].fence - 1;
    EXPECT_EQ(end(asked).error().reason, "not_held") << "somebody else has it by now";
    asked.fence = owed_now[0].fence;
    ASSERT_TRUE(end(asked).ok());
    EXPECT_EQ(call(held, "op1", "hook")->result->content.bytes(), R"({"sent":true})");
    pass(base::hours(1));
    EXPECT_TRUE(owed().empty());
    EXPECT_EQ(results(held).size(), 1U);
}

TEST_F(OutsideTools, a_webhook_that_fails_is_owed_again_after_a_pause_until_its_time_is_over) {
    const model::Wake held = wake();
    (void)call(held, "op1", "hook");
    int times = 0;
    for (int second = 0; second < 70; ++second) {
        const auto effects = engine_->tend(now_);
        for (const ports::Obligation& one : effects.owed) {
            ++times;
            auto later = std::make_unique<ports::PostponeObligation>();
            later->obligation = one.id;
            later->fence = one.fence;
            later->reason = "503";
            ask(std::move(later));
        }
        now_ = now_ + base::seconds(1);
    }
    EXPECT_GE(times, 5);
    EXPECT_LE(times, 10) << "after longer and longer pauses";
    EXPECT_EQ(call(held, "op1", "hook")->result->metadata.error_code, "timed_out");
}

TEST_F(OutsideTools, a_webhook_that_nobody_began_with_is_abandoned_with_its_run) {
    const model::Wake held = wake();
    (void)call(held, "op1", "hook");
    end_wake(held);
    ASSERT_EQ(results(held).size(), 1U);
    EXPECT_EQ(results(held)[0].metadata.error_code, "abandoned");
    const model::Wake second = wake("r2");
    (void)call(second, "op2", "hook");
    const auto owed_now = owed();
    ASSERT_FALSE(owed_now.empty());
    end_wake(second);
    EXPECT_TRUE(results(second).empty()) << "it is under way";
}

TEST_F(OutsideTools, whoever_may_not_work_for_the_user_finds_no_calls) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    model::Principal other;
    other.id = "token:bob";
    other.role = model::Role::agent;
    other.bounds.users = {"bob"};
    EXPECT_FALSE(claim({"mail"}, other));
    const auto work = claim();
    auto command = std::make_unique<ports::EndOutsideCall>();
    command->id = work->id;
    command->fence = work->fence;
    EXPECT_EQ(try_to(std::move(command), other).error().code, base::Code::not_found);
    other.bounds.users = {"bob", "ada"};
    ASSERT_TRUE(end(*work, {}, true).ok());
    EXPECT_TRUE(claim({"mail"}, other));
    other.bounds = {};
    other.bounds.sessions = {"s"};
    auto bound = std::make_unique<ports::ClaimOutsideCall>();
    bound->tools = {"mail"};
    EXPECT_EQ(try_to(std::move(bound), other).error().code, base::Code::forbidden);
}

TEST_F(OutsideTools, names_of_belfrys_own_are_reserved_and_only_an_admin_names_a_webhook) {
    for (const char* name : {"create_task", "notify_user"}) {
        auto command = std::make_unique<ports::PutTool>();
        command->tool = tool(name, model::ToolRunner::worker);
        EXPECT_EQ(try_to(std::move(command)).error().reason, "reserved") << name;
    }
    auto broken = std::make_unique<ports::PutTool>();
    broken->tool = tool("x", model::ToolRunner::worker);
    broken->tool.schema = model::RawJson::trusted(R"({"properties":{"a":{"type":"strange"}}})");
    EXPECT_EQ(try_to(std::move(broken)).error().field, "schema.properties.a.type");
    model::Principal service;
    service.id = "token:s";
    service.role = model::Role::service;
    auto hook = std::make_unique<ports::PutTool>();
    hook->tool = tool("y", model::ToolRunner::webhook);
    EXPECT_EQ(try_to(std::move(hook), service).error().code, base::Code::forbidden);
    auto work = std::make_unique<ports::PutTool>();
    work->tool = tool("y", model::ToolRunner::worker);
    EXPECT_TRUE(try_to(std::move(work), service).ok());
    // Nor does anybody else put his own in its place.
    auto named = std::make_unique<ports::PutTool>();
    named->tool = tool("z", model::ToolRunner::webhook);
    EXPECT_TRUE(try_to(std::move(named)).ok());
    auto instead = std::make_unique<ports::PutTool>();
    instead->tool = tool("z", model::ToolRunner::worker);
    EXPECT_EQ(try_to(std::move(instead), service).error().code, base::Code::forbidden);
    auto gone = std::make_unique<ports::DeleteTool>();
    gone->name = "z";
    EXPECT_EQ(try_to(std::move(gone), service).error().code, base::Code::forbidden);
    // One that agents could not name is not registered to be called.
    auto longest = std::make_unique<ports::PutTool>();
    longest->tool = tool(std::string(196, 'n'), model::ToolRunner::worker);
    EXPECT_EQ(try_to(std::move(longest)).error().field, "name");
}

TEST_F(OutsideTools, a_language_model_is_offered_what_its_agent_may_call) {
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->draft.id = "talker";
    agent->draft.user_id = "ada";
    agent->draft.capabilities = {"tool:classified", "tool:mail", "tool:no.name.of.models"};
    agent->draft.workflow = model::WorkflowKind::model;
    agent->draft.workflow_settings = model::RawJson::trusted(R"({"base_url":"http://127.0.0.1:1/v1","model":"m"})");
    ask(std::move(agent));
    put("classified", model::ToolRunner::nobody);
    put("no.name.of.models", model::ToolRunner::worker);
    auto woken = std::make_unique<ports::WakeAgent>();
    woken->agent_id = "talker";
    woken->request_id = "r";
    ask(std::move(woken));
    auto command = std::make_unique<ports::ClaimWake>();
    command->workflow = model::WorkflowKind::model;
    const auto reply = ask(std::move(command));
    ASSERT_TRUE(reply.grant);
    ASSERT_EQ(reply.grant->tools.size(), 1U);
    EXPECT_EQ(reply.grant->tools[0], [&] {
        model::ToolInfo mail = tool("mail", model::ToolRunner::worker);
        mail.updated_at = reply.grant->tools[0].updated_at;
        return mail;
    }());
}

TEST_F(OutsideTools, calls_go_with_their_wake_and_with_their_user) {
    const model::Wake held = wake();
    (void)call(held, "op1");
    const auto work = claim();
    ASSERT_TRUE(end(*work).ok());
    end_wake(held);
    const auto is_there = [&] {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->outside_calls().find(work->id);
        store_->rollback();
        return found.ok() && found->has_value();
    };
    EXPECT_TRUE(is_there());
    pass(base::limits::wakes_kept + base::hours(2));
    EXPECT_FALSE(is_there());
    const model::Wake second = wake("r2");
    (void)call(second, "op2");
    erase_user("ada");
    pass(base::hours(2));
    EXPECT_FALSE(claim());
}

}  // namespace
}  // namespace belfry::sim
