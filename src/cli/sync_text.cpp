#include "cli/sync_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/printable.hpp"

namespace belfry::cli {
namespace {

using client::Fields;

constexpr std::size_t short_id_bytes = 8;
constexpr std::size_t gaps_shown_max = 5;

// Names and errors are others' words.
std::string said(const Fields& fields, std::string_view name) {
    return host::printable(fields.text(name));
}

// `1 change`, `2 changes`.
std::string counted(std::int64_t number, const std::string& what) {
    return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string device_text(const Fields& status) {
    const model::RawJson json = status.object("device");
    const Fields device(json.view());
    std::string text = "this device  " + (said(device, "name").empty() ? "(no name)" : said(device, "name"));
    text += said(device, "host").empty() ? ", has changed nothing yet" : ", host " + said(device, "host");
    text += "\n             ";
    text += said(device, "listens_on").empty()
                ? "does not listen for others (sync.listen is empty): it can only call them"
                : "listens for others on " + said(device, "listens_on");
    return text + '\n';
}

std::string changes_text(const Fields& status) {
    std::int64_t own = 0;
    std::int64_t foreign = 0;
    std::int64_t others = 0;
    status.each("hosts", [&](model::JsonView one) {
        const Fields host(one);
        if (host.flag("is_own").value_or(false)) {
            own += host.number("settled");
            return;
        }
        foreign += host.number("settled");
        ++others;
    });
    std::string text = "changes      " + std::to_string(own) + " of its own";
    if (others > 0) text += ", " + std::to_string(foreign) + " of " + counted(others, "other host");
    return text + '\n';
}

// What one lacks of the other.
std::string behind_text(const Fields& peer) {
    const std::int64_t unsent = peer.number("unsent");
    const std::int64_t unreceived = peer.number("unreceived");
    std::string text;
    if (unsent > 0) text = "it has yet to hear of " + counted(unsent, "change");
    if (unreceived > 0)
        text += (text.empty() ? "" : "; ") + ("we have yet to hear of " + counted(unreceived, "change"));
    if (peer.flag("in_whole").value_or(false))
        text += (text.empty() ? "" : "; ") + std::string("it is telling us all that it has");
    return text.empty() ? "nothing is behind" : text;
}

std::string peer_text(const Fields& peer) {
    std::string text = "peer         " + peer_name(peer) + ": ";
    if (!said(peer, "revoked_at").empty()) return text + "revoked at " + said(peer, "revoked_at") + '\n';
    if (peer.flag("connected").value_or(false)) {
        text += "connected";
        if (!said(peer, "connected_since").empty()) text += " since " + said(peer, "connected_since");
    } else if (said(peer, "last_seen_at").empty()) {
        text += "never been here since it was paired at " + said(peer, "added_at");
    } else {
        text += "not connected, last here at " + said(peer, "last_seen_at");
    }
    text += "\n             " + behind_text(peer);
    if (!said(peer, "last_error").empty()) text += "\n             last error: " + said(peer, "last_error");
    return text + '\n';
}

std::string gaps_text(const Fields& status) {
    std::vector<std::string> lines;
    std::int64_t changes = 0;
    status.each("missing", [&](model::JsonView one) {
        const Fields gap(one);
        changes += gap.number("to") - gap.number("from") + 1;
        const std::string range = gap.number("from") == gap.number("to")
                                      ? std::to_string(gap.number("from"))
                                      : std::to_string(gap.number("from")) + " to " + std::to_string(gap.number("to"));
        lines.push_back("             " + range + " of " + said(gap, "host") + ", since " + said(gap, "since"));
    });
    if (lines.empty()) return "gaps         none\n";
    std::string text = "gaps         " + counted(changes, "change") + " that nobody could give so far\n";
    for (std::size_t i = 0; i < std::min(lines.size(), gaps_shown_max); ++i) text += lines[i] + '\n';
    if (lines.size() > gaps_shown_max) {
        text += "             and " + counted(static_cast<std::int64_t>(lines.size() - gaps_shown_max), "more range") +
                '\n';
    }
    return text;
}

}  // namespace

std::string short_id(const std::string& id) {
    return id.substr(0, short_id_bytes);
}

std::string peer_name(const Fields& peer) {
    const std::string id = short_id(said(peer, "id"));
    return said(peer, "name").empty() ? id : said(peer, "name") + " (" + id + ')';
}

std::string peer_state(const Fields& peer) {
    if (!said(peer, "revoked_at").empty()) return "revoked";
    if (peer.flag("connected").value_or(false)) return "connected";
    return said(peer, "last_seen_at").empty() ? "never here" : "not connected";
}

std::string status_text(const model::RawJson& status) {
    const Fields fields(status.view());
    std::string text = device_text(fields) + changes_text(fields);
    std::string peers;
    fields.each("peers", [&](model::JsonView one) { peers += peer_text(Fields(one)); });
    text += peers.empty() ? "peers        none: `belfry peer pair` adds one\n" : peers;
    text += gaps_text(fields);
    const std::int64_t merges = fields.number("merges");
    text += "merges       ";
    text += merges == 0 ? "nothing had to be decided between two devices"
                        : counted(merges, "field") + " decided between two devices: `belfry sync merges` tells how";
    return text + '\n';
}

}  // namespace belfry::cli
