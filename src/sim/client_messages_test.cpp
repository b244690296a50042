#include "ports/commands/client_messages.hpp"

#include <set>

#include "model/session_stream.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/engine_world_test.hpp"

// What people say to agents, and what agents ask people, through the real engine and the real store, in time that the
// test gives.
namespace belfry::sim {
namespace {

using model::InteractionState;
using Words = std::vector<std::string>;

class ClientMessages : public EngineWorld {
protected:
    ClientMessages() {
        ada_.id = "token:ada";
        ada_.role = model::Role::user;
        ada_.user_id = "ada";
        bob_ = ada_;
        bob_.id = "token:bob";
        bob_.user_id = "bob";
    }

    void begin() {
        open();
        for (const char* const name : {"s", "t"}) {
            auto put = std::make_unique<ports::PutSession>();
            put->session_id = name;
            put->user_id = "ada";
            ask(std::move(put));
        }
    }

    template <class C>
    base::Result<typename C::Reply> ask_as(const model::Principal& who, std::unique_ptr<C> command) {
        command->principal = who;
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        effects_ = engine_->step(now_, std::move(group));
        return asked->result();
    }

    base::Result<ports::ClientReceipt> say(const std::string& text, const std::string& type = "user_input",
                                           const std::string& session = "s", std::uint8_t message_id = 0) {
        auto command = std::make_unique<ports::SendClientMessage>();
        command->message.session_id = session;
        command->message.message_type = type;
        command->message.timestamp = now_;
        command->message.payload = model::RawJson::trusted(text);
        if (message_id != 0) command->message.message_id.emplace().bytes[15] = message_id;
        return ask_as(ada_, std::move(command));
    }
    std::string refusal(const base::Result<ports::ClientReceipt>& result) {
        EXPECT_FALSE(result.ok());
        return result.ok() ? "" : result.error().message;
    }

    // The words of what was published in the last step or tending; beside a session's stream, which has no words.
    Words published(const std::string& type) {
        Words bodies;
        std::set<model::StreamId> sessions;
        for (const model::StreamInfo& stream : engine_->streams()) {
            if (model::is_session_stream(stream.name)) sessions.insert(stream.id);
        }
        for (const model::SharedBlock& block : effects_.published) {
            for (const model::LogEntry& entry : block->entries) {
                if (entry.facets.type == type && !sessions.contains(entry.stream)) bodies.emplace_back(entry.body);
            }
        }
        return bodies;
    }

    Words said(InjectAt point = InjectAt::after_tool, base::Duration lease = base::limits::lease_default) {
        Words words;
        last_ = pull(point, lease);
        for (const model::SessionMessage& one : last_.user_messages) words.push_back(one.content);
        return words;
    }
    std::int64_t acknowledge() {
        auto command = std::make_unique<ports::Acknowledge>();
        command->session_id = "s";
        command->pull_id = last_.pull_id;
        return ask(std::move(command)).acknowledged;
    }
    void report(ports::TurnEdge edge) {
        auto command = std::make_unique<ports::ReportTurn>();
        command->session_id = "s";
        command->edge = edge;
        (void)ask_as(model::house_principal(), std::move(command));
    }

    model::RunId make_run(const std::string& session) {
        auto command = std::make_unique<ports::CreateRun>();
        command->session_id = session;
        return ask(std::move(command)).run.id;
    }
    base::Result<model::Interaction> question_of_run(model::RunId run, const std::string& session) {
        auto command = std::make_unique<ports::AskInteraction>();
        command->draft.session_id = session;
        command->draft.message = "May I?";
        command->draft.tool_name = "rm";
        command->draft.run_id = run;
        return ask_as(model::house_principal(), std::move(command));
    }
    std::size_t requested_while_passing(base::Duration span) {
        std::size_t count = 0;
        now_ = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= now_) {
            effects_ = engine_->tend(now_);
            count += published("turn_requested").size();
        }
        return count;
    }

