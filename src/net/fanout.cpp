#include "net/fanout.hpp"

#include <algorithm>
#include <sys/uio.h>
#include <utility>

#include "net/connection.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t slice_readers = 64;  // between two looks at the sockets
}

Fanout::Fanout(Service& service) : service_(service) {}
Fanout::~Fanout() = default;

void Fanout::add(Reader& reader) {
    Ring& ring = rings_[reader.stream()];
    reader.ring_place = ring.readers.size();
    ring.readers.push_back(&reader);
    ++count_;
}

void Fanout::remove(Reader& reader) {
    const auto found = rings_.find(reader.stream());
    Ring& ring = found->second;
    ring.readers[reader.ring_place] = ring.readers.back();
    ring.readers[reader.ring_place]->ring_place = reader.ring_place;
    ring.readers.pop_back();
    --count_;
    // The last one took the place of this one, maybe behind the round's back: let the round begin anew.
    if (ring.due > 0) ring.due = ring.readers.size();
    if (ring.next >= ring.readers.size()) ring.next = 0;
    if (ring.readers.empty()) rings_.erase(found);
}

void Fanout::on_news(const std::vector<model::StreamId>& streams) {
    for (const model::StreamId stream : streams) {
        const auto found = rings_.find(stream);
        if (found == rings_.end()) continue;
        found->second.due = found->second.readers.size();
        if (!std::exchange(found->second.listed, true)) due_.push_back(stream);
        schedule();
    }
}

void Fanout::sweep() {
    for (EncodedBlocks& blocks : encoded_) blocks.sweep();
}

void Fanout::again(ConnectionId connection) {
    again_.push_back(connection);
    schedule();
}

void Fanout::schedule() {
    if (scheduled_) return;
    scheduled_ = true;
    service_.soon([this] { slice(); });
}

void Fanout::slice() {
    scheduled_ = false;
    std::size_t budget = slice_readers;
    for (std::size_t catching_up = std::min(again_.size(), budget / 4); catching_up > 0; --catching_up) {
        const ConnectionId connection = again_.front();
        again_.pop_front();
        if (Connection* found = service_.connections.find(connection)) found->serve_reader(Connection::Turn::own);
        --budget;
    }
    // Serving may end a reader and with it a ring, so each ring is looked up anew.
    const std::vector<model::StreamId> due = std::exchange(due_, {});
    for (const model::StreamId stream : due) {
        for (;;) {
            const auto found = rings_.find(stream);
            if (found == rings_.end()) break;
            if (found->second.due == 0) {
                found->second.listed = false;
                break;
            }
            if (budget == 0) {
                due_.push_back(stream);
                break;
            }
            Ring& ring = found->second;
            Reader& reader = *ring.readers[ring.next];
            ring.next = ring.next + 1 < ring.readers.size() ? ring.next + 1 : 0;
            --ring.due;
            --budget;
            service_.connections.find(reader.connection())->serve_reader(Connection::Turn::of_round);
        }
    }
    if (!due_.empty() || !again_.empty()) schedule();
    service_.connections.bury();
}

}  // namespace belfry::net
