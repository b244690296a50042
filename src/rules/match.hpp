#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/severity.hpp"
#include "model/subscriber.hpp"

namespace belfry::rules {

// Which subscribers want an event. Built once for a catalogue; what a look-up costs depends on the parts of the type
// and on how many subscribers match, not on how many there are.
class SubscriberIndex {
public:
    SubscriberIndex() = default;
    explicit SubscriberIndex(std::span<const model::Subscriber> subscribers);

    // Replaces `found` by the places of those that match, rising, each once.
    void match(std::string_view type, std::string_view source, model::Severity severity,
               std::vector<std::uint32_t>& found) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    // By least severity: those of a bucket match from it on.
    using Buckets = std::array<std::vector<std::uint32_t>, 5>;
    using Table = std::unordered_map<std::string, Buckets, Hash, std::equal_to<>>;

    // A pattern `a.b.*` is kept as `a.b.`, which is a piece of every type that it matches.
    Table any_source_;  // pattern
    Table by_source_;   // source, NUL, pattern: so the keys of all patterns of one event are beginnings of one text
};

}  // namespace belfry::rules
