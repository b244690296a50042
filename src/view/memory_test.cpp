#include <gtest/gtest.h>

#include "base/summary_limits.hpp"
#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

base::Uuid numbered(std::int64_t number) {
    base::Uuid id = nobodys;
    id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
    id.bytes[15] = static_cast<std::uint8_t>(number);
    return id;
}

// ada's agent `coach` has spoken in her sessions a1 and a2 (three messages each) and has two summaries of a1's first
// two messages: one of depth 1, which one of depth 2 has folded.
class MemoryAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        model::AgentRecord& coach = store.kept_agents.kept.emplace_back();
        coach.agent.id = "coach";
        coach.agent.user_id = "ada";
        coach.state.slots.primary_goal = "win";
        for (const char* session : {"a1", "a2"}) {
            for (int i = 0; i < 3; ++i) say(session, "tea number " + std::to_string(i));
            model::AgentThread thread;
            thread.thread_id = std::string("coach:session:") + session;
            thread.agent_id = "coach";
            thread.last_at = base::Timestamp{position};
            store.kept_memory.kept_threads.insert(store.kept_memory.kept_threads.begin(), thread);
        }
        fold(1, "coach:session:a1", 1, 2);
        fold(2, "coach:memory", 7, 7);
        store.kept_memory.places[0].folded_into = store.kept_memory.places[1].message_id;
    }

    model::AgentMessage& add(const std::string& thread, const std::string& text) {
        model::AgentMessage message;
        message.position = ++position;
        message.id = numbered(position);
        message.agent_id = "coach";
        message.thread_id = thread;
        message.content = model::RawJson::trusted(R"({"text":")" + text + "\"}");
        store.kept_memory.kept.push_back(message);
        return store.kept_memory.kept.back();
    }
    void say(const std::string& session, const std::string& text) {
        add("coach:session:" + session, text).kind = model::AgentMessageKind::user;
        store.kept_agent_messages.kept.push_back(store.kept_memory.kept.back());
    }
    void fold(std::int64_t depth, const std::string& thread, std::int64_t start, std::int64_t end) {
        model::AgentMessage& message = add(thread, "told of tea, depth " + std::to_string(depth));
        message.kind = model::AgentMessageKind::summary;
        message.summary_depth = depth;
        store.kept_agent_messages.kept.push_back(message);
        store.kept_memory.places.push_back({message.id, position, "coach", thread, depth, start, end, 5, {}});
    }

    base::Result<model::AssembledMemory> memory(const model::Principal& who, const std::string& thread = {}) {
        return answer<model::AssembledMemory>([&](auto done) { answers.memory(who, "coach", thread, done); });
    }
    base::Result<std::vector<model::AgentThread>> threads(const model::Principal& who) {
        return answer<std::vector<model::AgentThread>>(
            [&](auto done) { answers.memory_threads(who, {"coach", {}, 10}, done); });
    }
    base::Result<std::vector<ports::PlacedSummary>> summaries(const model::Principal& who,
                                                              std::optional<base::Uuid> folded_into = {}) {
        return answer<std::vector<ports::PlacedSummary>>(
            [&](auto done) { answers.memory_summaries(who, "coach", folded_into, done); });
    }
    base::Result<ports::OpenedSummary> open(const model::Principal& who, const base::Uuid& id, std::int64_t after = 0,
                                            std::size_t limit = 10) {
        return answer<ports::OpenedSummary>(
            [&](auto done) { answers.memory_summary(who, {"coach", id, after, limit}, done); });
    }
    base::Result<std::vector<model::RecalledMessage>> recall(const model::Principal& who, const std::string& query,
                                                             const std::string& thread = {}) {
        return answer<std::vector<model::RecalledMessage>>(
            [&](auto done) { answers.recall(who, {"coach", query, thread, model::AgentMessageKind::user, 10}, done); });
    }
    base::Result<ports::AgentExportPage> page(const model::Principal& who, std::int64_t after, std::size_t limit) {
        return answer<ports::AgentExportPage>(
            [&](auto done) { answers.agent_export(who, {"coach", after, limit}, done); });
    }

    std::int64_t position = 0;
};

TEST_F(MemoryAnswers, are_of_the_thread_that_was_spoken_in_last_unless_one_is_named) {
    EXPECT_EQ(memory(ada)->thread_id, "coach:session:a2");
    const auto named = memory(ada, "coach:session:a1");
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(named->thread_id, "coach:session:a1");
    EXPECT_EQ(named->messages.size(), 3U);
    EXPECT_EQ(named->messages.front().position, 1);
    EXPECT_EQ(memory(ada, "another:session:a1").error().code, base::Code::not_found);
    EXPECT_EQ(memory(bob).error().code, base::Code::not_found);
}

