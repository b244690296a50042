#include "net/handlers/sync_words.hpp"

#include <algorithm>

#include "base/time.hpp"

namespace belfry::net::handlers {
namespace {

using model::JsonWriter;

void append_text(JsonWriter& writer, std::string_view name, const std::string& text) {
    writer.name(name);
    text.empty() ? writer.null() : writer.text(text);
}

void append_time(JsonWriter& writer, std::string_view name, std::optional<base::Timestamp> time) {
    writer.name(name);
    time ? writer.text(base::format_timestamp(*time)) : writer.null();
}

const ports::LinkInfo* link_of(const std::vector<ports::LinkInfo>& links, const std::string& peer_id) {
    const auto found = std::ranges::find(links, peer_id, &ports::LinkInfo::peer_id);
    return found == links.end() ? nullptr : &*found;
}

void append_peers(JsonWriter& writer, const ports::SyncStatus& status, const std::vector<ports::LinkInfo>& links) {
    writer.begin_array();
    for (const model::Peer& peer : status.peers) append_peer(writer, peer, status.hosts, link_of(links, peer.id));
    writer.end_array();
}

// One after the other, of one host and by one peer's word, they are one range.
void append_missing(JsonWriter& writer, std::vector<ports::MissingChange> missing) {
    std::ranges::sort(missing, {}, [](const ports::MissingChange& one) { return std::tie(one.host, one.counter); });
    writer.begin_array();
    for (std::size_t i = 0; i < missing.size();) {
        const ports::MissingChange& first = missing[i];
        std::size_t end = i + 1;
        base::Timestamp since = first.since;
        while (end < missing.size() && missing[end].host == first.host && missing[end].peer_id == first.peer_id &&
               missing[end].counter == missing[end - 1].counter + 1) {
            since = std::min(since, missing[end++].since);
        }
        writer.begin_object().field("host", first.host).field("from", static_cast<long long>(first.counter));
        writer.field("to", static_cast<long long>(missing[end - 1].counter)).field("peer_id", first.peer_id);
        writer.field("since", base::format_timestamp(since)).end_object();
        i = end;
    }
    writer.end_array();
}

void append_hosts(JsonWriter& writer, const ports::SyncStatus& status) {
    writer.begin_array();
    for (const ports::HostPlace& one : status.hosts) {
        writer.begin_object().field("host", one.host).field("settled", static_cast<long long>(one.settled));
        writer.field("floor", static_cast<long long>(one.floor)).name("is_own").boolean(one.host == status.host);
        writer.name("is_sealed").boolean(one.seal.has_value()).end_object();
    }
    writer.end_array();
}

}  // namespace

Behind behind(const model::Peer& peer, const std::vector<ports::HostPlace>& hosts) {
    Behind behind;
    std::uint64_t known = 0;  // of what it has, by hosts that are known here
    for (const ports::HostPlace& one : hosts) {
        const std::uint64_t there = peer.has.counter_of(one.host);
        if (one.settled > there) behind.unsent += one.settled - there;
        known += std::min(one.settled, there);
    }
    for (const auto& [host, counter] : peer.has.counters()) behind.unreceived += counter;
    behind.unreceived -= known;
    return behind;
}

void append_peer(JsonWriter& writer, const model::Peer& peer, const std::vector<ports::HostPlace>& hosts,
                 const ports::LinkInfo* link) {
    const bool is_revoked = peer.revoked_at.has_value();
    const ports::LinkState state = link == nullptr || is_revoked ? ports::LinkState::none : link->state;
    const bool is_connected = state == ports::LinkState::up;
    Behind lag = is_revoked ? Behind{} : behind(peer, hosts);
    if (is_connected && link->is_quiet) lag.unsent = 0;  // it has said so, and only that is not written yet
    writer.begin_object().field("id", peer.id).field("name", peer.name);
    append_text(writer, "address", peer.address);
    append_text(writer, "host", peer.host);
    writer.field("link", ports::link_state_name(state)).name("connected").boolean(is_connected);
    append_time(writer, "connected_since", is_connected ? std::optional(link->since) : std::nullopt);
    append_time(writer, "last_seen_at", peer.last_seen_at);
    append_time(writer, "added_at", peer.added_at);
    append_time(writer, "revoked_at", peer.revoked_at);
    writer.field("unsent", static_cast<long long>(lag.unsent));
    writer.field("unreceived", static_cast<long long>(lag.unreceived));
    writer.name("in_whole").boolean(!is_revoked && !peer.whole_cursor.empty());
    const bool has_news = link != nullptr && !link->why.empty() && !is_connected;
    append_text(writer, "last_error", has_news ? link->why : peer.last_error);
    writer.end_object();
}

std::string peers_body(const ports::SyncStatus& status, const std::vector<ports::LinkInfo>& links) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().name("data");
    append_peers(writer, status, links);
    writer.name("next").null().name("has_more").boolean(false).end_object();
    return body;
}

std::string sync_status_body(const ports::SyncStatus& status, const std::vector<ports::LinkInfo>& links,
                             const OwnDevice& own) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().name("device").begin_object();
    append_text(writer, "name", own.name);
    append_text(writer, "host", status.host);
    append_text(writer, "listens_on", own.listens_on);
    writer.end_object().field("now", base::format_timestamp(own.now)).name("peers");
    append_peers(writer, status, links);
    writer.name("hosts");
    append_hosts(writer, status);
    writer.name("missing");
    append_missing(writer, status.missing);
    writer.field("merges", static_cast<long long>(status.merges)).end_object();
    return body;
}

}  // namespace belfry::net::handlers
