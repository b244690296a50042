#include "sim/memory_world_test.hpp"

namespace belfry::sim {
namespace {

using model::FoldFault;
using model::FoldState;
using model::Summarizer;

class Folding : public MemoryWorld {
protected:
    Folding() { open(); }

    // Five thoughts of an agent that wants four: three are to be folded.
    struct Five {
        model::Wake wake;
        Messages said;
    };
    Five say_five(model::MemorySettings memory = wants_hot(4)) {
        make_agent(std::move(memory));
        Five five{begin({}, base::minutes(9)), {}};
        five.said = say(five.wake, {"one", "two", "three", "four", "five"});
        return five;
    }
    void put(const model::AgentThread& thread) {
        ASSERT_TRUE(store_->begin().ok());
        ASSERT_TRUE(store_->memory().put_thread(thread).ok());
        ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }
};

TEST_F(Folding, is_due_when_more_is_hot_than_the_agent_wants) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin();
    const Messages four = say(wake, {"one", "two", "three", "four"});
    EXPECT_FALSE(effects_.has_folds);
    EXPECT_FALSE(claim_fold()) << "it wants as many";
    say(wake, {"five"});
    EXPECT_TRUE(effects_.has_folds) << "whoever folds is told";
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.thread_id, wake.thread_id);
    EXPECT_EQ(grant->job.start_message_id, four[0].id);
    EXPECT_EQ(grant->job.end_message_id, four[2].id) << "half of what it wants stays";
    EXPECT_EQ(grant->job.messages, 3);
    EXPECT_EQ(grant->job.attempts, 1);
    EXPECT_EQ(grant->agent.agent.id, "fixer");
    EXPECT_FALSE(claim_fold()) << "one of a thread at a time";
}

TEST_F(Folding, is_due_when_it_is_too_many_tokens) {
    model::MemorySettings memory;
    memory.hot_tokens = 100;
    make_agent(memory);
    const model::Wake wake = begin();
    say(wake, {"one", "two"}, 50);
    EXPECT_FALSE(claim_fold());
    say(wake, {"three"}, 1);
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.messages, 2) << "half of the tokens stay, and the second does not fit in it";
}

TEST_F(Folding, moves_the_pointers_with_the_summary) {
    const Five five = say_five();
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(thread(five.wake.thread_id).folded_through, 0) << "not before it is there";
    const auto done = finish(*grant, summary_of("three thoughts"));
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->state, FoldState::done);
    const base::Uuid id = rules::summary_id("fixer", five.wake.thread_id, 1, five.said[0].id, five.said[2].id);
    EXPECT_EQ(done->summary_id, id);
    const auto stored = message(id);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->kind, model::AgentMessageKind::summary);
    EXPECT_EQ(stored->summary_start_message_id, five.said[0].id);
    EXPECT_EQ(stored->summary_end_message_id, five.said[2].id);
    EXPECT_EQ(stored->summary_depth, 1);
    EXPECT_EQ(model::memory_summary_of(stored->content.view()), summary_of("three thoughts"));
    const model::AgentThread now = thread(five.wake.thread_id);
    EXPECT_EQ(now.folded_through, five.said[2].position);
    EXPECT_EQ(now.messages, 5);
    EXPECT_EQ(now.hot_messages, 2);
    EXPECT_EQ(now.hot_tokens, 20);
    EXPECT_EQ(agent().state.latest_summary_message_id, id);
    EXPECT_EQ(agent().runtime.hot_message_count, 2);
    ASSERT_EQ(unfolded().size(), 1U);
    EXPECT_EQ(unfolded()[0].message_id, id);
    EXPECT_EQ(unfolded()[0].start_position, five.said[0].position);
    EXPECT_EQ(unfolded()[0].end_position, five.said[2].position);
    EXPECT_FALSE(open_job(five.wake.thread_id));
}