TEST_F(MemoryAnswers, hold_what_no_summary_covers_yet_beyond_the_hot_window) {
    model::AgentThread& thread = store.kept_memory.kept_threads.back();
    ASSERT_EQ(thread.thread_id, "coach:session:a1");
    store.kept_agents.kept.back().agent.memory.hot_messages = 1;
    say("a1", "Goal: more tea");
    say("a1", "one more");
    thread.folded_through = 2;  // the positions of a1 are 1, 2, 3 and those of the two new messages
    thread.hot_messages = 3;
    const auto told = memory(ada, "coach:session:a1");
    ASSERT_TRUE(told.ok());
    ASSERT_EQ(told->messages.size(), 3U);
    EXPECT_EQ(told->messages.front().position, 3);
    ASSERT_EQ(told->goals.size(), 1U);
    EXPECT_EQ(told->goals.front().text, "more tea");
    EXPECT_EQ(told->left_out, 0);
}

TEST_F(MemoryAnswers, hold_what_rules_say_of_another_thread_whose_summary_is_not_there_yet) {
    for (model::AgentThread& thread : store.kept_memory.kept_threads) {
        thread.hot_messages = 3;
        thread.is_closed = true;
    }
    say("a2", "Goal: more tea");
    model::FoldJob job;
    job.agent_id = "coach";
    job.thread_id = "coach:session:a2";
    job.start_position = 4;
    job.end_position = position;
    job.messages = 4;
    store.kept_memory.kept_jobs = {job};
    const auto told = memory(ada, "coach:session:a1");
    ASSERT_TRUE(told.ok());
    ASSERT_EQ(told->goals.size(), 1U);
    EXPECT_EQ(told->goals.front().text, "more tea");
    EXPECT_EQ(told->summaries.size(), 2U);
    EXPECT_TRUE(memory(agent_of_a1)->goals.empty()) << "another session is none of its business";
    store.kept_memory.kept_threads.front().folded_through = 4;
    EXPECT_TRUE(memory(ada, "coach:session:a1")->goals.empty()) << "somebody else has made a summary";
}

TEST_F(MemoryAnswers, hold_provisional_summaries_of_the_threads_that_were_spoken_in_last) {
    store.kept_memory.kept_jobs.clear();
    store.kept_agents.kept.back().agent.memory.budget_tokens = 100'000;
    for (std::size_t i = 0; i < base::limits::provisional_threads_max + 3; ++i) {
        const std::string thread = "coach:run:" + std::to_string(i);
        add(thread, "Goal: number " + std::to_string(i)).kind = model::AgentMessageKind::thought;
        model::AgentThread row;
        row.thread_id = thread;
        row.agent_id = "coach";
        row.hot_messages = 1;
        row.is_closed = true;
        store.kept_memory.kept_threads.insert(store.kept_memory.kept_threads.begin(), row);
        model::FoldJob& job = store.kept_memory.kept_jobs.emplace_back();
        job.agent_id = "coach";
        job.thread_id = thread;
        job.start_position = job.end_position = position;
        job.messages = 1;
        job.state = i % 2 == 0 ? model::FoldState::pending : model::FoldState::failed_terminal;
    }
    const auto told = memory(ada, "coach:session:a1");
    ASSERT_TRUE(told.ok());
    ASSERT_EQ(told->goals.size(), base::limits::provisional_threads_max);
    EXPECT_EQ(told->goals.back().text, "number 66");
    EXPECT_EQ(told->goals.front().text, "number 3");
}

TEST_F(MemoryAnswers, hold_what_was_said_elsewhere_only_for_whoever_sees_all) {
    EXPECT_EQ(memory(ada)->summaries.size(), 1U);
    EXPECT_EQ(memory(agent_of_ada)->summaries.size(), 1U);
    const auto bound = memory(agent_of_a1);
    ASSERT_TRUE(bound.ok());
    EXPECT_EQ(bound->thread_id, "coach:session:a1");
    EXPECT_TRUE(bound->summaries.empty()) << "that of all threads is none of its business";
    EXPECT_NE(memory(ada)->slots, "");
    EXPECT_EQ(bound->slots, "") << "nor is what it keeps in mind";
    EXPECT_EQ(memory(agent_of_a1, "coach:session:a2").error().code, base::Code::not_found);
    EXPECT_EQ(memory(somebody(model::Role::agent)).error().code, base::Code::not_found) << "bound to nothing";
    const model::Principal elsewhere = somebody(model::Role::agent, "", {}, {"b1"});
    EXPECT_EQ(memory(elsewhere).error().code, base::Code::not_found) << "nobody has spoken to it there";
    EXPECT_EQ(recall(elsewhere, "tea").error().code, base::Code::not_found);
    EXPECT_EQ(threads(elsewhere).error().code, base::Code::not_found);
    EXPECT_EQ(memory(somebody(model::Role::agent, "", {"bob"}, {"a1"})).error().code, base::Code::not_found);
}

