#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/sync.hpp"

namespace belfry::ports {

// What a person carries from one device to the other.
struct PairingCode {
    std::string code;  // `K7QF-92MX-4TRA`; as it is typed, neither capitals nor groups matter
    base::Timestamp expires_at;
    std::string address;  // where this device listens, `host:port`, as it was configured; the port is the real one
};

// How the link with a paired device stands.
enum class LinkState : std::uint8_t {
    none,     // it has no address here, and has not called
    resting,  // it could not be reached, or the link broke; it is tried again
    calling,
    up,
};
[[nodiscard]] inline std::string_view link_state_name(LinkState state) {
    switch (state) {
        case LinkState::none: return "none";
        case LinkState::resting: return "resting";
        case LinkState::calling: return "calling";
        case LinkState::up: break;
    }
    return "up";
}

struct LinkInfo {
    std::string peer_id;
    LinkState state = LinkState::none;
    base::Timestamp since;  // of the state
    bool is_quiet = false;  // it is up, and the peer has all that is here
    std::string why;        // what ended the last one, or the last try; empty: nothing did
};

// Devices get to know each other, and how their links stand: as a request asks for it. All of it is called on the
// network's thread, and that is where `done` is called, once, perhaps before the call returns. Who may ask is for the
// caller to know: an administrator.
class Pairing {
public:
    virtual ~Pairing() = default;

    // A code under which one other device can be paired with this one, limits::pairing_lasts long and for
    // limits::pairing_attempts_max wrong tries. A new one replaces the last. `conflict` with the reason `not_listening`
    // where sync.listen is not set.
    virtual void begin(std::function<void(base::Result<PairingCode>)> done) = 0;

    // The other side: calls the device at `address` (`host:port`), proves the code, stores what it is. `invalid` with
    // the field (`code`, `at`, `name`) where it is none; `unavailable` where nobody answers there; `forbidden` with the
    // reason `wrong_code`, `no_pairing` (there is none, or it has expired, or was tried too often) or `same_device`.
    // `name`: how the other is called here; empty: as it calls itself.
    struct Join {
        std::string code;
        std::string address;
        std::string name;
    };
    virtual void join(Join wish, std::function<void(base::Result<model::Peer>)> done) = 0;

    // Of all paired devices that are not revoked, by their ids. As it was a moment ago.
    [[nodiscard]] virtual std::vector<LinkInfo> links() const = 0;
    // What this device is called, for people; empty: nothing.
    [[nodiscard]] virtual std::string name() const { return {}; }
    // Where other devices can reach this one, `host:port`; empty: it does not listen.
    [[nodiscard]] virtual std::string listens_at() const = 0;
};

}  // namespace belfry::ports
