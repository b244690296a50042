// The rule for later years behind a file of a time zone: whatever is taken gives one of its two clocks at every
// instant.
#include <string>

#include "base/assert.hpp"
#include "codec/posix_tz.hpp"
#include "rules/wall_clock.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto tail = codec::parse_posix_tz(text);
    if (!tail.ok()) {
        ASSERT(tail.error().code == base::Code::malformed);
        return 0;
    }
    const model::Zone zone{"Fuzz/Zone", 0, {}, *tail};
    const std::int32_t summer_s = tail->summer ? tail->summer->offset_s : tail->offset_s;
    std::int64_t instant_s = 1'700'000'000;
    for (int i = 0; i < 20; ++i) {
        const rules::Stretch stretch = rules::stretch_at(zone, instant_s);
        ASSERT(stretch.offset_s == tail->offset_s || stretch.offset_s == summer_s);
        ASSERT(stretch.begin_s <= instant_s && instant_s < stretch.end_s);
        const std::int64_t shown_s = rules::latest_shown(zone, instant_s);
        ASSERT(rules::when_shown(zone, shown_s).instant_s <= instant_s);
        ASSERT(rules::when_shown(zone, shown_s + 1).instant_s > instant_s);
        if (!tail->summer) break;
        instant_s = stretch.end_s;
    }
    return 0;
}
