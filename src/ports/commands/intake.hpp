#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/log.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

// One entry of a request: an event, or the reason why its bytes are none.
struct EventDraft {
    base::Result<model::Event> event;
    std::array<std::uint8_t, 16> fingerprint{};  // of the entry as it came; tells a repeat from a reuse of its id
};

// What became of one entry: its id and its sequence in the stream `events`, or why it was refused.
struct Admitted {
    model::EventId id;
    model::Sequence sequence = 0;

    bool operator==(const Admitted&) const = default;
};
using Admission = base::Result<Admitted>;

struct EmitReply {
    std::vector<Admission> entries;  // in the order of the request
    bool replayed = false;           // all of it was answered before and nothing was done now
};

// Take events in. Each entry stands for itself: a bad one is refused and the others are taken.
struct EmitEvents final : CommandOf<EmitReply> {
    std::vector<EventDraft> entries;
};

}  // namespace belfry::ports
