#include <algorithm>

#include "base/characters.hpp"
#include "base/sync_limits.hpp"
#include "engine/sync.hpp"
#include "rules/counter_ranges.hpp"
#include "rules/may.hpp"

// Who the other devices are, and what of their changes nobody can give any more.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::Change;
using model::CounterRange;
using model::Peer;

base::Error forged(std::string why) {
    return base::error(Code::conflict, std::move(why), "hosts", "forged_host");
}

std::uint64_t count_of(const std::vector<CounterRange>& ranges) {
    std::uint64_t count = 0;
    for (const CounterRange& range : ranges) count += range.to - std::min(range.from, range.to) + 1;
    return count;
}

base::Result<void> check_ranges(const std::vector<CounterRange>& ranges) {
    const bool fits =
        ranges.size() <= limits::sync_ranges_max && std::ranges::all_of(ranges, [](const auto& range) {
            return range.from > 0 && range.from <= range.to && range.to - range.from < limits::sync_frame_units_max;
        });
    if (fits && count_of(ranges) <= limits::sync_frame_units_max) return {};
    return base::error(Code::too_large,
                       "at most " + std::to_string(limits::sync_frame_units_max) + " changes at a time", "ranges",
                       "oversized");
}

base::Result<void> check_peer(const Peer& peer) {
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (peer.id.size() != 64 || !std::ranges::all_of(peer.id, is_hex)) {
        return base::error(Code::invalid, "is no id of a device", "id");
    }
    if (peer.name.size() > limits::peer_name_bytes_max || base::has_harmful(peer.name)) {
        return base::error(Code::invalid, "has at most 100 bytes and no invisible characters", "name");
    }
    if (peer.key.empty()) return base::error(Code::invalid, "must be given", "key");
    return {};
}

}  // namespace

