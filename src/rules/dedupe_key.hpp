#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/event.hpp"

namespace belfry::rules {

// The key by which a subscriber recognises repeats: colon-separated parts, `type`, `source`, `payload.X`, `payload.*`
// (the whole payload) or any other text literally. `payload.a.b.0` looks into objects and arrays; an absent member is
// empty. A value that is no text counts as canonical JSON: members sorted by name, no spaces. Parsed once, applied
// often. Whatever the parts, an event of another severity is no repeat (docs/decisions/0014).
class DedupeKey {
public:
    // An empty pattern means model::dedupe_key_default, except for an event whose producer named a dedupe_key of its
    // own: there that key counts (docs/decisions/0022). `payload.` without a name is rejected.
    static base::Result<DedupeKey> parse(std::string_view pattern);

    // Appends the key of this event. Parts cannot run into each other: a colon or backslash inside one is escaped. A
    // key beyond limits::event_dedupe_key_bytes_max is replaced by its hash.
    void append(std::string& out, const model::Event& event) const;

private:
    enum class Kind { type, source, payload, whole_payload, literal };
    struct Part {
        Kind kind = Kind::literal;
        std::string text;
    };
    void append_parts(std::string& out, const model::Event& event) const;

    std::vector<Part> parts_;
    bool is_default_ = false;
};

}  // namespace belfry::rules
