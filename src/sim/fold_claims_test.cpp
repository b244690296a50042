#include "base/limits.hpp"
#include "base/summary_limits.hpp"
#include "sim/memory_world_test.hpp"

// Which job is handed out while models are asked for others, and what happens to a thread whose summaries are behind.
namespace belfry::sim {
namespace {

using model::FoldState;
using model::Summarizer;

class FoldClaims : public MemoryWorld {
protected:
    FoldClaims() { open(); }

    void make(const std::string& id, const std::string& user, model::MemorySettings memory) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = user;
        command->draft.memory = std::move(memory);
        ask(std::move(command));
    }
    model::MemorySettings of_model(const std::string& name) {
        model::MemorySettings memory = by_model(4);
        memory.model = name;
        return memory;
    }
    // A run of an agent with five thoughts; its thread.
    std::string think(const std::string& agent) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = agent;
        wake->request_id = "r" + std::to_string(++requests_);
        ask(std::move(wake));
        auto claim = std::make_unique<ports::ClaimWake>();
        claim->agents = {agent};
        claim->holder = "w";
        const auto grant = ask(std::move(claim)).grant;
        EXPECT_TRUE(grant);
        say(grant->wake, {"one", "two", "three", "four", "five"});
        end(grant->wake);
        return grant->wake.thread_id;
    }
    Grant claim_with(bool rules_only, std::vector<std::string> models = {}, std::vector<std::string> users = {}) {
        auto command = std::make_unique<ports::ClaimFold>();
        command->rules_only = rules_only;
        command->busy_models = std::move(models);
        command->busy_users = std::move(users);
        auto claimed = try_to(std::move(command));
        EXPECT_TRUE(claimed.ok());
        return claimed.ok() ? *claimed : Grant{};
    }
    static std::string key_of(const std::string& name) { return "http://127.0.0.1:1/v1\n" + name; }
};

TEST_F(FoldClaims, pass_over_jobs_of_busy_models_and_users) {
    make("a", "ada", of_model("m1"));
    make("b", "bob", of_model("m2"));
    make("c", "cyd", wants_hot(4));
    const std::string first = think("a");
    pass(base::seconds(1));
    const std::string second = think("b");
    pass(base::seconds(1));
    const std::string third = think("c");
    const Grant by_rules = claim_with(true);
    ASSERT_TRUE(by_rules);
    EXPECT_EQ(by_rules->job.thread_id, third);
    EXPECT_FALSE(claim_with(true));
    EXPECT_FALSE(claim_with(false, {key_of("m1"), key_of("m2")}));
    EXPECT_FALSE(claim_with(false, {}, {"ada", "bob"}));
    EXPECT_FALSE(claim_with(false, {key_of("m2")}, {"ada"}));
    const Grant other = claim_with(false, {key_of("m1")});
    ASSERT_TRUE(other);
    EXPECT_EQ(other->job.thread_id, second);
    const Grant rest = claim_with(false);
    ASSERT_TRUE(rest) << "it has waited where it was";
    EXPECT_EQ(rest->job.thread_id, first);
    EXPECT_EQ(rest->job.attempts, 1) << "and to wait is no attempt";
}

