#include "common/event_bytes.hpp"

#include <cstdio>

#include "common/fail.hpp"

namespace belfry::bench {

namespace {

constexpr std::string_view placeholder = "################";
static_assert(placeholder.size() == number_digits);

// Words of some variety, so that no server gains from a run of equal bytes.
constexpr std::string_view prose =
    "The nightly build of the parser finished after 412 seconds; 1,381 tests passed, 2 were skipped and none failed. "
    "Coverage is 91.4 percent, half a point more than yesterday. The slowest test was the one that replays a whole day "
    "of "
    "traffic; it took 38 seconds on worker seven. Artifacts were kept for thirty days. The next build starts at "
    "02:30. ";

void write_number(char* at, std::uint64_t number) {
    for (std::size_t i = number_digits; i-- > 0; number /= 10) at[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string run_event_json(const EventShape& shape) {
    std::string event = "{\"event\":\"llm.stream\",\"data\":{";
    event.append(number_marker).append(placeholder).append("\",\"delta\":\"");
    constexpr std::string_view end = "\"}}";
    if (event.size() + end.size() > shape.bytes) fail("an event of so few bytes cannot be made");
    while (event.size() + end.size() < shape.bytes) event += prose.substr(0, shape.bytes - end.size() - event.size());
    return event.append(end);
}

std::string event_json(const EventShape& shape) {
    if (shape.of_run) return run_event_json(shape);
    char scope[128];
    std::snprintf(scope, sizeof scope, "\"user_id\":\"user-%04zu\",\"session_id\":\"session-%04zu\",", shape.producer,
                  shape.producer);
    std::string event = "{\"type\":\"bench.build.finished\",\"source\":\"bench\",\"severity\":\"info\",";
    event += scope;
    if (shape.with_id) {
        char run[32];
        std::snprintf(run, sizeof run, "%016llx", static_cast<unsigned long long>(shape.run));
        event.append("\"id\":\"").append(run).append("-").append(placeholder).append("\",");
    }
    event.append("\"payload\":{").append(number_marker).append(placeholder).append("\",\"text\":\"");
    constexpr std::string_view end = "\"}}";
    if (event.size() + end.size() > shape.bytes) fail("an event of so few bytes cannot be made");
    while (event.size() + end.size() < shape.bytes) event += prose.substr(0, shape.bytes - end.size() - event.size());
    return event.append(end);
}

Template::Template(std::string bytes, std::size_t places_per_event)
    : bytes_(std::move(bytes)), places_per_event_(places_per_event) {
    for (std::size_t at = bytes_.find(placeholder); at != std::string::npos;
         at = bytes_.find(placeholder, at + placeholder.size()))
        places_.push_back(at);
}

std::string_view Template::numbered(std::uint64_t first) {
    for (std::size_t i = 0; i < places_.size(); ++i)
        write_number(bytes_.data() + places_[i], first + i / places_per_event_);
    return bytes_;
}

}  // namespace belfry::bench
