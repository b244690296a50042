#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::bench {

// What stands before an event's number, in its payload. Readers find the number by it.
inline constexpr std::string_view number_marker = "\"bench_number\":\"";
inline constexpr std::size_t number_digits = 16;

struct EventShape {
    std::size_t bytes = 400;  // the whole event as JSON
    bool of_run = false;      // an event of a run, as Belfry takes those
    bool with_id = false;     // the event names its own id, so that the server must look for a repeat
    std::uint64_t run = 0;    // part of that id, so that two runs on one store never repeat each other's
    std::size_t producer = 0;
};

// One event as Belfry takes it, exactly `shape.bytes` long; its number is still a placeholder. Every server gets these
// same bytes, whether it reads JSON or not.
std::string event_json(const EventShape& shape);
std::string run_event_json(const EventShape& shape);

// Requests computed once. Before each sending the placeholders in them are overwritten with the numbers of the events,
// which costs a few nanoseconds and leaves the length as it is.
class Template {
public:
    // `places_per_event`: how often each event mentions its number.
    Template(std::string bytes, std::size_t places_per_event);

    // The bytes with the events numbered from `first` on, valid until the next call.
    std::string_view numbered(std::uint64_t first);

private:
    std::string bytes_;
    std::vector<std::size_t> places_;
    std::size_t places_per_event_;
};

inline std::size_t places_in(const EventShape& shape) {
    return shape.with_id ? 2 : 1;
}

}  // namespace belfry::bench
