#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/log.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// How a reader gets the entries of a stream: wrapped with their sequence; from a person's inbox and from a run's
// server- sent events as they are, under their name; from a run also as AG-UI events, which each reader makes for
// itself: whoever asked for the stream is told why it ends, whoever asked for the run gets nothing but AG-UI.
enum class StreamFormat : std::uint8_t {
    sse,
    websocket,
    inbox_sse,
    inbox_websocket,
    run_sse,
    run_websocket,
    ag_ui,
    ag_ui_answer,
};
inline bool is_websocket(StreamFormat format) {
    return format == StreamFormat::websocket || format == StreamFormat::inbox_websocket ||
           format == StreamFormat::run_websocket;
}
inline bool is_of_run(StreamFormat format) {
    return format >= StreamFormat::run_sse;
}

// All entries of a block as one kind of reader gets them, one after the other.
struct EncodedBlock {
    std::string bytes;
    std::vector<std::uint32_t> offsets;  // entry i lies at offsets[i] .. offsets[i + 1]

    [[nodiscard]] std::string_view entries(std::uint32_t first, std::uint32_t count) const {
        return std::string_view(bytes).substr(offsets[first], offsets[first + count] - offsets[first]);
    }
};
using SharedEncodedBlock = std::shared_ptr<const EncodedBlock>;

// Encodes each block once for all its readers. Keeps the newest up to a bound and only as long as they are asked for; a
// reader that is still sending one holds it by itself.
class EncodedBlocks {
public:
    explicit EncodedBlocks(StreamFormat format) : format_(format) {}

    const SharedEncodedBlock& get(const model::SharedBlock& block);
    // Forgets what was not asked for since the last sweep.
    void sweep();
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void evict();

    struct Kept {
        model::SharedBlock block;  // holds the address, which is the key
        SharedEncodedBlock encoded;
        bool used = true;  // since the last sweep
    };
    StreamFormat format_;
    std::unordered_map<const model::Block*, Kept> blocks_;
    std::deque<const model::Block*> order_;
    std::size_t bytes_ = 0;
};

// One line of an inbox, as its readers get it. Sequence 0: it does not stand in the stream.
void append_inbox_line(std::string& out, StreamFormat format, model::Sequence sequence, std::string_view line);

// The frames that are no entries.
void append_gap(std::string& out, StreamFormat format, const ports::Gap& gap);
void append_heartbeat(std::string& out, StreamFormat format);
void append_close(std::string& out, StreamFormat format, std::string_view reason);
// To readers of a run: the store cannot record anything now, or can again.
void append_store_word(std::string& out, StreamFormat format, bool is_down);

}  // namespace belfry::net
