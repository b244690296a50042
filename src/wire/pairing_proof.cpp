#include "wire/pairing_proof.hpp"

#include <array>
#include <openssl/evp.h>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace belfry::wire {
namespace {

constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t code_digits = 12;
constexpr std::size_t group_digits = 4;

constexpr std::uint64_t scrypt_n = 1 << 15;
constexpr std::uint64_t scrypt_r = 8;
constexpr std::uint64_t scrypt_memory_max = 64 << 20;

char as_digit(char typed) {
    const char upper = typed >= 'a' && typed <= 'z' ? static_cast<char>(typed - 32) : typed;
    if (upper == 'O') return '0';
    if (upper == 'I' || upper == 'L') return '1';
    return upper;
}

// Of lengths that are known: nobody can move a byte from one part to the next.
void append_part(std::string& out, std::string_view part) {
    const auto size = static_cast<std::uint32_t>(part.size());
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((size >> shift) & 0xFFU);
    out += part;
}

}  // namespace

std::string pairing_code(std::uint64_t random) {
    std::string code;
    for (std::size_t i = 0; i < code_digits; ++i) {
        if (i > 0 && i % group_digits == 0) code += '-';
        code += digits[random & 31U];
        random >>= 5U;
    }
    return code;
}

std::optional<std::string> parse_pairing_code(std::string_view typed) {
    std::string code;
    for (const char c : typed) {
        if (c == '-' || c == ' ') continue;
        const char digit = as_digit(c);
        if (digits.find(digit) == std::string_view::npos || code.size() == code_digits) return std::nullopt;
        code += digit;
    }
    if (code.size() != code_digits) return std::nullopt;
    return code;
}

std::string pairing_secret(std::string_view code, std::string_view listener_pin) {
    std::string salt = "belfry pairing 1\n";
    salt += listener_pin;
    std::array<unsigned char, 32> secret{};
    const int made =
        ::EVP_PBE_scrypt(code.data(), code.size(), reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                         scrypt_n, scrypt_r, 1, scrypt_memory_max, secret.data(), secret.size());
    ASSERT(made == 1);
    return {secret.begin(), secret.end()};
}

std::string pairing_proof(std::string_view secret, PairingRole role, const PairingLink& link) {
    std::string said = "belfry pairing 1\n";
    append_part(said, role == PairingRole::caller ? "caller" : "listener");
    append_part(said, link.exporter);
    append_part(said, link.caller_pin);
    append_part(said, link.listener_pin);
    const base::Sha256 code = base::hmac_sha256(secret, said);
    return base::base64({reinterpret_cast<const char*>(code.data()), code.size()});
}

}  // namespace belfry::wire
