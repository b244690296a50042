#include "rules/rule_summary.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "rules/carried.hpp"
#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageKind;
using model::MemoryEvent;
using model::MemoryItem;
using model::MemoryMark;
using model::MemorySummary;
using model::Summarizer;

constexpr std::size_t quoted_bytes = 200;
constexpr std::size_t item_json_bytes = 90;  // at least, of an item beside its text

// Sums of what others may have written stay numbers that can be read back.
std::int64_t sum(std::int64_t a, std::int64_t b) {
    return std::min(a + std::min(b, limits::summary_count_max), limits::summary_count_max);
}

// What happened again and again, each once, in the order of its coming.
class Events {
public:
    void add(const MemoryEvent& event) {
        const auto [at, is_new] = places_.try_emplace(event.what, events_.size());
        if (is_new) {
            events_.push_back(event);
            return;
        }
        events_[at->second].times = sum(events_[at->second].times, event.times);
        events_[at->second].message_id = event.message_id;
    }
    void add(const std::vector<MemoryEvent>& events) {
        for (const MemoryEvent& event : events) add(event);
    }

    // Those that were seen least go where there are too many, the older ones first; tells how many went.
    [[nodiscard]] std::vector<MemoryEvent> kept(std::int64_t& left_out) && {
        while (events_.size() > limits::summary_events_max) {
            events_.erase(std::ranges::min_element(events_, {}, &MemoryEvent::times));
            ++left_out;
        }
        return std::move(events_);
    }

private:
    std::vector<MemoryEvent> events_;
    std::unordered_map<std::string, std::size_t> places_;
};

// The item that goes first: the oldest that a model found, else the oldest.
std::vector<MemoryItem>::iterator least(std::vector<MemoryItem>& items) {
    const auto found = std::ranges::find(items, Summarizer::model, &MemoryItem::by);
    return found == items.end() ? items.begin() : found;
}

void keep_newest(std::vector<MemoryItem>& items, std::int64_t& left_out) {
    while (items.size() > limits::summary_items_max) {
        items.erase(least(items));
        ++left_out;
    }
}

// Takes away from one list until so many bytes less are left, or none; what is still too much.
std::size_t shed(std::vector<MemoryItem>& items, std::size_t excess, std::int64_t& left_out) {
    while (excess > 0 && !items.empty()) {
        const auto gone = least(items);
        excess -= std::min(excess, gone->text.size() + item_json_bytes);
        items.erase(gone);
        ++left_out;
    }
    return excess;
}

// Within the limits of a summary, by the order of what matters least.
void fit(MemorySummary& summary) {
    if (const std::size_t count = summary.closed_loops.size(); count > limits::summary_items_max) {
        summary.closed_loops.erase(summary.closed_loops.begin(),
                                   summary.closed_loops.end() - std::ptrdiff_t{limits::summary_items_max});
    }
    for (auto* const list : {&summary.goals, &summary.decisions, &summary.open_loops}) {
        keep_newest(*list, summary.left_out);
    }
    std::string json;
    model::JsonWriter writer(json);
    model::append_memory_summary(writer, summary);
    std::size_t excess = json.size() - std::min(json.size(), limits::summary_bytes_max);
    // The number of what was left out may be longer than before.
    if (excess > 0) excess += quoted_bytes;
    excess = shed(summary.decisions, excess, summary.left_out);
    while (excess > 0 && !summary.closed_loops.empty()) {
        excess -= std::min(excess, summary.closed_loops.front().text.size() + item_json_bytes);
        summary.closed_loops.erase(summary.closed_loops.begin());
    }
    excess = shed(summary.goals, excess, summary.left_out);
    shed(summary.open_loops, excess, summary.left_out);
}

void put_carried(MemorySummary& summary, const Carried& carried) {
    summary.goals = carried.items(MemoryMark::goal);
    summary.decisions = carried.items(MemoryMark::decision);
    summary.open_loops = carried.items(MemoryMark::open_loop);
    summary.closed_loops = carried.closed();
}

std::string head_of(const MemorySummary& summary) {
    const std::int64_t messages = summary.messages();
    std::string head = std::to_string(messages) + (messages == 1 ? " message from " : " messages from ");
    head += base::format_timestamp(summary.from) + " to " + base::format_timestamp(summary.to);
    const char* between = ": ";
    for (const auto& [kind, count] : summary.counts) {
        head.append(between).append(std::to_string(count)).append(" ").append(kind);
        between = ", ";
    }
    return head + ".";
}

// What the person said first and last, and what the agent thought at the end: between them most spans are understood.
std::string said_in(std::span<const AgentMessage> messages) {
    std::vector<std::string> said;
    std::string thought;
    for (const AgentMessage& message : messages) {
        if (message.kind == AgentMessageKind::thought) thought = one_line(memory_text(message), quoted_bytes);
        if (message.kind != AgentMessageKind::user) continue;
        std::string words = one_line(memory_text(message), quoted_bytes);
        if (words.empty()) continue;
        if (said.size() == 2) said.pop_back();
        said.push_back(std::move(words));
    }
    std::string text;
    if (!said.empty()) text += "\nFirst said: " + said.front();
    if (said.size() > 1) text += "\nLast said: " + said.back();
    if (!thought.empty()) text += "\nLast thought: " + thought;
    return text;
}

