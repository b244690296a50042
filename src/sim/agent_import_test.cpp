#include "ports/commands/agent_import.hpp"

#include <map>

#include "sim/memory_world_test.hpp"

// An agent that comes from another device, with all that it remembers.
namespace belfry::sim {
namespace {

class AgentImport : public MemoryWorld {
protected:
    AgentImport() { open(); }

    // The words of `fixer` as another device would send them, of `guest` there: under other names and ids, summaries
    // under those that their spans give them.
    Messages as_exported() {
        Messages all;
        for (const std::string& thread : threads_) {
            for (model::AgentMessage& message : all_of(thread)) all.push_back(std::move(message));
        }
        std::ranges::sort(all, {}, &model::AgentMessage::position);
        std::map<base::Uuid, base::Uuid> names;
        for (model::AgentMessage& message : all) {
            const base::Uuid before = message.id;
            message.agent_id = "guest";
            message.thread_id.replace(0, std::string("fixer").size(), "guest");
            for (auto* const end : {&message.summary_start_message_id, &message.summary_end_message_id}) {
                if (*end) *end = names.at(**end);
            }
            message.id.bytes[8] ^= 0x15;
            if (message.kind == model::AgentMessageKind::summary) {
                message.id = rules::summary_id("guest", message.thread_id, message.summary_depth,
                                               *message.summary_start_message_id, *message.summary_end_message_id);
            }
            names[before] = message.id;
            message.content_entry_id.reset();
        }
        return all;
    }
    base::Result<ports::ImportedAgent> import(Messages messages, bool is_first = true,
                                              std::optional<base::Uuid> after = std::nullopt) {
        auto command = std::make_unique<ports::ImportAgent>();
        command->agent_id = "guest";
        if (is_first) {
            command->draft = agent();
            command->draft->agent.id = "guest";
            command->draft->state.slots.primary_goal = "order";
        }
        command->after = after;
        command->messages = std::move(messages);
        return try_to(std::move(command));
    }
    std::vector<model::SummaryPlace> places_of(const std::string& id) {
        return look([&](ports::Store& store) { return *store.memory().questions().unfolded(id); });
    }
    // 120 words in a thread of a run, folded as far as they go.
    std::string remember() {
        make_agent(wants_hot(4));
        const model::Wake wake = begin();
        for (int i = 0; i < 120; ++i) {
            say(wake, {"word" + std::to_string(i)});
            fold_all();
        }
        threads_ = {wake.thread_id, rules::memory_thread_of("fixer")};
        return wake.thread_id;
    }

    std::vector<std::string> threads_;
};

TEST_F(AgentImport, brings_messages_summaries_and_words_to_their_places) {
    const std::string thread_id = remember();
    const Messages words = as_exported();
    const auto middle = words.begin() + 50;
    const auto first = import({words.begin(), middle});
    ASSERT_TRUE(first.ok()) << first.error().field << ' ' << first.error().message;
    EXPECT_EQ(first->added, 50U);
    EXPECT_EQ(first->record.state.slots.primary_goal, "order");
    EXPECT_FALSE(claim_fold()) << "what comes next may be what has folded it";
    const auto second = import({middle, words.end()}, false, std::prev(middle)->id);
    ASSERT_TRUE(second.ok()) << second.error().field << ' ' << second.error().message;
    EXPECT_EQ(second->record.state.recent_head_message_id, words.back().id);

    const model::AgentThread there = thread(thread_id);
    const model::AgentThread here = thread("guest" + thread_id.substr(5));
    EXPECT_EQ(here.messages, there.messages);
    EXPECT_EQ(here.hot_messages, there.hot_messages);
    EXPECT_EQ(here.hot_tokens, there.hot_tokens);
    EXPECT_EQ(second->record.runtime.hot_message_count, agent().runtime.hot_message_count);
    const auto before = unfolded();
    const auto after = places_of("guest");
    ASSERT_EQ(after.size(), before.size());
    ASSERT_GE(before.size(), 2U);
    EXPECT_GT(before.front().depth, 1) << "else it shows little";
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].depth, before[i].depth);
        EXPECT_EQ(after[i].tokens, before[i].tokens);
        EXPECT_EQ(after[i].end_position - after[i].start_position, before[i].end_position - before[i].start_position);
    }
    const Messages found = look([](ports::Store& store) {
        ports::RecallFilter filter;
        filter.agent_id = "guest";
        filter.words = {"word7"};
        filter.limit = 5;
        return *store.memory().questions().recall(filter);
    });
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().created_at, recalled({"word7"}).at(0).created_at) << "when it was said, not when it came";
}

