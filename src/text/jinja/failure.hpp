#pragma once

#include <cstdint>
#include <string>

namespace belfry::text::jinja {

// Where in a template: both from 1.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// Thrown inside this folder by whatever goes wrong with a template, and caught in template.cpp: an interpreter whose
// every operation can fail reads better so, and no exception leaves the room.
struct Failure {
    std::string message;
    Place place;  // line 0: whoever catches it knows
};

[[noreturn]] inline void fail(std::string message) {
    throw Failure{std::move(message), {}};
}
[[noreturn]] inline void fail(std::string message, Place place) {
    throw Failure{std::move(message), place};
}

}  // namespace belfry::text::jinja
