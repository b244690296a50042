#pragma once

#include <string_view>
#include <vector>

#include "codec/toml.hpp"
#include "model/sink.hpp"

namespace belfry::codec {

struct ParsedSink {
    model::Sink sink;  // usable only where no problem is fatal
    std::vector<model::SubscriberProblem> problems;

    [[nodiscard]] bool is_usable() const;
};

// Reads a sink's file (docs/sinks.md has every field, default and limit), as a subscriber's is read: all that is wrong
// with it is said at once, each with its place, its name and the limit. A secret that is refused is not repeated.
ParsedSink parse_sink(std::string_view text, std::string_view file);

}  // namespace belfry::codec
