#include "store/memory_world_test.hpp"
#include "store/word_index.hpp"

namespace belfry::store::testing {
namespace {

using model::AgentMessageKind;
using Words = std::vector<std::string>;

// As whoever writes them would find them: apart by spaces, those of a test's content.
Words words_in(const model::AgentMessage& message) {
    Words words;
    std::string word;
    for (const char c : message.content.bytes()) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127;
        if (is_letter) word += c;
        else if (!word.empty()) words.push_back(std::exchange(word, {}));
    }
    return words;
}

class MemoryWords : public MemorySuite {
protected:
    static model::AgentMessage saying(std::int64_t position, const std::string& text,
                                      const std::string& thread = "a:run:k",
                                      AgentMessageKind kind = AgentMessageKind::thought) {
        model::AgentMessage made = remembered(position, thread, kind);
        made.content = model::RawJson::trusted('"' + text + '"');
        return made;
    }
    void say(const std::vector<model::AgentMessage>& messages) {
        add(messages);
        std::vector<ports::MemoryTable::Words> words;
        for (const model::AgentMessage& one : messages) words.push_back({one.position, one.agent_id, words_in(one)});
        ASSERT_OK(table().add_words(words));
    }
    static ports::RecallFilter asked(Words words, const std::string& agent = "a") {
        return words_of_agent(agent, std::move(words));
    }
    Positions found(const ports::RecallFilter& filter) { return positions(questions().recall(filter)); }

