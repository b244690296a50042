#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/subscriber.hpp"

namespace belfry::model {

// A notification that a subscriber would make.
struct Rehearsed {
    bool follow_up = false;
    Severity severity = Severity::debug;
    std::size_t rows = 0;
    std::int64_t events = 0;  // with their repeats
    std::int64_t tokens = 0;  // that the content takes, estimated
    std::string content;
    std::string text;
    bool used_fallback = false;
    std::string problem;  // why the fallback was used
};

struct Rehearsal {
    std::vector<Event> events;
    std::vector<Rehearsed> made;
    std::size_t not_wanted = 0;  // events of other types, sources or severities
};

}  // namespace belfry::model