// The record is looked for once more: what is there again, or was never gone, is not confirmed.
base::Result<void> Sync::confirm_gone(ports::ConfirmGone& command, Unit& unit) {
    if (admitted(command) == nullptr) return {};
    if (auto fits = check_ranges(command.ranges); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY(write_all(unit));
    model::SyncGone sure;
    std::vector<ports::MissingChange> unsure;
    TRY_ASSIGN(Places all, places(unit));
    const auto& own_seal = all[log_.host()].seal;
    for (const CounterRange& range : command.ranges) {
        const auto& seal = all[range.host].seal;  // a store that was restored has had other names
        const bool is_ours = range.host == log_.host() || (seal && own_seal && seal->key == own_seal->key);
        const std::size_t count = static_cast<std::size_t>(range.to - range.from) + 1;
        TRY_ASSIGN(std::vector<Change> changes, unit.store.sync().changes_after(range.host, range.from - 1, count));
        std::erase_if(changes, [&](const Change& change) { return change.unit.counter > range.to; });
        TRY_ASSIGN(const std::vector<Change> gone, gone_among(changes, unit));
        for (const Change& change : gone) {
            const bool is_sure = change.unit.kind == model::gone_kind || is_ours;
            if (is_sure) sure.ranges.push_back({range.host, change.unit.counter, change.unit.counter});
            else unsure.push_back({range.host, change.unit.counter, command.peer_id, unit.now});
        }
    }
    TRY(ask_others(std::move(unsure), unit));
    sure.ranges = rules::joined_ranges(std::move(sure.ranges));
    command.settle(std::move(sure));
    return {};
}

// What was here and is not any more: its author may know, or somebody who stands nearer to him.
base::Result<void> Sync::ask_others(std::vector<ports::MissingChange> unsure, Unit& unit) {
    TRY_ASSIGN(const auto asked, unit.store.sync().missing(limits::sync_frame_units_max));
    std::erase_if(unsure, [&](const ports::MissingChange& one) {
        return std::ranges::any_of(
            asked, [&](const auto& other) { return other.host == one.host && other.counter == one.counter; });
    });
    if (unsure.empty()) return {};
    log_.announce();
    return unit.store.sync().put_missing(unsure);
}

base::Result<std::optional<model::SyncAck>> Sync::ask_of(const Peer& peer, Unit& unit) {
    using Ask = std::optional<model::SyncAck>;
    TRY_ASSIGN(const auto missing, unit.store.sync().missing(limits::sync_frame_units_max));
    if (missing.empty()) return Ask{};
    TRY_ASSIGN(model::SyncAck ask, ack_of(peer.id, {}, unit));
    for (const ports::MissingChange& one : missing) ask.confirm.push_back({one.host, one.counter, one.counter});
    ask.confirm = rules::joined_ranges(std::move(ask.confirm));
    if (ask.confirm.size() > limits::sync_ranges_max) ask.confirm.resize(limits::sync_ranges_max);
    return Ask(std::move(ask));
}

// Of changes that are in the log, and whose records are not here any more, only the place is left.
base::Result<void> Sync::mark_gone(const CounterRange& range, Unit& unit) {
    const auto count = static_cast<std::size_t>(range.to - range.from) + 1;
    TRY_ASSIGN(std::vector<Change> changes, unit.store.sync().changes_after(range.host, range.from - 1, count));
    std::erase_if(changes, [&](const Change& change) { return change.unit.counter > range.to; });
    TRY_ASSIGN(std::vector<Change> gone, gone_among(changes, unit));
    std::erase_if(gone, [](const Change& change) { return change.unit.kind == model::gone_kind; });
    for (Change& change : gone) {
        change.unit.kind = model::gone_kind;
        change.unit.id.clear();
        change.user_id.clear();
        change.tokens.clear();
        change.clock = {};
        change.batch_id.clear();
    }
    return unit.store.changes().put_back(gone);
}

base::Result<void> Sync::accept_gone(ports::AcceptGone& command, Unit& unit) {
    if (admitted(command) == nullptr) return {};
    if (auto fits = check_ranges(command.ranges); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY(write_all(unit));
    ports::SyncTable& table = unit.store.sync();
    std::string host;
    for (const CounterRange& range : command.ranges) {
        host = range.host;
        if (range.host == log_.host()) continue;  // nobody tells us what we have done
        const auto known = log_.settled().find(range.host);
        const std::uint64_t settled = known == log_.settled().end() ? 0 : known->second;
        TRY_ASSIGN(const auto here, table.here(range.host, range.from, range.to));
        std::vector<Change> places;
        for (std::uint64_t counter = range.from; counter <= range.to; ++counter) {
            if (counter <= settled || std::ranges::binary_search(here, counter)) continue;
            Change place;
            place.unit = {range.host, counter, std::string(model::gone_kind), {}};
            places.push_back(std::move(place));
        }
        TRY(mark_gone(range, unit));
        TRY(log_.add_foreign(places, unit));
        TRY(table.remove_missing(range.host, range.from, range.to));
        log_.announce();  // somebody may have asked us
    }
    TRY_ASSIGN(model::SyncAck ack, ack_of(command.peer_id, host, unit));
    command.settle(std::move(ack));
    return {};
}

base::Result<void> Sync::add_peer(ports::AddPeer& command, Unit& unit) {
    auto may = rules::may_administer(command.principal);
    if (may.ok()) may = check_peer(command.peer);
    const Peer* const there = peers_.find(command.peer.id);
    const auto count = std::ranges::count_if(peers_.all(), [](const Peer& one) { return !one.revoked_at; });
    if (may.ok() && (there == nullptr || there->revoked_at) && static_cast<std::size_t>(count) >= limits::peers_max) {
        may = base::error(Code::too_large, "at most " + std::to_string(limits::peers_max) + " devices are paired");
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    Peer peer = there != nullptr ? *there : Peer{};
    peer.id = command.peer.id;
    peer.name = command.peer.name;
    if (!command.peer.address.empty()) peer.address = command.peer.address;  // whoever calls need not say where it is
    peer.key = command.peer.key;
    peer.added_at = unit.now;
    peer.revoked_at.reset();
    peer.last_error.clear();
    TRY(peers_.put(peer, PeerBook::Told::yes, unit));
    unit.audit("peer.add", command.principal, "\"peer\":\"" + peer.id + "\"");
    command.settle(std::move(peer));
    return {};
}

base::Result<void> Sync::revoke_peer(ports::RevokePeer& command, Unit& unit) {
    auto may = rules::may_administer(command.principal);
    std::vector<const Peer*> meant;
    for (const Peer& peer : peers_.all()) {
        const bool is_named = peer.name == command.key || peer.id == command.key ||
                              (command.key.size() >= 4 && peer.id.starts_with(command.key));
        if (is_named && !command.key.empty() && !peer.revoked_at) meant.push_back(&peer);
    }
    if (may.ok() && meant.empty()) may = base::error(Code::not_found, "there is no such device", "key");
    if (may.ok() && meant.size() > 1) {
        may = base::error(Code::conflict, "more than one device is called so", "key", "ambiguous");
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    Peer peer = *meant.front();
    peer.revoked_at = unit.now;
    TRY(peers_.put(peer, PeerBook::Told::yes, unit));
    unit.audit("peer.revoke", command.principal, "\"peer\":\"" + peer.id + "\"");
    command.settle(std::move(peer));
    return {};
}

// The inner error is the hello's.
base::Result<base::Result<void>> Sync::take_hello(const Peer& peer, const model::SyncHello& hello, Unit& unit) {
    TRY(write_all(unit));
    // Then the counters that this store gives out next were given to other changes before.
    if (hello.has.counter_of(log_.host()) > log_.last_counter()) {
        return base::Result<void>(base::error(Code::conflict,
                                              "the other device knows changes of this one that it does not know "
                                              "itself: its store was set back",
                                              {}, "lost_past"));
    }
    return take_seals(peer, hello, unit);
}

// Whose a host is never changes. The inner error is the hello's.
base::Result<base::Result<void>> Sync::take_seals(const Peer& peer, const model::SyncHello& hello, Unit& unit) {
    using May = base::Result<void>;
    if (hello.hosts.size() > limits::sync_hosts_max) {
        return May(base::error(Code::too_large, "names too many devices", "hosts", "oversized"));
    }
    TRY_ASSIGN(const Places all, places(unit));
    bool is_its_own = false;
    std::vector<const model::HostSeal*> fresh;
    for (const model::HostSeal& seal : hello.hosts) {
        if (!model::is_host_name(seal.host)) return May(forged("names a device that has no name"));
        is_its_own = is_its_own || (seal.host == hello.host && seal.key == peer.key);
        if (seal.host == hello.host && seal.key != peer.key) return May(forged("is not the device that it says it is"));
        const auto place = all.find(seal.host);
        if (place != all.end() && place->second.seal) {
            if (place->second.seal->key != seal.key) return May(forged("vouches for a device that is another's"));
            continue;
        }
        // What we are we say ourselves.
        if (seal.host == log_.host()) continue;
        fresh.push_back(&seal);
    }
    if (!is_its_own) return May(forged("does not vouch for itself"));
    if (!fresh.empty() && all.size() + fresh.size() > limits::sync_hosts_max) {
        return May(base::error(Code::too_large,
                               "at most " + std::to_string(limits::sync_hosts_max) + " hosts are known to a device",
                               "hosts", "too_many"));
    }
    for (const model::HostSeal* const seal : fresh) TRY(unit.store.sync().put_seal(*seal));
    return May{};
}

base::Result<void> Sync::note_peer(ports::NotePeer& command, Unit& unit) {
    const Peer* const there = admitted(command);
    if (there == nullptr) return {};
    Peer peer = *there;
    peer.last_error = command.error;
    if (command.hello) {
        TRY_ASSIGN(base::Result<void> may, take_hello(peer, *command.hello, unit));
        if (!may.ok()) {
            command.refuse(std::move(may).error());
            return {};
        }
        peer.host = command.hello->host;
        peer.has = command.hello->has;
        if (peer.name.empty()) peer.name = command.hello->name;
    }
    if (command.has) peer.has = *command.has;
    if (command.hello || command.has) peer.last_seen_at = unit.now;
    TRY(peers_.put(peer, PeerBook::Told::no, unit));
    command.settle(std::move(peer));
    return {};
}

base::Result<void> Sync::say_hello(ports::SayHello& command, Unit& unit) {
    const Peer* const peer = admitted(command);
    if (peer == nullptr) return {};
    TRY(write_all(unit));
    TRY_ASSIGN(Places all, places(unit));
    const auto own = all.find(log_.host());
    const bool is_sealed = own != all.end() && own->second.seal.has_value();
    if (!is_sealed && command.seal && command.seal->host == log_.host()) {
        TRY(unit.store.sync().put_seal(*command.seal));
        all[log_.host()].seal = command.seal;
    }
    model::SyncHello hello;
    hello.protocol = limits::sync_protocol;
    hello.version = BELFRY_VERSION;
    hello.host = log_.host();
    hello.has = log_.has();
    hello.whole_cursor = peer->whole_cursor;
    // Its own first: without that it is nobody.
    if (const auto& seal = all[log_.host()].seal) hello.hosts.push_back(*seal);
    for (const auto& [host, place] : all) {
        const bool fits = hello.hosts.size() < limits::sync_hosts_max;
        if (place.seal && host != log_.host() && fits) hello.hosts.push_back(*place.seal);
    }
    command.settle(std::move(hello));
    return {};
}

}  // namespace belfry::engine
