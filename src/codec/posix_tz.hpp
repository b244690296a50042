#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/zone.hpp"

namespace belfry::codec {

// The rule for all later years as POSIX writes it in the variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`. With what RFC 8536
// adds: names in brackets (`<-02>2`) and times from -167 to 167 hours. Summer time needs its two moments. An error of
// code malformed says what stands where something else should.
base::Result<model::ZoneTail> parse_posix_tz(std::string_view text);

}  // namespace belfry::codec
