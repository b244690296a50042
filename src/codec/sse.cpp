#include "codec/sse.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "model/raw_json.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;

void append_number(std::string& out, std::uint64_t value) {
    std::array<char, 20> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

std::optional<std::uint64_t> parse_digits(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (text.empty() || failed != std::errc{} || stop != end) return std::nullopt;
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return value;
}

}  // namespace

void append_entry_json(std::string& out, model::Sequence sequence, std::string_view body) {
    out += "{\"sequence\":";
    append_number(out, sequence);
    if (body.empty()) {
        out += ",\"erased\":true}";
        return;
    }
    out += ",\"event\":";
    out += body;
    out += '}';
}

void append_sse_entry(std::string& out, model::Sequence sequence, std::string_view body) {
    out += "id: ";
    append_number(out, sequence);
    out += "\ndata: ";
    append_entry_json(out, sequence, body);
    out += "\n\n";
}

void append_sse_named(std::string& out, model::Sequence sequence, std::string_view event, std::string_view line) {
    if (sequence != 0) {
        out += "id: ";
        append_number(out, sequence);
        out += '\n';
    }
    out += "event: ";
    out += event;
    out += "\ndata: ";
    out += line;
    out += "\n\n";
}

void append_sse_place(std::string& out, model::Sequence sequence) {
    out += "id: ";
    append_number(out, sequence);
    out += "\n\n";
}

void append_sse_gap(std::string& out, model::Sequence from, model::Sequence to) {
    out += "event: gap\ndata: {\"from\":";
    append_number(out, from);
    out += ",\"to\":";
    append_number(out, to);
    out += "}\n\n";
}

void append_sse_close(std::string& out, std::string_view reason) {
    out += "event: close\ndata: {\"reason\":\"";
    model::append_escaped(out, reason);
    out += "\"}\n\n";
}

void append_sse_comment(std::string& out, std::string_view text) {
    out += ": ";
    out += text;
    out += "\n\n";
}

void append_sse_retry(std::string& out, std::int64_t ms) {
    out += "retry: ";
    append_number(out, static_cast<std::uint64_t>(ms));
    out += "\n\n";
}

Result<std::uint64_t> parse_position(std::string_view text, std::string_view field) {
    if (const auto position = parse_digits(text)) return *position;
    return base::error(Code::malformed, "a position is a number of digits only, below 2^63", std::string(field));
}

Result<void> SseParser::feed(std::string_view piece) {
    while (!piece.empty()) {
        if (std::exchange(after_cr_, false) && piece.front() == '\n') {
            piece.remove_prefix(1);
            continue;
        }
        const std::size_t end = piece.find_first_of("\r\n");
        const std::string_view part = piece.substr(0, end);
        if (line_.size() + part.size() > bytes_max_) {
            return base::error(Code::too_large,
                               "a line of the stream has more than " + std::to_string(bytes_max_) + " bytes");
        }
        if (end == std::string_view::npos) {
            line_ += part;
            return {};
        }
        after_cr_ = piece[end] == '\r';
        piece.remove_prefix(end + 1);
        if (line_.empty()) {
            TRY(take_line(part));
        } else {
            line_ += part;
            TRY(take_line(line_));
            line_.clear();
        }
    }
    return {};
}

Result<void> SseParser::take_line(std::string_view line) {
    if (std::exchange(first_line_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.empty()) {
        dispatch();
        return {};
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") return take_data(value);
    if (name == "error" && error_lines_ == ErrorLines::events) {
        event_ = name;
        return take_data(value);
    }
    if (name == "event") {
        event_ = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = value;
    } else if (name == "retry") {
        if (const auto ms = parse_digits(value)) retry_ms_ = static_cast<std::int64_t>(*ms);
    }
    return {};
}

Result<void> SseParser::take_data(std::string_view value) {
    if (data_.size() + value.size() + 1 > bytes_max_) {
        return base::error(Code::too_large,
                           "an event of the stream has more than " + std::to_string(bytes_max_) + " bytes");
    }
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
    return {};
}

void SseParser::dispatch() {
    last_event_id_ = id_;
    if (has_data_) ready_.push_back({last_event_id_, event_.empty() ? "message" : std::move(event_), std::move(data_)});
    event_.clear();
    data_.clear();
    has_data_ = false;
}

std::optional<SseMessage> SseParser::next() {
    if (ready_.empty()) return std::nullopt;
    SseMessage message = std::move(ready_.front());
    ready_.pop_front();
    return message;
}

}  // namespace belfry::codec