    // As a store of before had them: the messages are there, and no word of them.
    void be_behind(std::int64_t until) {
        static constexpr Sql older{"UPDATE memory_index SET indexed_to = 0, index_until = $1"};
        ASSERT_OK(store().database().run(older, {number(until)}));
    }
    std::size_t index_all(std::size_t limit) {
        std::size_t steps = 0;
        for (;;) {
            const auto done = table().index_more(limit, words_in);
            EXPECT_OK(done);
            if (!done.ok() || *done == 0) return steps;
            EXPECT_LE(*done, limit);
            ++steps;
        }
    }
    // In how many pieces of SQLite's index it can be read, also where nobody is to find it any more.
    int traces(const std::string& word) {
        static constexpr Sql pieces{"SELECT block FROM memory_words_data"};
        int seen = 0;
        EXPECT_OK(store().database().run(pieces, {}, [&](const Row& row) {
            if (row.bytes(0).find(word) != std::string_view::npos) ++seen;
        }));
        return seen;
    }
};
BELFRY_ON_BOTH_DATABASES(MemoryWords);

TEST_P(MemoryWords, find_what_has_all_of_them_the_newest_first) {
    say({saying(1, "the red door"), saying(2, "the blue door"), saying(3, "a red window"),
         saying(4,
                "das \xC3\xBC"
                "berm\xC3\xBCtige kind 42")});
    EXPECT_EQ(found(asked({"door"})), (Positions{2, 1}));
    EXPECT_EQ(found(asked({"door", "red"})), (Positions{1}));
    EXPECT_EQ(found(asked({"door", "window"})), (Positions{}));
    EXPECT_EQ(found(asked({"\xC3\xBC"
                           "berm\xC3\xBCtige",
                           "42"})),
              (Positions{4}));
    EXPECT_EQ(found(asked({"doo"})), (Positions{})) << "whole ones only";
    ports::RecallFilter few = asked({"red"});
    few.limit = 1;
    EXPECT_EQ(found(few), (Positions{3}));
    EXPECT_EQ(questions().recall(few)->at(0), saying(3, "a red window"));
    commit();
    EXPECT_EQ(positions(world().reading()->memory().questions().recall(asked({"door"}))), (Positions{2, 1}));
}

TEST_P(MemoryWords, that_mean_something_to_the_database_are_words) {
    say({saying(1, "and or not near null select")});
    for (const char* word : {"and", "or", "not", "near", "null", "select"}) {
        EXPECT_EQ(found(asked({word})), (Positions{1})) << word;
    }
    EXPECT_EQ(found(asked({"\"", "'", "\\"})), (Positions{})) << "no error either";
}

TEST_P(MemoryWords, are_those_of_one_agent) {
    say({saying(1, "red"), saying(2, "red", "b:run:k"), saying(3, "red")});
    EXPECT_EQ(found(asked({"red"})), (Positions{3, 1}));
    EXPECT_EQ(found(asked({"red"}, "b")), (Positions{2}));
    EXPECT_EQ(found(asked({"red"}, "c")), (Positions{}));
}

TEST_P(MemoryWords, are_asked_for_of_a_kind_of_a_time_and_of_threads) {
    say({saying(1, "red"), saying(2, "red", "a:l", AgentMessageKind::user), saying(3, "red", "a:m"),
         saying(4, "red", "a:n", AgentMessageKind::user)});
    ports::RecallFilter filter = asked({"red"});
    filter.kind = AgentMessageKind::user;
    EXPECT_EQ(found(filter), (Positions{4, 2}));
    filter.before = at_second(4);
    EXPECT_EQ(found(filter), (Positions{2}));
    filter.kind.reset();
    filter.from = at_second(2);
    EXPECT_EQ(found(filter), (Positions{3, 2}));
    filter.threads = {"a:run:k", "a:m", "a:n"};
    EXPECT_EQ(found(filter), (Positions{3}));
    filter.from.reset();
    filter.before.reset();
    EXPECT_EQ(found(filter), (Positions{4, 3, 1}));
    filter.limit = 2;
    EXPECT_EQ(found(filter), (Positions{4, 3}));
}

TEST_P(MemoryWords, are_asked_for_in_more_threads_than_one_question_has_room_for) {
    ports::RecallFilter filter = asked({"red"});
    for (std::size_t i = 1; i <= WordIndex::threads_max + 1; ++i) {
        filter.threads.push_back("a:" + std::to_string(i));
        say({saying(static_cast<std::int64_t>(i), "red", filter.threads.back())});
    }
    const auto last = static_cast<std::int64_t>(WordIndex::threads_max) + 1;
    filter.limit = 2;
    EXPECT_EQ(found(filter), (Positions{last, last - 1}));
}

TEST_P(MemoryWords, of_messages_from_before_are_looked_for_in_slices) {
    model::AgentMessage large = saying(2, "blue red");
    large.content_entry_id = uuid_of(2, 8);
    add({saying(1, "red"), large, saying(3, "red", "a:run:k", AgentMessageKind::summary), saying(5, "red")});
    be_behind(5);
    say({saying(6, "red")});
    EXPECT_EQ(found(asked({"red"})), (Positions{6}));
    EXPECT_EQ(*table().index_more(2, words_in), 2U);
    EXPECT_EQ(found(asked({"red"})), (Positions{6, 2, 1})) << "what lies apart, too";
    EXPECT_EQ(index_all(2), 1U);
    EXPECT_EQ(found(asked({"red"})), (Positions{6, 5, 2, 1})) << "summaries are not what was said";
    EXPECT_EQ(index_all(100), 0U);
    be_behind(6);
    EXPECT_EQ(index_all(100), 1U);
    EXPECT_EQ(found(asked({"red"})), (Positions{6, 5, 2, 1})) << "each once";
}

TEST_P(MemoryWords, go_with_the_message_and_all_that_belongs_to_it) {
    ASSERT_OK(store().agents().put(std::vector{agent_of("a", "ada")}));
    model::AgentMessage large = saying(2, "red");
    large.content_entry_id = uuid_of(2, 8);
    const std::vector all{saying(1, "red"), large, saying(3, "red")};
    say(all);
    using model::AgentRelation;
    const auto link = [](AgentRelation relation, const model::AgentMessage& from, const base::Uuid& to) {
        return model::AgentLink{relation, from.id, base::format_uuid(to), "ada", at_second(1)};
    };
    ASSERT_OK(store().agent_messages().link(std::vector{link(AgentRelation::message_payload, large, uuid_of(2, 8)),
                                                        link(AgentRelation::message_prev, large, all[0].id),
                                                        link(AgentRelation::message_prev, all[2], large.id),
                                                        link(AgentRelation::message_prev, all[0], uuid_of(9, 5))}));
    EXPECT_EQ(*table().remove_messages(std::vector{large}), 1U);
    EXPECT_EQ(found(asked({"red"})), (Positions{3, 1}));
    EXPECT_EQ(rows_in("agent_messages"), 2);
    EXPECT_EQ(rows_in("memory_words"), 2);
    EXPECT_EQ(rows_in("agent_payloads"), 0);
    EXPECT_EQ(rows_in("links"), 1) << "neither from it nor to it";
    EXPECT_EQ(*table().remove_messages(std::vector{large}), 0U);
    model::AgentMessage another = all[0];
    another.id = uuid_of(77, 5);
    EXPECT_EQ(*table().remove_messages(std::vector{another}), 0U) << "another one in its place";
    say({saying(2, "green")});
    EXPECT_EQ(found(asked({"green"})), (Positions{2}));
    EXPECT_EQ(found(asked({"red"})), (Positions{3, 1}));
}

TEST_P(MemoryWords, that_were_removed_can_be_read_nowhere_in_the_end) {
    for (std::int64_t i = 1; i <= 120; ++i) {
        say({saying(i, (i == 100 ? "xq7mark " : "common ") + std::string("word") + std::to_string(i * 7919))});
        if (i % 20 == 0) commit();
    }
    EXPECT_EQ(*table().remove_messages(std::vector{saying(100, "")}), 1U);
    commit();
    if (GetParam() == Backend::sqlite) EXPECT_GT(traces("xq7mark"), 0) << "or the test says nothing";
    EXPECT_GT(index_all(10), 0U);
    EXPECT_EQ(index_all(10), 0U);
    if (GetParam() == Backend::sqlite) EXPECT_EQ(traces("xq7mark"), 0);
    EXPECT_EQ(found(asked({"word" + std::to_string(99 * 7919)})), (Positions{99}));
    EXPECT_EQ(found(asked({"xq7mark"})), (Positions{}));
}

TEST_P(MemoryWords, of_what_a_transaction_has_removed_itself_are_cleaned_up_too) {
    say({saying(1, "xq7mark"), saying(2, "red")});
    commit();
    EXPECT_EQ(*table().remove_messages(std::vector{saying(1, "")}), 1U);
    index_all(10);
    commit();
    if (GetParam() == Backend::sqlite) EXPECT_EQ(traces("xq7mark"), 0);
    EXPECT_EQ(found(asked({"red"})), (Positions{2}));
}

TEST_P(MemoryWords, and_all_of_a_persons_memory_are_erased_with_him) {
    ASSERT_OK(store().agents().put(std::vector{agent_of("a", "ada"), agent_of("b", "bob")}));
    for (const std::string agent : {"a", "b"}) {
        const std::int64_t first = agent == "a" ? 1 : 11;
        for (std::int64_t i = first; i < first + 3; ++i) say({saying(i, "mark" + agent + " red", agent + ":k")});
        model::AgentThread thread = agent_thread(agent + ":k", 5);
        model::FoldJob job = fold_job(static_cast<std::uint64_t>(first), agent + ":k");
        thread.user_id = job.user_id = agent == "a" ? "ada" : "bob";
        ASSERT_OK(table().put_thread(thread));
        ASSERT_OK(table().put_job(job));
        ASSERT_OK(table().add_summary(summary_place(first + 100, 1, agent)));
    }
    commit();
    std::uint64_t slices = 0;
    for (; *store().agents().erase_user("ada", 2) > 0 && slices < 100; ++slices) commit();
    EXPECT_GT(slices, 3U);
    for (const char* table : {"agent_threads", "fold_jobs", "memory_summaries", "agents"}) {
        EXPECT_EQ(rows_in(table), 1) << table;
    }
    EXPECT_EQ(rows_in("memory_words"), 3);
    EXPECT_EQ(found(asked({"red"}, "b")), (Positions{13, 12, 11}));
    EXPECT_EQ(found(asked({"red"}, "a")), (Positions{}));
    if (GetParam() == Backend::sqlite) EXPECT_EQ(traces("marka"), 0);
    if (GetParam() == Backend::sqlite) EXPECT_GT(traces("markb"), 0);
}

TEST_P(MemoryWords, and_all_of_an_agents_memory_go_with_it) {
    ASSERT_OK(store().agents().put(std::vector{agent_of("a", "ada"), agent_of("b", "ada")}));
    for (const std::string agent : {"a", "b"}) {
        const std::int64_t first = agent == "a" ? 1 : 11;
        say({saying(first, "red", agent + ":k"), saying(first + 1, "red", agent + ":k")});
        ASSERT_OK(table().put_thread(agent_thread(agent + ":k", 5)));
        ASSERT_OK(table().put_job(fold_job(static_cast<std::uint64_t>(first), agent + ":k")));
        ASSERT_OK(table().add_summary(summary_place(first + 100, 1, agent)));
    }
    commit();
    for (int slices = 0; *store().agents().drop("a", 1) > 0 && slices < 100; ++slices) commit();
    for (const char* table : {"agent_threads", "fold_jobs", "memory_summaries", "agents"}) {
        EXPECT_EQ(rows_in(table), 1) << table;
    }
    EXPECT_EQ(rows_in("memory_words"), 2);
    EXPECT_EQ(found(asked({"red"}, "b")), (Positions{12, 11}));
    EXPECT_GT(index_all(10), 0U) << "something is left of them in the index until then";
}

TEST_P(MemoryWords, are_not_there_after_a_rollback) {
    say({saying(1, "red")});
    commit();
    say({saying(2, "red")});
    store().rollback();
    ASSERT_OK(store().begin());
    EXPECT_EQ(found(asked({"red"})), (Positions{1}));
    ASSERT_OK(store().begin_trial());
    say({saying(2, "red")});
    ASSERT_OK(store().undo_trial());
    EXPECT_EQ(found(asked({"red"})), (Positions{1}));
}

class Forgetting : public MemorySuite {};
BELFRY_ON_BOTH_DATABASES(Forgetting);

TEST_P(Forgetting, finds_what_is_to_go_in_slices) {
    model::AgentMessage large = remembered(3, "a:l");
    large.content_entry_id = uuid_of(3, 8);
    add({remembered(1), remembered(2, "a:run:k", AgentMessageKind::summary), large, remembered(4),
         remembered(5, "b:k")});
    EXPECT_EQ(positions(table().raw_messages("a", "", std::nullopt, 10)), (Positions{1, 3, 4}));
    EXPECT_EQ(table().raw_messages("a", "", std::nullopt, 10)->at(1).content.bytes(), "{}");
    EXPECT_EQ(positions(table().raw_messages("a", "", at_second(4), 10)), (Positions{1, 3}));
    EXPECT_EQ(positions(table().raw_messages("a", "", std::nullopt, 1)), (Positions{1}));
    EXPECT_EQ(positions(table().raw_messages("a", "a:run:k", std::nullopt, 10)), (Positions{1, 4}));
    EXPECT_EQ(positions(table().raw_messages("a", "a:run:k", at_second(4), 10)), (Positions{1}));
    EXPECT_EQ(positions(table().raw_messages("b", "a:run:k", std::nullopt, 10)), (Positions{}));
}

TEST_P(Forgetting, by_age_takes_what_a_summary_covers) {
    model::AgentThread thread = agent_thread("a:run:k", 9);
    thread.folded_through = 4;
    ASSERT_OK(table().put_thread(thread));
    model::AgentThread hot = agent_thread("a:hot", 9);
    hot.folded_through = 0;
    ASSERT_OK(table().put_thread(hot));
    add({remembered(1, "a:hot"), remembered(2), remembered(3, "a:run:k", AgentMessageKind::user), remembered(4),
         remembered(5)});
    EXPECT_EQ(positions(table().folded_messages(AgentMessageKind::thought, at_second(9), 10)), (Positions{2, 4}));
    EXPECT_EQ(positions(table().folded_messages(AgentMessageKind::thought, at_second(4), 10)), (Positions{2}));
    EXPECT_EQ(positions(table().folded_messages(AgentMessageKind::thought, at_second(9), 1)), (Positions{2}));
    EXPECT_EQ(positions(table().folded_messages(AgentMessageKind::user, at_second(9), 10)), (Positions{3}));
}

}  // namespace
}  // namespace belfry::store::testing
