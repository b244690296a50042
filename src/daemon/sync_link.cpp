#include "daemon/sync_link.hpp"

#include <algorithm>
#include <utility>

#include "base/sync_limits.hpp"
#include "codec/sync_wire.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;

// More than a talk ever has under way: frames, acknowledgements of the other's, what is gone, a ping.
constexpr std::size_t unsent_messages_max = 8 * limits::sync_frames_in_flight;

// Beside the producers of the network, which count from one.
constexpr std::uint64_t first_producer = std::uint64_t{1} << 62U;

std::string seal_text(const std::string& host) {
    return "belfry host 1\n" + host;
}

std::string refusal_text(const model::SyncRefusal& refusal, bool is_theirs) {
    // There is another link, or will be: nothing is wrong.
    if (refusal.code == "duplicate" || refusal.code == "new_host") return {};
    return (is_theirs ? "the other device refused: " : "refused: ") + refusal.message + " (" + refusal.code + ")";
}

std::string refusal_code(const base::Error& error) {
    if (!error.reason.empty()) return error.reason;
    return error.code == base::Code::too_large ? "oversized" : base::code_name(error.code);
}

}  // namespace

SyncLink::SyncLink(SyncLinkTools tools, std::unique_ptr<wire::PeerLink> link, std::uint64_t number, OnEnd on_end)
    : tools_(std::move(tools)),
      link_(std::move(link)),
      on_end_(std::move(on_end)),
      engine_(tools_.gateway, tools_.post, first_producer + number),
      talk_(now()),
      moved_at_(now()) {}

// Spans alone are measured by it, so the time of day does not matter, nor that somebody sets it.
base::Timestamp SyncLink::now() const {
    return {tools_.clock.monotonic().us};
}

void SyncLink::start() {
    say_hello(std::nullopt);
}

void SyncLink::say_hello(std::optional<model::HostSeal> seal) {
    auto command = std::make_unique<ports::SayHello>();
    command->peer_id = peer_id();
    command->seal = std::move(seal);
    engine_.ask(std::move(command), [this](base::Result<model::SyncHello> hello) {
        if (is_over_) return;
        if (!hello.ok()) {
            return refuse(refusal_code(hello.error()), "this device cannot greet: " + hello.error().message);
        }
        open(std::move(*hello));
    });
}

void SyncLink::open(model::SyncHello hello) {
    const auto is_own = [&](const model::HostSeal& seal) { return seal.host == hello.host; };
    const auto own = std::ranges::find_if(hello.hosts, is_own);
    if (own == hello.hosts.end()) return seal_host(hello);
    if (own->key != tools_.key.public_key()) {
        return refuse("forged_host",
                      "the key of this device is not the one that its past was sealed with: peer.key was lost");
    }
    is_open_ = true;
    hello.name = tools_.name;
    talk_.opened(std::move(hello));
    carry_out();
    read_on();
}

// The engine knows the host, and the key lies here.
void SyncLink::seal_host(const model::SyncHello& hello) {
    if (std::exchange(was_sealed_, true)) return refuse("unknown_host", "the seal of this device was not kept");
    say_hello(model::HostSeal{hello.host, tools_.key.public_key(), tools_.key.sign(seal_text(hello.host))});
}

void SyncLink::read_on() {
    const bool may =
        is_open_ && !is_over_ && !is_reading_ && unanswered_ == 0 && link_->unsent_messages() < unsent_messages_max;
    if (!may) return;
    is_reading_ = true;
    link_->receive(limits::sync_message_bytes_max, [this](base::Result<std::string> text) {
        is_reading_ = false;
        hear(std::move(text));
    });
}

void SyncLink::hear(base::Result<std::string> text) {
    if (is_over_) return;
    if (!text.ok()) {
        const base::Error& why = text.error();
        if (why.code != base::Code::too_large && why.code != base::Code::malformed) return end(why.message);
        // The code of WebSocket's good-bye is all that the other device is told.
        ++tools_.metrics.sync_refusals;
        return end(refusal_text({refusal_code(why), why.message}, false));
    }
    ++tools_.metrics.sync_messages_received;
    tools_.metrics.sync_bytes_received += text->size();
    message_bytes_ = text->size();
    auto message = codec::read_sync_message(*text);
    if (!message.ok()) return refuse(refusal_code(message.error()), message.error().message);
    if (const auto* hello = std::get_if<model::SyncHello>(&*message);
        hello != nullptr && hello->protocol == limits::sync_protocol) {
        if (auto checked = check_seals(*hello); !checked.ok()) {
            return refuse(refusal_code(checked.error()), checked.error().message);
        }
    }
    was_refused_ = std::holds_alternative<model::SyncRefusal>(*message);
    talk_.heard(std::move(*message), now());
    carry_out();
    read_on();
}

base::Result<void> SyncLink::check_seals(const model::SyncHello& hello) const {
    bool is_own = false;
    for (const model::HostSeal& seal : hello.hosts) {
        if (!wire::is_signed_by(seal.key, seal_text(seal.host), seal.signature)) {
            return base::error(base::Code::forbidden, "the seal of " + seal.host + " is none", {}, "bad_signature");
        }
        is_own = is_own || (seal.host == hello.host && seal.key == link_->facts().key);
    }
    if (is_own) return {};
    return base::error(base::Code::forbidden, hello.host + " is not sealed with the key of this link", {},
                       "forged_host");
}

