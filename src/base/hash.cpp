#include "base/hash.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "base/assert.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace belfry::base {
namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encode(std::string_view bytes, std::string_view alphabet) {
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = (bits << 8U) | static_cast<unsigned char>(c);
        held += 8;
        while (held >= 6) {
            held -= 6;
            out += alphabet[(bits >> static_cast<unsigned>(held)) & 0x3FU];
        }
    }
    if (held > 0) out += alphabet[(bits << static_cast<unsigned>(6 - held)) & 0x3FU];
    return out;
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
    Sha256 out{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data());
    return out;
}

std::array<std::uint8_t, 16> fingerprint(std::string_view bytes) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    std::array<std::uint8_t, 16> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = canonical.digest[i];
    return out;
}

std::string hex(std::string_view bytes) {
    static constexpr const char* digits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    }
    return out;
}

std::string base64url(std::string_view bytes) {
    return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

std::string base64(std::string_view bytes) {
    std::string out = encode(bytes, standard_alphabet);
    while (out.size() % 4 != 0) out += '=';
    return out;
}

std::optional<std::string> parse_base64(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const std::size_t value = standard_alphabet.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        bits = (bits << 6U) | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU);
    }
    // One spelling for each text: padding and the bits that say nothing are as the encoder writes them.
    if (base64(out) != text) return std::nullopt;
    return out;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
    Sha256 out{};
    unsigned size = 0;
    const unsigned char* made =
        HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(), &size);
    ASSERT(made != nullptr && size == out.size());
    return out;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace belfry::base
