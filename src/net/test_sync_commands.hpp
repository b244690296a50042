#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/commands/sync.hpp"
#include "ports/pairing.hpp"

namespace belfry::net::test {

inline model::Peer test_peer(const std::string& id, const std::string& name) {
    model::Peer peer;
    peer.id = id;
    peer.name = name;
    peer.added_at = base::Timestamp{1'763'000'000'000'000};
    return peer;
}

// What the test's gateway answers to those who ask about other devices; false where it is no such command. Nobody knows
// the device `stranger`.
inline bool decide_sync_command(ports::Command& command) {
    if (auto* revoke = dynamic_cast<ports::RevokePeer*>(&command)) {
        if (revoke->key == "stranger") {
            revoke->refuse(base::error(base::Code::not_found, "there is no such device", "id"));
            return true;
        }
        model::Peer peer = test_peer("aa11", revoke->key);
        peer.revoked_at = peer.added_at;
        revoke->settle(std::move(peer));
    } else if (auto* digest = dynamic_cast<ports::TakeDigest*>(&command)) {
        ports::SyncDigest taken{"0f0e", 12, {}};
        EXPECT_TRUE(taken.has.raise("h0", 7).ok());
        digest->settle(std::move(taken));
    } else {
        return false;
    }
    return true;
}

// Pairs at once, with a device that is called as the wish says.
class TestPairing final : public ports::Pairing {
public:
    void begin(std::function<void(base::Result<ports::PairingCode>)> done) override {
        if (refusal) return done(*refusal);
        done(ports::PairingCode{"K7QF-92MX-4TRA", base::Timestamp{1'763'000'600'000'000}, "127.0.0.1:7878"});
    }
    void join(Join wish, std::function<void(base::Result<model::Peer>)> done) override {
        last = std::move(wish);
        if (refusal) return done(*refusal);
        model::Peer peer = test_peer("bb22", last.name);
        peer.address = last.address;
        done(std::move(peer));
    }
    [[nodiscard]] std::vector<ports::LinkInfo> links() const override { return known; }
    [[nodiscard]] std::string name() const override { return "laptop"; }
    [[nodiscard]] std::string listens_at() const override { return "127.0.0.1:7878"; }

    std::optional<base::Error> refusal;
    Join last;
    std::vector<ports::LinkInfo> known;
};

}  // namespace belfry::net::test
