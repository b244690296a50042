#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/notification.hpp"

namespace belfry::engine {

// What had to give way in a full queue, counted by severity, and the summary that says so.
class Overload {
public:
    void add(const model::Notification& victim);
    // What an earlier summary says, from its content.
    void add_from(std::string_view content);
    [[nodiscard]] bool is_empty() const;
    // Fills in content, text and all else that makes a notification this summary.
    void write(model::Notification& summary) const;

private:
    struct Count {
        std::int64_t notifications = 0;
        std::int64_t events = 0;  // with their repeats
    };
    std::array<Count, 5> counts_{};             // by severity
    std::optional<model::NotifiedEvent> last_;  // of those that gave way; it stands for them all
};

}  // namespace belfry::engine
