#pragma once

#include <atomic>
#include <fcntl.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/sync_limits.hpp"
#include "codec/sync_wire.hpp"
#include "daemon/sync_links.hpp"
#include "host/entropy.hpp"
#include "host/temporary_folder_test.hpp"
#include "ports/commands/sync.hpp"
#include "wire/test_device_test.hpp"

// Devices whose links, keys and codes are real, and whose engine only counts: a change of a host is a number that is
// erased, so that a frame carries nothing.
namespace belfry::daemon {

class StandingClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return {1'794'657'600'000'000 + us_}; }
    [[nodiscard]] base::Duration monotonic() const override { return {1'000'000 + us_}; }
    void advance(base::Duration time) { us_ += time.us; }

private:
    std::atomic<std::int64_t> us_{0};
};

class CountingEngine final : public ports::Gateway {
public:
    explicit CountingEngine(std::string host) : host_(std::move(host)) {}

    // Hears who is paired, after each change of that.
    std::function<void(SyncLinks::PeerList)> on_peers;

    base::Result<void> submit(ports::AnyCommand& command) override {
        const std::lock_guard lock(mutex_);
        if (is_full_) return base::error(base::Code::overloaded, "full");
        ports::Command& any = *command;
        if (auto* add = dynamic_cast<ports::AddPeer*>(&any)) add->settle(this->add(add->peer));
        else if (auto* revoke = dynamic_cast<ports::RevokePeer*>(&any)) revoke->settle(this->revoke(revoke->key));
        else if (auto* note = dynamic_cast<ports::NotePeer*>(&any)) note->settle(this->note(*note));
        else if (auto* greet = dynamic_cast<ports::SayHello*>(&any)) greet->settle(hello(*greet));
        else if (auto* give = dynamic_cast<ports::GiveChanges*>(&any)) give->settle(given(*give));
        else if (auto* take = dynamic_cast<ports::TakeChanges*>(&any)) take->settle(taken(*take));
        else if (auto* confirm = dynamic_cast<ports::ConfirmGone*>(&any)) confirm->settle(model::SyncGone{});
        else if (auto* accept = dynamic_cast<ports::AcceptGone*>(&any)) accept->settle(ack());
        const ports::AnyCommand taken_over = std::move(command);
        taken_over->deliver();
        return {};
    }

    void put(model::Peer peer) {
        const std::lock_guard lock(mutex_);
        (void)add(std::move(peer));
    }
    void revoke_all() {
        const std::lock_guard lock(mutex_);
        for (auto& [id, peer] : peers_) (void)revoke(id);
    }
    void change(std::uint64_t changes) {
        const std::lock_guard lock(mutex_);
        (void)has_.raise(host_, has_.counter_of(host_) + changes);
    }
    void fill(bool is_full) {
        const std::lock_guard lock(mutex_);
        is_full_ = is_full;
    }
    [[nodiscard]] std::uint64_t has(const std::string& host) {
        const std::lock_guard lock(mutex_);
        return has_.counter_of(host);
    }
    [[nodiscard]] std::map<std::string, model::Peer> peers() {
        const std::lock_guard lock(mutex_);
        return peers_;
    }
    [[nodiscard]] std::vector<std::string> errors() {
        const std::lock_guard lock(mutex_);
        return errors_;
    }
    [[nodiscard]] const std::string& host() const { return host_; }

private:
    model::Peer add(model::Peer peer) {
        peers_[peer.id] = peer;
        tell();
        return peer;
    }
    base::Result<model::Peer> revoke(const std::string& id) {
        peers_[id].revoked_at = base::Timestamp{1};
        tell();
        return peers_[id];
    }
    base::Result<model::Peer> note(const ports::NotePeer& note) {
        if (note.hello) hosts_[note.hello->host] = note.peer_id;
        if (!note.error.empty()) errors_.push_back(note.error);
        return peers_[note.peer_id];
    }
    model::SyncHello hello(const ports::SayHello& greet) {
        if (greet.seal) seal_ = greet.seal;
        model::SyncHello hello;
        hello.protocol = base::limits::sync_protocol;
        hello.version = "1";
        hello.name = host_;
        hello.host = host_;
        hello.has = has_;
        if (seal_) hello.hosts = {*seal_};
        return hello;
    }
    // A gap that was noticed, or the next that is not there.
    ports::GivenChanges given(const ports::GiveChanges& give) {
        ports::GivenChanges given;
        std::uint64_t after = give.has.counter_of(host_);
        std::uint64_t through = has_.counter_of(host_);
        if (!give.asked.empty()) {
            after = give.asked.front().from - 1;
            through = std::min(give.asked.front().to, through);
        }
        if (after >= through) return given;
        given.frame.emplace();
        given.frame->host = host_;
        given.frame->after = after;
        given.frame->through = through;
        given.frame->erased = {{host_, after + 1, through}};
        return given;
    }
    base::Result<ports::TakenChanges> taken(const ports::TakeChanges& take) {
        if (take.frame.host == host_) {
            return base::error(base::Code::forbidden, "that is this device", {}, "forged_host");
        }
        if (!hosts_.contains(take.frame.host)) {
            return base::error(base::Code::forbidden, "nobody knows that host", {}, "unknown_host");
        }
        TRY(has_.raise(take.frame.host, take.frame.through));
        return ports::TakenChanges{ack(), 1, 0};
    }
    [[nodiscard]] model::SyncAck ack() const { return {has_, {}, {}, {}}; }
    void tell() {
        std::vector<model::Peer> list;
        for (const auto& [id, peer] : peers_) list.push_back(peer);
        if (on_peers) on_peers(std::make_shared<const std::vector<model::Peer>>(std::move(list)));
    }