TEST_F(Folding, that_fails_changes_nothing_and_comes_again_later_then_by_rules_and_is_given_up) {
    const Five five = say_five(by_model(4));
    const model::AgentThread before = thread(five.wake.thread_id);
    base::Duration pause = limits::fold_pause_first;
    for (std::int64_t attempt = 1; attempt <= limits::fold_attempts_max; ++attempt) {
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant) << attempt;
        EXPECT_EQ(grant->job.attempts, attempt);
        const bool by_model = attempt <= limits::fold_model_attempts_max;
        EXPECT_EQ(grant->job.summarizer, by_model ? Summarizer::model : Summarizer::rules) << attempt;
        const auto failed = fail(*grant, FoldFault::passing);
        ASSERT_TRUE(failed.ok());
        EXPECT_EQ(failed->last_error, "it did not answer");
        EXPECT_EQ(thread(five.wake.thread_id), before);
        EXPECT_TRUE(unfolded().empty());
        if (attempt == limits::fold_attempts_max) break;
        EXPECT_EQ(failed->state, FoldState::pending);
        if (attempt != limits::fold_model_attempts_max) {
            EXPECT_EQ(failed->next_attempt_at, now_ + pause) << attempt;
            EXPECT_FALSE(claim_fold()) << "it rests";
            pass(pause);
        }
        pause = pause * 2;
    }
    const auto given_up = open_job(five.wake.thread_id);
    ASSERT_TRUE(given_up);
    EXPECT_EQ(given_up->state, FoldState::failed_terminal);
    say(five.wake, {"six"});
    pass(base::days(2));
    EXPECT_FALSE(claim_fold()) << "until somebody starts it again, nothing of the thread is tried";
    const model::FoldJob again = restart(*given_up);
    EXPECT_EQ(again.state, FoldState::pending);
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.attempts, 1);
    EXPECT_EQ(grant->job.summarizer, Summarizer::model);
    EXPECT_EQ(finish(*grant, summary_of("at last"))->state, FoldState::done);
    EXPECT_EQ(restart(grant->job).state, FoldState::done) << "one that is done is left alone";
}

TEST_F(Folding, that_a_model_refuses_is_done_by_rules_at_once) {
    say_five(by_model(4));
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    const auto refused = fail(*grant, FoldFault::refused);
    ASSERT_TRUE(refused.ok());
    EXPECT_TRUE(effects_.has_folds);
    const Grant next = claim_fold();
    ASSERT_TRUE(next) << "without a pause";
    EXPECT_EQ(next->job.summarizer, Summarizer::rules);
}

TEST_F(Folding, takes_no_summary_that_is_none) {
    const Five five = say_five();
    const model::AgentThread before = thread(five.wake.thread_id);
    const Grant empty = claim_fold();
    ASSERT_TRUE(empty);
    auto after = finish(*empty, summary_of(" \n"));
    ASSERT_TRUE(after.ok()) << "it is a failed attempt, not a wrong command";
    EXPECT_EQ(after->state, FoldState::pending);
    EXPECT_EQ(after->last_error, "text must not be empty");
    pass(limits::fold_pause_first);
    const Grant long_one = claim_fold();
    ASSERT_TRUE(long_one);
    after = finish(*long_one, summary_of(std::string(limits::summary_text_bytes_max + 1, 'x')));
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->last_error, "text is longer than " + std::to_string(limits::summary_text_bytes_max) + " bytes");
    EXPECT_EQ(thread(five.wake.thread_id), before);
    EXPECT_TRUE(unfolded().empty());
    EXPECT_EQ(all_of(five.wake.thread_id).size(), 5U);
}

TEST_F(Folding, is_fenced_by_its_claim) {
    const Five five = say_five();
    const Grant late = claim_fold();
    ASSERT_TRUE(late);
    pass(limits::fold_lease);
    EXPECT_EQ(finish(*late, summary_of("late")).error().reason, "stale_claim");
    const Grant next = claim_fold();
    ASSERT_TRUE(next) << "who is lost has not failed: it goes on at once";
    EXPECT_EQ(next->job.id, late->job.id);
    EXPECT_EQ(next->job.attempts, 2);
    EXPECT_EQ(finish(*late, summary_of("later")).error().reason, "stale_claim");
    EXPECT_EQ(fail(*late, FoldFault::passing).error().reason, "stale_claim");
    EXPECT_TRUE(unfolded().empty());
    EXPECT_EQ(finish(*next, summary_of("in time"))->state, FoldState::done);
    EXPECT_EQ(finish(*late, summary_of("long after")).error().reason, "stale_claim");
    EXPECT_EQ(all_of(five.wake.thread_id).size(), 6U);
}

