#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belfry::base {

using Sha256 = std::array<std::uint8_t, 32>;

// For secrets and for keys that devices must agree on.
Sha256 sha256(std::string_view bytes);

// 128 bits, fast and not secret: tells one request body from another.
std::array<std::uint8_t, 16> fingerprint(std::string_view bytes);

std::string hex(std::string_view bytes);
std::string base64url(std::string_view bytes);  // without padding
std::string base64(std::string_view bytes);     // with padding
// Base64 with its padding; nothing for anything else, bits that say nothing included.
std::optional<std::string> parse_base64(std::string_view text);

// A message's code under a secret that sender and receiver share.
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);

// Takes the same time wherever the two differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace belfry::base