    std::mutex mutex_;
    std::string host_;
    bool is_full_ = false;
    model::VectorClock has_;
    std::optional<model::HostSeal> seal_;
    std::map<std::string, model::Peer> peers_;
    std::map<std::string, std::string> hosts_;  // and whose they are
    std::vector<std::string> errors_;
};

// A device with everything but an engine.
class Device {
public:
    explicit Device(std::string host, const std::string& listen = {}, wire::PeerNetworkOptions options = {})
        : engine(std::move(host)),
          log(clock, host::LogLevel::debug, host::LogFormat::text, log_),
          links({engine, clock, entropy_, metrics, log, [](std::function<void()> work) { work(); },
                 folder_.file("peer.key"), engine.host()},
                options) {
        engine.on_peers = [this](SyncLinks::PeerList peers) { links.adopt(std::move(peers)); };
        const auto started = links.start(listen);
        EXPECT_TRUE(started.ok()) << started.error().message;
    }
    ~Device() {
        links.stop();
        ::close(log_);
    }

    ports::PairingCode begin() {
        std::promise<base::Result<ports::PairingCode>> code;
        links.begin([&](base::Result<ports::PairingCode> made) { code.set_value(std::move(made)); });
        auto made = code.get_future().get();
        EXPECT_TRUE(made.ok());
        return made.ok() ? *made : ports::PairingCode{};
    }
    base::Result<model::Peer> join(const std::string& code, const std::string& address, const std::string& name = {}) {
        auto promise = std::make_shared<std::promise<base::Result<model::Peer>>>();
        links.join({code, address, name}, [promise](base::Result<model::Peer> peer) { promise->set_value(peer); });
        auto joined = promise->get_future();
        if (joined.wait_for(wire::patience) != std::future_status::ready) {
            return base::error(base::Code::timeout, "no end of it");
        }
        return joined.get();
    }
    void change(std::uint64_t changes = 1) {
        engine.change(changes);
        links.hint_news();
    }
    // As its own thread would, now.
    void tick() {
        std::promise<void> done;
        links.post([&] {
            links.tick();
            done.set_value();
        });
        done.get_future().wait();
    }
    ports::LinkInfo link() {
        const auto infos = links.links();
        return infos.empty() ? ports::LinkInfo{} : infos.front();
    }
    bool becomes(ports::LinkState state) {
        return wait([&] { return link().state == state; });
    }
    // Until it is so, or the patience of the test is over.
    template <class Condition>
    static bool wait(const Condition& condition) {
        const auto until = std::chrono::steady_clock::now() + wire::patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }
    [[nodiscard]] std::string log_text() {
        std::string text(1 << 20, '\0');
        const ssize_t got = ::pread(log_, text.data(), text.size(), 0);
        text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return text;
    }

private:
    host::TemporaryFolder folder_;
    host::Entropy entropy_;
    int log_ = ::open(folder_.file("log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);

public:
    StandingClock clock;
    ports::Metrics metrics;
    CountingEngine engine;
    host::Logger log;
    SyncLinks links;
};

}  // namespace belfry::daemon