TEST_F(Folding, of_the_same_span_twice_gives_one_summary) {
    const Five five = say_five();
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    ASSERT_TRUE(finish(*grant, summary_of("once")).ok());
    const auto again = finish(*grant, summary_of("twice"));
    ASSERT_TRUE(again.ok()) << "whoever has not heard the answer asks again";
    EXPECT_EQ(again->state, FoldState::done);
    const Messages all = all_of(five.wake.thread_id);
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(model::memory_summary_of(all[5].content.view())->text, "once");
    EXPECT_EQ(unfolded().size(), 1U);
}

TEST_F(Folding, takes_the_summary_that_another_device_has_made) {
    const Five five = say_five();
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    // It came by another way, with all that it says of itself.
    model::AgentMessage theirs;
    theirs.id = rules::summary_id("fixer", five.wake.thread_id, 1, five.said[0].id, five.said[2].id);
    theirs.agent_id = "fixer";
    theirs.thread_id = five.wake.thread_id;
    theirs.kind = model::AgentMessageKind::summary;
    theirs.position = five.said[4].position + 1;
    theirs.created_at = now_;
    theirs.summary_start_message_id = five.said[0].id;
    theirs.summary_end_message_id = five.said[2].id;
    theirs.summary_depth = 1;
    theirs.content = model::RawJson::trusted(R"({"text":"theirs"})");
    ASSERT_TRUE(store_->begin().ok());
    ASSERT_TRUE(store_->agent_messages().add(std::span(&theirs, 1)).ok());
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    crash();
    const auto done = finish(*grant, summary_of("ours"));
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->summary_id, theirs.id);
    EXPECT_EQ(message(theirs.id)->content, theirs.content);
    EXPECT_EQ(all_of(five.wake.thread_id).size(), 6U);
    EXPECT_EQ(thread(five.wake.thread_id).folded_through, five.said[2].position);
    ASSERT_EQ(unfolded().size(), 1U);
}

TEST_F(Folding, takes_the_whole_of_a_thread_whose_run_has_ended) {
    make_agent();
    const model::Wake wake = begin();
    say(wake, {"one", "two"});
    EXPECT_FALSE(claim_fold());
    end(wake);
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.messages, 2);
    ASSERT_TRUE(finish(*grant, summary_of("both")).ok());
    EXPECT_EQ(thread(wake.thread_id).hot_messages, 0);
    EXPECT_TRUE(thread(wake.thread_id).is_closed);
    pass(base::days(1));
    EXPECT_FALSE(claim_fold());
}

TEST_F(Folding, takes_the_whole_of_a_session_in_which_nobody_speaks_any_more) {
    make_agent();
    name_session();
    const model::Wake wake = begin("s");
    say(wake, {"one", "two"});
    end(wake);
    EXPECT_FALSE(claim_fold()) << "more may be said";
    pass(limits::thread_idle_before_fold - base::minutes(1));
    EXPECT_FALSE(claim_fold());
    pass(base::minutes(2));
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.thread_id, wake.thread_id);
    EXPECT_EQ(grant->job.messages, 2);
    EXPECT_FALSE(thread(wake.thread_id).is_closed);
}

TEST_F(Folding, folds_summaries_of_which_there_are_too_many) {
    make_agent();
    std::vector<base::Uuid> ids;
    for (std::size_t i = 0; i <= limits::summaries_kept_max; ++i) {
        const model::Wake wake = begin();
        say(wake, {"run " + std::to_string(i)});
        end(wake);
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant);
        ASSERT_EQ(grant->job.depth, 1);
        ids.push_back(*finish(*grant, summary_of("run " + std::to_string(i)))->summary_id);
    }
    const Grant deeper = claim_fold();
    ASSERT_TRUE(deeper);
    EXPECT_EQ(deeper->job.depth, 2);
    EXPECT_EQ(deeper->job.thread_id, "fixer:memory");
    EXPECT_EQ(deeper->job.start_message_id, ids.front()) << "the oldest of them";
    const auto count = static_cast<std::size_t>(deeper->job.messages);
    EXPECT_GE(count, limits::summaries_fold_least);
    EXPECT_LT(count, ids.size());
    EXPECT_EQ(deeper->job.end_message_id, ids[count - 1]);
    const auto done = finish(*deeper, summary_of("the first of them"));
    ASSERT_TRUE(done.ok());
    const auto places = unfolded();
    ASSERT_EQ(places.size(), 1 + ids.size() - count);
    EXPECT_EQ(places.front().depth, 2) << "the deepest first";
    EXPECT_EQ(places.front().message_id, done->summary_id);
    EXPECT_EQ(message(*done->summary_id)->thread_id, "fixer:memory");
    const auto folded =
        look([&](ports::Store& store) { return *store.memory().questions().folded_into(*done->summary_id); });
    ASSERT_EQ(folded.size(), count) << "and it opens again";
    EXPECT_EQ(folded.front().message_id, ids.front());
    EXPECT_FALSE(claim_fold());
}

