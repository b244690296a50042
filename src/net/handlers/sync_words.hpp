#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/raw_json.hpp"
#include "ports/pairing.hpp"
#include "ports/store_sync.hpp"

// How devices and what is behind between them are told.
namespace belfry::net::handlers {

// How far one is behind the other, in changes: what is here and it has not acknowledged, and what it said it has and is
// not here.
struct Behind {
    std::uint64_t unsent = 0;
    std::uint64_t unreceived = 0;
};
[[nodiscard]] Behind behind(const model::Peer& peer, const std::vector<ports::HostPlace>& hosts);

// `link`: nothing where it is not known.
void append_peer(model::JsonWriter& writer, const model::Peer& peer, const std::vector<ports::HostPlace>& hosts,
                 const ports::LinkInfo* link);

struct OwnDevice {
    std::string name;
    std::string listens_on;
    base::Timestamp now;
};
[[nodiscard]] std::string sync_status_body(const ports::SyncStatus& status, const std::vector<ports::LinkInfo>& links,
                                           const OwnDevice& own);
[[nodiscard]] std::string peers_body(const ports::SyncStatus& status, const std::vector<ports::LinkInfo>& links);

}  // namespace belfry::net::handlers
