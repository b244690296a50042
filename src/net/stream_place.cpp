#include "net/stream_place.hpp"

#include <algorithm>

namespace belfry::net {

std::string_view close_reason_name(CloseReason reason) {
    switch (reason) {
        case CloseReason::stopping: return "stopping";
        case CloseReason::slow_reader: return "slow_reader";
        case CloseReason::silent: return "silent";
        case CloseReason::revoked: return "revoked";
        case CloseReason::store: return "store";
        case CloseReason::ended: return "ended";
        case CloseReason::expired: return "expired";
        case CloseReason::half_closed: return "half_closed";
    }
    return "store";
}

ports::ReadState StreamPlace::read(ports::Streams& streams, std::size_t bytes_max, std::size_t entries_max,
                                   ports::StreamBatch& batch) {
    const ports::ReadState state = streams.read(*cursor_, bytes_max, entries_max, batch);
    if (batch.gap) {
        if (batch.gap->to <= had_) batch.gap.reset();
        else batch.gap->from = std::max(batch.gap->from, had_ + 1);
    }
    // They are in order, so it is the first ones that he has.
    auto slice = batch.slices.begin();
    for (; slice != batch.slices.end(); ++slice) {
        while (slice->count > 0 && slice->block->entries[slice->first].sequence <= had_) {
            ++slice->first;
            --slice->count;
        }
        if (slice->count > 0) break;
    }
    batch.slices.erase(batch.slices.begin(), slice);
    return state;
}

std::optional<CloseReason> StreamPlace::end_of(ports::ReadState state, const ports::StreamBatch& batch) const {
    // Where its last entry was dropped, none says that it was the last.
    if (batch.ended || (ends_here_ && state == ports::ReadState::at_head)) return CloseReason::ended;
    if (state == ports::ReadState::gone) return CloseReason::expired;
    return std::nullopt;
}

std::optional<bool> StreamPlace::store_news(bool is_down) {
    if (std::exchange(told_down_, is_down) == is_down) return std::nullopt;
    return is_down;
}

}  // namespace belfry::net
