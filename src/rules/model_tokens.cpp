#include "rules/model_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace belfry::rules {
namespace {

constexpr std::size_t letters_per_token = 6;
constexpr std::size_t digits_per_token = 3;
constexpr std::size_t other_bytes_per_token = 2;  // beyond ASCII

enum class Class : std::uint8_t { space, letter, digit, sign, beyond_ascii };

// All that an agent is told goes through here, so a byte costs one look.
constexpr std::array<Class, 256> classes = [] {
    std::array<Class, 256> all{};
    for (std::size_t c = 0; c < all.size(); ++c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
        all[c] = c >= 0x80              ? Class::beyond_ascii
                 : is_letter            ? Class::letter
                 : c >= '0' && c <= '9' ? Class::digit
                 : is_space             ? Class::space
                                        : Class::sign;
    }
    return all;
}();

Class class_of(char c) {
    return classes.data()[static_cast<unsigned char>(c)];  // it has all of them: nothing is to be checked
}

std::size_t cost_of(Class kind, std::size_t length) {
    const auto per = [length](std::size_t bytes) { return (length + bytes - 1) / bytes; };
    switch (kind) {
        case Class::space: return 0;
        case Class::letter: return per(letters_per_token);
        case Class::digit: return per(digits_per_token);
        case Class::beyond_ascii: return per(other_bytes_per_token);
        case Class::sign: break;
    }
    return length;
}

}  // namespace

std::int64_t estimate_model_tokens(std::string_view text) {
    if (text.empty()) return 0;
    std::size_t tokens = 0;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        const char* const begin = at;
        const Class kind = class_of(*at);
        do ++at;
        while (at != end && class_of(*at) == kind);
        tokens += cost_of(kind, static_cast<std::size_t>(at - begin));
    }
    return static_cast<std::int64_t>(std::max<std::size_t>(tokens, 1));
}

}  // namespace belfry::rules