    model::Interaction question(const std::string& tool = "rm", base::Duration time = base::seconds(300),
                                const std::string& session = "s") {
        auto command = std::make_unique<ports::AskInteraction>();
        command->draft.session_id = session;
        command->draft.message = "May I?";
        command->draft.tool_name = tool;
        command->time = time;
        const auto asked = ask_as(model::house_principal(), std::move(command));
        EXPECT_TRUE(asked.ok()) << asked.error().message;
        return asked.ok() ? *asked : model::Interaction{};
    }
    base::Result<model::Interaction> decide(const model::Interaction& asked, const std::string& word,
                                            const model::Principal& who) {
        auto command = std::make_unique<ports::AnswerInteraction>();
        command->id = asked.id;
        command->answer.decision = word;
        return ask_as(who, std::move(command));
    }
    model::Interaction read(const model::Interaction& asked) {
        EXPECT_TRUE(store_->begin().ok());
        auto found = store_->interactions().find(asked.id);
        store_->rollback();
        return found.ok() && *found ? **found : model::Interaction{};
    }

    model::Principal ada_;
    model::Principal bob_;
    ports::PullReply last_;
    engine::Effects effects_;
};

TEST_F(ClientMessages, a_persons_word_waits_until_it_is_handed_over_and_confirmed) {
    begin();
    ASSERT_TRUE(say(R"({"text":"one"})").ok());
    ASSERT_TRUE(say(R"({"text":"two"})").ok());
    EXPECT_EQ(said(), (Words{"one", "two"}));
    EXPECT_EQ(said(InjectAt::turn_end), Words{}) << "they are under way";
    crash();
    EXPECT_EQ(said(InjectAt::immediate), Words{});
    pass(base::limits::lease_default);
    EXPECT_EQ(said(), (Words{"one", "two"})) << "nobody can be said to have got them";
    EXPECT_EQ(acknowledge(), 2);
    pass(base::hours(2));
    EXPECT_EQ(said(), Words{});
}

TEST_F(ClientMessages, a_turns_end_confirms_and_a_start_after_a_lost_turn_lets_go) {
    begin();
    report(ports::TurnEdge::start);
    ASSERT_TRUE(say(R"({"text":"one"})").ok());
    EXPECT_EQ(said(InjectAt::turn_start), (Words{"one"}));
    report(ports::TurnEdge::start);
    EXPECT_EQ(said(InjectAt::turn_start), (Words{"one"})) << "the turn that had it never ended";
    report(ports::TurnEdge::end);
    EXPECT_EQ(said(InjectAt::turn_start), Words{});
}

TEST_F(ClientMessages, a_turn_is_asked_for_unless_one_is_under_way_and_again_for_what_it_missed) {
    begin();
    ASSERT_TRUE(say(R"({"text":"one"})").ok());
    ASSERT_EQ(published("turn_requested").size(), 1U);
    EXPECT_NE(published("turn_requested")[0].find(R"("reason":"user_input")"), std::string::npos);
    report(ports::TurnEdge::start);
    EXPECT_EQ(said(InjectAt::turn_start), (Words{"one"}));
    ASSERT_TRUE(say(R"({"text":"two"})").ok());
    EXPECT_EQ(published("turn_requested"), Words{});
    report(ports::TurnEdge::end);
    EXPECT_EQ(published("turn_requested").size(), 1U);
    report(ports::TurnEdge::start);
    EXPECT_EQ(said(InjectAt::turn_start), (Words{"two"}));
    report(ports::TurnEdge::end);
    EXPECT_EQ(published("turn_requested"), Words{}) << "nothing waits any more";
}

TEST_F(ClientMessages, the_same_message_again_gets_the_receipt_of_then_for_a_day) {
    begin();
    const auto first = say(R"({"text":"once"})", "user_input", "s", 7);
    ASSERT_TRUE(first.ok());
    crash();
    const auto again = say(R"({"text":"once"})", "user_input", "s", 7);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->id, first->id);
    EXPECT_EQ(again->message, first->message);
    EXPECT_TRUE(again->replayed);
    EXPECT_EQ(said(), (Words{"once"}));
    EXPECT_FALSE(say(R"({"text":"other"})", "user_input", "s", 7).ok());
    pass(base::hours(25));
    ASSERT_TRUE(say(R"({"text":"other"})", "user_input", "s", 7).ok());
}

TEST_F(ClientMessages, a_refused_message_may_come_again_under_its_id) {
    begin();
    EXPECT_EQ(refusal(say(R"({"text":"x"})", "user_input", "nobody", 7)), "Session ID not found or invalid");
    EXPECT_TRUE(say(R"({"text":"x"})", "user_input", "s", 7).ok());
}

TEST_F(ClientMessages, only_whose_session_it_is_finds_it) {
    begin();
    ada_ = bob_;
    EXPECT_EQ(refusal(say(R"({"text":"x"})")), "Session ID not found or invalid");
    ada_.role = model::Role::emitter;
    EXPECT_EQ(refusal(say(R"({"text":"x"})")), "Session ID not found or invalid");
}

