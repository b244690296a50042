#include "model/key_index.hpp"

#include <cstring>
#include <set>

namespace belfry::model {
namespace {

constexpr std::size_t scan_max = 12;
constexpr std::size_t probes_max = 192;

std::uint32_t hash_of(std::string_view key) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ key.size();
    const char* at = key.data();
    std::size_t left = key.size();
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0xD6E8FEB86659FD93ULL;
        hash ^= hash >> 32U;
    };
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        mix(word);
    }
    std::uint64_t tail = 0;
    if (left > 0) std::memcpy(&tail, at, left);
    mix(tail);
    return static_cast<std::uint32_t>(hash);
}

}  // namespace

struct KeyIndex::Tree {
    struct Order {
        using is_transparent = void;
        const Value** object;
        std::string_view key(std::size_t place) const { return (*object)->members()[place].key(); }
        bool operator()(std::size_t a, std::size_t b) const { return key(a) < key(b); }
        bool operator()(std::size_t a, std::string_view b) const { return key(a) < b; }
        bool operator()(std::string_view a, std::size_t b) const { return a < key(b); }
    };
    const Value* object = nullptr;
    std::size_t planted = 0;
    std::set<std::size_t, Order> places{Order{&object}};
};

KeyIndex::KeyIndex() = default;
KeyIndex::~KeyIndex() = default;

std::size_t KeyIndex::find_or_expect(const Value& object, const Value& name) {
    const auto members = object.members();
    if (members.size() < scan_max) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i].name.same_text(name)) return i;
        }
        return none;
    }
    const std::string_view key = name.text();
    if (tree_ == nullptr && slots_.size() < members.size() * 3 + 3) grow(object);
    if (tree_ != nullptr) {
        plant(object);
        const auto found = tree_->places.find(key);
        return found == tree_->places.end() ? none : *found;
    }
    const std::uint32_t hash = hash_of(key);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t probe = 0; probe < probes_max; ++probe) {
        Slot& slot = slots_[(hash + probe) & mask];
        if (slot.place == 0) {
            slot = {hash, static_cast<std::uint32_t>(members.size() + 1)};
            return none;
        }
        if (slot.hash == hash && members[slot.place - 1].key() == key) return slot.place - 1;
    }
    tree_ = std::make_unique<Tree>();
    return find_or_expect(object, name);
}

void KeyIndex::grow(const Value& object) {
    const auto members = object.members();
    std::size_t size = 64;
    while (size < members.size() * 6) size *= 2;
    slots_.assign(size, Slot{});
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!insert(hash_of(members[i].key()), static_cast<std::uint32_t>(i + 1))) {
            tree_ = std::make_unique<Tree>();
            return;
        }
    }
}

bool KeyIndex::insert(std::uint32_t hash, std::uint32_t place) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t probe = 0; probe < probes_max; ++probe) {
        Slot& slot = slots_[(hash + probe) & mask];
        if (slot.place != 0) continue;
        slot = {hash, place};
        return true;
    }
    return false;
}

// The tree lags by the members that were appended since the last look-up.
void KeyIndex::plant(const Value& object) {
    tree_->object = &object;
    const std::size_t size = object.members().size();
    while (tree_->planted < size) tree_->places.insert(tree_->planted++);
}

}  // namespace belfry::model
