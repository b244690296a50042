#include "sim/blocks_witness.hpp"

#include <algorithm>

namespace belfry::sim {
namespace {

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

bool has_erased(const model::Block& block) {
    return std::ranges::any_of(block.entries, [](const model::LogEntry& entry) { return entry.body.empty(); });
}

}  // namespace

model::Sequence BlocksWitness::last(model::StreamId stream) const {
    const auto at = heads_.find(stream);
    return at == heads_.end() ? 0 : at->second;
}

void BlocksWitness::add(const model::Block& block, Complaints& complaints) {
    if (block.first_position < next_) {
        complaints.push_back("position " + number(block.first_position) + " was given again, next is " + number(next_));
    }
    next_ = block.first_position + block.entries.size();
    Known known{block.retention, block.bytes, block.entries.size(), {}};
    for (const model::LogEntry& entry : block.entries) {
        if (entry.sequence != last(entry.stream) + 1) {
            complaints.push_back("stream " + number(entry.stream) + " goes from " + number(last(entry.stream)) +
                                 " to " + number(entry.sequence));
        }
        heads_[entry.stream] = entry.sequence;
        known.last[entry.stream] = entry.sequence;
    }
    blocks_[block.first_position] = std::move(known);
}

void BlocksWitness::published(const std::vector<model::SharedBlock>& blocks, Complaints& complaints) {
    for (const model::SharedBlock& block : blocks) add(*block, complaints);
}

void BlocksWitness::compare_known(const model::Block& block, const Known& known, Complaints& complaints) const {
    const std::string where = "the block at " + number(block.first_position);
    if (known.retention != block.retention) complaints.push_back(where + " is in another class");
    if (known.count != block.entries.size()) complaints.push_back(where + " has another number of entries");
    if (known.bytes != block.bytes && !has_erased(block)) {
        complaints.push_back(where + " is not what was published");
    }
}

void BlocksWitness::compare(const Stock& stock, Complaints& complaints) {
    std::vector<model::SharedBlock> stored = stock.events;
    stored.insert(stored.end(), stock.audit.begin(), stock.audit.end());
    stored.insert(stored.end(), stock.delivery.begin(), stock.delivery.end());
    std::ranges::sort(stored, {}, [](const model::SharedBlock& block) { return block->first_position; });
    std::map<model::Position, bool> there;
    model::Position end = 0;
    for (const model::SharedBlock& block : stored) {
        if (block->first_position < end) complaints.push_back("two blocks overlap at " + number(end));
        end = block->first_position + block->entries.size();
        there[block->first_position] = true;
        const auto known = blocks_.find(block->first_position);
        if (known != blocks_.end()) {
            compare_known(*block, known->second, complaints);
        } else if (unheard_) {
            add(*block, complaints);
        } else {
            complaints.push_back("the block at " + number(block->first_position) + " was never published");
        }
    }
    unheard_ = false;
    std::map<model::StreamId, model::Sequence> floors;
    for (const model::StreamInfo& stream : stock.streams) floors[stream.id] = stream.floor;
    std::erase_if(blocks_, [&](const auto& known) {
        if (there.contains(known.first)) return false;
        const bool is_dropped = std::ranges::all_of(
            known.second.last, [&](const auto& share) { return share.second <= floors[share.first]; });
        if (!is_dropped) complaints.push_back("the published block at " + number(known.first) + " is lost");
        return true;
    });
    for (const model::StreamInfo& stream : stock.streams) {
        if (stream.head != last(stream.id)) {
            complaints.push_back("stream " + stream.name + " ends at " + number(stream.head) + " instead of " +
                                 number(last(stream.id)));
        }
    }
}

}  // namespace belfry::sim
