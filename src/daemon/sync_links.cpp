#include "daemon/sync_links.hpp"

#include <algorithm>
#include <utility>

#include "base/sync_limits.hpp"
#include "codec/sync_wire.hpp"
#include "host/config.hpp"
#include "host/files.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;

constexpr std::size_t key_bytes_max = 16 << 10;
// A link that has lasted so long was none in vain: the next call is made soon.
constexpr base::Duration lasting = base::seconds(10);
constexpr base::Duration stranger_pause = base::minutes(1);  // between two lines about them

base::Result<wire::DeviceKey> read_or_make_key(const std::string& path) {
    TRY_ASSIGN(const auto facts, host::file_facts(path));
    if (facts) {
        if (facts->mode != host::mode_private_file) TRY(host::set_mode(path, host::mode_private_file));
        TRY_ASSIGN(const std::string pem, host::read_file(path, key_bytes_max));
        auto key = wire::DeviceKey::read(pem);
        if (!key.ok()) return base::error(key.error().code, path + ": " + key.error().message);
        return key;
    }
    TRY_ASSIGN(const wire::DeviceKey key, wire::DeviceKey::make());
    TRY_ASSIGN(const std::string pem, key.pem());
    TRY(host::write_file_atomically(path, pem, host::mode_private_file));
    return key;
}

void turn_away(std::unique_ptr<wire::PeerLink> link, const char* code, const char* message) {
    link->send(codec::sync_message_text(model::SyncRefusal{code, message}));
    link->close();
}

}  // namespace

SyncLinks::SyncLinks(SyncLinksTools tools, wire::PeerNetworkOptions options)
    : tools_(std::move(tools)),
      network_(options),
      engine_(tools_.gateway, [this](std::function<void()> work) { network_.post(std::move(work)); }),
      desk_({tools_.gateway, tools_.clock, tools_.random, network_, tools_.log, tools_.name}) {}

SyncLinks::~SyncLinks() {
    stop();
}

base::Result<void> SyncLinks::start(const std::string& listen) {
    if (const auto address = host::split_address(listen)) {
        TRY(need_key());
        TRY(network_.listen(address->first, address->second,
                            [this](std::unique_ptr<wire::PeerLink> link) { arrived(std::move(link)); }));
        listens_at_ = address->first + ":" + std::to_string(network_.port());
    }
    network_.start();
    return {};
}

void SyncLinks::stop() {
    network_.stop();
    links_.clear();
    tools_.metrics.sync_links = 0;
}

base::Result<void> SyncLinks::need_key() {
    if (key_) return {};
    TRY_ASSIGN(wire::DeviceKey key, read_or_make_key(tools_.key_path));
    TRY(network_.use(key));
    key_ = std::move(key);
    return {};
}

void SyncLinks::adopt(PeerList peers) {
    network_.post([this, peers = std::move(peers)] { follow(peers); });
}

void SyncLinks::hint_news() {
    if (has_news_.exchange(true)) return;
    network_.post([this] {
        has_news_ = false;
        for (const auto& [number, link] : links_) link->changed();
        look_at_links();
    });
}

void SyncLinks::follow(const PeerList& peers) {
    std::set<std::string> known;
    for (const model::Peer& peer : *peers) {
        if (peer.revoked_at) continue;
        known.insert(peer.id);
        const auto [at, is_new] = contacts_.try_emplace(peer.id);
        Contact& contact = at->second;
        const bool has_moved = contact.peer.address != peer.address;
        contact.peer = peer;
        if (is_new) {
            contact.info.peer_id = peer.id;
            contact.told = peer.last_error;
            contact.info.since = tools_.clock.now();
        }
        if (is_new || has_moved) {
            contact.pause = limits::sync_call_pause_first;
            contact.next_call_at = tools_.clock.monotonic();
        }
    }
    for (auto at = contacts_.begin(); at != contacts_.end();) {
        if (known.contains(at->first)) {
            ++at;
            continue;
        }
        const std::uint64_t number = at->second.link;
        at = contacts_.erase(at);
        if (const auto link = links_.find(number); link != links_.end()) {
            link->second->refuse("unknown_peer", "this device is not paired with you any more");
        }
    }
    if (!contacts_.empty()) {
        if (auto key = need_key(); !key.ok()) {
            return tools_.log.error("the key of this device cannot be used: other devices are not called",
                                    {{"why", key.error().message}});
        }
    }
    tick();
    keep_ticking();
}

