#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "wire/device_key.hpp"
#include "wire/peer_link.hpp"

namespace belfry::wire {

struct PeerNetworkOptions {
    base::Duration handshake_max = base::seconds(10);  // from the first byte until the link is up
    base::Duration good_bye_max = base::seconds(2);
    std::size_t arriving_max = 16;  // that have come and are not up yet; more are turned away
};

// Calls other devices and is called by them, on a thread of its own. TLS 1.3, in which both show a certificate of an
// Ed25519 key; who trusts which key is for its owner to say, when a link is up. Inside it WebSocket, packed.
class PeerNetwork {
public:
    explicit PeerNetwork(PeerNetworkOptions options = {});
    // Cuts what is up. Nothing of it is called back afterwards.
    ~PeerNetwork();
    PeerNetwork(const PeerNetwork&) = delete;
    PeerNetwork& operator=(const PeerNetwork&) = delete;

    // The key that is shown. Before anybody is called or listened to.
    base::Result<void> use(const DeviceKey& key);

    void start();
    // Ends the thread, and with it everything that is up. From another thread.
    void stop();
    // From any thread: runs it on this one, in the order of the calls. After `stop` it is dropped.
    void post(std::function<void()> work);
    // On its own thread: runs it again and again with this pause, until `work` says false.
    void repeat(base::Duration pause, std::function<bool()> work);

    // `port` 0 takes a free one. Those who ask for another path than /v1/sync or /v1/pair do not come up. Before
    // `start`, or on its own thread, as all that follows.
    using OnLink = std::function<void(std::unique_ptr<PeerLink>)>;
    base::Result<void> listen(const std::string& host, std::uint16_t port, OnLink on_link);
    [[nodiscard]] std::uint16_t port() const;

    // Where the other shows another key than that of `pin` it learns nothing of us, and the call has failed: forbidden
    // with the reason `wrong_key`. Empty: any key. Other failures are unavailable, with the system's words.
    struct Call {
        std::string host;
        std::uint16_t port = 0;
        std::string path;
        std::string pin;
    };
    using OnCalled = std::function<void(base::Result<std::unique_ptr<PeerLink>>)>;
    void call(Call wish, OnCalled done);

    // How many have come and were turned away, or failed before they were up.
    [[nodiscard]] std::uint64_t turned_away() const;

private:
    struct Core;
    std::shared_ptr<Core> core_;
};

}  // namespace belfry::wire
