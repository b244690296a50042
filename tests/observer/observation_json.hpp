#pragma once

#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "observation.hpp"

// The JSONL form of observations: one JSON object a line, `{"kind":"shown","order":7,"at_ms":12,"actor":"ada-1",…}`
// with the members of the body beside the common ones. Members that are missing keep their defaults; unknown members
// are an error, because a misspelt name would silently weaken the checker.
namespace observer {

// Returns one line without a line feed.
std::string write_json(const Observation& seen);

// Returns the observation of one line. On failure: nothing, and `error` says what is wrong.
std::optional<Observation> read_json(std::string_view line, std::string& error);

}  // namespace observer
