#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "ports/streams.hpp"

namespace belfry::net {

// Why somebody who follows is told that nothing more comes.
enum class CloseReason : std::uint8_t { stopping, slow_reader, silent, revoked, store, ended, expired, half_closed };
std::string_view close_reason_name(CloseReason reason);

// Where somebody who follows a stream is, whichever way he is told of it: a cursor, and how far he has the stream
// already. He reads only what he has not.
class StreamPlace {
public:
    // `ends_here`: nothing comes after the head that the stream has now.
    explicit StreamPlace(std::unique_ptr<ports::Cursor> cursor, model::Sequence had = 0, bool ends_here = false)
        : cursor_(std::move(cursor)), had_(had), ends_here_(ends_here) {}

    // As `Streams::read`, without the entries and the part of a gap that he has.
    ports::ReadState read(ports::Streams& streams, std::size_t bytes_max, std::size_t entries_max,
                          ports::StreamBatch& batch);
    // Of what was read: whether it was the last, and why.
    [[nodiscard]] std::optional<CloseReason> end_of(ports::ReadState state, const ports::StreamBatch& batch) const;
    // What he has to be told of the store, if that is not what he was told last: whether it is down.
    std::optional<bool> store_news(bool is_down);

    [[nodiscard]] ports::Cursor& cursor() const { return *cursor_; }
    [[nodiscard]] model::StreamId stream() const { return cursor_->stream(); }

private:
    std::unique_ptr<ports::Cursor> cursor_;
    model::Sequence had_;
    bool ends_here_;
    bool told_down_ = false;
};

}  // namespace belfry::net