// Errors and effects of one message, by the tools of the actions that were seen.
class Happenings {
public:
    void take(const AgentMessage& message) {
        if (message.action) tools_[base::format_uuid(message.id)] = message.action->tool_name;
        if (!message.metadata.error_code.empty()) {
            errors_.add(event(tool_of(message, ": ") + message.metadata.error_code, message));
        } else if (message.tool_result && has_changed(*message.tool_result)) {
            add_effect(message);
        }
    }
    void put(MemorySummary& summary) && {
        summary.errors = std::move(errors_).kept(summary.left_out);
        summary.effects = std::move(effects_).kept(summary.left_out);
    }

private:
    static bool has_changed(const model::ResultEnvelope& result) {
        return !result.changed_entity_ids.empty() || !result.changed_tokens.empty();
    }
    static MemoryEvent event(const std::string& what, const AgentMessage& message) {
        return {one_line(what, limits::summary_item_bytes_max), 1, message.id};
    }
    void add_effect(const AgentMessage& message) {
        const std::string tool = tool_of(message, "");
        effects_.add(event(tool.empty() ? "a tool" : tool, message));
    }
    std::string tool_of(const AgentMessage& message, std::string_view then) const {
        if (!message.metadata.action_ref_id) return {};
        const auto tool = tools_.find(base::format_uuid(*message.metadata.action_ref_id));
        return tool == tools_.end() || tool->second.empty() ? std::string() : tool->second + std::string(then);
    }

    std::unordered_map<std::string, std::string> tools_;
    Events errors_;
    Events effects_;
};

// What a summary says beside its numbers: of rules, all but the first line, which is made anew.
std::string notes_of(const FoldedSummary& folded) {
    if (!folded.summary) return memory_text(folded.message);
    if (folded.summary->by == Summarizer::model) return folded.summary->text;
    const std::size_t end = folded.summary->text.find('\n');
    return end == std::string::npos ? std::string() : folded.summary->text.substr(end + 1);
}

// One after the other; where there is no room for all of them, each has the same share.
void append_notes(std::string& text, std::span<const FoldedSummary> summaries) {
    std::vector<std::string> notes;
    std::size_t bytes = 0;
    for (const FoldedSummary& folded : summaries) {
        std::string note = notes_of(folded);
        if (note.empty()) continue;
        bytes += note.size() + 1;
        notes.push_back(std::move(note));
    }
    const std::size_t room = limits::summary_text_bytes_max - text.size();
    const std::size_t share = bytes <= room ? room : room / notes.size();
    for (const std::string& note : notes)
        text.append("\n").append(clipped(note, share - std::min<std::size_t>(share, 1)));
    text = clipped(text, limits::summary_text_bytes_max);
}

void add_summary(MemorySummary& all, Events& errors, Events& effects, const MemorySummary& one) {
    errors.add(one.errors);
    effects.add(one.effects);
    for (const auto& [kind, count] : one.counts) all.counts[kind] = sum(all.counts[kind], count);
    all.left_out = sum(all.left_out, one.left_out);
}

void widen(MemorySummary& all, bool& is_first, base::Timestamp from, base::Timestamp to) {
    all.from = is_first ? from : std::min(all.from, from);
    all.to = is_first ? to : std::max(all.to, to);
    is_first = false;
}

// Adds what a model has found, but for what is there already or among those that are closed. It was said by the end.
using Keys = std::unordered_set<std::string>;  // as rules::item_key has them
void add_found(std::vector<MemoryItem>& items, std::vector<MemoryItem> found, Keys known, base::Timestamp end) {
    for (const MemoryItem& item : items) known.insert(item_key(item.text));
    for (MemoryItem& item : found) {
        if (!known.insert(item_key(item.text)).second) continue;
        item.by = Summarizer::model;
        item.at = end;
        items.push_back(std::move(item));
    }
}

}  // namespace

MemorySummary summarize_messages(std::span<const AgentMessage> messages) {
    MemorySummary summary;
    Carried carried;
    Happenings happenings;
    bool is_first = true;
    for (const AgentMessage& message : messages) {
        carried.take(message);
        happenings.take(message);
        ++summary.counts[std::string(model::agent_message_kind_name(message.kind))];
        widen(summary, is_first, message.created_at, message.created_at);
    }
    put_carried(summary, carried);
    std::move(happenings).put(summary);
    summary.text = head_of(summary) + said_in(messages);
    fit(summary);
    return summary;
}

MemorySummary summarize_summaries(std::span<const FoldedSummary> summaries) {
    MemorySummary all;
    Carried carried;
    Events errors;
    Events effects;
    bool is_first = true;
    for (const FoldedSummary& folded : summaries) {
        if (!folded.summary) {
            widen(all, is_first, folded.message.created_at, folded.message.created_at);
            continue;
        }
        carried.take(*folded.summary);
        add_summary(all, errors, effects, *folded.summary);
        widen(all, is_first, folded.summary->from, folded.summary->to);
    }
    put_carried(all, carried);
    all.errors = std::move(errors).kept(all.left_out);
    all.effects = std::move(effects).kept(all.left_out);
    all.text = head_of(all);
    append_notes(all.text, summaries);
    fit(all);
    return all;
}

MemorySummary joined(MemorySummary by_rules, MemorySummary by_model) {
    by_rules.by = Summarizer::model;
    by_rules.text = std::move(by_model.text);
    Keys closed;
    for (const MemoryItem& closing : by_rules.closed_loops) closed.insert(item_key(closing.text));
    add_found(by_rules.goals, std::move(by_model.goals), closed, by_rules.to);
    add_found(by_rules.decisions, std::move(by_model.decisions), {}, by_rules.to);
    add_found(by_rules.open_loops, std::move(by_model.open_loops), closed, by_rules.to);
    fit(by_rules);
    return by_rules;
}

}  // namespace belfry::rules
