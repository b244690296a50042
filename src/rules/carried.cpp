#include "rules/carried.hpp"

#include <algorithm>
#include <tuple>

#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::MemoryItem;
using model::MemoryMark;
using model::Summarizer;

}  // namespace

void Carried::List::close(const std::string& key, base::Timestamp at) {
    const auto place = places.find(key);
    if (place == places.end() || items[place->second]->at > at) return;
    items[place->second].reset();
    places.erase(place);
}

void Carried::List::close_asked_by(const base::Uuid& id, base::Timestamp at) {
    for (std::optional<MemoryItem>& item : items) {
        if (!item || item->message_id != id || item->at > at) continue;
        places.erase(item_key(item->text));
        item.reset();
    }
}

void Carried::take(const AgentMessage& message) {
    said_at_ = std::max(said_at_, message.created_at);
    std::vector<MarkedText> marks = marks_of(message);
    if (message.kind == AgentMessageKind::action && message.action) {
        const bool asks = message.action->type == model::ActionType::ask_user && !marks.empty();
        actions_[base::format_uuid(message.id)] = asks ? marks.front().text : std::string();
    }
    for (MarkedText& marked : marks) {
        MemoryItem item{std::move(marked.text), message.id, Summarizer::rules, said_at_};
        if (marked.mark) add(*marked.mark, std::move(item));
        else close(item);
    }
    if (message.kind == AgentMessageKind::tool_result) answer(message);
}

// A person's answer ends the question, as often as it was asked. Where the action is not here, it may have been one.
void Carried::answer(const AgentMessage& result) {
    if (!result.metadata.action_ref_id) return;
    std::string id = base::format_uuid(*result.metadata.action_ref_id);
    const auto action = actions_.find(id);
    if (action == actions_.end()) close({std::move(id), result.id, Summarizer::rules, said_at_});
    else if (!action->second.empty()) close({action->second, result.id, Summarizer::rules, said_at_});
}

// What a summary still has open was opened after what it has closed: it is taken later.
void Carried::take(const model::MemorySummary& summary) {
    for (const MemoryItem& closing : summary.closed_loops) close(closing);
    for (const MemoryItem& item : summary.goals) add(MemoryMark::goal, item);
    for (const MemoryItem& item : summary.decisions) add(MemoryMark::decision, item);
    for (const MemoryItem& item : summary.open_loops) add(MemoryMark::open_loop, item);
}

bool Carried::is_closed_after(const std::string& key, base::Timestamp at) const {
    const auto closing = closings_.find(key);
    return closing != closings_.end() && closed_[closing->second].at > at;
}

void Carried::add(MemoryMark mark, MemoryItem item) {
    std::string key = item_key(item.text);
    const bool is_closed = mark != MemoryMark::decision && is_closed_after(key, item.at);
    if (is_closed) return;
    // A question that was answered elsewhere.
    if (mark == MemoryMark::open_loop && is_closed_after(base::format_uuid(item.message_id), item.at)) return;
    List& to = list(mark);
    const auto [at, is_new] = to.places.try_emplace(std::move(key), to.items.size());
    if (is_new) {
        to.items.emplace_back(std::move(item));
        return;
    }
    MemoryItem& there = *to.items[at->second];
    if (item.by == Summarizer::rules) there.by = Summarizer::rules;
    there.at = std::max(there.at, item.at);
}

void Carried::close(const MemoryItem& closing) {
    std::string key = item_key(closing.text);
    if (is_closed_after(key, closing.at)) return;
    list(MemoryMark::goal).close(key, closing.at);
    list(MemoryMark::open_loop).close(key, closing.at);
    if (const auto id = base::parse_uuid(closing.text)) list(MemoryMark::open_loop).close_asked_by(*id, closing.at);
    const auto [at, is_new] = closings_.try_emplace(std::move(key), closed_.size());
    if (is_new) closed_.push_back(closing);
    else closed_[at->second] = closing;
}

std::vector<MemoryItem> Carried::items(MemoryMark mark) const {
    std::vector<MemoryItem> found;
    for (const std::optional<MemoryItem>& item : lists_[static_cast<std::size_t>(mark)].items) {
        if (item) found.push_back(*item);
    }
    return found;
}

std::vector<MemoryItem> Carried::closed() const {
    std::vector<MemoryItem> found = closed_;
    std::ranges::sort(found, {}, [](const MemoryItem& one) { return std::tie(one.at, one.text); });
    return found;
}

}  // namespace belfry::rules
