#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "rules/assemble_memory.hpp"
#include "rules/fold.hpp"
#include "rules/memory_messages_test.hpp"
#include "rules/memory_text.hpp"
#include "rules/rule_summary.hpp"

// Fifty thousand messages go through the rules as they go through Belfry, and what was marked among them is looked for
// at the end.
namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageKind;
using model::MemorySummary;
using model::RecalledSummary;

constexpr std::uint64_t messages_told = 50'000;
constexpr std::uint64_t facts_planted = 200;
constexpr std::uint64_t facts_marked = 60;

// A summary that nothing has folded yet.
struct Kept {
    model::SummaryPlace place;
    AgentMessage message;
};

// What folds here is told by the rules alone: how one does it with a store is the engine's.
class Life {
public:
    void tell(AgentMessage message) {
        now_ = message.created_at;
        thread_.last_at = now_;
        ++thread_.messages;
        ++thread_.hot_messages;
        thread_.hot_tokens += message.tokens_approx;
        newest_.push_back(message);
        if (newest_.size() > static_cast<std::size_t>(settings_.hot_messages)) newest_.pop_front();
        hot_.push_back(std::move(message));
        if (is_fold_due(thread_, settings_, now_)) fold();
    }

    // Nothing more comes for long: all of it is folded.
    void rest() {
        now_ = now_ + limits::thread_idle_before_fold;
        while (is_fold_due(thread_, settings_, now_)) fold();
    }

    [[nodiscard]] model::AssembledMemory assembled() const {
        MemorySource source;
        source.settings = settings_;
        source.thread_id = thread_of_all;
        source.newest.assign(newest_.rbegin(), newest_.rend());
        for (const auto& [depth, kept] : frontier_) {
            for (const Kept& one : kept) {
                source.summaries.push_back(recalled_summary(one.place, one.message));
                source.summary_positions.push_back(one.place.position);
            }
        }
        return assemble_memory(std::move(source), estimate_model_tokens);
    }

    [[nodiscard]] const std::map<std::int64_t, std::vector<Kept>>& frontier() const { return frontier_; }
    [[nodiscard]] std::int64_t depths() const { return frontier_.empty() ? 0 : frontier_.rbegin()->first; }
    [[nodiscard]] const model::AgentThread& thread() const { return thread_; }
    [[nodiscard]] std::size_t most_kept() const { return most_kept_; }

private:
    static constexpr const char* thread_of_all = "coach:session:s";

    void fold() {
        const std::size_t count = choose_span(hot_, thread_, settings_, now_);
        ASSERT_GT(count, 0U);
        const std::span<const AgentMessage> span(hot_.data(), count);
        keep(summarize_messages(span), 1, span.front().id, span.back().id, thread_of_all);
        for (const AgentMessage& message : span) thread_.hot_tokens -= message.tokens_approx;
        thread_.hot_messages -= static_cast<std::int64_t>(count);
        hot_.erase(hot_.begin(), hot_.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::int64_t depth = 1; depth <= depths(); ++depth) fold_summaries(depth);
    }

    void fold_summaries(std::int64_t depth) {
        std::vector<Kept>& kept = frontier_[depth];
        most_kept_ = std::max(most_kept_, kept.size());
        std::vector<model::SummaryPlace> places;
        for (const Kept& one : kept) places.push_back(one.place);
        const std::size_t count = choose_summaries(places);
        if (count == 0) return;
        std::vector<FoldedSummary> folded;
        for (std::size_t i = 0; i < count; ++i) {
            folded.push_back({kept[i].message, model::memory_summary_of(kept[i].message.content.view())});
            ASSERT_TRUE(folded.back().summary.has_value());
        }
        const base::Uuid first = kept.front().message.id;
        const base::Uuid last = kept[count - 1].message.id;
        kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
        keep(summarize_summaries(folded), depth + 1, first, last, memory_thread_of("coach"));
    }

