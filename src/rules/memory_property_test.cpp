#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck.h>
#include <set>

#include "rules/assemble_memory.hpp"
#include "rules/fold.hpp"
#include "rules/memory_messages_test.hpp"
#include "rules/memory_text.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageKind;
using model::AssembledMemory;
using model::MemoryFate;
using model::MemoryItem;
using model::MemorySummary;
using model::RecalledSummary;

constexpr base::Timestamp now = base::Timestamp{} + base::hours(100);

int between(int low, int high) {
    return *rc::gen::inRange(low, high);
}

TEST(Property, a_fold_takes_no_more_than_it_must) {
    EXPECT_TRUE(rc::check([] {
        const auto costs = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 100));
        const std::int64_t budget = between(0, 300);
        const std::size_t count = choose_fold(costs, budget);
        const auto rest = [&costs](std::size_t from) {
            std::int64_t sum = 0;
            for (std::size_t i = from; i < costs.size(); ++i) sum += costs[i];
            return sum;
        };
        if (costs.empty()) RC_ASSERT(count == 0U);
        else RC_ASSERT(count < costs.size());
        RC_ASSERT(rest(count) <= budget || count + 1 == costs.size());
        if (count > 0) RC_ASSERT(rest(count - 1) > budget);
    }));
}

// Messages of all kinds, some of them pairs.
std::vector<AgentMessage> any_messages(int most) {
    std::vector<AgentMessage> messages;
    const int count = between(0, most);
    std::vector<std::uint64_t> open;
    for (std::uint64_t i = 1; i <= static_cast<std::uint64_t>(count); ++i) {
        const int kind = between(0, 6);
        if (kind == 0) {
            messages.push_back(done(i, "tool"));
            open.push_back(i);
        } else if (kind == 1 && !open.empty()) {
            messages.push_back(answered(i, open[static_cast<std::size_t>(between(0, static_cast<int>(open.size())))]));
        } else {
            messages.push_back(said(i, std::string(static_cast<std::size_t>(between(0, 40)), 'x')));
        }
        messages.back().tokens_approx = between(0, 3000);
    }
    return messages;
}

bool is_torn(const std::vector<AgentMessage>& hot, std::size_t end) {
    std::set<base::Uuid> before;
    for (std::size_t i = 0; i < end; ++i) before.insert(hot[i].id);
    return std::any_of(hot.begin() + static_cast<std::ptrdiff_t>(end), hot.end(), [&](const AgentMessage& message) {
        return message.metadata.action_ref_id && before.contains(*message.metadata.action_ref_id);
    });
}

