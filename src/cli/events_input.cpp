#include "cli/events_input.hpp"

#include "cli/input.hpp"
#include "codec/json.hpp"
#include "model/value_json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t events_bytes_max = std::size_t{64} << 20;

void add(model::Value& events, model::Value value) {
    const bool is_entry = value.find("sequence") != nullptr;
    if (is_entry && value.find("erased") != nullptr) return;
    const model::Value* inner = is_entry ? value.find("event") : nullptr;
    if (inner != nullptr) value = model::Value(*inner);
    events.push(std::move(value));
}

}  // namespace

base::Result<model::Value> read_events(const std::string& path) {
    TRY_ASSIGN(const std::string text, read_input(path, events_bytes_max));
    model::Value events = model::Value::array();
    if (const auto whole = codec::validate(text); whole.ok()) {
        const model::Value value = model::value_from(whole->view());
        if (!value.is_array()) add(events, value);
        for (const model::Value& item : value.items()) add(events, item);
        return events;
    }
    std::size_t number = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view line = std::string_view(text).substr(from, end - from);
        from = end + 1;
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const auto event = codec::validate(line);
        if (!event.ok()) {
            return base::error(event.error().code, path + ":" + std::to_string(number) + ": " + event.error().message);
        }
        add(events, model::value_from(event->view()));
    }
    return events;
}

}  // namespace belfry::cli
