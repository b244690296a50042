#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "instructions/in_process_daemon.hpp"
#include "wire/device_key.hpp"
#include "wire/peer_link.hpp"

namespace belfry::bench {

// One end of a link between two daemons of this process: messages go from hand to hand, without TLS, WebSocket and
// compression.
class DirectLink final : public wire::PeerLink {
public:
    // `daemon` is where messages arrive, `far_key` the key of the other end.
    DirectLink(InProcessDaemon& daemon, const wire::DeviceKey& far_key, bool is_by_us);
    void connect_to(DirectLink& far_end) { far_end_ = &far_end; }

    [[nodiscard]] const wire::LinkFacts& facts() const override { return facts_; }
    void send(std::string message) override;
    [[nodiscard]] std::size_t unsent_messages() const override { return 0; }
    [[nodiscard]] std::size_t unsent_bytes() const override { return 0; }
    void receive(std::size_t bytes_max, OnMessage done) override;
    [[nodiscard]] std::uint64_t bytes_received() const override { return received_; }
    [[nodiscard]] std::uint64_t bytes_sent() const override { return sent_; }
    void close() override {}

private:
    void deliver();

    InProcessDaemon& daemon_;
    wire::LinkFacts facts_;
    DirectLink* far_end_ = nullptr;
    std::deque<std::string> arrived_;
    OnMessage wanted_;
    std::uint64_t received_ = 0;
    std::uint64_t sent_ = 0;
};

}  // namespace belfry::bench