TEST(Property, a_span_is_bounded_leaves_the_newest_and_tears_no_pair) {
    EXPECT_TRUE(rc::check([] {
        const std::vector<AgentMessage> hot = any_messages(80);
        model::AgentThread thread;
        thread.hot_messages = static_cast<std::int64_t>(hot.size());
        for (const AgentMessage& message : hot) thread.hot_tokens += message.tokens_approx;
        thread.last_at = now;
        thread.is_closed = between(0, 4) == 0;
        model::MemorySettings settings;
        settings.hot_messages = between(1, 60);
        settings.hot_tokens = between(100, 20'000);
        const std::size_t end = choose_span(hot, thread, settings, now);
        RC_ASSERT(end <= hot.size() && end <= limits::fold_messages_max);
        RC_ASSERT((end > 0) == is_fold_due(thread, settings, now));
        if (end > 0 && !thread.is_closed) RC_ASSERT(end < hot.size());
        std::int64_t tokens = 0;
        for (std::size_t i = 0; i < end; ++i) tokens += hot[i].tokens_approx;
        RC_ASSERT(tokens <= limits::fold_tokens_max || end == 1);
        // A pair is torn only where no other end would do: none before this one, and the next one is too far.
        if (end == hot.size() || !is_torn(hot, end)) return;
        for (std::size_t other = 1; other < end; ++other) RC_ASSERT(is_torn(hot, other));
    }));
}

TEST(Property, summaries_are_folded_until_few_are_left_and_one_stays) {
    EXPECT_TRUE(rc::check([] {
        std::vector<model::SummaryPlace> places(static_cast<std::size_t>(between(0, 60)));
        for (model::SummaryPlace& place : places) place.tokens = between(0, 80'000);
        const std::size_t count = choose_summaries(places);
        RC_ASSERT((count > 0) == (places.size() > limits::summaries_kept_max));
        if (count > 0) RC_ASSERT(count >= limits::summaries_fold_least && count < places.size());
    }));
}

// What is said in these tests: a few items over and over, opened and closed.
AgentMessage any_mark(std::uint64_t number) {
    static constexpr const char* labels[] = {"Goal: ", "Decision: ", "Todo: ", "Done: ", "So: "};
    return said(number, std::string(labels[between(0, 5)]) + "item " + std::to_string(between(0, 12)));
}

// The plainest reading: from the oldest on, each once.
struct Plain {
    std::vector<std::string> goals, decisions, loops;

    static void add(std::vector<std::string>& to, const std::string& text) {
        if (std::ranges::find(to, text) == to.end()) to.push_back(text);
    }
    void take(const AgentMessage& message) {
        const std::string text = memory_text(message);
        const std::string item = text.substr(text.find(": ") + 2);
        if (text.starts_with("Goal")) add(goals, item);
        if (text.starts_with("Decision")) add(decisions, item);
        if (text.starts_with("Todo")) add(loops, item);
        if (!text.starts_with("Done")) return;
        std::erase(goals, item);
        std::erase(loops, item);
    }
};

std::vector<std::string> texts_of(const std::vector<MemoryItem>& items) {
    std::vector<std::string> texts;
    for (const MemoryItem& item : items) texts.push_back(item.text);
    return texts;
}

MemorySummary join(const std::vector<MemorySummary>& summaries) {
    std::vector<FoldedSummary> folded;
    for (const MemorySummary& summary : summaries) folded.push_back({{}, summary});
    return summarize_summaries(folded);
}

TEST(Property, folding_in_any_spans_keeps_what_is_not_closed) {
    EXPECT_TRUE(rc::check([] {
        Plain plain;
        std::vector<MemorySummary> summaries;
        std::vector<AgentMessage> span;
        const int count = between(0, 60);
        for (int i = 1; i <= count; ++i) {
            span.push_back(any_mark(static_cast<std::uint64_t>(i)));
            plain.take(span.back());
            if (i < count && between(0, 4) != 0) continue;
            summaries.push_back(summarize_messages(span));
            RC_ASSERT(check_memory_summary(summaries.back()).ok());
            span.clear();
        }
        // Any few neighbours become one, until one is left.
        while (summaries.size() > 1) {
            const int from = between(0, static_cast<int>(summaries.size()) - 1);
            const int end = between(from + 2, static_cast<int>(summaries.size()) + 1);
            const auto first = summaries.begin() + from;
            *first = join({first, summaries.begin() + end});
            summaries.erase(first + 1, summaries.begin() + end);
        }
        if (summaries.empty()) return;
        RC_ASSERT(texts_of(summaries.front().goals) == plain.goals);
        RC_ASSERT(texts_of(summaries.front().decisions) == plain.decisions);
        RC_ASSERT(texts_of(summaries.front().open_loops) == plain.loops);
        RC_ASSERT(summaries.front().messages() == count);
        RC_ASSERT(summaries.front().left_out == 0);
    }));
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    return texts;
}

TEST(Property, folding_spans_in_any_order_keeps_what_is_not_closed) {
    EXPECT_TRUE(rc::check([] {
        Plain plain;
        std::vector<MemorySummary> summaries;
        std::vector<AgentMessage> span;
        const int count = between(1, 60);
        for (int i = 1; i <= count; ++i) {
            span.push_back(any_mark(static_cast<std::uint64_t>(i)));
            plain.take(span.back());
            if (i < count && between(0, 4) != 0) continue;
            summaries.push_back(summarize_messages(span));
            span.clear();
        }
        std::mt19937 random(static_cast<std::uint32_t>(between(0, 1'000'000)));
        while (summaries.size() > 1) {
            std::ranges::shuffle(summaries, random);
            const MemorySummary both = join({summaries[0], summaries[1]});
            summaries.erase(summaries.begin());
            summaries.front() = both;
        }
        RC_ASSERT(sorted(texts_of(summaries.front().goals)) == sorted(plain.goals));
        RC_ASSERT(sorted(texts_of(summaries.front().decisions)) == sorted(plain.decisions));
        RC_ASSERT(sorted(texts_of(summaries.front().open_loops)) == sorted(plain.loops));
    }));
}

TEST(Property, joining_first_what_comes_first_or_last_gives_the_same_lists) {
    EXPECT_TRUE(rc::check([] {
        std::vector<MemorySummary> three;
        for (std::uint64_t part = 0; part < 3; ++part) {
            std::vector<AgentMessage> messages;
            for (int i = between(1, 12); i > 0; --i) {
                messages.push_back(any_mark(part * 100 + static_cast<std::uint64_t>(i)));
            }
            three.push_back(summarize_messages(messages));
        }
        const MemorySummary left = join({join({three[0], three[1]}), three[2]});
        const MemorySummary right = join({three[0], join({three[1], three[2]})});
        RC_ASSERT(left.goals == right.goals);
        RC_ASSERT(left.decisions == right.decisions);
        RC_ASSERT(left.open_loops == right.open_loops);
        RC_ASSERT(left.closed_loops == right.closed_loops);
        RC_ASSERT(left.counts == right.counts);
    }));
}

MemorySource any_source() {
    MemorySource source;
    source.thread_id = "coach:session:s";
    source.settings.budget_tokens = between(0, 1500);
    source.settings.hot_tokens = between(0, 1500);
    source.settings.hot_messages = between(1, 20);
    source.reserved_tokens = between(0, 300);
    source.newest = any_messages(25);
    source.summarized_through = between(0, 25);
    std::ranges::reverse(source.newest);
    for (int i = between(0, 12); i > 0; --i) {
        RecalledSummary& one = source.summaries.emplace_back();
        one.id = numbered_id(static_cast<std::uint64_t>(5000 + i));
        one.thread_id = between(0, 2) == 0 ? source.thread_id : "coach:memory";
        one.depth = between(1, 4);
        one.start_message_id = numbered_id(static_cast<std::uint64_t>(between(1, 25)));
        one.end_message_id = numbered_id(static_cast<std::uint64_t>(between(1, 25)));
        std::vector<AgentMessage> messages;
        for (int k = between(0, 12); k > 0; --k) messages.push_back(any_mark(static_cast<std::uint64_t>(6000 + k)));
        one.summary = summarize_messages(messages);
        source.summary_positions.push_back(between(1, 5));
    }
    return source;
}

TEST(Property, the_assembled_memory_never_exceeds_its_budget) {
    EXPECT_TRUE(rc::check([] {
        const MemorySource source = any_source();
        const AssembledMemory memory = assemble_memory(source, estimate_model_tokens);
        std::int64_t tokens = estimate_model_tokens(memory_words_for_model(memory));
        for (const AgentMessage& message : memory.messages) tokens += estimate_model_tokens(told_message(message));
        RC_ASSERT(memory.used_tokens == tokens);
        RC_ASSERT(tokens == 0 || tokens + source.reserved_tokens <= source.settings.budget_tokens);
        // Beyond the window stands only what no summary covers.
        const auto is_summarized = [&](const auto& one) { return one.position <= source.summarized_through; };
        const auto window = static_cast<std::size_t>(source.settings.hot_messages);
        if (memory.messages.size() > window) RC_ASSERT(!is_summarized(memory.messages.front()));
        RC_ASSERT(std::ranges::is_sorted(memory.messages, {}, &AgentMessage::position));
        // Every candidate is told or has its reason.
        std::size_t included = memory.slots.empty() ? 0 : 1;
        included += memory.goals.size() + memory.decisions.size() + memory.open_loops.size();
        included += memory.summaries.size() + memory.messages.size();
        RC_ASSERT(memory.choices.size() == included + static_cast<std::size_t>(memory.left_out));
    }));
}

TEST(Property, what_no_summary_covers_stands_in_the_assembled_memory_as_long_as_there_is_room) {
    EXPECT_TRUE(rc::check([] {
        const MemorySource source = any_source();
        const AssembledMemory memory = assemble_memory(source, estimate_model_tokens);
        const std::int64_t room = source.settings.budget_tokens - source.reserved_tokens - memory.used_tokens;
        for (const AgentMessage& message : source.newest) {
            const std::int64_t tokens = estimate_model_tokens(told_message(message));
            const bool is_told =
                std::ranges::find(memory.messages, message.id, &AgentMessage::id) != memory.messages.end();
            if (is_told || tokens == 0) continue;
            RC_ASSERT(message.position <= source.summarized_through || tokens > room);
        }
    }));
}

TEST(Property, a_long_message_of_the_user_is_whole_as_long_as_there_is_room) {
    EXPECT_TRUE(rc::check([] {
        MemorySource source = any_source();
        std::map<base::Uuid, AgentMessage> whole;
        for (AgentMessage& message : source.newest) {
            if (message.kind != AgentMessageKind::user || between(0, 3) != 0) continue;
            message = said(static_cast<std::uint64_t>(message.position),
                           std::string(static_cast<std::size_t>(between(200, 4000)), 'x'));
            message.content_entry_id = numbered_id(9000);
            whole[message.id] = message;
            source.apart[message.id] = message.content;
            message.content = model::RawJson();
        }
        const AssembledMemory memory = assemble_memory(source, estimate_model_tokens);
        const std::int64_t room = source.settings.budget_tokens - source.reserved_tokens - memory.used_tokens;
        std::int64_t tokens = estimate_model_tokens(memory_words_for_model(memory));
        for (const AgentMessage& message : memory.messages) {
            const std::int64_t told = estimate_model_tokens(told_message(message));
            tokens += told;
            const auto long_one = whole.find(message.id);
            if (long_one == whole.end() || message == long_one->second) continue;
            RC_ASSERT(message.content == model::RawJson());
            RC_ASSERT(estimate_model_tokens(told_message(long_one->second)) - told > room);
        }
        RC_ASSERT(memory.used_tokens == tokens);
        RC_ASSERT(tokens == 0 || tokens + source.reserved_tokens <= source.settings.budget_tokens);
        // A note is left out only if there is no room for it, too.
        for (const AgentMessage& message : source.newest) {
            const bool is_told =
                std::ranges::find(memory.messages, message.id, &AgentMessage::id) != memory.messages.end();
            if (is_told || !whole.contains(message.id) || message.position <= source.summarized_through) continue;
            RC_ASSERT(estimate_model_tokens(told_message(message)) > room);
        }
    }));
}

TEST(Property, the_newest_message_stays_where_the_budget_has_room_for_it) {
    EXPECT_TRUE(rc::check([] {
        const MemorySource source = any_source();
        const auto newest = std::ranges::find_if(
            source.newest, [](const AgentMessage& message) { return !told_message(message).empty(); });
        if (newest == source.newest.end()) return;
        // Messages without content take places of the window. Beyond the window a summary stands for what it covers.
        const auto place = newest - source.newest.begin();
        if (place >= source.settings.hot_messages && newest->position <= source.summarized_through) return;
        const AssembledMemory memory = assemble_memory(source, estimate_model_tokens);
        const bool fits =
            estimate_model_tokens(told_message(*newest)) + source.reserved_tokens <= source.settings.budget_tokens;
        const bool is_told = !memory.messages.empty() && memory.messages.back().id == newest->id;
        RC_ASSERT(is_told == fits);
    }));
}

TEST(Property, the_assembled_memory_does_not_depend_on_the_order_of_the_summaries) {
    EXPECT_TRUE(rc::check([] {
        const MemorySource source = any_source();
        const AssembledMemory memory = assemble_memory(source, estimate_model_tokens);
        std::vector<std::size_t> order(source.summaries.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::mt19937 random(static_cast<std::uint32_t>(between(0, 1000)));
        std::ranges::shuffle(order, random);
        MemorySource shuffled = source;
        for (std::size_t i = 0; i < order.size(); ++i) {
            shuffled.summaries[i] = source.summaries[order[i]];
            shuffled.summary_positions[i] = source.summary_positions[order[i]];
        }
        RC_ASSERT(assemble_memory(shuffled, estimate_model_tokens) == memory);
    }));
}

}  // namespace
}  // namespace belfry::rules
