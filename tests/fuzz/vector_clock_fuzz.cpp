// Vector clocks: two of them, one a line. What is accepted reads back from its text, and merging is what it should be.
#include <string>

#include "base/assert.hpp"
#include "base/wake_limits.hpp"
#include "codec/json.hpp"
#include "model/vector_clock.hpp"

namespace {

using namespace belfry;
using model::ClockOrder;
using model::VectorClock;

std::optional<VectorClock> read(std::string_view text) {
    const auto json = codec::validate(text);
    if (!json.ok()) return std::nullopt;
    auto clock = VectorClock::parse(json->view());
    if (!clock.ok()) return std::nullopt;
    ASSERT(clock->counters().size() <= base::limits::clock_hosts_max);
    const std::string written = clock->to_json();
    ASSERT(codec::validate(written)->bytes() == written);
    ASSERT(*VectorClock::parse({written}) == *clock);
    return *clock;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = text.find('\n');
    const auto a = read(text.substr(0, line));
    const auto b = line == std::string::npos ? a : read(text.substr(line + 1));
    if (!a || !b) return 0;
    VectorClock merged = *a;
    if (!merged.merge(*b).ok()) {
        ASSERT(merged == *a);
        return 0;
    }
    for (const VectorClock& part : {*a, *b}) {
        const ClockOrder order = part.compare(merged);
        ASSERT(order == ClockOrder::equal || order == ClockOrder::before);
    }
    ASSERT((a->compare(*b) == ClockOrder::equal) == (*a == *b));
    ASSERT((a->compare(*b) == ClockOrder::before) == (b->compare(*a) == ClockOrder::after));
    return 0;
}
