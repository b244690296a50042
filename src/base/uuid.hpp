#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace belfry::base {

// 128 bits; ours are of version 7, so that they sort by the time of their making.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    auto operator<=>(const Uuid&) const = default;
    [[nodiscard]] bool is_nil() const { return *this == Uuid{}; }
};

// One type per identity: an id of one thing is never taken for the id of another.
template <class Tag>
struct Id {
    Uuid uuid;
    auto operator<=>(const Id&) const = default;
};

// Version 7: 48 bits of milliseconds, 12 bits of the microsecond inside it (scaled), 62 random bits.
Uuid make_uuid7(Timestamp now, std::uint64_t random_a, std::uint64_t random_b);
// When it was made, to the millisecond; nothing: it is of another version.
std::optional<Timestamp> time_of_uuid7(const Uuid& uuid);

std::string format_uuid(const Uuid& uuid);
void append_uuid(std::string& out, const Uuid& uuid);
std::optional<Uuid> parse_uuid(std::string_view text);

}  // namespace belfry::base
