#include "base/uuid.hpp"

namespace belfry::base {
namespace {

constexpr const char* hex_digits = "0123456789abcdef";

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

constexpr bool dash_before(std::size_t byte) {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

}  // namespace

Uuid make_uuid7(Timestamp now, std::uint64_t random_a, std::uint64_t random_b) {
    Uuid uuid;
    const auto ms = static_cast<std::uint64_t>(now.us / 1000);
    for (std::size_t i = 0; i < 6; ++i) uuid.bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
    const auto sub_ms = static_cast<std::uint32_t>(now.us % 1000 * 4096 / 1000);
    uuid.bytes[6] = static_cast<std::uint8_t>(0x70U | (sub_ms >> 8U));
    uuid.bytes[7] = static_cast<std::uint8_t>(sub_ms);
    uuid.bytes[8] = static_cast<std::uint8_t>(0x80U | (random_a & 0x3FU));
    for (std::size_t i = 0; i < 7; ++i) uuid.bytes[9 + i] = static_cast<std::uint8_t>(random_b >> (8 * i));
    return uuid;
}

void append_uuid(std::string& out, const Uuid& uuid) {
    std::array<char, 36> text{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        if (dash_before(i)) text[at++] = '-';
        text[at++] = hex_digits[uuid.bytes[i] >> 4U];
        text[at++] = hex_digits[uuid.bytes[i] & 0xFU];
    }
    out.append(text.data(), text.size());
}

std::string format_uuid(const Uuid& uuid) {
    std::string out;
    append_uuid(out, uuid);
    return out;
}

std::optional<Timestamp> time_of_uuid7(const Uuid& uuid) {
    if (uuid.bytes[6] >> 4U != 7) return std::nullopt;
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 6; ++i) ms = ms << 8U | uuid.bytes[i];
    return Timestamp{ms * 1000};
}

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        if (dash_before(i) && text[at++] != '-') return std::nullopt;
        const int high = hex_value(text[at]);
        const int low = hex_value(text[at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        uuid.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
        at += 2;
    }
    return uuid;
}

}  // namespace belfry::base
