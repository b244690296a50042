#include "isolation/run_reader.hpp"

#include <charconv>

#include "common/fail.hpp"

namespace belfry::bench {
namespace {

std::uint64_t digits(std::string_view text) {
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
        fail_bytes("a number was awaited", text);
    }
    return value;
}

// What stands behind the field's name.
std::string_view field(std::string_view message, std::string_view name) {
    while (!message.empty()) {
        const std::string_view line = message.substr(0, message.find('\n'));
        if (line.starts_with(name)) return line.substr(name.size());
        message.remove_prefix(std::min(message.size(), line.size() + 1));
    }
    return {};
}

}  // namespace

std::uint64_t RunReader::number(std::string_view data, std::string_view name) const {
    const std::size_t at = data.find(name);
    if (at == std::string_view::npos) fail_bytes("an event without " + std::string(name), data);
    return digits(data.substr(at + name.size()));
}

void RunReader::take(std::string_view message) {
    if (message.starts_with(':') || message.starts_with("retry:")) return;
    const std::string_view name = field(message, "event: ");
    const std::string_view data = field(message, "data: ");
    const std::string who = "run " + std::to_string(run_) + " after " + std::to_string(last_);
    const std::string_view position = field(message, "id: ");
    if (position.empty()) fail_bytes(who + " was told", message);
    const std::uint64_t sequence = digits(position);
    if (sequence != last_ + 1) fail_bytes(who + " got another event than the next", message);
    if (number(data, "\"run_id\":") != run_) fail_bytes(who + " got an event of another run", message);
    last_ = sequence;
    if (name != "mark.made") return;  // the word with which the run began
    const std::uint64_t writer = number(data, "\"writer\":");
    if (number(data, "\"of\":") != run_) fail_bytes(who + " got what was written into another run", message);
    if (writer >= written_.size() || number(data, "\"n\":") != written_[writer]++) {
        fail_bytes(who + " got a writer's events out of order, twice or with a gap", message);
    }
    ++received_;
}

}  // namespace belfry::bench
