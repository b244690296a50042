#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/raw_json.hpp"

namespace belfry::cli {

enum class WorkStream : std::uint8_t { out, err };

// What a command at work has written: as events for its run, and what its end is told by.
class WorkOutput {
public:
    static constexpr std::size_t kept_bytes_max = 1 << 20;  // of one attempt, as events; the rest is only counted
    static constexpr std::size_t event_bytes_max = 8 << 10;
    static constexpr std::size_t tail_bytes_max = 2000;

    void add(WorkStream stream, std::string_view text);
    // Nothing more comes: what has no end of line yet is a line, too.
    void finish();

    // Events that are to be sent, one JSON text a line.
    [[nodiscard]] const std::string& events() const { return events_; }
    void clear_events() { events_.clear(); }

    // The last line of standard output, where it is a JSON object.
    [[nodiscard]] std::optional<model::RawJson> result() const;
    // The last lines of standard error.
    [[nodiscard]] std::string last_words() const;

private:
    void add_event(WorkStream stream, std::string_view text);

    std::array<std::string, 2> lines_;  // of each stream: what has no end of line yet
    std::string events_;
    std::size_t kept_ = 0;
    bool is_cut_ = false;
    std::string last_line_;  // of standard output; the whole of it unless it is longer than a result may be
    std::string tail_;       // of standard error
};

}  // namespace belfry::cli
