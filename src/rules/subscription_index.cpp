#include "rules/subscription_index.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/assert.hpp"

namespace belfry::rules {
namespace {

constexpr std::size_t buckets_min = 16;

std::uint32_t hash_of(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

// What every key of a person's begins with.
std::string start_of(std::string_view user_id) {
    return std::string(user_id) + '\n';
}

// Each thing that can be looked up, as its key: a pattern `a.b.*` is kept as `a.b.`.
std::vector<std::string> keys_of(const WakeInterests& interests) {
    const std::string start = start_of(interests.user_id);
    std::vector<std::string> keys;
    keys.reserve(interests.event_types.size() + interests.tokens.size());
    for (const std::string& pattern : interests.event_types) {
        keys.push_back(start + (pattern.ends_with(".*") ? pattern.substr(0, pattern.size() - 1) : pattern));
    }
    for (const model::ChangeToken& token : interests.tokens) keys.push_back(start + to_text(token));
    std::ranges::sort(keys);
    const auto repeats = std::ranges::unique(keys);
    keys.erase(repeats.begin(), repeats.end());
    return keys;
}

void sort_and_unite(std::vector<std::uint32_t>& places) {
    std::ranges::sort(places);
    const auto repeats = std::ranges::unique(places);
    places.erase(repeats.begin(), repeats.end());
}

}  // namespace

void SubscriptionIndex::set(std::uint32_t place, const WakeInterests& interests) {
    ASSERT(place != none);
    remove(place);
    const std::vector<std::string> keys = keys_of(interests);
    if (keys.empty()) return;
    if (place >= first_links_.size()) first_links_.resize(std::size_t{place} + 1, none);
    for (const std::string& key : keys) link(place, key);
}

void SubscriptionIndex::remove(std::uint32_t place) {
    if (place >= first_links_.size()) return;
    std::uint32_t at = std::exchange(first_links_[place], none);
    while (at != none) {
        const std::uint32_t next = links_[at].next_of_place;
        unlink(at);
        at = next;
    }
}

std::size_t SubscriptionIndex::match_event(std::string_view user_id, std::string_view type,
                                           std::vector<std::uint32_t>& found) const {
    found.clear();
    std::string key = start_of(user_id);
    const std::size_t start = key.size();
    key += type;
    std::size_t looked_at = collect(key, found);
    // What stands before each dot, with the dot, is the key of a pattern.
    for (std::size_t dot = key.find('.', start); dot != std::string::npos; dot = key.find('.', dot + 1)) {
        looked_at += collect(std::string_view(key).substr(0, dot + 1), found);
    }
    sort_and_unite(found);
    return looked_at;
}

std::size_t SubscriptionIndex::match_tokens(std::string_view user_id, std::span<const model::ChangeToken> tokens,
                                            std::vector<std::uint32_t>& found) const {
    found.clear();
    std::size_t looked_at = 0;
    std::string key = start_of(user_id);
    const std::size_t start = key.size();
    for (const model::ChangeToken& token : tokens) {
        key.resize(start);
        append_text(key, token);
        looked_at += collect(key, found);
    }
    sort_and_unite(found);
    return looked_at;
}

std::size_t SubscriptionIndex::collect(std::string_view key, std::vector<std::uint32_t>& found) const {
    if (buckets_.empty()) return 0;
    std::size_t looked_at = 0;
    const std::uint32_t hash = hash_of(key);
    std::uint32_t at = buckets_[hash & (buckets_.size() - 1)];
    while (at != none) {
        ++looked_at;
        if (keys_[at].hash == hash && keys_[at].text() == key) break;
        at = keys_[at].next;
    }
    if (at == none) return looked_at;
    for (std::uint32_t link = keys_[at].first_link; link != none; link = links_[link].next_of_key) {
        ++looked_at;
        found.push_back(links_[link].place);
    }
    return looked_at;
}

void SubscriptionIndex::link(std::uint32_t place, std::string_view text) {
    const std::uint32_t key = find_or_add_key(text);
    std::uint32_t at = free_link_;
    if (at == none) {
        ASSERT(links_.size() < none);
        at = static_cast<std::uint32_t>(links_.size());
        links_.emplace_back();
    } else {
        free_link_ = links_[at].next_of_place;
    }
    Link& made = links_[at];
    made = {place, key, keys_[key].first_link, none, first_links_[place]};
    if (made.next_of_key != none) links_[made.next_of_key].previous_of_key = at;
    keys_[key].first_link = at;
    first_links_[place] = at;
}

void SubscriptionIndex::unlink(std::uint32_t at) {
    Link& gone = links_[at];
    if (gone.next_of_key != none) links_[gone.next_of_key].previous_of_key = gone.previous_of_key;
    if (gone.previous_of_key != none) {
        links_[gone.previous_of_key].next_of_key = gone.next_of_key;
    } else {
        keys_[gone.key].first_link = gone.next_of_key;
        if (gone.next_of_key == none) remove_key(gone.key);
    }
    gone = {};
    gone.next_of_place = std::exchange(free_link_, at);
}

std::uint32_t SubscriptionIndex::find_or_add_key(std::string_view text) {
    if (keys_used_ >= buckets_.size()) grow_buckets();
    const std::uint32_t hash = hash_of(text);
    std::uint32_t& bucket = buckets_[hash & (buckets_.size() - 1)];
    for (std::uint32_t at = bucket; at != none; at = keys_[at].next) {
        if (keys_[at].hash == hash && keys_[at].text() == text) return at;
    }
    std::uint32_t at = free_key_;
    if (at == none) {
        at = static_cast<std::uint32_t>(keys_.size());
        keys_.emplace_back();
    } else {
        free_key_ = keys_[at].next;
    }
    Key& made = keys_[at];
    made.bytes = std::make_unique_for_overwrite<char[]>(text.size());
    std::memcpy(made.bytes.get(), text.data(), text.size());
    made.size = static_cast<std::uint32_t>(text.size());
    made.hash = hash;
    made.next = std::exchange(bucket, at);
    ++keys_used_;
    return at;
}

void SubscriptionIndex::remove_key(std::uint32_t key) {
    std::uint32_t* at = &buckets_[keys_[key].hash & (buckets_.size() - 1)];
    while (*at != key) at = &keys_[*at].next;
    *at = keys_[key].next;
    keys_[key] = {};
    keys_[key].next = std::exchange(free_key_, key);
    --keys_used_;
}

void SubscriptionIndex::grow_buckets() {
    buckets_.assign(std::max(buckets_min, buckets_.size() * 2), none);
    for (std::uint32_t at = 0; at < keys_.size(); ++at) {
        if (keys_[at].bytes == nullptr) continue;  // it is free
        std::uint32_t& bucket = buckets_[keys_[at].hash & (buckets_.size() - 1)];
        keys_[at].next = std::exchange(bucket, at);
    }
}

}  // namespace belfry::rules
