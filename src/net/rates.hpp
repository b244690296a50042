#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.hpp"

namespace belfry::net {

// How many events each access token may still send. A second's worth may come at once; a batch larger than that is
// taken when nothing is owed, and is then owed for.
class EventRates {
public:
    // Nothing where `count` events may pass now; else how long to wait, at least a second.
    base::Duration take(const std::string& who, std::int64_t per_second, std::size_t count, base::Duration now);
    // Forgets those who have been quiet.
    void sweep(base::Duration now);

private:
    struct Bucket {
        double left = 0;
        base::Duration filled_at;
    };
    std::unordered_map<std::string, Bucket> buckets_;
};

using Address = std::array<std::uint8_t, 16>;  // IPv4 as IPv6; all zero on a Unix socket

// Failed logins of each address in the current minute.
class FailedLogins {
public:
    // Counts one; true when the address has had its share.
    bool count(const Address& address, base::Duration now);
    void sweep(base::Duration now);

private:
    struct Hash {
        std::size_t operator()(const Address& address) const {
            return std::hash<std::string_view>{}({reinterpret_cast<const char*>(address.data()), address.size()});
        }
    };
    base::Duration minute_began_;
    std::unordered_map<Address, std::size_t, Hash> failures_;
};

}  // namespace belfry::net