    void keep(const MemorySummary& summary, std::int64_t depth, const base::Uuid& first, const base::Uuid& last,
              std::string thread) {
        ASSERT_TRUE(check_memory_summary(summary).ok());
        std::string json;
        model::JsonWriter writer(json);
        model::append_memory_summary(writer, summary);
        Kept kept;
        kept.message = message_of_json(messages_told + ++made_, AgentMessageKind::summary, std::move(json));
        kept.message.id = summary_id("coach", thread, depth, first, last);
        kept.message.thread_id = std::move(thread);
        kept.message.summary_start_message_id = first;
        kept.message.summary_end_message_id = last;
        kept.place.message_id = kept.message.id;
        kept.place.position = kept.message.position;
        kept.place.depth = depth;
        kept.place.tokens = kept.message.tokens_approx;
        frontier_[depth].push_back(std::move(kept));
    }

    model::MemorySettings settings_;
    model::AgentThread thread_;
    base::Timestamp now_;
    std::vector<AgentMessage> hot_;
    std::deque<AgentMessage> newest_;
    std::map<std::int64_t, std::vector<Kept>> frontier_;
    std::uint64_t made_ = 0;
    std::size_t most_kept_ = 0;
};

std::string fact(std::uint64_t number) {
    return "fact " + std::to_string(number) + " says that locker " + std::to_string(number * 7919 % 1000) +
           " opens with " + std::to_string(number * 104729 % 100'000);
}

AgentMessage message_number(std::uint64_t number) {
    constexpr std::uint64_t apart = messages_told / facts_planted;
    if (number % apart == 17) {
        const std::uint64_t planted = number / apart;
        constexpr std::array<const char*, 3> labels{"Goal: ", "Decision: ", "Todo: "};
        const bool is_marked = planted < facts_marked;
        return said(number, (is_marked ? labels[planted % 3] : "By the way, ") + fact(planted),
                    AgentMessageKind::thought);
    }
    if (number % 10 == 3) return done(number, "list_tasks", R"({"category":"gym"})");
    if (number % 10 == 4) return answered(number, number - 1, number % 100 == 4 ? "out_of_scope" : "", "task-1");
    return said(number, "Message " + std::to_string(number) + " is about nothing that anybody would have to remember.");
}

std::set<std::string> carried_in(const model::AssembledMemory& memory) {
    std::set<std::string> texts;
    for (const auto* const list : {&memory.goals, &memory.decisions, &memory.open_loops}) {
        for (const model::MemoryItem& item : *list) texts.insert(item.text);
    }
    return texts;
}

TEST(PlantedFacts, that_were_marked_stand_in_the_context_after_fifty_thousand_messages) {
    Life life;
    for (std::uint64_t number = 1; number <= messages_told; ++number) life.tell(message_number(number));
    const model::AssembledMemory memory = life.assembled();
    EXPECT_EQ(memory.budget_tokens, 16'000);
    EXPECT_LE(memory.used_tokens, 16'000);
    const std::set<std::string> carried = carried_in(memory);
    for (std::uint64_t i = 0; i < facts_marked; ++i) EXPECT_TRUE(carried.contains(fact(i))) << fact(i);
    EXPECT_EQ(carried.size(), facts_marked) << "and what was not marked is found by its words";
    EXPECT_FALSE(memory.messages.empty());

    // All that there is to choose from stays small, and nothing of the fifty thousand is missing in it.
    EXPECT_LE(life.most_kept(), limits::summaries_kept_max + 1);
    EXPECT_LE(life.depths(), 7);
    std::int64_t told = 0;
    for (const auto& [depth, kept] : life.frontier()) {
        EXPECT_LE(kept.size(), limits::summaries_kept_max) << depth;
        for (const Kept& one : kept) told += model::memory_summary_of(one.message.content.view())->messages();
    }
    EXPECT_EQ(told + life.thread().hot_messages, static_cast<std::int64_t>(messages_told));
}

TEST(PlantedFacts, stand_there_when_nothing_is_hot_any_more_and_go_when_they_are_done) {
    Life life;
    for (std::uint64_t number = 1; number <= 2000; ++number) life.tell(message_number(number));
    life.tell(said(2001, "Done: " + fact(2)));
    life.tell(said(2002, "Done: " + fact(0)));
    life.tell(said(2003, "Done: " + fact(1)));
    life.rest();
    EXPECT_EQ(life.thread().hot_messages, 0);
    const std::set<std::string> carried = carried_in(life.assembled());
    EXPECT_EQ(carried, (std::set<std::string>{fact(1), fact(3), fact(4), fact(5), fact(6), fact(7)}))
        << "a goal and a loop are closed, a decision stays";
}

}  // namespace
}  // namespace belfry::rules
