#include "model/vector_clock.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/wake_limits.hpp"
#include "model/number.hpp"
#include "model/value.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;
using base::Code;

base::Error refused(Code code, std::string message) {
    return base::error(code, std::move(message), "vector_clock");
}

base::Error host_refused() {
    return refused(Code::invalid, "a host's name must have 1 to " + std::to_string(limits::host_bytes_max) +
                                      " bytes and no invisible characters");
}

base::Error counter_refused() {
    return refused(Code::invalid,
                   "a host's counter must be a whole number from 0 to " + std::to_string(VectorClock::counter_max));
}

base::Error hosts_refused() {
    return refused(Code::too_large, "a vector clock has at most " + std::to_string(limits::clock_hosts_max) + " hosts");
}

}  // namespace

bool is_host_name(std::string_view text) {
    return !text.empty() && text.size() <= limits::host_bytes_max && !base::has_harmful(text);
}

base::Result<VectorClock> VectorClock::parse(JsonView json) {
    if (json.kind() != JsonKind::object) {
        return refused(Code::invalid, R"(a vector clock is an object of hosts and counters, such as {"h0":1})");
    }
    VectorClock clock;
    JsonWalker members(json);
    std::string_view raw_name;
    while (const auto member = members.next(&raw_name)) {
        // The name stands between its quotes.
        const std::string host = JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
        if (!is_host_name(host)) return host_refused();
        if (member->kind() != JsonKind::number) return counter_refused();
        const Value counter = number_value(member->text);
        if (counter.kind() != Value::Kind::integer || counter.as_integer() < 0) return counter_refused();
        clock.counters_[host] = static_cast<std::uint64_t>(counter.as_integer());
        if (clock.counters_.size() > limits::clock_hosts_max) return hosts_refused();
    }
    std::erase_if(clock.counters_, [](const auto& entry) { return entry.second == 0; });
    return clock;
}

std::uint64_t VectorClock::counter_of(std::string_view host) const {
    const auto at = counters_.find(host);
    return at == counters_.end() ? 0 : at->second;
}

ClockOrder VectorClock::compare(const VectorClock& other) const {
    const auto is_behind = [](const VectorClock& a, const VectorClock& b) {
        return std::ranges::any_of(b.counters_,
                                   [&](const auto& entry) { return !a.includes(entry.first, entry.second); });
    };
    const bool behind = is_behind(*this, other);
    const bool ahead = is_behind(other, *this);
    if (behind && ahead) return ClockOrder::concurrent;
    if (behind) return ClockOrder::before;
    return ahead ? ClockOrder::after : ClockOrder::equal;
}

base::Result<void> VectorClock::raise(std::string_view host, std::uint64_t counter) {
    if (!is_host_name(host)) return host_refused();
    if (counter > counter_max) return counter_refused();
    if (includes(host, counter)) return {};
    const auto at = counters_.find(host);
    if (at != counters_.end()) {
        at->second = counter;
        return {};
    }
    if (counters_.size() == limits::clock_hosts_max) return hosts_refused();
    counters_.emplace(host, counter);
    return {};
}

base::Result<void> VectorClock::merge(const VectorClock& other) {
    const auto hosts =
        counters_.size() + static_cast<std::size_t>(std::ranges::count_if(
                               other.counters_, [&](const auto& entry) { return !counters_.contains(entry.first); }));
    if (hosts > limits::clock_hosts_max) return hosts_refused();
    for (const auto& [host, counter] : other.counters_) {
        std::uint64_t& mine = counters_[host];
        mine = std::max(mine, counter);
    }
    return {};
}

void VectorClock::append_json(std::string& out) const {
    JsonWriter writer(out);
    writer.begin_object();
    for (const auto& [host, counter] : counters_) writer.field(host, static_cast<long long>(counter));
    writer.end_object();
}

std::string VectorClock::to_json() const {
    std::string out;
    append_json(out);
    return out;
}

}  // namespace belfry::model
