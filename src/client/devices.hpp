#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "client/client.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

// What is typed on the other device.
struct PairingCode {
    std::string code;
    std::string address;  // where this daemon listens for other devices
    std::string expires_at;
    model::RawJson json;
};

struct PairRequest {
    std::string code;
    std::string address;  // `host:port` of the device that shows it
    std::string name;     // of that device, as it is called here; empty: as it calls itself
};

// The devices that this daemon tells what it knows, and that tell it. Answers are the daemon's JSON, as docs/sync.md
// has it. Uses a client of somebody else.
class Devices {
public:
    explicit Devices(Client& client) : client_(client) {}

    base::Result<std::vector<model::RawJson>> peers();
    // A code for another device; the one before it is worth nothing any more.
    base::Result<PairingCode> begin_pairing();
    // The device that shows this code, as it is known from now on.
    base::Result<model::RawJson> pair(const PairRequest& request);
    // `peer`: its id, the beginning of it that only one has, or its name.
    base::Result<model::RawJson> revoke(std::string_view peer);

    base::Result<model::RawJson> status();
    // What was decided between two devices, the newest first, below a number; 0: from the newest on.
    struct Merges {
        std::vector<model::RawJson> notes;
        std::int64_t next = 0;  // 0: these were the last
    };
    base::Result<Merges> merges(std::int64_t below = 0, std::size_t limit = 100);
    base::Result<model::RawJson> digest();

private:
    Client& client_;
};

}  // namespace belfry::client