TEST_F(ClientMessages, too_many_that_wait_are_refused) {
    begin();
    for (std::size_t i = 0; i < base::limits::user_messages_waiting_max; ++i) {
        ASSERT_TRUE(say(R"({"text":"x"})").ok()) << i;
    }
    const auto one_more = say(R"({"text":"x"})");
    ASSERT_FALSE(one_more.ok());
    EXPECT_EQ(one_more.error().code, base::Code::overloaded);
    EXPECT_EQ(said().size(), base::limits::user_messages_pull_max);
}

TEST_F(ClientMessages, what_is_no_word_becomes_an_event) {
    begin();
    ASSERT_TRUE(say(R"({"status":"busy"})", "status_update").ok());
    ASSERT_EQ(published("client.status_update").size(), 1U);
    EXPECT_NE(published("client.status_update")[0].find(R"("payload":{"status":"busy"})"), std::string::npos);
    EXPECT_EQ(said(), Words{});
    EXPECT_EQ(refusal(say(R"({"action":"jump"})", "control_signal")), "action must be cancel, pause or resume");
    ASSERT_TRUE(say("{}", "control_signal").ok());
}

TEST_F(ClientMessages, a_control_signal_names_a_run_by_a_positive_integer) {
    begin();
    for (const std::string run : {"0", "-1", "1.5", R"("x")", "99999999999999999999"}) {
        const auto rejected = say(R"({"action":"cancel","run_id":)" + run + "}", "control_signal");
        ASSERT_FALSE(rejected.ok()) << run;
        EXPECT_EQ(rejected.error().code, base::Code::invalid) << run;
        EXPECT_EQ(rejected.error().field, "payload.run_id") << run;
    }
    const model::RunId run = make_run("s");
    EXPECT_TRUE(say(R"({"action":"cancel","run_id":)" + std::to_string(run) + "}", "control_signal").ok());
}

TEST_F(ClientMessages, a_question_of_who_works_in_no_session_is_of_no_run) {
    begin();
    model::Principal bound = model::house_principal();
    bound.bounds.agents = {"coach"};
    auto command = std::make_unique<ports::AskInteraction>();
    command->draft.session_id = "s";
    command->draft.message = "May I?";
    const auto asked = ask_as(bound, std::move(command));
    ASSERT_TRUE(asked.ok()) << asked.error().message;
    EXPECT_EQ(asked->run_id, 0);
}

TEST_F(ClientMessages, an_erased_person_leaves_neither_words_nor_questions) {
    begin();
    ASSERT_TRUE(say(R"({"text":"secret"})").ok());
    const model::Interaction asked = question();
    erase_user("ada");
    EXPECT_TRUE(read(asked).message.empty());
    EXPECT_EQ(said(), Words{});
}

TEST_F(ClientMessages, a_question_is_told_answered_once_and_told_again) {
    begin();
    const model::Interaction asked = question();
    EXPECT_EQ(asked.state, InteractionState::pending);
    ASSERT_EQ(published("interaction").size(), 1U);
    EXPECT_FALSE(decide(asked, "allow_once", bob_).ok());
    EXPECT_FALSE(decide(asked, "perhaps", ada_).ok());
    ASSERT_TRUE(decide(asked, "allow_once", ada_).ok());
    ASSERT_EQ(published("interaction_state").size(), 1U);
    EXPECT_NE(published("interaction_state")[0].find(R"("answer":{"decision":"allow_once"})"), std::string::npos);
    const auto second = decide(asked, "deny", ada_);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().message, "No pending confirmation for id: " + base::format_uuid(asked.id.uuid));
    EXPECT_EQ(read(asked).answered_by, "token:ada");
}

TEST_F(ClientMessages, no_answer_in_time_means_no_also_after_a_crash) {
    begin();
    const model::Interaction asked = question();
    pass(base::seconds(299));
    EXPECT_EQ(read(asked).state, InteractionState::pending);
    crash();
    pass(base::seconds(1));
    EXPECT_EQ(read(asked).state, InteractionState::expired);
    EXPECT_EQ(read(asked).answer->bytes(), R"({"decision":"deny"})");
    EXPECT_FALSE(decide(asked, "allow_once", ada_).ok());
}