TEST_F(MemoryAnswers, about_threads_are_narrowed_to_the_sessions_of_the_asker) {
    EXPECT_EQ(threads(ada)->size(), 2U);
    const auto bound = threads(agent_of_a1);
    ASSERT_TRUE(bound.ok());
    ASSERT_EQ(bound->size(), 1U);
    EXPECT_EQ(bound->front().thread_id, "coach:session:a1");
}

TEST_F(MemoryAnswers, about_summaries_are_those_that_nothing_has_folded_or_that_one_has) {
    const auto frontier = summaries(ada);
    ASSERT_TRUE(frontier.ok());
    ASSERT_EQ(frontier->size(), 1U);
    EXPECT_EQ(frontier->front().place.depth, 2);
    const auto below = summaries(ada, frontier->front().place.message_id);
    ASSERT_TRUE(below.ok());
    ASSERT_EQ(below->size(), 1U);
    EXPECT_EQ(below->front().place.depth, 1);
    EXPECT_EQ(below->front().summary.summary.text, "told of tea, depth 1");
    EXPECT_EQ(summaries(ada, nobodys).error().code, base::Code::not_found);
    EXPECT_TRUE(summaries(agent_of_a1)->empty());
}

TEST_F(MemoryAnswers, open_a_summary_to_what_it_was_made_of_page_by_page) {
    const auto first = open(ada, numbered(7), 0, 1);
    ASSERT_TRUE(first.ok());
    ASSERT_EQ(first->span.size(), 1U);
    EXPECT_EQ(first->span.front().position, 1);
    EXPECT_EQ(first->next, 1);
    const auto second = open(ada, numbered(7), first->next, 1);
    ASSERT_EQ(second->span.size(), 1U);
    EXPECT_EQ(second->span.front().position, 2);
    EXPECT_EQ(second->next, 0) << "the third message is not in its span";
    const auto deep = open(ada, numbered(8));
    ASSERT_EQ(deep->span.size(), 1U);
    EXPECT_EQ(deep->span.front().id, numbered(7));
    EXPECT_EQ(open(ada, numbered(8), 7)->span.size(), 0U);
    EXPECT_EQ(open(ada, numbered(1)).error().code, base::Code::not_found) << "a message is no summary";
    EXPECT_TRUE(open(agent_of_a1, numbered(7)).ok());
    EXPECT_EQ(open(agent_of_a1, numbered(8)).error().code, base::Code::not_found);
}

TEST_F(MemoryAnswers, find_words_in_the_whole_memory_or_where_the_asker_may_look) {
    EXPECT_EQ(recall(ada, "tea number")->size(), 6U);
    EXPECT_EQ(store.kept_memory.asked.kind, model::AgentMessageKind::user);
    EXPECT_EQ(recall(ada, "tea number", "coach:session:a2")->size(), 3U);
    EXPECT_EQ(recall(agent_of_a1, "tea number")->size(), 3U);
    EXPECT_EQ(recall(agent_of_a1, "tea", "coach:session:a2").error().code, base::Code::not_found);
    EXPECT_EQ(recall(ada, "?").error().code, base::Code::invalid);
    EXPECT_EQ(recall(bob, "tea").error().code, base::Code::not_found);
}

TEST_F(MemoryAnswers, take_an_agent_along_in_pages_for_its_person_only) {
    const auto first = page(ada, 0, 5);
    ASSERT_TRUE(first.ok());
    EXPECT_TRUE(first->agent.has_value());
    EXPECT_EQ(first->messages.size(), 5U);
    EXPECT_EQ(first->next, 5);
    const auto second = page(ada, 5, 3);
    EXPECT_FALSE(second->agent.has_value());
    EXPECT_EQ(second->messages.size(), 3U);
    EXPECT_EQ(second->next, 0) << "the page is full and the last one";
    EXPECT_EQ(page(agent_of_ada, 0, 5).error().code, base::Code::not_found);
    EXPECT_EQ(page(bob, 0, 5).error().code, base::Code::not_found);
}

TEST_F(MemoryAnswers, about_folding_are_for_whoever_may_change_the_agent) {
    const auto jobs = [&](const model::Principal& who) {
        ports::FoldJobFilter filter;
        filter.agent_id = "coach";
        filter.limit = 3;
        return answer<std::vector<model::FoldJob>>([&](auto done) { answers.fold_jobs(who, filter, done); });
    };
    EXPECT_EQ(jobs(ada)->size(), 1U);
    EXPECT_EQ(store.kept_memory.jobs_asked.agent_id, "coach");
    EXPECT_EQ(jobs(bob).error().code, base::Code::not_found);
    EXPECT_EQ(jobs(agent_of_a1).error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::view