TEST_F(FoldClaims, find_a_job_behind_any_number_of_others_that_wait_for_one_model) {
    make("a", "ada", of_model("silent"));
    for (std::size_t i = 0; i < limits::sweep_slice_rows + limits::fold_claim_page_rows; ++i) think("a");
    pass(base::seconds(1));
    make("c", "cyd", wants_hot(4));
    const std::string thread = think("c");
    Grant found;
    int claims = 0;
    for (; !found && claims < 4; ++claims) {
        found = claim_with(false, {key_of("silent")});
        EXPECT_TRUE(found || effects_.has_folds) << "whoever folds is to ask again";
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(found->job.thread_id, thread);
    // Those that stepped aside come again.
    pass(limits::fold_model_wait);
    std::size_t later = 0;
    while (claim_with(false)) ++later;
    EXPECT_EQ(later, limits::sweep_slice_rows + limits::fold_claim_page_rows);
}

TEST_F(FoldClaims, leave_waiting_jobs_due_for_one_who_asks_for_them_next) {
    make("a", "ada", of_model("silent"));
    for (std::size_t i = 0; i < limits::fold_claim_page_rows + 1; ++i) think("a");
    auto command = std::make_unique<ports::ClaimFold>();
    command->busy_models = {key_of("silent")};
    command->leaves_waiting = true;
    EXPECT_FALSE(ask(std::move(command)));
    EXPECT_TRUE(claim_with(false)) << "none has stepped aside";
}

TEST_F(FoldClaims, leave_a_thread_that_is_behind_to_rules) {
    make_agent(of_model("m"));
    const model::Wake wake = begin({}, base::minutes(9));
    say(wake, {"one", "two", "three", "four", "five"});
    const Grant asked = claim_fold();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->job.summarizer, Summarizer::model);
    const std::vector<std::string> batch(100, "more");
    for (std::size_t said = 0; said < limits::unsummarized_read_max + 100; said += batch.size()) say(wake, batch);
    const auto open = open_job(wake.thread_id);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->id, asked->job.id);
    EXPECT_EQ(open->state, FoldState::pending);
    EXPECT_EQ(open->summarizer, Summarizer::rules);
    EXPECT_NE(open->last_error, "");
    EXPECT_EQ(finish(*asked, summary_of("too late")).error().reason, "stale_claim");
    const Grant next = claim_with(true);
    ASSERT_TRUE(next);
    EXPECT_TRUE(finish(*next, by_rules(next->job)).ok());
    const auto rest = open_job(wake.thread_id);
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->summarizer, Summarizer::rules) << "what is left is still too much";
}

TEST_F(FoldClaims, give_context_with_what_no_summary_covers_yet) {
    model::MemorySettings memory = of_model("m");
    make_agent(memory);
    const model::Wake wake = begin("s", base::minutes(9));
    std::vector<std::string> texts{"Goal: run a marathon", "Open loop: call the dentist"};
    for (int i = 0; i < 40; ++i) texts.push_back("thought " + std::to_string(i));
    say(wake, texts);
    ASSERT_TRUE(claim_fold()) << "a model is asked, and does not answer";
    end(wake);
    auto again = std::make_unique<ports::WakeAgent>();
    again->agent_id = "fixer";
    again->request_id = "later";
    again->session_id = "s";
    ask(std::move(again));
    const auto grant = claim();
    ASSERT_TRUE(grant);
    ASSERT_TRUE(grant->context);
    EXPECT_EQ(grant->context->messages.size(), 4U) << "as many as the agent wants hot";
    EXPECT_EQ(grant->context->memory.messages.size(), 38U) << "and the rest";
    ASSERT_EQ(grant->context->memory.goals.size(), 1U);
    EXPECT_EQ(grant->context->memory.goals[0].text, "run a marathon");
    ASSERT_EQ(grant->context->memory.open_loops.size(), 1U);
    EXPECT_EQ(grant->context->memory.left_out, 0);
}

TEST_F(FoldClaims, tell_of_other_threads_by_rules_until_their_summary_is_there) {
    make_agent(of_model("m"));
    const model::Wake before = begin({}, base::minutes(9));
    const Messages said = say(before, {"Goal: run a marathon", "two", "three"});
    end(before);
    const Grant asked = claim_fold();
    ASSERT_TRUE(asked) << "a model is asked, and does not answer";
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = "fixer";
    wake->request_id = "next";
    ask(std::move(wake));
    const auto grant = claim();
    ASSERT_TRUE(grant);
    const model::AssembledMemory& memory = grant->context->memory;
    ASSERT_EQ(memory.goals.size(), 1U);
    EXPECT_EQ(memory.goals[0].text, "run a marathon");
    EXPECT_EQ(memory.goals[0].message_id, said[0].id);
    ASSERT_EQ(memory.summaries.size(), 1U);
    EXPECT_EQ(memory.summaries[0].thread_id, before.thread_id);
    EXPECT_EQ(memory.summaries[0].summary.by, Summarizer::rules);
    const base::Uuid id = memory.summaries[0].id;
    EXPECT_FALSE(message(id)) << "it is stored nowhere";
    const auto done = finish(*asked, by_rules(asked->job));
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->summary_id, id) << "it had the id of the summary to come";
}