TEST_F(ClientMessages, what_is_always_allowed_is_not_asked_again_in_that_session) {
    begin();
    ASSERT_TRUE(decide(question(), "always_allow", ada_).ok());
    const model::Interaction again = question();
    EXPECT_EQ(again.state, InteractionState::answered);
    EXPECT_EQ(again.answer->bytes(), R"({"decision":"always_allow","earlier":true})");
    EXPECT_EQ(question("mv").state, InteractionState::pending);
    EXPECT_EQ(question("rm", base::seconds(300), "t").state, InteractionState::pending);
}

TEST_F(ClientMessages, a_confirmation_by_message_counts_only_in_its_own_session) {
    begin();
    const model::Interaction asked = question();
    const std::string id = base::format_uuid(asked.id.uuid);
    const std::string payload = R"({"confirmation_id":")" + id + R"(","decision":"deny"})";
    EXPECT_EQ(refusal(say(payload, "tool_confirmation", "t")), "No pending confirmation for id: " + id);
    EXPECT_EQ(refusal(say(payload, "elicitation_response")), "payload.id must be given");
    EXPECT_EQ(refusal(say(R"({"id":"x","decision":"deny"})", "tool_confirmation")),
              "No pending confirmation for id: x");
    const auto receipt = say(payload, "tool_confirmation");
    ASSERT_TRUE(receipt.ok());
    EXPECT_EQ(receipt->id, asked.id.uuid);
    ada_.proof = model::Proof::peer;
    ada_.role = model::Role::admin;
    const model::Interaction other = question();
    EXPECT_FALSE(decide(other, "allow_once", ada_).ok()) << "the socket's user id alone";
}

TEST_F(ClientMessages, a_session_that_goes_takes_its_questions_along) {
    begin();
    question();
    auto gone = std::make_unique<ports::DeleteSession>();
    gone->session_id = "s";
    ASSERT_TRUE(ask_as(ada_, std::move(gone)).ok());
    ASSERT_EQ(published("interaction_state").size(), 1U);
    EXPECT_NE(published("interaction_state")[0].find(R"("state":"withdrawn")"), std::string::npos);
    EXPECT_EQ(refusal(say(R"({"text":"x"})")), "Session ID not found or invalid");
}

TEST_F(ClientMessages, a_question_stands_only_in_the_stream_of_a_run_of_its_session) {
    begin();
    const model::RunId elsewhere = make_run("t");
    const auto refused = question_of_run(elsewhere, "s");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "run_id");
    EXPECT_TRUE(question_of_run(make_run("s"), "s").ok());
    EXPECT_EQ(published("interaction.requested").size(), 1U);
}

TEST_F(ClientMessages, a_run_that_ends_takes_its_questions_along) {
    begin();
    const model::RunId run = make_run("s");
    const auto asked = question_of_run(run, "s");
    const model::Interaction other = question();
    crash();
    ASSERT_TRUE(say(R"({"action":"cancel"})", "control_signal").ok());
    ASSERT_EQ(published("interaction_state").size(), 1U);
    EXPECT_EQ(read(*asked).state, InteractionState::withdrawn);
    EXPECT_EQ(read(other).state, InteractionState::pending) << "of no run";
    EXPECT_FALSE(decide(*asked, "always_allow", ada_).ok());
}

TEST_F(ClientMessages, a_question_whose_time_is_over_is_not_withdrawn) {
    begin();
    const model::Interaction asked = question("rm", base::seconds(1));
    now_ = now_ + base::seconds(1);  // and the sweep has not come yet
    auto command = std::make_unique<ports::WithdrawInteraction>();
    command->id = asked.id;
    EXPECT_EQ(ask_as(model::house_principal(), std::move(command)).error().reason, "not_pending");
}

TEST_F(ClientMessages, a_deleted_sessions_questions_are_found_withdrawn_and_without_their_words) {
    begin();
    const model::Interaction asked = question();
    const model::Interaction allowed = question("mv");
    ASSERT_TRUE(decide(allowed, "always_allow", ada_).ok());
    auto gone = std::make_unique<ports::DeleteSession>();
    gone->session_id = "s";
    ASSERT_TRUE(ask_as(ada_, std::move(gone)).ok());
    EXPECT_EQ(read(asked).state, InteractionState::withdrawn);
    EXPECT_EQ(read(asked).session_id, "s");
    EXPECT_EQ(read(asked).message + read(asked).tool_name, "");
    EXPECT_EQ(read(allowed).session_id, "") << "it is gone";
}

