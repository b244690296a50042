#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/log.hpp"
#include "net/connections.hpp"
#include "net/encoded_blocks.hpp"
#include "net/reader.hpp"
#include "ports/streams.hpp"

struct iovec;

namespace belfry::net {

struct Service;

// Serves the readers of all streams. News of a stream makes a round over its readers due; a round is done in slices, so
// that requests are answered in between, and each reader gets at its turn all that has come by then. So the more there
// is to send, the more goes into one write.
class Fanout {
public:
    explicit Fanout(Service& service);
    ~Fanout();

    void add(Reader& reader);
    void remove(Reader& reader);
    void on_news(const std::vector<model::StreamId>& streams);
    // This reader has more to send than was fair at once.
    void again(ConnectionId connection);

    // Gives memory back that nobody used lately.
    void sweep();

    [[nodiscard]] std::size_t readers() const { return count_; }

    EncodedBlocks& encoded(StreamFormat format) {
        return encoded_[static_cast<std::size_t>(format == StreamFormat::run_websocket ? StreamFormat::websocket
                                                                                       : format)];
    }
    ports::StreamBatch batch;    // working memory of whoever is being served
    std::vector<iovec> vectors;  // likewise

private:
    struct Ring {
        std::vector<Reader*> readers;
        std::size_t next = 0;
        std::size_t due = 0;  // so many from `next` on are still to be served in this round
        bool listed = false;  // in `due_`
    };
    void schedule();
    void slice();

    Service& service_;
    std::unordered_map<model::StreamId, Ring> rings_;
    std::vector<model::StreamId> due_;  // rings that may have somebody to serve; each once
    std::deque<ConnectionId> again_;
    std::array<EncodedBlocks, 5> encoded_{EncodedBlocks(StreamFormat::sse), EncodedBlocks(StreamFormat::websocket),
                                          EncodedBlocks(StreamFormat::inbox_sse),
                                          EncodedBlocks(StreamFormat::inbox_websocket),
                                          EncodedBlocks(StreamFormat::run_sse)};
    std::size_t count_ = 0;
    bool scheduled_ = false;
};

}  // namespace belfry::net
