#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/engine_asker.hpp"
#include "ports/clock.hpp"
#include "ports/metrics.hpp"
#include "rules/sync_talk.hpp"
#include "wire/device_key.hpp"
#include "wire/peer_link.hpp"

namespace belfry::daemon {

// What a link works with. All of it outlives it.
struct SyncLinkTools {
    ports::Gateway& gateway;
    const ports::Clock& clock;
    ports::Metrics& metrics;
    const wire::DeviceKey& key;
    EngineAsker::Post post;  // onto the thread of the links
    std::string name;        // of this device, for people
};

// One link with a paired device, from the first hello to its end: carries out what the talk wants, by the link and by
// the engine. Lives on the thread of the links. It reads the next message when the last one was dealt with, so that a
// slow engine slows the other device down.
class SyncLink {
public:
    // Why it is over, for people; empty where that is nothing to speak of. Called once; the link is to be destroyed
    // after the call, not in it.
    using OnEnd = std::function<void(const std::string& why)>;

    // `number` is its own among all links of this process.
    SyncLink(SyncLinkTools tools, std::unique_ptr<wire::PeerLink> link, std::uint64_t number, OnEnd on_end);
    SyncLink(const SyncLink&) = delete;
    SyncLink& operator=(const SyncLink&) = delete;

    void start();
    // There is something new to tell.
    void changed();
    void tick();
    // Ends it with a last word.
    void refuse(const std::string& code, const std::string& message);

    [[nodiscard]] const std::string& peer_id() const { return link_->facts().pin; }
    [[nodiscard]] bool is_by_us() const { return link_->facts().is_by_us; }
    // Its hello was understood and noted.
    [[nodiscard]] bool is_up() const { return is_up_; }
    [[nodiscard]] bool is_over() const { return is_over_; }
    [[nodiscard]] bool is_quiet() const { return is_up_ && talk_.is_quiet(); }

private:
    using Wish = rules::SyncTalk::Wish;

    void say_hello(std::optional<model::HostSeal> seal);
    void seal_host(const model::SyncHello& hello);
    void open(model::SyncHello hello);
    void read_on();
    void hear(base::Result<std::string> text);
    [[nodiscard]] base::Result<void> check_seals(const model::SyncHello& hello) const;
    void carry_out();
    void carry_out(Wish wish);
    void note_peer(Wish wish);
    void give();
    void take(Wish wish);
    void confirm_gone(Wish wish);
    void accept_gone(Wish wish);
    // The engine has dealt with something that came: what was left unread meanwhile can come.
    void dealt_with();
    void look_at_output(base::Timestamp now);
    void end(const std::string& why);
    [[nodiscard]] base::Timestamp now() const;

    SyncLinkTools tools_;
    std::unique_ptr<wire::PeerLink> link_;
    OnEnd on_end_;
    EngineAsker engine_;
    rules::SyncTalk talk_;
    std::size_t message_bytes_ = 0;  // of the last that came
    std::size_t unanswered_ = 0;     // of what came, the engine has not dealt with yet
    bool is_reading_ = false;
    bool was_sealed_ = false;  // by this link, just now
    bool is_open_ = false;     // our hello went out
    bool is_up_ = false;
    bool is_over_ = false;
    bool was_refused_ = false;  // by the other
    std::uint64_t received_seen_ = 0;
    std::uint64_t sent_seen_ = 0;
    base::Timestamp moved_at_;  // something was sent, or there was nothing to send
};

}  // namespace belfry::daemon
