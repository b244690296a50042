#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/zone.hpp"

namespace belfry::codec {

inline constexpr std::size_t tzif_bytes_max = std::size_t{256} << 10;

// A file of tzdata (RFC 8536), version 2 or later: the times of 64 bits and the rule behind them. Only what moves the
// clocks is kept. An error of code malformed says what is wrong; files that count leap seconds (`right/…`) are refused,
// since no clock of ours counts them.
base::Result<model::Zone> parse_tzif(std::string_view bytes, std::string name);

}  // namespace belfry::codec