TEST_F(ClientMessages, what_was_allowed_before_is_told_with_its_question) {
    begin();
    ASSERT_TRUE(decide(question(), "always_allow", ada_).ok());
    question();
    EXPECT_EQ(published("interaction").size(), 1U);
    EXPECT_EQ(published("interaction_state").size(), 1U);
}

TEST_F(ClientMessages, a_signal_and_its_receipt_agree) {
    begin();
    const model::RunId run = make_run("s");
    ada_.bounds.type_prefixes = {"app"};
    EXPECT_FALSE(say(R"({"status":"busy"})", "status_update").ok()) << "it may emit no such event";
    const auto receipt = say(R"({"action":"cancel"})", "control_signal", "s", 7);
    ASSERT_TRUE(receipt.ok()) << receipt.error().message;
    EXPECT_EQ(receipt->message, "Run " + std::to_string(run) + ": cancel");
    EXPECT_EQ(published("client.control_signal").size(), 1U);
    EXPECT_EQ(published("lifecycle.cancelled").size(), 1U);
    EXPECT_EQ(say(R"({"action":"cancel"})", "control_signal", "s", 7)->id, receipt->id);
}

TEST_F(ClientMessages, too_long_a_reason_stops_nothing) {
    begin();
    make_run("s");
    const auto refused = say(R"({"action":"cancel","reason":")" + std::string(501, 'x') + "\"}", "control_signal");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "payload.reason");
    EXPECT_TRUE(say(R"({"action":"cancel","reason":")" + std::string(500, 'x') + "\"}", "control_signal").ok());
}

TEST_F(ClientMessages, a_turn_whose_agent_is_not_heard_of_any_more_wakes_another_once) {
    begin();
    report(ports::TurnEdge::start);
    ASSERT_TRUE(say(R"({"text":"one"})").ok());
    EXPECT_EQ(published("turn_requested").size(), 0U) << "the turn that is under way will come by";
    EXPECT_EQ(requested_while_passing(base::seconds(899)), 0U);
    EXPECT_EQ(requested_while_passing(base::seconds(1)), 1U);
    EXPECT_EQ(requested_while_passing(base::hours(5)), 0U) << "once";
    crash();
    EXPECT_EQ(requested_while_passing(base::hours(5)), 0U) << "also after a crash";
    ASSERT_TRUE(say(R"({"text":"two"})").ok());
    EXPECT_EQ(published("turn_requested").size(), 1U) << "a new word asks at once";
}

TEST_F(ClientMessages, an_agent_that_goes_on_is_not_taken_for_dead_and_is_watched_again) {
    begin();
    report(ports::TurnEdge::start);
    ASSERT_TRUE(say(R"({"text":"one"})").ok());
    std::size_t requested = 0;
    for (int i = 0; i < 5; ++i) {
        auto beat = std::make_unique<ports::Heartbeat>();
        beat->session_id = "s";
        ask(std::move(beat));
        requested += requested_while_passing(base::seconds(800));
    }
    EXPECT_EQ(requested, 0U);
    EXPECT_EQ(requested_while_passing(base::seconds(100)), 1U);
    EXPECT_EQ(said(), (Words{"one"}));  // it comes by after all, and dies
    EXPECT_EQ(requested_while_passing(base::seconds(899)), 0U);
    crash();
    EXPECT_EQ(requested_while_passing(base::seconds(1)), 1U);
    EXPECT_EQ(said(), (Words{"one"}));
    EXPECT_EQ(acknowledge(), 1);
    EXPECT_EQ(requested_while_passing(base::hours(5)), 0U) << "nothing waits any more";
}

TEST_F(ClientMessages, an_interface_that_comes_is_told_of_what_is_pending) {
    begin();
    const model::Interaction asked = question();
    auto open = std::make_unique<ports::OpenInbox>();
    open->user_id = "ada";
    const auto opened = ask_as(ada_, std::move(open));
    ASSERT_TRUE(opened.ok());
    ASSERT_EQ(opened->questions.size(), 1U);
    EXPECT_EQ(opened->questions[0].id, asked.id);
    auto elsewhere = std::make_unique<ports::OpenInbox>();
    elsewhere->user_id = "bob";
    elsewhere->session_id = "s";
    EXPECT_EQ(ask_as(bob_, std::move(elsewhere)).error().code, base::Code::forbidden);
}

}  // namespace
}  // namespace belfry::sim
