#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"

namespace belfry::model {

// A piece of a longer text.
struct TextSpan {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
    [[nodiscard]] std::string_view in(std::string_view text) const { return text.substr(at, size); }
};

// One event that a producer gives to a run. Its name was checked, its source too.
struct RunEventDraft {
    TextSpan event;
    TextSpan data;                 // valid JSON on one line
    TextSpan source;               // a caller context as JSON; empty: the run's own
    std::optional<base::Uuid> id;  // made where there is none
    std::optional<base::Timestamp> timestamp;
};

// Several of them. Their texts lie side by side, so that a batch is two pieces of memory however many events it has.
struct RunEvents {
    std::string text;
    std::vector<RunEventDraft> drafts;
};

}  // namespace belfry::model
