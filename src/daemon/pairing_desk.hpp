#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/engine_asker.hpp"
#include "daemon/pairing_talk.hpp"
#include "host/log.hpp"
#include "model/sync.hpp"
#include "ports/clock.hpp"
#include "ports/pairing.hpp"
#include "ports/random.hpp"
#include "wire/device_key.hpp"
#include "wire/peer_network.hpp"

namespace belfry::daemon {

// What it works with. All of it outlives it.
struct PairingDeskTools {
    ports::Gateway& gateway;
    const ports::Clock& clock;
    ports::Random& random;
    wire::PeerNetwork& network;
    host::Logger& log;
    std::string name;  // of this device
};

// Where devices get to know each other, from both sides. Lives on the thread of the links.
class PairingDesk {
public:
    explicit PairingDesk(PairingDeskTools tools);

    // A new code; the last one is none any more.
    ports::PairingCode begin(const wire::DeviceKey& key, std::string address);
    // One who came and wants to be paired.
    void take(const wire::DeviceKey& key, std::unique_ptr<wire::PeerLink> link);

    using Joined = std::function<void(base::Result<model::Peer>)>;
    void join(const wire::DeviceKey& key, const ports::Pairing::Join& wish, Joined done);

    // Ends what takes too long.
    void tick();
    [[nodiscard]] bool is_busy() const { return open_.has_value() || !guests_.empty() || !calls_.empty(); }

private:
    struct Open {
        std::string secret;
        base::Duration until;  // on the monotonic clock
        int wrong_tries = 0;
    };
    struct Guest {
        std::unique_ptr<PairingTalk> talk;
        base::Duration until;
        bool is_over = false;
    };
    struct Outgoing {
        std::string secret;
        std::string code;
        ports::Pairing::Join wish;
        Joined done;  // empty: it has ended
        std::unique_ptr<PairingTalk> talk;
        base::Duration until;
    };
    using GuestAt = std::shared_ptr<Guest>;
    using OutgoingAt = std::shared_ptr<Outgoing>;

    void hear_proof(const GuestAt& guest, const base::Result<std::string>& proof);
    void hear_name(const GuestAt& guest, const base::Result<std::string>& name);
    void turn_away(const GuestAt& guest, std::string_view reason);

    void called(const OutgoingAt& call, const wire::DeviceKey& key, base::Result<std::unique_ptr<wire::PeerLink>> link);
    void hear_listener(const OutgoingAt& call, const base::Result<std::string>& proof);
    void hear_listener_name(const OutgoingAt& call, const base::Result<std::string>& name);
    void finish(const OutgoingAt& call, base::Result<model::Peer> outcome);

    void add_peer(const wire::LinkFacts& facts, std::string name, std::string address, Joined then);

    PairingDeskTools tools_;
    EngineAsker engine_;
    std::optional<Open> open_;
    std::vector<GuestAt> guests_;
    std::vector<OutgoingAt> calls_;
};

}  // namespace belfry::daemon