TEST_F(Folding, of_summaries_that_was_given_up_leaves_no_more_than_are_looked_at) {
    make_agent(by_model(4));
    int number = 0;
    const auto run = [&] {
        const model::Wake wake = begin();
        say(wake, {"Goal: reach " + std::to_string(++number)});
        end(wake);
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant && grant->job.depth == 1);
        ASSERT_TRUE(finish(*grant, by_rules(grant->job)).ok());
    };
    for (std::size_t i = 0; i <= limits::summaries_kept_max; ++i) run();
    for (std::int64_t attempt = 1; attempt <= limits::fold_attempts_max; ++attempt) {
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant && grant->job.depth == 2) << attempt;
        ASSERT_TRUE(fail(*grant, FoldFault::passing).ok());
        pass(limits::fold_pause_max);
    }
    const auto given_up = open_job("fixer:memory");
    ASSERT_TRUE(given_up && given_up->state == FoldState::failed_terminal);
    while (unfolded().size() < limits::summaries_open_max) run();
    EXPECT_EQ(open_job("fixer:memory")->id, given_up->id) << "so many may wait for somebody to look at it";
    run();
    const auto places = unfolded();
    EXPECT_LT(places.size(), limits::summaries_open_max);
    ASSERT_EQ(places.front().depth, 2) << "rules have folded the oldest at once";
    const auto deeper = model::memory_summary_of(message(places.front().message_id)->content.view());
    ASSERT_TRUE(deeper);
    EXPECT_EQ(deeper->by, Summarizer::rules);
    EXPECT_EQ(deeper->goals.front().text, "reach 1");
    const auto next = open_job("fixer:memory");
    ASSERT_TRUE(next) << "and what is still too much is work for whoever folds";
    EXPECT_NE(next->id, given_up->id);
    EXPECT_EQ(next->state, FoldState::pending);
    EXPECT_EQ(restart(*given_up).state, FoldState::done);
    fold_all();
    EXPECT_LE(unfolded().size(), 2 * limits::summaries_kept_max);
}

TEST_F(Folding, of_summaries_is_lost_by_whoever_is_too_slow) {
    make_agent();
    const auto run = [&] {
        const model::Wake wake = begin();
        say(wake, {"a run"});
        end(wake);
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant && grant->job.depth == 1);
        ASSERT_TRUE(finish(*grant, summary_of("a run")).ok());
    };
    for (std::size_t i = 0; i <= limits::summaries_kept_max; ++i) run();
    const Grant slow = claim_fold();
    ASSERT_TRUE(slow && slow->job.depth == 2);
    const model::MemorySummary his = by_rules(slow->job);
    while (unfolded().front().depth == 1) run();
    EXPECT_EQ(finish(*slow, his).error().reason, "stale_claim") << "what he was to fold is folded";
    std::size_t at_depth_two = 0;
    for (const model::SummaryPlace& place : unfolded()) at_depth_two += place.depth == 2 ? 1 : 0;
    EXPECT_EQ(at_depth_two, 1U);
}

TEST_F(Folding, of_summaries_begins_with_a_workers_own_ones_too) {
    make_agent();
    const model::Wake wake = begin();
    for (std::size_t i = 0; i <= limits::summaries_kept_max; ++i) {
        const Messages said = say(wake, {"a thought"});
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake.id;
        command->fence = wake.fence;
        model::AgentMessage& own = command->drafts.emplace_back();
        own.kind = model::AgentMessageKind::summary;
        own.content = model::RawJson::trusted(R"({"text":"mine"})");
        own.summary_start_message_id = said[0].id;
        own.summary_end_message_id = said[0].id;
        own.summary_depth = 1;
        ASSERT_TRUE(try_to(std::move(command)).ok());
    }
    ASSERT_EQ(unfolded().size(), limits::summaries_kept_max + 1);
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.depth, 2);
}

