#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/memory.hpp"

namespace belfry::rules {

// What is carried on from summary to summary: collected from the oldest to the newest, each once, without what was
// closed since.
class Carried {
public:
    using Keys = std::unordered_set<std::string>;  // as rules::item_key has them

    void take(const model::AgentMessage& message) { take(message, {}); }
    // Of one that a summary may have had already: what was closed since is not opened again.
    void take(const model::AgentMessage& message, const Keys& closed_since);
    void take(const model::MemorySummary& summary);
    // One more of them, unless it is there already.
    void add(model::MemoryMark mark, model::MemoryItem item);

    // In the order of their coming.
    [[nodiscard]] std::vector<model::MemoryItem> items(model::MemoryMark mark) const;
    [[nodiscard]] const std::vector<std::string>& closed() const { return closed_; }
    [[nodiscard]] const Keys& closed_keys() const { return closed_keys_; }

private:
    struct List {
        std::vector<std::optional<model::MemoryItem>> items;
        std::unordered_map<std::string, std::size_t> places;  // by rules::item_key
        void close(const std::string& key);
        void close_asked_by(const base::Uuid& id);
    };
    List& list(model::MemoryMark mark) { return lists_[static_cast<std::size_t>(mark)]; }
    void close(std::string_view what);
    void answer(const model::AgentMessage& result);

    std::array<List, 3> lists_;
    std::vector<std::string> closed_;
    Keys closed_keys_;
    std::unordered_map<std::string, std::string> actions_;  // that were taken, by their id: what it asks the person
};

}  // namespace belfry::rules
