#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/engine_asker.hpp"
#include "daemon/pairing_desk.hpp"
#include "daemon/sync_link.hpp"
#include "host/log.hpp"
#include "model/sync.hpp"
#include "ports/clock.hpp"
#include "ports/metrics.hpp"
#include "ports/pairing.hpp"
#include "ports/random.hpp"
#include "wire/device_key.hpp"
#include "wire/peer_network.hpp"

namespace belfry::daemon {

// What the links work with. All of it outlives them.
struct SyncLinksTools {
    ports::Gateway& gateway;
    const ports::Clock& clock;
    ports::Random& random;  // theirs alone
    ports::Metrics& metrics;
    host::Logger& log;
    std::function<void(std::function<void()>)> answer;  // onto the network's thread, where requests are answered
    std::string key_path;                               // of the key of this device; made where it is missing
    std::string name;
};

// The links with other devices: calls those that have an address, takes those that call, pairs new ones, and has each
// told what is new. One thread of its own for all of them; what they hold is in the store, too, so it can go at any
// time.
class SyncLinks final : public ports::Pairing {
public:
    using PeerList = std::shared_ptr<const std::vector<model::Peer>>;

    explicit SyncLinks(SyncLinksTools tools, wire::PeerNetworkOptions options = {});
    ~SyncLinks() override;

    // `listen`: `host:port`; empty: nobody can call. Fails where the key or the port cannot be had.
    base::Result<void> start(const std::string& listen);
    // Cuts all links. What was asked of the engine is not waited for.
    void stop();

    // From any thread: who is paired now, and that something is new to be told.
    void adopt(PeerList peers);
    void hint_news();

    // By the clock. On the thread of the links, where it is called every tick_pause while there is somebody.
    void tick();
    // From any thread: runs it on the thread of the links.
    void post(std::function<void()> work) { network_.post(std::move(work)); }

    void begin(std::function<void(base::Result<ports::PairingCode>)> done) override;
    void join(Join wish, std::function<void(base::Result<model::Peer>)> done) override;
    [[nodiscard]] std::vector<ports::LinkInfo> links() const override;
    [[nodiscard]] std::string name() const override { return tools_.name; }
    [[nodiscard]] std::string listens_at() const override { return listens_at_; }

    static constexpr base::Duration tick_pause = base::milliseconds(250);

private:
    // A paired device, and how it is reached.
    struct Contact {
        model::Peer peer;
        base::Duration pause;         // before the next call; grows with each that came to nothing
        base::Duration next_call_at;  // on the monotonic clock
        bool is_calling = false;
        std::uint64_t link = 0;  // its number; 0: none
        base::Duration up_at;
        ports::LinkInfo info;
        std::string told;  // the last trouble that was logged and stored
    };

    base::Result<void> need_key();
    void follow(const PeerList& peers);
    void call_who_is_due(base::Duration now);
    void call(Contact& contact);
    void called(const std::string& peer_id, base::Result<std::unique_ptr<wire::PeerLink>> link);
    void arrived(std::unique_ptr<wire::PeerLink> link);
    void turn_stranger_away(std::unique_ptr<wire::PeerLink> link);
    void take_link(Contact& contact, std::unique_ptr<wire::PeerLink> link);
    [[nodiscard]] bool is_better(const SyncLink& old, const wire::LinkFacts& fresh) const;
    void ended(std::uint64_t number, const std::string& peer_id, const std::string& why);
    void rest(Contact& contact);
    void tell_trouble(Contact& contact, const std::string& why);
    void drop(std::uint64_t number);
    void set_state(Contact& contact, ports::LinkState state);
    void look_at_links();
    void show();
    void keep_ticking();

    SyncLinksTools tools_;
    wire::PeerNetwork network_;
    std::optional<wire::DeviceKey> key_;
    std::string listens_at_;
    EngineAsker engine_;
    PairingDesk desk_;
    std::map<std::string, Contact> contacts_;  // by id
    std::map<std::uint64_t, std::unique_ptr<SyncLink>> links_;
    std::uint64_t last_number_ = 0;
    std::optional<base::Duration> stranger_told_at_;
    bool is_ticking_ = false;
    std::atomic<bool> has_news_{false};

    mutable std::mutex shown_mutex_;
    std::vector<ports::LinkInfo> shown_;
};

}  // namespace belfry::daemon