void SyncLinks::keep_ticking() {
    const auto is_needed = [this] { return !contacts_.empty() || !links_.empty() || desk_.is_busy(); };
    if (is_ticking_ || !is_needed()) return;
    is_ticking_ = true;
    network_.repeat(tick_pause, [this, is_needed] {
        tick();
        is_ticking_ = is_needed();
        return is_ticking_;
    });
}

void SyncLinks::tick() {
    engine_.try_again();
    desk_.tick();
    for (const auto& [number, link] : links_) link->tick();
    if (key_) call_who_is_due(tools_.clock.monotonic());
    look_at_links();
}

void SyncLinks::call_who_is_due(base::Duration now) {
    for (auto& [id, contact] : contacts_) {
        const bool is_due = contact.link == 0 && !contact.is_calling && contact.next_call_at <= now;
        if (is_due && !contact.peer.address.empty()) call(contact);
    }
}

void SyncLinks::call(Contact& contact) {
    const auto address = host::split_address(contact.peer.address);
    if (!address) return rest(contact);
    contact.is_calling = true;
    set_state(contact, ports::LinkState::calling);
    network_.call({address->first, address->second, "/v1/sync", contact.peer.id},
                  [this, id = contact.peer.id](base::Result<std::unique_ptr<wire::PeerLink>> link) {
                      called(id, std::move(link));
                  });
}

void SyncLinks::called(const std::string& peer_id, base::Result<std::unique_ptr<wire::PeerLink>> link) {
    const auto at = contacts_.find(peer_id);
    if (at == contacts_.end()) return;
    Contact& contact = at->second;
    contact.is_calling = false;
    if (link.ok()) return take_link(contact, std::move(*link));
    if (contact.link != 0) return;
    tell_trouble(contact, link.error().message);
    rest(contact);
}

void SyncLinks::arrived(std::unique_ptr<wire::PeerLink> link) {
    if (link->facts().path == "/v1/pair") {
        desk_.take(*key_, std::move(link));
        return keep_ticking();
    }
    const auto at = contacts_.find(link->facts().pin);
    if (at == contacts_.end()) return turn_stranger_away(std::move(link));
    take_link(at->second, std::move(link));
}

// Strangers may call as often as they like; they do not fill the log with it.
void SyncLinks::turn_stranger_away(std::unique_ptr<wire::PeerLink> link) {
    ++tools_.metrics.sync_refusals;
    const base::Duration now = tools_.clock.monotonic();
    if (!stranger_told_at_ || now - *stranger_told_at_ >= stranger_pause) {
        stranger_told_at_ = now;
        tools_.log.warning("a device called that is not paired with this one",
                           {{"address", link->facts().address}, {"id", link->facts().pin}});
    }
    turn_away(std::move(link), "unknown_peer", "this device is not paired with you");
}

// Both may have called: then the link stays that was called by the one with the smaller id, for both see it so. A
// second call of the same means that it has lost the first.
bool SyncLinks::is_better(const SyncLink& old, const wire::LinkFacts& fresh) const {
    if (old.is_by_us() == fresh.is_by_us) return false;
    const bool are_we_smaller = key_->pin() < fresh.pin;
    return old.is_by_us() == are_we_smaller;
}

void SyncLinks::take_link(Contact& contact, std::unique_ptr<wire::PeerLink> link) {
    if (const auto old = links_.find(contact.link); old != links_.end()) {
        if (is_better(*old->second, link->facts())) {
            return turn_away(std::move(link), "duplicate", "there is another link already");
        }
        contact.link = 0;
        old->second->refuse("duplicate", "there is another link now");
    }
    const std::uint64_t number = ++last_number_;
    SyncLinkTools tools{tools_.gateway,
                        tools_.clock,
                        tools_.metrics,
                        *key_,
                        [this](std::function<void()> work) { network_.post(std::move(work)); },
                        tools_.name};
    auto made = std::make_unique<SyncLink>(
        std::move(tools), std::move(link), number,
        [this, number, id = contact.peer.id](const std::string& why) { ended(number, id, why); });
    contact.link = number;
    contact.up_at = tools_.clock.monotonic();
    SyncLink& at = *links_.emplace(number, std::move(made)).first->second;
    ++tools_.metrics.sync_links_opened;
    tools_.metrics.sync_links = static_cast<std::int64_t>(links_.size());
    at.start();
    keep_ticking();
}

