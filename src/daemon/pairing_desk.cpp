#include "daemon/pairing_desk.hpp"

#include <utility>

#include "base/hash.hpp"
#include "base/sync_limits.hpp"
#include "host/config.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;

constexpr base::Duration talk_max = base::seconds(20);
constexpr std::size_t guests_max = 16;
constexpr std::size_t calls_max = 4;

base::Error refused(const char* reason, const char* message) {
    return base::error(base::Code::forbidden, message, {}, reason);
}

base::Error no_answer(const base::Error& error) {
    if (error.code == base::Code::forbidden) return error;
    return base::error(base::Code::unavailable, "the other device gave no answer: " + error.message);
}

}  // namespace

PairingDesk::PairingDesk(PairingDeskTools tools)
    : tools_(std::move(tools)), engine_(tools_.gateway, [&network = tools_.network](std::function<void()> work) {
          network.post(std::move(work));
      }) {}

ports::PairingCode PairingDesk::begin(const wire::DeviceKey& key, std::string address) {
    const std::string shown = wire::pairing_code(tools_.random.next());
    const auto code = wire::parse_pairing_code(shown);
    ASSERT(code.has_value());
    open_ = {wire::pairing_secret(*code, key.pin()), tools_.clock.monotonic() + limits::pairing_lasts, 0};
    return {shown, tools_.clock.now() + limits::pairing_lasts, std::move(address)};
}

void PairingDesk::take(const wire::DeviceKey& key, std::unique_ptr<wire::PeerLink> link) {
    auto talk = std::make_unique<PairingTalk>(std::move(link), wire::PairingRole::listener, key.pin());
    if (!open_) return talk->refuse("no_pairing");
    if (guests_.size() >= guests_max) return;
    const auto guest = std::make_shared<Guest>();
    guest->talk = std::move(talk);
    guest->until = tools_.clock.monotonic() + talk_max;
    guests_.push_back(guest);
    guest->talk->expect("proof", [this, weak = std::weak_ptr(guest)](const base::Result<std::string>& proof) {
        if (const auto at = weak.lock()) hear_proof(at, proof);
    });
}

void PairingDesk::hear_proof(const GuestAt& guest, const base::Result<std::string>& proof) {
    if (guest->is_over) return;
    if (!proof.ok()) return turn_away(guest, "malformed");
    if (open_ && open_->until <= tools_.clock.monotonic()) open_.reset();
    if (!open_) return turn_away(guest, "no_pairing");
    if (!base::equal_in_constant_time(*proof, guest->talk->other_proof(open_->secret))) {
        const bool is_last = ++open_->wrong_tries == limits::pairing_attempts_max;
        tools_.log.warning("a device that wants to be paired has a wrong code",
                           {{"address", guest->talk->facts().address}, {"the_code_is_void_now", is_last}});
        if (is_last) open_.reset();
        return turn_away(guest, "wrong_code");
    }
    guest->talk->say("proof", guest->talk->own_proof(open_->secret));
    open_.reset();  // it was for one
    guest->talk->expect("name", [this, weak = std::weak_ptr(guest)](const base::Result<std::string>& name) {
        if (const auto at = weak.lock()) hear_name(at, name);
    });
}

void PairingDesk::hear_name(const GuestAt& guest, const base::Result<std::string>& name) {
    if (guest->is_over) return;
    if (!name.ok() || !is_device_name(*name)) return turn_away(guest, "malformed");
    add_peer(guest->talk->facts(), *name, {}, [this, guest](const base::Result<model::Peer>& added) {
        if (guest->is_over) return;
        if (!added.ok()) {
            tools_.log.error("a device could not be paired", {{"why", added.error().message}});
            return turn_away(guest, "failed");
        }
        guest->talk->say("name", tools_.name);
        guest->talk->close();
        guest->is_over = true;
    });
}

void PairingDesk::turn_away(const GuestAt& guest, std::string_view reason) {
    guest->talk->refuse(reason);
    guest->is_over = true;
}

