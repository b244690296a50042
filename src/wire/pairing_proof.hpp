#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How two devices prove to each other that one person has typed the same code on both. The code itself never leaves
// them, nor anything it could be guessed from in less time than the code is valid.
namespace belfry::wire {

// Twelve characters of Crockford's base 32 in groups, of 60 random bits: `K7QF-92MX-4TRA`.
[[nodiscard]] std::string pairing_code(std::uint64_t random);
// As somebody typed it: capitals or not, with or without separators; O is 0, I and L are 1. Nothing where it is none.
[[nodiscard]] std::optional<std::string> parse_pairing_code(std::string_view typed);

// What both make of the code. Takes a tenth of a second on purpose. The salt is the listener's pin: nothing that was
// computed beforehand fits.
[[nodiscard]] std::string pairing_secret(std::string_view code, std::string_view listener_pin);

enum class PairingRole : std::uint8_t { caller, listener };
// Of one link: the exporter is what only the two ends of this TLS session know, so a proof is of no use on another.
struct PairingLink {
    std::string exporter;
    std::string caller_pin;
    std::string listener_pin;
};
[[nodiscard]] std::string pairing_proof(std::string_view secret, PairingRole role, const PairingLink& link);

}  // namespace belfry::wire
