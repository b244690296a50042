#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";

}  // namespace

// A table is read by its rows.
// clang-format off
void append_sync_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/peers", Role::service, false, handlers::list_peers, "listPeers",
         "The devices that share what is here, how the link with each stands, and what is behind; those that were revoked, too.", "",
         {}, {{200, "The devices.", json, "PeerList"}}},
        {Method::post, "/v1/peers", Role::admin, false, handlers::pair_with, "pairWith",
         "Pair this device with the one that shows this code.", "PairInput", {},
         {{201, "It is known from now on.", json, "Peer"},
          {403, "The code is wrong (`wrong_code`), there is none over there any more (`no_pairing`), or it is this device itself (`same_device`).", problem, "Problem"},
          {422, "What was typed is no code, address or name.", problem, "Problem"},
          {503, "Nobody answers at that address.", problem, "Problem"}}},
        {Method::post, "/v1/peers/pairing", Role::admin, false, handlers::begin_pairing, "beginPairing",
         "A code to type on another device, for ten minutes and three wrong tries. The code before it is worth nothing any more.", "", {},
         {{201, "The code.", json, "PairingCode"},
          {409, "This device does not listen for others (`not_listening`).", problem, "Problem"}}},
        {Method::delete_, "/v1/peers/{id}", Role::admin, false, handlers::revoke_peer, "revokePeer",
         "Tell a device nothing any more, and do not listen to it. What it told stays.", "",
         {{"id", "path", "Its id, the beginning of it that only one has, or its name.", R"({"type":"string","maxLength":200})"}},
         {{200, "The device that was.", json, "Peer"}}},
        {Method::get, "/v1/sync/status", Role::service, false, handlers::get_sync_status, "readSyncStatus",
         "How this device and its peers stand: what is behind, what is missing, how much was merged.", "", {},
         {{200, "The status.", json, "SyncStatus"}}},
        {Method::get, "/v1/sync/merges", Role::service, false, handlers::list_merges, "listMerges",
         "Fields that two devices wrote without knowing of each other, and which rule decided, the newest first. The last 1,000 are kept.", "",
         {{"before", "query", "`next` of the page before.", R"({"type":"integer","minimum":1})"},
          {"limit", "query", "Notes of a page at the most; 100 unless told.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The notes.", json, "MergeNoteList"}}},
        {Method::get, "/v1/sync/digest", Role::admin, false, handlers::get_sync_digest, "readSyncDigest",
         "One number for all that devices have in common: the same where they know the same. It reads everything.", "", {},
         {{200, "The digest.", json, "SyncDigest"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