void PairingDesk::join(const wire::DeviceKey& key, const ports::Pairing::Join& wish, Joined done) {
    const auto invalid = [](const char* field, const char* message) {
        return base::error(base::Code::invalid, message, field);
    };
    auto code = wire::parse_pairing_code(wish.code);
    if (!code) return done(invalid("code", "must be twelve characters, such as K7QF-92MX-4TRA"));
    const auto address = host::split_address(wish.address);
    if (!address || address->second == 0) return done(invalid("at", "must be HOST:PORT, such as desk.local:7878"));
    if (!wish.name.empty() && !is_device_name(wish.name)) return done(invalid("name", "must be a line"));
    if (calls_.size() >= calls_max) {
        return done(base::error(base::Code::overloaded, "other devices are being paired; try again shortly"));
    }
    const auto call = std::make_shared<Outgoing>();
    call->code = std::move(*code);
    call->wish = wish;
    call->done = std::move(done);
    call->until = tools_.clock.monotonic() + talk_max;
    calls_.push_back(call);
    tools_.network.call(
        {address->first, address->second, "/v1/pair", {}},
        [this, call, &key](base::Result<std::unique_ptr<wire::PeerLink>> link) { called(call, key, std::move(link)); });
}

void PairingDesk::called(const OutgoingAt& call, const wire::DeviceKey& key,
                         base::Result<std::unique_ptr<wire::PeerLink>> link) {
    if (!call->done) return;
    if (!link.ok()) return finish(call, link.error());
    if ((*link)->facts().pin == key.pin()) return finish(call, refused("same_device", "this is the same device"));
    call->secret = wire::pairing_secret(call->code, (*link)->facts().pin);
    call->talk = std::make_unique<PairingTalk>(std::move(*link), wire::PairingRole::caller, key.pin());
    call->until = tools_.clock.monotonic() + talk_max;
    call->talk->say("proof", call->talk->own_proof(call->secret));
    call->talk->expect("proof", [this, weak = std::weak_ptr(call)](const base::Result<std::string>& proof) {
        if (const auto at = weak.lock()) hear_listener(at, proof);
    });
}

void PairingDesk::hear_listener(const OutgoingAt& call, const base::Result<std::string>& proof) {
    if (!call->done) return;
    if (!proof.ok()) return finish(call, no_answer(proof.error()));
    if (!base::equal_in_constant_time(*proof, call->talk->other_proof(call->secret))) {
        return finish(call, refused("wrong_code", "the other device does not know the code"));
    }
    call->talk->say("name", tools_.name);
    call->talk->expect("name", [this, weak = std::weak_ptr(call)](const base::Result<std::string>& name) {
        if (const auto at = weak.lock()) hear_listener_name(at, name);
    });
}

void PairingDesk::hear_listener_name(const OutgoingAt& call, const base::Result<std::string>& name) {
    if (!call->done) return;
    if (!name.ok()) return finish(call, no_answer(name.error()));
    if (!is_device_name(*name)) {
        return finish(call, base::error(base::Code::unavailable, "the other device has no name that can be shown"));
    }
    add_peer(call->talk->facts(), call->wish.name.empty() ? *name : call->wish.name, call->wish.address,
             [this, call](base::Result<model::Peer> added) { finish(call, std::move(added)); });
}

// It stays in its place until the next tick, for it is in the middle of its own callback.
void PairingDesk::finish(const OutgoingAt& call, base::Result<model::Peer> outcome) {
    if (call->talk) call->talk->close();
    if (auto done = std::exchange(call->done, nullptr)) done(std::move(outcome));
}

void PairingDesk::add_peer(const wire::LinkFacts& facts, std::string name, std::string address, Joined then) {
    auto command = std::make_unique<ports::AddPeer>();
    command->peer.id = facts.pin;
    command->peer.key = facts.key;
    command->peer.name = std::move(name);
    command->peer.address = std::move(address);
    command->peer.added_at = tools_.clock.now();
    command->lane = ports::Lane::control;
    tools_.log.info("a device proved the code", {{"device", command->peer.name}, {"id", facts.pin}});
    engine_.ask(std::move(command), std::move(then));
}

void PairingDesk::tick() {
    engine_.try_again();
    const base::Duration now = tools_.clock.monotonic();
    if (open_ && open_->until <= now) open_.reset();
    std::erase_if(guests_, [now](const GuestAt& guest) { return guest->is_over || guest->until <= now; });
    for (const OutgoingAt& call : calls_) {
        if (call->until > now) continue;
        finish(call, base::error(base::Code::unavailable, "the other device gave no answer in time"));
    }
    std::erase_if(calls_, [](const OutgoingAt& call) { return !call->done; });
}

}  // namespace belfry::daemon
