#include "base/memory_limits.hpp"
#include "store/memory_world_test.hpp"

namespace belfry::store::testing {
namespace {

using model::AgentMessageKind;
using model::FoldState;
using Names = std::vector<std::string>;

class Memory : public MemorySuite {
protected:
    static Names names(const base::Result<std::vector<model::AgentThread>>& found) {
        EXPECT_OK(found);
        Names list;
        for (const model::AgentThread& one : *found) list.push_back(one.thread_id);
        return list;
    }
    static Names names(const base::Result<std::vector<model::FoldJob>>& found) {
        EXPECT_OK(found);
        Names list;
        for (const model::FoldJob& one : *found) list.push_back(one.thread_id);
        return list;
    }
    void put(const std::vector<model::AgentThread>& threads) {
        for (const model::AgentThread& one : threads) ASSERT_OK(table().put_thread(one));
    }
    void put(const std::vector<model::FoldJob>& jobs) {
        for (const model::FoldJob& one : jobs) ASSERT_OK(table().put_job(one));
    }
    static model::FoldJob in_state(model::FoldJob job, FoldState state) {
        job.state = state;
        if (state == FoldState::running) job.lease_until = at_second(50);
        if (state == FoldState::done) job.summary_id = uuid_of(1, 7);
        return job;
    }
};
BELFRY_ON_BOTH_DATABASES(Memory);

TEST_P(Memory, of_a_thread_comes_back_as_it_was_written_and_is_replaced) {
    model::AgentThread thread = agent_thread("a:run:k", 7);
    put({thread, agent_thread("a:run:other", 8)});
    EXPECT_EQ(*questions().thread("a:run:k"), thread);
    EXPECT_EQ(*questions().thread("a:run:none"), std::nullopt);
    thread = {"a:run:k", "b", "bob", 1, 2, 3, 4, at_second(5), true};
    put({thread});
    EXPECT_EQ(*questions().thread("a:run:k"), thread);
    EXPECT_EQ(*questions().thread("a:run:other"), agent_thread("a:run:other", 8));
}

TEST_P(Memory, of_threads_finds_those_that_nobody_has_spoken_in_for_long) {
    model::AgentThread cold = agent_thread("a:cold", 1);
    cold.hot_messages = 0;
    model::AgentThread closed = agent_thread("a:closed", 90);
    closed.is_closed = true;
    put({agent_thread("a:young", 30), agent_thread("a:old", 10), cold, agent_thread("a:older", 5)});
    EXPECT_EQ(names(table().idle_threads(at_second(30), 10)), (Names{"a:older", "a:old"}));
    EXPECT_EQ(names(table().idle_threads(at_second(30), 1)), (Names{"a:older"}));
    EXPECT_EQ(*table().oldest_hot(), at_second(5));
    put({closed});
    EXPECT_EQ(names(table().idle_threads(at_second(10), 10)), (Names{"a:closed", "a:older"}));
    EXPECT_EQ(*table().oldest_hot(), at_second(0)) << "at once";
    put({fold_job(1, "a:closed"), in_state(fold_job(2, "a:older"), FoldState::failed_terminal),
         in_state(fold_job(3, "a:old"), FoldState::done)});
    EXPECT_EQ(names(table().idle_threads(at_second(30), 10)), (Names{"a:old"})) << "the others are looked after";
    EXPECT_EQ(*table().oldest_hot(), at_second(10));
}

TEST_P(Memory, without_anything_hot_waits_for_nothing) {
    model::AgentThread cold = agent_thread("a:cold", 1);
    cold.hot_messages = 0;
    put({cold});
    EXPECT_EQ(*table().oldest_hot(), std::nullopt);
    EXPECT_EQ(*table().next_job_at(), std::nullopt);
    put({agent_thread("b:hot", 3), agent_thread("a:hot", 5), agent_thread("a:hotter", 4)});
    EXPECT_EQ(names(table().hot_threads("a", 10)), (Names{"a:hotter", "a:hot"}));
    EXPECT_EQ(names(table().hot_threads("a", 1)), (Names{"a:hotter"}));
}

TEST_P(Memory, that_waits_for_its_summary_is_found_from_the_thread_that_was_spoken_in_last) {
    const auto job = [](std::uint64_t number, const std::string& thread) {
        model::FoldJob made = fold_job(number, thread);
        made.depth = 1;
        made.start_position = 5;  // the threads are summarized through 4
        return made;
    };
    model::AgentThread closed = agent_thread("a:closed", 20);
    closed.is_closed = true;
    model::AgentThread single = agent_thread("a:single", 21);
    single.hot_messages = 1;
    model::AgentThread cold = agent_thread("a:cold", 22);
    cold.hot_messages = 0;
    model::FoldJob covered = job(4, "a:covered");
    covered.start_position = 4;
    model::FoldJob deep = job(5, "a:deep");
    deep.depth = 2;
    put({closed, single, cold, agent_thread("a:idle", 10), agent_thread("a:covered", 11), agent_thread("a:deep", 12),
         agent_thread("a:done", 13), agent_thread("a:none", 14), agent_thread("a:full", 23),
         agent_thread("b:other", 10), agent_thread("a:here", 24)});
    put({job(1, "a:closed"), in_state(job(2, "a:idle"), FoldState::failed_terminal), job(3, "a:single"), covered, deep,
         in_state(job(6, "a:done"), FoldState::done), job(7, "a:full"), job(8, "b:other"), job(9, "a:here"),
         job(10, "a:cold")});
    ports::WaitingJobFilter filter{"a", "a:here", at_second(15), 4, 1000, 10};
    const auto threads = [&] {
        const auto found = questions().waiting_jobs(filter);
        EXPECT_OK(found);
        Names list;
        for (const model::FoldJob& one : *found) list.push_back(one.thread_id);
        return list;
    };
    EXPECT_EQ(threads(), (Names{"a:full", "a:closed", "a:idle"}));
    filter.limit = 2;
    EXPECT_EQ(threads(), (Names{"a:full", "a:closed"})) << "the newest stay";
    filter.limit = 10;
    filter.hot_messages = 5;
    EXPECT_EQ(threads(), (Names{"a:closed", "a:idle"})) << "what is hot is no matter of other threads";
    filter.hot_tokens = 599;
    EXPECT_EQ(threads(), (Names{"a:full", "a:closed", "a:idle"}));
    filter.idle_since = at_second(9);
    EXPECT_EQ(threads(), (Names{"a:full", "a:closed", "a:idle"})) << "it has too many tokens as well";
    filter.hot_tokens = 600;
    EXPECT_EQ(threads(), (Names{"a:closed"}));
    const auto found = questions().waiting_jobs(filter);
    EXPECT_EQ(found->at(0), job(1, "a:closed"));
}

TEST_P(Memory, of_a_thread_is_read_without_its_summaries) {
    model::AgentMessage large = remembered(3);
    large.content_entry_id = uuid_of(3, 8);
    add({remembered(1), remembered(2, "a:run:k", AgentMessageKind::summary), large, remembered(4, "a:run:other"),
         remembered(5)});
    EXPECT_EQ(positions(questions().newest_raw("a:run:k", 9, 10)), (Positions{5, 3, 1}));
    EXPECT_EQ(positions(questions().newest_raw("a:run:k", 9, 2)), (Positions{5, 3}));
    EXPECT_EQ(positions(questions().newest_raw("a:run:k", 5, 2)), (Positions{3, 1}));
    EXPECT_EQ(questions().newest_raw("a:run:k", 9, 10)->at(1).content.bytes(), "{}");
    EXPECT_EQ(positions(questions().raw_span("a:run:k", 1, 5, 10)), (Positions{3, 5}));
    EXPECT_EQ(positions(questions().raw_span("a:run:k", 0, 4, 10)), (Positions{1, 3}));
    EXPECT_EQ(positions(questions().raw_span("a:run:k", 0, 9, 1)), (Positions{1}));
    EXPECT_EQ(questions().raw_span("a:run:k", 0, 9, 10)->at(1), large);
    EXPECT_EQ(positions(table().raw_after("a:run:k", 1, 10)), (Positions{3, 5}));
    EXPECT_EQ(positions(table().raw_after("a:run:k", 0, 2)), (Positions{1, 3}));
    EXPECT_EQ(table().raw_after("a:run:k", 2, 10)->at(0).content.bytes(), "{}");
}

TEST_P(Memory, of_summaries_knows_those_that_nothing_has_folded) {
    for (const std::int64_t position : {10, 20, 30}) ASSERT_OK(table().add_summary(summary_place(position)));
    ASSERT_OK(table().add_summary(summary_place(40, 3)));
    ASSERT_OK(table().add_summary(summary_place(50, 2)));
    ASSERT_OK(table().add_summary(summary_place(60, 1, "b")));
    EXPECT_EQ(*questions().summary(summary_place(20).message_id), summary_place(20));
    EXPECT_EQ(*questions().summary(uuid_of(21, 5)), std::nullopt);
    EXPECT_EQ(positions(questions().unfolded("a")), (Positions{40, 50, 10, 20, 30}));
    const base::Uuid into = summary_place(50).message_id;
    ASSERT_OK(table().fold_summaries("a", 1, 10, 20, into));
    EXPECT_EQ(positions(questions().unfolded("a")), (Positions{40, 50, 30}));
    EXPECT_EQ(positions(questions().unfolded("b")), (Positions{60}));
    EXPECT_EQ(positions(questions().folded_into(into)), (Positions{10, 20}));
    EXPECT_EQ((*questions().summary(summary_place(10).message_id))->folded_into, into);
    ASSERT_OK(table().fold_summaries("a", 1, 10, 30, uuid_of(9, 9)));
    EXPECT_EQ(positions(questions().folded_into(into)), (Positions{10, 20})) << "once";
    ASSERT_OK(table().unfold(into));
    EXPECT_EQ(positions(questions().unfolded("a")), (Positions{40, 50, 10, 20}));
    const model::SummaryPlace gone = summary_place(10);
    ASSERT_OK(table().remove_summaries(std::span(&gone, 1)));
    EXPECT_EQ(positions(questions().unfolded("a")), (Positions{40, 50, 20}));
}

TEST_P(Memory, of_summaries_that_nothing_has_folded_comes_with_what_they_say) {
    model::AgentMessage large = remembered(30, "a:run:k", AgentMessageKind::summary);
    large.content_entry_id = uuid_of(3, 8);
    add({remembered(10, "a:run:k", AgentMessageKind::summary), remembered(20, "a:run:k", AgentMessageKind::summary),
         large, remembered(40, "a:run:k", AgentMessageKind::summary),
         remembered(60, "b:run:k", AgentMessageKind::summary)});
    for (const std::int64_t position : {10, 20, 30}) ASSERT_OK(table().add_summary(summary_place(position)));
    ASSERT_OK(table().add_summary(summary_place(40, 7)));
    ASSERT_OK(table().add_summary(summary_place(60, 1, "b")));
    ASSERT_OK(table().add_summary(summary_place(70)));  // whose message is gone
    ASSERT_OK(table().fold_summaries("a", 1, 10, 10, uuid_of(9, 9)));
    const auto frontier = questions().frontier("a");
    ASSERT_OK(frontier);
    ASSERT_EQ(frontier->size(), 3U);
    EXPECT_EQ(frontier->at(0).place, summary_place(40, 7)) << "the deepest first";
    EXPECT_EQ(frontier->at(1).place, summary_place(20));
    EXPECT_EQ(frontier->at(1).message, remembered(20, "a:run:k", AgentMessageKind::summary));
    EXPECT_EQ(frontier->at(2).message, large) << "with what lies apart";
    EXPECT_TRUE(questions().frontier("c")->empty());
}

TEST_P(Memory, of_far_too_many_summaries_reads_the_deepest_and_the_newest) {
    const auto most = static_cast<std::int64_t>(base::limits::summaries_read_max);
    for (std::int64_t i = 1; i <= most + 2; ++i) ASSERT_OK(table().add_summary(summary_place(i)));
    ASSERT_OK(table().add_summary(summary_place(most + 9, 2)));
    const Positions found = positions(questions().unfolded("a"));
    ASSERT_EQ(found.size(), base::limits::summaries_read_max);
    EXPECT_EQ(found.at(0), most + 9);
    EXPECT_EQ(found.at(1), 4);
    EXPECT_EQ(found.back(), most + 2);
    std::vector<model::AgentMessage> messages;
    for (std::int64_t i = 1; i <= most + 9; ++i) {
        messages.push_back(remembered(i, "a:run:k", AgentMessageKind::summary));
    }
    add(messages);
    const auto frontier = questions().frontier("a");
    ASSERT_OK(frontier);
    Positions told;
    for (const ports::StoredSummary& one : *frontier) told.push_back(one.message.position);
    EXPECT_EQ(told, found);
}

TEST_P(Memory, of_summaries_tells_which_cover_a_span) {
    for (const std::int64_t position : {10, 20, 30}) ASSERT_OK(table().add_summary(summary_place(position)));
    model::SummaryPlace above = summary_place(40, 2);
    above.start_position = 1;
    ASSERT_OK(table().add_summary(above));
    EXPECT_EQ(positions(table().covering("a:run:k", 9, 15)), (Positions{10, 20})) << "5–9 and 15–19";
    EXPECT_EQ(positions(table().covering("a:run:k", 10, 14)), (Positions{}));
    EXPECT_EQ(positions(table().covering("a:run:k", 1, 99)), (Positions{10, 20, 30}));
    EXPECT_EQ(positions(table().covering("a:run:other", 1, 99)), (Positions{}));
}

TEST_P(Memory, of_jobs_comes_back_as_it_was_written_and_is_replaced) {
    model::FoldJob job = fold_job(1, "a:k");
    put({job, fold_job(2, "a:l")});
    EXPECT_EQ(*questions().job(job.id), job);
    EXPECT_EQ(*questions().job(uuid_of(3, 6)), std::nullopt);
    job = in_state(in_state(job, FoldState::running), FoldState::done);
    job.attempts = 4;
    job.summarizer = model::Summarizer::rules;
    job.last_error.clear();
    put({job});
    EXPECT_EQ(*questions().job(job.id), job);
    EXPECT_EQ(*questions().job(uuid_of(2, 6)), fold_job(2, "a:l"));
}

TEST_P(Memory, of_a_thread_has_one_job_that_is_not_done) {
    put({in_state(fold_job(1, "a:k"), FoldState::done), in_state(fold_job(2, "a:k"), FoldState::done)});
    EXPECT_EQ(*table().open_job("a:k"), std::nullopt);
    for (const FoldState state : {FoldState::pending, FoldState::running, FoldState::failed_terminal}) {
        const model::FoldJob job = in_state(fold_job(3, "a:k"), state);
        put({job});
        EXPECT_EQ(*table().open_job("a:k"), job);
        EXPECT_EQ(*table().open_job("a:l"), std::nullopt);
    }
    commit();
    EXPECT_FALSE(table().put_job(fold_job(4, "a:k")).ok());
}

TEST_P(Memory, of_jobs_finds_those_that_somebody_has_to_look_after) {
    put({fold_job(30, "a:late"), fold_job(10, "a:early"), in_state(fold_job(1, "a:held"), FoldState::running),
         in_state(fold_job(2, "a:done"), FoldState::done),
         in_state(fold_job(3, "a:lost"), FoldState::failed_terminal)});
    EXPECT_EQ(*table().next_job_at(), at_second(10));
    EXPECT_EQ(names(table().due_jobs(at_second(9), 10)), (Names{}));
    EXPECT_EQ(names(table().due_jobs(at_second(30), 10)), (Names{"a:early", "a:late"}));
    EXPECT_EQ(names(table().due_jobs(at_second(30), 1)), (Names{"a:early"}));
    EXPECT_EQ(names(table().due_jobs(at_second(50), 10)), (Names{"a:early", "a:late", "a:held"})) << "its time is up";
    EXPECT_EQ(names(table().running_jobs()), (Names{"a:held"}));
}

TEST_P(Memory, of_jobs_that_are_done_goes_after_a_while) {
    put({in_state(fold_job(1, "a:old"), FoldState::done), in_state(fold_job(2, "a:older"), FoldState::done),
         in_state(fold_job(9, "a:young"), FoldState::done), fold_job(3, "a:open"),
         in_state(fold_job(4, "a:lost"), FoldState::failed_terminal)});
    EXPECT_EQ(*table().drop_jobs(at_second(10), 1), 1U);
    EXPECT_EQ(*table().drop_jobs(at_second(10), 10), 1U);
    EXPECT_EQ(*table().drop_jobs(at_second(10), 10), 0U);
    EXPECT_EQ(rows_in("fold_jobs"), 3);
}

TEST_P(Memory, is_read_page_by_page) {
    model::FoldJob others = fold_job(4, "b:k");
    others.user_id = "bob";
    put({fold_job(1, "a:1"), in_state(fold_job(2, "a:2"), FoldState::running), fold_job(3, "c:3"), others});
    put({agent_thread("a:old", 5), agent_thread("a:new", 9), agent_thread("a:same", 5), agent_thread("b:k", 7)});
    commit();
    const auto reading = world().reading();
    ports::MemoryReading& memory = reading->memory();
    EXPECT_EQ(names(memory.jobs({"", "", {}, {}, 10})), (Names{"b:k", "c:3", "a:2", "a:1"}));
    EXPECT_EQ(names(memory.jobs({"", "", {}, uuid_of(3, 6), 1})), (Names{"a:2"}));
    EXPECT_EQ(names(memory.jobs({"", "", {}, uuid_of(7, 6), 1})), (Names{}));
    EXPECT_EQ(names(memory.jobs({"ada", "", {}, {}, 10})), (Names{"c:3", "a:2", "a:1"}));
    EXPECT_EQ(names(memory.jobs({"", "a", {}, {}, 10})), (Names{"a:2", "a:1"}));
    EXPECT_EQ(names(memory.jobs({"bob", "a", {}, {}, 10})), (Names{}));
    EXPECT_EQ(names(memory.jobs({"ada", "", FoldState::running, {}, 10})), (Names{"a:2"}));
    EXPECT_EQ(names(memory.threads({"a", "", 10})), (Names{"a:new", "a:same", "a:old"}));
    EXPECT_EQ(names(memory.threads({"a", "a:new", 1})), (Names{"a:same"}));
    EXPECT_EQ(names(memory.threads({"a", "a:same", 10})), (Names{"a:old"}));
    EXPECT_EQ(*memory.questions().thread("b:k"), agent_thread("b:k", 7));
}

TEST_P(Memory, is_read_as_a_whole_in_the_order_of_its_coming) {
    model::AgentMessage large = remembered(2);
    large.content_entry_id = uuid_of(2, 8);
    std::vector<model::AgentMessage> all{remembered(1), large, remembered(3, "b:k"),
                                         remembered(4, "a:run:k", AgentMessageKind::summary), remembered(5, "a:l")};
    all[3].created_at = all[4].created_at;
    add(all);
    commit();
    const auto reading = world().reading();
    EXPECT_EQ(positions(reading->memory().all("a", 0, 10)), (Positions{1, 2, 4, 5}));
    EXPECT_EQ(reading->memory().all("a", 1, 1)->at(0), large) << "with all of it";
    EXPECT_EQ(positions(reading->memory().all("a", 4, 10)), (Positions{5}));
    EXPECT_EQ(positions(reading->memory().all("a", 5, 10)), (Positions{}));
    EXPECT_EQ(*table().remove_messages(std::span(&all[1], 1)), 1U);
    commit();
    EXPECT_EQ(positions(reading->memory().all("a", 2, 10)), (Positions{4, 5})) << "after one that is gone";
}

TEST_P(Memory, of_an_agent_has_settings_that_are_kept_with_it) {
    model::AgentRecord agent = agent_of("a", "ada");
    const auto settings = [&] { return store().agents().find(std::vector<std::string>{"a"})->at(0).agent.memory; };
    static constexpr Sql untold{"SELECT count(*) FROM agents WHERE memory_json IS NULL"};
    ASSERT_OK(store().agents().put(std::vector{agent}));
    EXPECT_EQ(settings(), model::MemorySettings{});
    ASSERT_OK(store().database().run(untold, {}, [](const Row& row) { EXPECT_EQ(row.number(0), 1); }));
    agent.agent.memory = {9000, 800, 7, model::Summarizer::model, "http://x", "m\"1", "KEY"};
    ASSERT_OK(store().agents().put(std::vector{agent}));
    EXPECT_EQ(settings(), agent.agent.memory);
    agent.agent.memory = {};
    ASSERT_OK(store().agents().put(std::vector{agent}));
    EXPECT_EQ(settings(), model::MemorySettings{});
}

}  // namespace
}  // namespace belfry::store::testing