TEST_F(Folding, keeps_a_long_life_in_few_summaries) {
    make_agent();
    for (int i = 0; i < 200; ++i) {
        const model::Wake wake = begin();
        say(wake, {"run " + std::to_string(i), i % 40 == 0 ? "Goal: reach " + std::to_string(i) : "nothing of note"});
        end(wake);
        fold_all();
    }
    std::size_t of_depth[10]{};
    for (const model::SummaryPlace& place : unfolded()) ++of_depth[std::min<std::int64_t>(place.depth, 9)];
    EXPECT_GT(of_depth[3], 0U) << "folded again and again";
    for (const std::size_t count : of_depth) EXPECT_LE(count, limits::summaries_kept_max);
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = "fixer";
    wake->request_id = "last";
    ask(std::move(wake));
    const auto grant = claim();
    ASSERT_TRUE(grant && grant->context);
    EXPECT_EQ(grant->context->memory.goals.size(), 5U) << "none of them is lost";
    EXPECT_LE(grant->context->memory.used_tokens, grant->agent.agent.memory.budget_tokens);
}

TEST_F(Folding, goes_on_after_a_crash) {
    const Five five = say_five();
    crash();
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant) << "the work is stored with what made it due";
    crash();
    EXPECT_FALSE(claim_fold()) << "somebody may be at it";
    ask(std::make_unique<ports::ReturnFolds>());
    EXPECT_EQ(open_job(five.wake.thread_id)->state, FoldState::pending);
    const Grant again = claim_fold();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->job.id, grant->job.id);
    EXPECT_EQ(finish(*grant, summary_of("of before")).error().reason, "stale_claim");
    EXPECT_TRUE(finish(*again, summary_of("of now")).ok());
}

TEST_F(Folding, is_not_begun_for_ever_where_it_ends_belfry) {
    const Five five = say_five();
    for (std::int64_t i = 0; i < limits::fold_attempts_max; ++i) {
        ASSERT_TRUE(claim_fold()) << i;
        crash();
        ask(std::make_unique<ports::ReturnFolds>());
    }
    EXPECT_FALSE(claim_fold());
    EXPECT_EQ(open_job(five.wake.thread_id)->state, FoldState::failed_terminal);
}

TEST_F(Folding, can_be_asked_for) {
    make_agent();
    const model::Wake wake = begin();
    say(wake, {"one", "two"});
    EXPECT_EQ(fold_now(), 1);
    EXPECT_EQ(fold_now(), 1) << "it is there";
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.messages, 2);
    ASSERT_TRUE(finish(*grant, summary_of("both")).ok());
    EXPECT_EQ(fold_now(wake.thread_id), 0) << "nothing is left";
}

TEST_F(Folding, ends_with_its_agent) {
    const Five five = say_five();
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    ask(std::move(destroy));
    EXPECT_FALSE(claim_fold());
    EXPECT_FALSE(open_job(five.wake.thread_id)) << "it is done with";
    pass(base::hours(2));
    EXPECT_EQ(thread(five.wake.thread_id).hot_messages, 0) << "it is not looked at again and again";
}

TEST_F(Folding, that_ends_after_its_agent_was_destroyed_leaves_no_summary) {
    const Five five = say_five();
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    ask(std::move(destroy));
    const auto done = finish(*grant, summary_of("too late"));
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->state, FoldState::done);
    EXPECT_EQ(done->last_error, "its agent is gone");
    EXPECT_FALSE(done->summary_id);
    EXPECT_TRUE(unfolded().empty());
    EXPECT_EQ(all_of(five.wake.thread_id).size(), 5U);
}

TEST_F(Folding, is_asked_for_of_threads_of_the_agent_only) {
    make_agent();
    for (const std::string thread_id : {"nowhere", "other:session:s"}) {
        if (thread_id != "nowhere") {
            model::AgentThread of_another;
            of_another.thread_id = thread_id;
            of_another.agent_id = "other";
            of_another.user_id = "ada";
            put(of_another);
        }
        auto command = std::make_unique<ports::FoldNow>();
        command->agent_id = "fixer";
        command->thread_id = thread_id;
        const auto rejected = try_to(std::move(command));
        ASSERT_FALSE(rejected.ok()) << thread_id;
        EXPECT_EQ(rejected.error().code, base::Code::not_found);
        EXPECT_EQ(rejected.error().field, "thread_id");
    }
}

