#include "rules/carried.hpp"

#include <algorithm>

#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::MemoryItem;
using model::MemoryMark;
using model::Summarizer;

}  // namespace

void Carried::List::close(const std::string& key) {
    const auto at = places.find(key);
    if (at == places.end()) return;
    items[at->second].reset();
    places.erase(at);
}

void Carried::List::close_asked_by(const base::Uuid& id) {
    for (std::optional<MemoryItem>& item : items) {
        if (!item || item->message_id != id) continue;
        places.erase(item_key(item->text));
        item.reset();
    }
}

void Carried::take(const AgentMessage& message, const Keys& closed_since) {
    std::vector<MarkedText> marks = marks_of(message);
    if (message.kind == AgentMessageKind::action && message.action) {
        const bool asks = message.action->type == model::ActionType::ask_user && !marks.empty();
        actions_[base::format_uuid(message.id)] = asks ? marks.front().text : std::string();
    }
    for (MarkedText& marked : marks) {
        const bool is_decision = marked.mark == MemoryMark::decision;
        if (!marked.mark) close(marked.text);
        else if (is_decision || !closed_since.contains(item_key(marked.text))) {
            add(*marked.mark, {std::move(marked.text), message.id});
        }
    }
    if (message.kind == AgentMessageKind::tool_result) answer(message);
}

// A person's answer ends the question, as often as it was asked. Where the action is not here, it may have been one.
void Carried::answer(const AgentMessage& result) {
    if (!result.metadata.action_ref_id) return;
    const std::string id = base::format_uuid(*result.metadata.action_ref_id);
    const auto action = actions_.find(id);
    if (action == actions_.end()) close(id);
    else if (!action->second.empty()) close(action->second);
}

void Carried::take(const model::MemorySummary& summary) {
    for (const std::string& what : summary.closed_loops) close(what);
    for (const MemoryItem& item : summary.goals) add(MemoryMark::goal, item);
    for (const MemoryItem& item : summary.decisions) add(MemoryMark::decision, item);
    for (const MemoryItem& item : summary.open_loops) add(MemoryMark::open_loop, item);
}

void Carried::add(MemoryMark mark, MemoryItem item) {
    List& to = list(mark);
    const auto [at, is_new] = to.places.try_emplace(item_key(item.text), to.items.size());
    if (is_new) to.items.emplace_back(std::move(item));
    else if (item.by == Summarizer::rules) to.items[at->second]->by = Summarizer::rules;
}

void Carried::close(std::string_view what) {
    std::string key = item_key(what);
    list(MemoryMark::goal).close(key);
    list(MemoryMark::open_loop).close(key);
    if (const auto id = base::parse_uuid(what)) list(MemoryMark::open_loop).close_asked_by(*id);
    if (closed_keys_.insert(std::move(key)).second) closed_.emplace_back(what);
}

std::vector<MemoryItem> Carried::items(MemoryMark mark) const {
    std::vector<MemoryItem> found;
    for (const std::optional<MemoryItem>& item : lists_[static_cast<std::size_t>(mark)].items) {
        if (item) found.push_back(*item);
    }
    return found;
}

}  // namespace belfry::rules
