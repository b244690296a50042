#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/event.hpp"

namespace belfry::rules {

// How a subscriber tells repeats: colon-separated parts, `type`, `source`, `payload.X` (empty where it is absent, as
// compact JSON where it is no text; `payload.a.b` looks into objects, `payload.*` is all of it) or anything else
// literally. Read once, applied often. Whatever the parts, what is more or less severe than before is no repeat of it
// (docs/decisions/0014).
class DedupeKey {
public:
    // An empty pattern means the event's own dedupe_key. `payload.` without a name is refused.
    static base::Result<DedupeKey> parse(std::string_view pattern);

    // Appends the key of this event. Parts cannot run into each other: a colon or backslash inside one is escaped. A
    // key beyond limits::event_dedupe_key_bytes_max is replaced by its hash.
    void append(std::string& out, const model::Event& event) const;

private:
    enum class Kind { own, type, source, payload, whole_payload, literal };
    struct Part {
        Kind kind = Kind::own;
        std::string text;
    };
    std::vector<Part> parts_;
};

}  // namespace belfry::rules