void SyncLinks::ended(std::uint64_t number, const std::string& peer_id, const std::string& why) {
    network_.post([this, number] { drop(number); });
    const auto at = contacts_.find(peer_id);
    if (at == contacts_.end() || at->second.link != number) return;
    Contact& contact = at->second;
    contact.link = 0;
    const bool has_lasted = tools_.clock.monotonic() - contact.up_at >= lasting;
    if (has_lasted) contact.pause = limits::sync_call_pause_first;
    tell_trouble(contact, why);
    rest(contact);
}

void SyncLinks::drop(std::uint64_t number) {
    links_.erase(number);
    tools_.metrics.sync_links = static_cast<std::int64_t>(links_.size());
}

// Between the half of the pause and all of it, so that devices that lost each other at once do not call at once.
void SyncLinks::rest(Contact& contact) {
    const auto half = static_cast<std::uint64_t>(contact.pause.us / 2);
    const auto jitter = static_cast<std::int64_t>(tools_.random.next() % (half + 1));
    contact.next_call_at = tools_.clock.monotonic() + contact.pause - base::Duration{jitter};
    contact.pause = std::min(contact.pause * 2, limits::sync_call_pause_max);
    set_state(contact, contact.peer.address.empty() ? ports::LinkState::none : ports::LinkState::resting);
}

// Once for each cause: a device that is off for a night is no line every minute, nor a commit.
void SyncLinks::tell_trouble(Contact& contact, const std::string& why) {
    contact.info.why = why;
    if (why.empty() || why == contact.told) return;
    contact.told = why;
    tools_.log.warning("no link with another device", {{"device", contact.peer.name}, {"why", why}});
    auto command = std::make_unique<ports::NotePeer>();
    command->peer_id = contact.peer.id;
    command->error = why;
    engine_.ask(std::move(command), [](const base::Result<model::Peer>&) {}, 1024 + why.size());
}

void SyncLinks::set_state(Contact& contact, ports::LinkState state) {
    if (contact.info.state != state) {
        contact.info.state = state;
        contact.info.since = tools_.clock.now();
    }
    show();
}

void SyncLinks::look_at_links() {
    for (const auto& [number, link] : links_) {
        const auto at = contacts_.find(link->peer_id());
        if (at == contacts_.end() || at->second.link != number || link->is_over()) continue;
        Contact& contact = at->second;
        const bool was_up = contact.info.state == ports::LinkState::up;
        if (link->is_up() && !was_up) {
            contact.told.clear();
            contact.info.why.clear();
            tools_.log.info("linked with another device",
                            {{"device", contact.peer.name}, {"called_by_us", link->is_by_us()}});
        }
        contact.info.is_quiet = link->is_quiet();
        contact.info.state = link->is_up() ? ports::LinkState::up : ports::LinkState::calling;
        if (was_up != link->is_up()) contact.info.since = tools_.clock.now();
    }
    show();
}

void SyncLinks::show() {
    std::vector<ports::LinkInfo> infos;
    for (auto& [id, contact] : contacts_) {
        if (contact.info.state != ports::LinkState::up) contact.info.is_quiet = false;
        infos.push_back(contact.info);
    }
    const std::lock_guard lock(shown_mutex_);
    shown_ = std::move(infos);
}

std::vector<ports::LinkInfo> SyncLinks::links() const {
    const std::lock_guard lock(shown_mutex_);
    return shown_;
}

void SyncLinks::begin(std::function<void(base::Result<ports::PairingCode>)> done) {
    if (listens_at_.empty()) {
        return done(base::error(base::Code::conflict,
                                "this device does not listen for others: set sync.listen and start it again", {},
                                "not_listening"));
    }
    network_.post([this, done = std::move(done)] {
        auto code = desk_.begin(*key_, listens_at_);
        keep_ticking();
        tools_.answer([done, code = std::move(code)] { done(code); });
    });
}

void SyncLinks::join(Join wish, std::function<void(base::Result<model::Peer>)> done) {
    network_.post([this, wish = std::move(wish), done = std::move(done)] {
        const auto answer = [this, done](base::Result<model::Peer> peer) {
            tools_.answer([done, peer = std::move(peer)] { done(peer); });
        };
        if (auto key = need_key(); !key.ok()) return answer(key.error());
        desk_.join(*key_, wish, answer);
        keep_ticking();
    });
}

}  // namespace belfry::daemon