TEST_F(Folding, is_for_nobody_but_belfry) {
    const Five five = say_five();
    auto command = std::make_unique<ports::ClaimFold>();
    command->principal.id = "token:ada";
    command->principal.role = model::Role::user;
    command->principal.user_id = "ada";
    const ports::ClaimFold* const asked = command.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(command));
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_FALSE(asked->result().ok());
    EXPECT_EQ(asked->result().error().code, base::Code::forbidden);
    EXPECT_EQ(open_job(five.wake.thread_id)->attempts, 0);
}

TEST_F(Folding, corrects_a_thread_that_counts_messages_which_are_not_there) {
    make_agent();
    const model::Wake wake = begin();
    const Messages said = say(wake, {"one", "two"});
    model::AgentThread wrong = thread(wake.thread_id);
    wrong.folded_through = said[1].position;
    put(wrong);
    EXPECT_EQ(fold_now(wake.thread_id), 0);
    const model::AgentThread corrected = thread(wake.thread_id);
    EXPECT_EQ(corrected.hot_messages, 0);
    EXPECT_EQ(corrected.hot_tokens, 0);
    EXPECT_FALSE(corrected.is_closed);
    EXPECT_FALSE(open_job(wake.thread_id));
}

TEST_F(Folding, is_done_by_a_worker_who_makes_summaries_of_his_own) {
    const Five five = say_five();
    const Grant late = claim_fold();
    ASSERT_TRUE(late);
    auto command = std::make_unique<ports::AppendAgentMessages>();
    command->id = five.wake.id;
    command->fence = five.wake.fence;
    model::AgentMessage& own = command->drafts.emplace_back();
    own.kind = model::AgentMessageKind::summary;
    own.summary_start_message_id = five.said[0].id;
    own.summary_end_message_id = five.said[3].id;
    own.content = model::RawJson::trusted(R"("four thoughts, in my words")");
    const auto added = try_to(std::move(command));
    ASSERT_TRUE(added.ok()) << added.error().message;
    EXPECT_EQ(thread(five.wake.thread_id).folded_through, five.said[3].position);
    EXPECT_EQ(thread(five.wake.thread_id).hot_messages, 1);
    ASSERT_EQ(unfolded().size(), 1U);
    EXPECT_EQ(unfolded()[0].message_id, added->messages[0].id);
    const auto done = finish(*late, summary_of("too late"));
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->state, FoldState::done);
    EXPECT_FALSE(done->summary_id) << "what it was to fold is folded";
    EXPECT_EQ(unfolded().size(), 1U);
}

TEST_F(Folding, is_what_an_agent_is_told_of_instead) {
    const Five five = say_five();
    fold_all();
    end(five.wake);
    fold_all();
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = "fixer";
    wake->request_id = "later";
    ask(std::move(wake));
    const auto grant = claim();
    ASSERT_TRUE(grant && grant->context);
    EXPECT_TRUE(grant->context->messages.empty()) << "its thread is new";
    EXPECT_EQ(grant->context->memory.summaries.size(), 2U) << "of another thread";
    say(grant->wake, {"a", "b", "c", "d", "e", "f", "g"});
    pass(base::seconds(61));
    pass(base::seconds(11));
    const auto again = claim();
    ASSERT_TRUE(again && again->context);
    ASSERT_EQ(again->context->messages.size(), 4U) << "as many as it wants hot";
    EXPECT_EQ(again->context->messages.back().content.bytes(), R"({"text":"g"})");
}

TEST_F(Folding, lets_go_of_what_is_done_after_a_week) {
    const Five five = say_five();
    const Grant grant = claim_fold();
    ASSERT_TRUE(finish(*grant, summary_of("done")).ok());
    const auto job = [&] {
        return look([&](ports::Store& store) { return *store.memory().questions().job(grant->job.id); });
    };
    pass(limits::fold_jobs_kept - base::hours(2));
    EXPECT_TRUE(job());
    pass(base::hours(4));
    EXPECT_FALSE(job());
}

}  // namespace
}  // namespace belfry::sim