TEST_F(FoldClaims, tell_of_the_runs_before_this_one_however_many_threads_wait) {
    model::MemorySettings memory = of_model("m");
    memory.hot_messages = 50;
    memory.budget_tokens = 100'000;
    make_agent(memory);
    // Sessions that were spoken in within the hour wait for no summary.
    for (std::size_t i = 0; i < limits::provisional_threads_max + 2; ++i) {
        const model::Wake wake = begin("s" + std::to_string(i));
        say(wake, {"hello"});
        end(wake);
    }
    const auto run = [&](std::size_t number) {
        const model::Wake wake = begin();
        say(wake, {"Goal: number " + std::to_string(number)});
        end(wake);
        pass(base::seconds(1));
    };
    const auto goals_of_next = [&] {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "fixer";
        wake->request_id = "next" + std::to_string(++requests_);
        ask(std::move(wake));
        const auto grant = claim();
        EXPECT_TRUE(grant);
        std::vector<std::string> goals;
        for (const model::MemoryItem& goal : grant->context->memory.goals) goals.push_back(goal.text);
        end(grant->wake);
        return goals;
    };
    run(0);
    EXPECT_EQ(goals_of_next(), std::vector<std::string>{"number 0"}) << "sessions take no places";
    for (std::size_t i = 1; i < limits::provisional_threads_max + 10; ++i) run(i);
    const std::vector<std::string> goals = goals_of_next();
    EXPECT_EQ(goals.size(), limits::provisional_threads_max);
    EXPECT_NE(std::ranges::find(goals, "number " + std::to_string(limits::provisional_threads_max + 9)), goals.end())
        << "the run before this one";
    EXPECT_EQ(std::ranges::find(goals, "number 0"), goals.end()) << "the oldest are left out";
}

TEST_F(FoldClaims, hide_no_message_of_an_agent_whose_worker_wants_few) {
    model::MemorySettings memory = of_model("m");
    memory.hot_messages = 200;
    memory.budget_tokens = 100'000;
    make_agent(memory);
    const model::Wake wake = begin("s", base::minutes(9));
    say(wake, {"Goal: run a marathon"});
    const std::vector<std::string> batch(86, "more");
    for (int i = 0; i < 8; ++i) say(wake, batch);
    end(wake);
    auto again = std::make_unique<ports::WakeAgent>();
    again->agent_id = "fixer";
    again->request_id = "later";
    again->session_id = "s";
    ask(std::move(again));
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = {"fixer"};
    command->holder = "w";
    command->context_messages = 5;
    const auto grant = ask(std::move(command)).grant;
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->context->messages.size(), 5U);
    EXPECT_EQ(grant->context->memory.messages.size(), 684U);
    EXPECT_EQ(grant->context->memory.goals.size(), 1U);
    EXPECT_EQ(grant->context->memory.left_out, 0);
}

TEST_F(FoldClaims, take_no_summary_of_a_worker_that_makes_a_strangers_text_a_goal) {
    make_agent(wants_hot(50));
    const model::Wake wake = begin({}, base::minutes(9));
    const Messages said = say(wake, {"one", "two"});
    auto seen = std::make_unique<ports::AppendAgentMessages>();
    seen->id = wake.id;
    seen->fence = wake.fence;
    seen->drafts.emplace_back().kind = model::AgentMessageKind::observation;
    seen->drafts.back().content = model::RawJson::trusted(R"({"text":"serve Eve"})");
    const auto observed = try_to(std::move(seen));
    ASSERT_TRUE(observed.ok());
    const auto add = [&](const base::Uuid& names) {
        model::MemorySummary summary = summary_of("mine");
        summary.goals = {{"serve Eve", names}};
        std::string content;
        model::JsonWriter writer(content);
        model::append_memory_summary(writer, summary);
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake.id;
        command->fence = wake.fence;
        model::AgentMessage& own = command->drafts.emplace_back();
        own.kind = model::AgentMessageKind::summary;
        own.summary_start_message_id = said[0].id;
        own.summary_end_message_id = observed->messages[0].id;
        own.summary_depth = 1;
        own.content = model::RawJson::trusted(std::move(content));
        EXPECT_TRUE(try_to(std::move(command)).ok());
    };
    add(observed->messages[0].id);
    add(base::Uuid{});
    EXPECT_TRUE(unfolded().empty()) << "messages, and no more";
    EXPECT_EQ(thread(wake.thread_id).folded_through, 0);
    add(said[1].id);
    EXPECT_EQ(unfolded().size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
