// Files of time zones: whatever is taken has clocks at every instant, and schedules go forward on them.
#include <string>

#include "base/assert.hpp"
#include "codec/tzif.hpp"
#include "rules/next_occurrence.hpp"

namespace {

using namespace belfry;

void check_clocks(const model::Zone& zone, std::int64_t instant_s) {
    const rules::Stretch stretch = rules::stretch_at(zone, instant_s);
    ASSERT(stretch.begin_s <= instant_s && instant_s < stretch.end_s);
    const std::int64_t shown_s = rules::latest_shown(zone, instant_s);
    ASSERT(shown_s >= instant_s + stretch.offset_s);
    ASSERT(rules::when_shown(zone, shown_s).instant_s <= instant_s);
    ASSERT(rules::when_shown(zone, shown_s + 1).instant_s > instant_s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const auto zone = codec::parse_tzif(bytes, "Fuzz/Zone");
    if (!zone.ok()) {
        ASSERT(zone.error().code == base::Code::malformed && !zone.error().message.empty());
        return 0;
    }
    for (const std::int64_t instant_s : {0LL, 1'774'746'000LL, 4'102'444'800LL}) check_clocks(*zone, instant_s);
    for (std::size_t i = 0; i < zone->changes.size() && i < 8; ++i) {
        const std::int64_t at_s = zone->changes[i].at_s;
        if (at_s < 0 || at_s > 200'000'000'000) continue;
        for (const std::int64_t near_s : {at_s - 1, at_s, at_s + 1}) check_clocks(*zone, near_s);
        base::Timestamp last{base::seconds(at_s - 7200).us};
        for (int n = 0; n < 4; ++n) {
            const auto next = rules::next_occurrence({model::Daily{{2, 30}}, ""}, last, *zone);
            ASSERT(next && next->at > last);
            last = next->at;
        }
    }
    return 0;
}
