#include "model/context_value.hpp"

#include "base/context_limits.hpp"
#include "model/event_type.hpp"

namespace belfry::model {

namespace limits = base::limits;

bool is_context_name(std::string_view text) {
    return text.size() <= limits::context_name_chars_max && is_event_type(text);
}

base::Result<void> check_context_name(std::string_view text) {
    if (is_context_name(text)) return {};
    return base::error(base::Code::invalid,
                       "name must have two or more parts of letters, digits, _ and -, joined by dots, of at most " +
                           std::to_string(limits::context_name_chars_max) + " characters: build.progress",
                       "name");
}

bool is_current(const ContextValue& value, base::Timestamp now) {
    return now < value.expires_at && value.set_at <= now + limits::context_clock_slack;
}

std::string context_left_out_line(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " value that was" : " values that were") +
           " asked for did not fit into the token budget.";
}

}  // namespace belfry::model