void SyncLink::changed() {
    if (is_over_) return;
    talk_.changed();
    carry_out();
}

void SyncLink::tick() {
    if (is_over_) return;
    engine_.try_again();
    const base::Timestamp time = now();
    if (link_->bytes_received() != received_seen_) talk_.bytes_come(time);
    received_seen_ = link_->bytes_received();
    // Whoever is not read cannot be blamed for being silent.
    if (unanswered_ > 0) talk_.bytes_come(time);
    look_at_output(time);
    if (is_over_) return;
    talk_.tick(time);
    carry_out();
    read_on();
}

void SyncLink::look_at_output(base::Timestamp time) {
    const bool waits = link_->unsent_messages() > 0;
    if (waits) talk_.bytes_wait(time);
    if (!waits || link_->bytes_sent() != sent_seen_) moved_at_ = time;
    sent_seen_ = link_->bytes_sent();
    if (time - moved_at_ > limits::sync_silence_max) end("the other device takes nothing");
}

void SyncLink::refuse(const std::string& code, const std::string& message) {
    if (is_over_) return;
    talk_.refuse(code, message);
    carry_out();
}

void SyncLink::carry_out() {
    for (Wish& wish : talk_.take_wishes()) {
        if (is_over_) return;
        carry_out(std::move(wish));
    }
}

void SyncLink::carry_out(Wish wish) {
    using Kind = Wish::Kind;
    switch (wish.kind) {
        case Kind::send: {
            std::string text = codec::sync_message_text(*wish.message);
            ++tools_.metrics.sync_messages_sent;
            tools_.metrics.sync_bytes_sent += text.size();
            return link_->send(std::move(text));
        }
        case Kind::note_peer: return note_peer(std::move(wish));
        case Kind::give: return give();
        case Kind::take: return take(std::move(wish));
        case Kind::confirm_gone: return confirm_gone(std::move(wish));
        case Kind::accept_gone: return accept_gone(std::move(wish));
        case Kind::close: break;
    }
    if (!wish.message) return end("the other device has said nothing for too long");
    const std::string why = refusal_text(std::get<model::SyncRefusal>(*wish.message), was_refused_);
    if (!was_refused_ && !why.empty()) ++tools_.metrics.sync_refusals;
    end(why);
}

void SyncLink::note_peer(Wish wish) {
    auto command = std::make_unique<ports::NotePeer>();
    command->peer_id = peer_id();
    command->hello = std::move(wish.hello);
    command->has = std::move(wish.has);
    const bool is_hello = command->hello.has_value();
    if (is_hello) ++unanswered_;
    engine_.ask(std::move(command), [this, is_hello](const base::Result<model::Peer>& peer) {
        if (is_hello) --unanswered_;
        if (is_over_) return;
        is_up_ = is_up_ || (is_hello && peer.ok());
        talk_.noted(peer.ok() ? base::Result<void>() : base::Result<void>(peer.error()));
        dealt_with();
    });
}

void SyncLink::give() {
    auto command = std::make_unique<ports::GiveChanges>();
    command->peer_id = peer_id();
    command->has = talk_.peer_will_have();
    command->asked = talk_.asked();
    command->whole_cursor = talk_.whole_cursor();
    command->in_whole = talk_.in_whole();
    engine_.ask(std::move(command), [this](base::Result<ports::GivenChanges> given) {
        if (is_over_) return;
        using Frame = base::Result<std::optional<model::SyncFrame>>;
        if (given.ok()) talk_.given(Frame(std::move(given->frame)), given->ask);
        else talk_.given(Frame(given.error()));
        dealt_with();
    });
}

void SyncLink::take(Wish wish) {
    auto command = std::make_unique<ports::TakeChanges>();
    command->peer_id = peer_id();
    command->frame = std::move(*wish.frame);
    ++unanswered_;
    engine_.ask(
        std::move(command),
        [this](base::Result<ports::TakenChanges> taken) {
            --unanswered_;
            if (is_over_) return;
            if (taken.ok()) {
                tools_.metrics.sync_records_taken += taken->records;
                tools_.metrics.sync_records_merged += taken->merged;
            }
            talk_.taken(taken.ok() ? base::Result<model::SyncAck>(std::move(taken->ack)) : taken.error());
            dealt_with();
        },
        1024 + message_bytes_);
}

void SyncLink::confirm_gone(Wish wish) {
    auto command = std::make_unique<ports::ConfirmGone>();
    command->peer_id = peer_id();
    command->ranges = std::move(wish.ranges);
    ++unanswered_;
    engine_.ask(std::move(command), [this](const base::Result<model::SyncGone>& gone) {
        --unanswered_;
        if (is_over_) return;
        talk_.confirmed(gone);
        dealt_with();
    });
}

void SyncLink::accept_gone(Wish wish) {
    auto command = std::make_unique<ports::AcceptGone>();
    command->peer_id = peer_id();
    command->ranges = std::move(wish.ranges);
    ++unanswered_;
    engine_.ask(std::move(command), [this](const base::Result<model::SyncAck>& ack) {
        --unanswered_;
        if (is_over_) return;
        talk_.taken(ack);
        dealt_with();
    });
}

void SyncLink::dealt_with() {
    carry_out();
    read_on();
}

void SyncLink::end(const std::string& why) {
    if (std::exchange(is_over_, true)) return;
    link_->close();
    on_end_(why);
}

}  // namespace belfry::daemon
