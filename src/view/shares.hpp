#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/log.hpp"

namespace belfry::view {

struct EntryRun {  // consecutive entries of one stream in a block
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// What one block holds of one stream. Mostly that lies together, and then needs no memory of its own.
struct Share {
    model::SharedBlock block;
    model::Sequence first = 0;
    model::Sequence last = 0;
    EntryRun run;
    std::vector<EntryRun> more_runs;

    void add(std::uint32_t place, model::Sequence sequence) {
        if (run.count == 0) first = sequence;
        last = sequence;
        EntryRun& open = more_runs.empty() ? run : more_runs.back();
        if (open.count == 0) open = {place, 1};
        else if (open.first + open.count == place) ++open.count;
        else more_runs.push_back({place, 1});
    }
};

// Shares in the order of their sequences: added at the end, taken from the front. There is one of it for every stream
// and every reader, so an empty one holds no memory.
class Shares {
public:
    [[nodiscard]] bool empty() const { return first_ == shares_.size(); }
    [[nodiscard]] Share& front() { return shares_[first_]; }
    [[nodiscard]] const Share& front() const { return shares_[first_]; }
    [[nodiscard]] const Share& back() const { return shares_.back(); }
    [[nodiscard]] auto begin() const { return shares_.begin() + static_cast<std::ptrdiff_t>(first_); }
    [[nodiscard]] auto end() const { return shares_.end(); }
    void push_back(Share share) { shares_.push_back(std::move(share)); }
    void pop_front() {
        shares_[first_++] = Share();
        if (first_ == shares_.size()) return clear();
        if (first_ < 16 || first_ * 2 < shares_.size()) return;
        shares_.erase(shares_.begin(), shares_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    void clear() {
        shares_ = {};
        first_ = 0;
    }

private:
    std::vector<Share> shares_;
    std::size_t first_ = 0;
};

}  // namespace belfry::view
