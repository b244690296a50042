#pragma once

#include <string_view>
#include <vector>

#include "codec/toml.hpp"
#include "model/subscriber.hpp"

namespace belfry::codec {

struct ParsedSubscriber {
    model::Subscriber subscriber;  // usable only where no problem is fatal
    std::vector<model::SubscriberProblem> problems;

    [[nodiscard]] bool is_usable() const;
};

// Reads a subscriber's file (docs/subscribers.md has every field, default and limit). All that is wrong with it is said
// at once: a field that is missing, unknown, of the wrong kind or out of its limit, each with its place, its name and
// the limit. `origin` of the subscriber is the table's file. Whether its templates exist is for others to say.
ParsedSubscriber parse_subscriber(const TomlTable& table);

// The same from the file's bytes; what is no TOML is one more problem.
ParsedSubscriber parse_subscriber(std::string_view text, std::string_view file);

// `a.toml:3:8: batching.window_ms: must be …`; without line and field where there are none.
std::string problem_line(const model::SubscriberProblem& problem);

}  // namespace belfry::codec
