// CloudEvents: the input as a structured one; and as a binary one, written like a request with its header lines, an
// empty line and the body.
#include <vector>

#include "codec/cloudevents.hpp"
#include "round_trip.hpp"

namespace {

void structured(std::string_view text) {
    auto bodies = belfry::codec::split_events("application/cloudevents+json", text);
    if (!bodies.ok()) return;
    ASSERT(bodies->entries.size() == 1);
    auto& event = bodies->entries[0].event;
    if (event.ok()) belfry::fuzz::check_round_trip(std::move(*event));
}

void binary(std::string_view text) {
    std::vector<belfry::codec::Header> headers;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) break;
        const std::size_t colon = std::min(line.find(':'), line.size());
        headers.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
    }
    auto entry = belfry::codec::parse_binary_cloudevent(headers, text);
    if (!entry.event.ok()) return;
    ASSERT(belfry::codec::is_binary_cloudevent(headers));
    ASSERT(!entry.event->source_id.empty());
    belfry::fuzz::check_round_trip(std::move(*entry.event));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    structured(text);
    binary(text);
    return 0;
}
