#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/hash.hpp"

namespace belfry::rules {

// Collects the parts of one key: each as its length (eight bytes, the greatest first) and its bytes, a number as its
// decimal text, a set as its size and then its members. No two lists of parts give the same bytes.
class KeyMaker {
public:
    explicit KeyMaker(std::string_view kind) { add(kind); }

    KeyMaker& add(std::string_view part) {
        const std::uint64_t size = part.size();
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes_ += static_cast<char>((size >> static_cast<unsigned>(shift)) & 0xFFU);
        }
        bytes_ += part;
        return *this;
    }
    KeyMaker& add_number(std::int64_t number) { return add(std::to_string(number)); }
    KeyMaker& add_number(std::uint64_t number) { return add(std::to_string(number)); }
    KeyMaker& add_set(const std::set<std::string_view>& members) {
        add_number(std::uint64_t{members.size()});
        for (const std::string_view member : members) add(member);
        return *this;
    }

    [[nodiscard]] base::Sha256 hash() const { return base::sha256(bytes_); }
    [[nodiscard]] std::string key() const {
        const base::Sha256 made = hash();
        return base::hex({reinterpret_cast<const char*>(made.data()), made.size()});
    }

private:
    std::string bytes_;
};

}  // namespace belfry::rules
