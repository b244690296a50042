#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/change.hpp"

namespace belfry::rules {

// What may wake an agent, before its predicate is asked: any one of these is enough. Only what happens to the same
// person does.
struct WakeInterests {
    std::string user_id;
    std::vector<std::string> event_types;  // patterns: `build.failed`, `build.*`
    std::vector<model::ChangeToken> tokens;
};

// Which wake subscriptions an event or a change may concern. What a look-up costs depends on the parts of the type or
// the number of tokens, and on how many subscriptions are found, not on how many there are, of him or of others.
// Changing a subscription costs as much as it has interests.
//
// A subscription is known by its place: a number that its owner gives it and may give to another when it is gone.
// Memory grows with the greatest place, so places should be dense.
class SubscriptionIndex {
public:
    // Replaces what stands at this place, if anything does.
    void set(std::uint32_t place, const WakeInterests& interests);
    void remove(std::uint32_t place);  // nothing, where nothing stands

    // Replace `found` by the places of those that match, rising, each once. They return how many entries they looked
    // at, which is what they cost.
    std::size_t match_event(std::string_view user_id, std::string_view type, std::vector<std::uint32_t>& found) const;
    std::size_t match_tokens(std::string_view user_id, std::span<const model::ChangeToken> tokens,
                             std::vector<std::uint32_t>& found) const;

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    // An interest that somebody has: whose, a line break, then a type, a pattern without its star, or a token as text.
    // No two of these look alike, since a token has a colon, a pattern ends in a dot and a type has and does neither.
    struct Key {
        std::unique_ptr<char[]> bytes;
        std::uint32_t size = 0;
        std::uint32_t hash = 0;
        std::uint32_t first_link = none;
        std::uint32_t next = none;  // with a hash in the same bucket; or the next free one

        [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
    };
    // That a subscription has an interest: an entry of two lists.
    struct Link {
        std::uint32_t place = none;
        std::uint32_t key = none;
        std::uint32_t next_of_key = none;
        std::uint32_t previous_of_key = none;
        std::uint32_t next_of_place = none;  // or the next free one
    };

    std::size_t collect(std::string_view key, std::vector<std::uint32_t>& found) const;
    void link(std::uint32_t place, std::string_view text);
    void unlink(std::uint32_t link);
    std::uint32_t find_or_add_key(std::string_view text);
    void remove_key(std::uint32_t key);
    void grow_buckets();

    std::vector<Key> keys_;
    std::vector<Link> links_;
    std::vector<std::uint32_t> buckets_;      // the first key of each
    std::vector<std::uint32_t> first_links_;  // by place
    std::uint32_t free_key_ = none;
    std::uint32_t free_link_ = none;
    std::size_t keys_used_ = 0;
};

}  // namespace belfry::rules
