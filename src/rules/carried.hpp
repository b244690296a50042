#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/memory.hpp"

namespace belfry::rules {

// What is carried on from summary to summary, each once, without what was closed since. Whether something was closed or
// opened last is told by when it was said, so that summaries may come in any order; of what was said at the same time,
// what is taken later has come later. Messages are taken in the order of their thread, and none counts as earlier than
// one that was taken before it, whatever the clock was.
class Carried {
public:
    void take(const model::AgentMessage& message);
    void take(const model::MemorySummary& summary);
    // One more of them, unless it is there already.
    void add(model::MemoryMark mark, model::MemoryItem item);

    // In the order in which they were taken.
    [[nodiscard]] std::vector<model::MemoryItem> items(model::MemoryMark mark) const;
    // What was closed, and where; in the order of that.
    [[nodiscard]] std::vector<model::MemoryItem> closed() const;

private:
    struct List {
        std::vector<std::optional<model::MemoryItem>> items;
        std::unordered_map<std::string, std::size_t> places;  // by rules::item_key
        void close(const std::string& key, base::Timestamp at);
        void close_asked_by(const base::Uuid& id, base::Timestamp at);
    };
    List& list(model::MemoryMark mark) { return lists_[static_cast<std::size_t>(mark)]; }
    void close(const model::MemoryItem& closing);
    [[nodiscard]] bool is_closed_after(const std::string& key, base::Timestamp at) const;
    void answer(const model::AgentMessage& result);

    std::array<List, 3> lists_;
    std::vector<model::MemoryItem> closed_;                  // each where it was closed last
    std::unordered_map<std::string, std::size_t> closings_;  // their places, by rules::item_key
    std::unordered_map<std::string, std::string> actions_;   // that were taken, by their id: what it asks the person
    base::Timestamp said_at_;                                // of the message that was taken last
};

}  // namespace belfry::rules
