#include "wire/lsp_framing.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"

namespace belfry::wire {
namespace {

constexpr std::size_t header_bytes_max = base::limits::rpc_header_bytes_max;
constexpr std::uint64_t length_max = std::uint64_t{1} << 62U;
constexpr std::size_t kept_bytes_max = 16 << 10;  // a larger buffer is given back when it is empty

bool is_name(std::string_view text, std::string_view lower_name) {
    return std::equal(text.begin(), text.end(), lower_name.begin(), lower_name.end(), [](char c, char wanted) {
        return (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) == wanted;
    });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// Digits of any number; what does not fit is as large as can be.
bool read_length(std::string_view text, std::uint64_t& length) {
    length = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return false;
        length = length >= length_max / 10 ? length_max : length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return !text.empty();
}

void give_back(std::string& buffer) {
    buffer.clear();
    if (buffer.capacity() > kept_bytes_max) buffer.shrink_to_fit();
}

}  // namespace

void append_lsp_message(std::string& out, std::string_view body) {
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

LspReader::Event LspReader::fail(const char* problem) {
    problem_ = problem;
    return Event::broken;
}

bool LspReader::take_header(std::string_view& bytes, std::string_view& header) {
    // The empty line may lie across the pieces.
    const std::size_t had = head_.size();
    if (had == 0) {
        if (const std::size_t end = bytes.find("\r\n\r\n"); end != std::string_view::npos) {
            header = bytes.substr(0, end + 4);
            bytes.remove_prefix(end + 4);
            return true;
        }
    }
    const std::size_t room = header_bytes_max + 1 - std::min(had, header_bytes_max);
    head_.append(bytes.substr(0, room));
    const std::size_t end = head_.find("\r\n\r\n", had < 3 ? 0 : had - 3);
    if (end == std::string::npos) {
        bytes.remove_prefix(std::min(bytes.size(), room));
        return false;
    }
    bytes.remove_prefix(end + 4 - had);
    head_.resize(end + 4);
    header = head_;
    return true;
}

bool LspReader::read_field(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        problem_ = "a line of the header is no field";
        return false;
    }
    if (!is_name(trimmed(line.substr(0, colon)), "content-length")) return true;
    if (std::exchange(has_length_, true)) {
        problem_ = "Content-Length stands twice";
        return false;
    }
    if (read_length(trimmed(line.substr(colon + 1)), length_)) return true;
    problem_ = "Content-Length must be a number";
    return false;
}

bool LspReader::read_header(std::string_view header) {
    has_length_ = false;
    header.remove_suffix(2);  // the empty line
    while (!header.empty()) {
        const std::size_t end = header.find("\r\n");
        if (!read_field(header.substr(0, end))) return false;
        header.remove_prefix(end + 2);
    }
    if (!has_length_) problem_ = "Content-Length is missing";
    return has_length_;
}

LspReader::Event LspReader::begin_body() {
    give_back(head_);
    if (length_ <= message_bytes_max_) {
        state_ = State::body;
        return Event::none;
    }
    if (length_ > skipped_bytes_max_) return Event::hopeless;
    state_ = State::skipping;
    return Event::too_large;
}

LspReader::Event LspReader::next(std::string_view& bytes) {
    message_ = {};
    for (;;) {
        if (state_ == State::header) {
            if (body_.capacity() > 0) give_back(body_);
            if (bytes.empty()) return Event::none;
            std::string_view header;
            if (!take_header(bytes, header)) {
                if (head_.size() > header_bytes_max) return fail("the header is too long");
                return Event::none;
            }
            if (header.size() > header_bytes_max) return fail("the header is too long");
            if (!read_header(header)) return Event::broken;
            if (const Event event = begin_body(); event != Event::none) return event;
        }
        if (state_ == State::skipping) {
            const std::size_t part = std::min<std::uint64_t>(length_, bytes.size());
            bytes.remove_prefix(part);
            length_ -= part;
            if (length_ > 0) return Event::none;
            state_ = State::header;
            continue;
        }
        if (body_.empty() && bytes.size() >= length_) {  // whole, where it lies
            message_ = bytes.substr(0, length_);
            bytes.remove_prefix(length_);
        } else {
            const std::size_t part = std::min<std::size_t>(length_ - body_.size(), bytes.size());
            body_.append(bytes.substr(0, part));
            bytes.remove_prefix(part);
            if (body_.size() < length_) return Event::none;
            message_ = body_;
        }
        state_ = State::header;
        return Event::message;
    }
}

}  // namespace belfry::wire
