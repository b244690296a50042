// One event as producers write it.
#include "codec/event.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    const std::string text(reinterpret_cast<const char*>(data), size);
    auto event = codec::parse_event(text);
    if (event.ok()) {
        ASSERT(codec::validate(text).ok());
        fuzz::check_round_trip(std::move(*event));
    } else if (event.error().code != base::Code::malformed) {
        // Refused for what it says, not for how it is written.
        ASSERT(codec::validate(text).ok());
    }
    return 0;
}
