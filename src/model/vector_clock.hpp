#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/raw_json.hpp"

namespace belfry::model {

enum class ClockOrder { equal, before, after, concurrent };

// What is known of the changes of each host: all up to a counter. A host that is not named has the counter 0, so a
// counter of 0 is never kept and one knowledge has one form. At most limits::clock_hosts_max hosts.
class VectorClock {
public:
    static constexpr std::uint64_t counter_max = INT64_MAX;  // what the store's integers hold

    // An object of hosts and whole numbers, `{"h0":1,"h1":2}`. A host that stands twice has its last counter.
    static base::Result<VectorClock> parse(JsonView json);

    [[nodiscard]] std::uint64_t counter_of(std::string_view host) const;
    [[nodiscard]] bool includes(std::string_view host, std::uint64_t counter) const {
        return counter <= counter_of(host);
    }
    [[nodiscard]] bool empty() const { return counters_.empty(); }
    // By host, in byte order.
    [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& counters() const { return counters_; }

    // How this clock stands to the other: `before` means that the other knows all of this one, and more.
    [[nodiscard]] ClockOrder compare(const VectorClock& other) const;

    // A host's counter becomes at least this; never less. Refused, and nothing changed: a host's name that is none, a
    // counter beyond the greatest, one host too many.
    base::Result<void> raise(std::string_view host, std::uint64_t counter);
    // The greater counter of each host. Refused, and nothing changed, where that would be too many hosts.
    base::Result<void> merge(const VectorClock& other);

    // The canonical text: hosts in byte order, no spaces.
    void append_json(std::string& out) const;
    [[nodiscard]] std::string to_json() const;

    bool operator==(const VectorClock&) const = default;

private:
    std::map<std::string, std::uint64_t, std::less<>> counters_;
};

// 1 to limits::host_bytes_max bytes without characters that nobody sees.
bool is_host_name(std::string_view text);

}  // namespace belfry::model
