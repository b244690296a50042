// A request's body under every content type, and under the one that its first line names.
#include <array>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/event_bodies.hpp"
#include "round_trip.hpp"

namespace {

void split(std::string_view content_type, std::string_view body) {
    using namespace belfry;
    auto bodies = codec::split_events(content_type, body);
    if (!bodies.ok()) return;
    ASSERT(!bodies->entries.empty() && bodies->entries.size() <= base::limits::event_batch_max);
    ASSERT(codec::is_batch(bodies->form) || bodies->entries.size() == 1);
    const char* last = body.data();
    for (codec::ParsedEntry& entry : bodies->entries) {
        ASSERT(entry.bytes.data() >= last);
        last = entry.bytes.data() + entry.bytes.size();
        ASSERT(last <= body.data() + body.size());
        if (!entry.event.ok()) continue;
        ASSERT(codec::validate(entry.bytes).ok());
        const bool has_id = !entry.event->source_id.empty();
        ASSERT(entry.fingerprint == (has_id ? base::fingerprint(entry.bytes) : std::array<std::uint8_t, 16>{}));
        fuzz::check_round_trip(std::move(*entry.event));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const char* type : {"application/json", "application/x-ndjson", "application/cloudevents+json",
                             "application/cloudevents-batch+json"}) {
        split(type, text);
    }
    const std::size_t line = std::min(text.find('\n'), text.size());
    split(std::string_view(text).substr(0, line), std::string_view(text).substr(std::min(line + 1, text.size())));
    return 0;
}
