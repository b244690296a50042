#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace belfry::text::jinja {

// A stable merge sort of the places 0, 1, 2 …; `places` and `spare` have room for them, and one of the two is returned.
// Unlike the library's it is safe with an order that contradicts itself, as that of floats with NaN does, and with one
// that throws.
template <class Less>
std::span<std::uint32_t> sorted_places(std::span<std::uint32_t> places, std::span<std::uint32_t> spare, Less less) {
    const std::size_t size = places.size();
    for (std::size_t i = 0; i < size; ++i) places[i] = static_cast<std::uint32_t>(i);
    for (std::size_t run = 1; run < size; run *= 2) {
        for (std::size_t from = 0; from < size; from += 2 * run) {
            const std::size_t middle = from + run < size ? from + run : size;
            const std::size_t end = middle + run < size ? middle + run : size;
            std::size_t a = from;
            std::size_t b = middle;
            for (std::size_t at = from; at < end; ++at) {
                const bool take_right = a == middle || (b < end && less(places[b], places[a]));
                spare[at] = take_right ? places[b++] : places[a++];
            }
        }
        std::swap(places, spare);
    }
    return places;
}

}  // namespace belfry::text::jinja