TEST_F(AgentImport, of_the_same_lines_again_adds_nothing) {
    remember();
    const Messages words = as_exported();
    const auto middle = words.begin() + 50;
    ASSERT_TRUE(import({words.begin(), middle}).ok());
    const auto again = import({words.begin(), middle}, false);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->added, 0U);
    EXPECT_EQ(again->unchanged, 50U);
    EXPECT_EQ(import({words.begin(), middle}).error().reason, "taken") << "the agent is there";
    EXPECT_EQ(import({words.begin() + 40, words.begin() + 60}, false, words[39].id).error().reason, "taken");
}

TEST_F(AgentImport, keeps_to_the_order_of_their_coming) {
    remember();
    const Messages words = as_exported();
    ASSERT_TRUE(import({words.begin(), words.begin() + 10}).ok());
    EXPECT_EQ(import({words.begin() + 20, words.begin() + 30}, false, words[19].id).error().reason, "out_of_order");
    EXPECT_EQ(import({words.begin() + 10, words.begin() + 30}, false).error().reason, "out_of_order");
    EXPECT_TRUE(import({words.begin() + 10, words.begin() + 30}, false, words[9].id).ok());
}

TEST_F(AgentImport, takes_all_of_a_request_or_nothing) {
    remember();
    Messages words = as_exported();
    words.resize(10);
    const auto refusal = [&](auto spoil) {
        Messages spoilt = words;
        spoil(spoilt[5]);
        const auto refused = import(spoilt);
        EXPECT_FALSE(refused.ok());
        return refused.ok() ? "" : refused.error().field;
    };
    EXPECT_EQ(refusal([](auto& one) { one.agent_id = "other"; }), "messages[5].agent_id");
    EXPECT_EQ(refusal([](auto& one) { one.thread_id = "other:run:1"; }), "messages[5].thread_id");
    EXPECT_EQ(refusal([](auto& one) { one.created_at = base::Timestamp{1}; }), "messages[5].created_at");
    EXPECT_EQ(refusal([&](auto& one) { one.created_at = now_ + base::days(3); }), "messages[5].created_at");
    EXPECT_EQ(refusal([&](auto& one) { one.id = words[4].id; }), "messages");
    EXPECT_EQ(refusal([&](auto& one) { one.id = all_of(threads_[0])[0].id; }), "messages") << "another's";
    EXPECT_TRUE(places_of("guest").empty());
    EXPECT_TRUE(import(words).ok()) << "nothing of what was refused is there";
}

TEST_F(AgentImport, places_a_summary_by_its_time_where_the_end_of_its_span_is_gone) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin({}, base::minutes(9));
    say(wake, {"one", "two", "three"});
    pass(base::minutes(1));
    say(wake, {"four", "five"});
    ASSERT_EQ(fold_all(), 1);
    threads_ = {wake.thread_id};
    Messages words = as_exported();
    ASSERT_EQ(words.size(), 6U);
    words.erase(words.begin() + 2);  // "three", the last one that the summary covers
    const auto imported = import(words);
    ASSERT_TRUE(imported.ok()) << imported.error().field << ' ' << imported.error().message;
    const auto places = places_of("guest");
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0].start_position, message(words[0].id)->position);
    EXPECT_EQ(places[0].end_position, message(words[1].id)->position);
    const model::AgentThread here = thread(words[0].thread_id);
    EXPECT_EQ(here.folded_through, places[0].end_position);
    EXPECT_EQ(here.hot_messages, 2) << "what was said after the summary stays hot";
}

TEST_F(AgentImport, takes_a_summary_of_a_thread_of_which_nothing_else_is_left) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin({}, base::minutes(9));
    say(wake, {"one", "two", "three", "four", "five"});
    ASSERT_EQ(fold_all(), 1);
    threads_ = {wake.thread_id};
    const Messages words = as_exported();
    const auto imported = import({words.back()});
    ASSERT_TRUE(imported.ok()) << imported.error().field << ' ' << imported.error().message;
    const model::AgentThread here = thread(words.back().thread_id);
    EXPECT_EQ(here.agent_id, "guest");
    EXPECT_EQ(here.user_id, "ada");
    EXPECT_EQ(here.hot_messages, 0);
    const auto places = places_of("guest");
    ASSERT_EQ(places.size(), 1U);
    EXPECT_EQ(places[0].message_id, words.back().id);
}

TEST_F(AgentImport, lives_on) {
    const std::string thread_id = remember();
    ASSERT_TRUE(import(as_exported()).ok());
    pass(base::hours(2));
    const Grant idle = claim_fold();
    ASSERT_TRUE(idle) << "what was hot there is folded here when nobody has spoken for long";
}

}  // namespace
}  // namespace belfry::sim
