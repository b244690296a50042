#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "text/jinja/failure.hpp"

namespace belfry::text::jinja {

// What one rendering may use up: steps, which stand for time, and the bytes of any text under way. Whatever walks
// values of any size is handed one, because a few steps can make a value that takes forever to walk: lists may share
// their members.
class Meter {
public:
    Meter(std::uint64_t steps_max, std::size_t text_bytes_max)
        : steps_max_(steps_max), text_bytes_max_(text_bytes_max) {}

    void charge(std::size_t steps) {
        steps_ += steps;
        if (steps_ > steps_max_) [[unlikely]]
            out_of_steps();
    }
    // For work whose cost is the size of its text.
    void charge_bytes(std::size_t bytes) { charge(bytes / 32 + 1); }
    // For looking for one text in another, whose cost may be the product of both.
    void charge_search(std::size_t text, std::size_t wanted) { charge(text / 32 + text / 64 * (wanted / 16) + 1); }
    // For a text under way that had `before` bytes.
    void grown(const std::string& text, std::size_t before) {
        charge_bytes(text.size() - before);
        if (text.size() > text_bytes_max_) [[unlikely]]
            out_of_memory();
    }
    // For a text under way that is about to grow.
    void will_grow(const std::string& text, std::size_t more) {
        charge_bytes(more);
        if (more > text_bytes_max_ || text.size() + more > text_bytes_max_) [[unlikely]]
            out_of_memory();
    }

    [[nodiscard]] std::size_t text_bytes_max() const { return text_bytes_max_; }

    [[noreturn]] void out_of_steps() const { beyond("takes more steps", steps_max_); }
    [[noreturn]] void out_of_memory() const { beyond("needs more memory", text_bytes_max_); }
    [[noreturn]] static void beyond(const char* what, std::uint64_t limit) {
        fail("the rendering " + std::string(what) + " than its limit allows: " + std::to_string(limit));
    }

private:
    std::uint64_t steps_ = 0;
    std::uint64_t steps_max_;
    std::size_t text_bytes_max_;
};

}  // namespace belfry::text::jinja
