#include "wire/http_answer.hpp"

#include <algorithm>
#include <charconv>

namespace belfry::wire {
namespace {

base::Error malformed(std::string_view what) {
    return base::error(base::Code::malformed, "the answer is no HTTP: " + std::string(what));
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

bool is_token_character(char c) {
    const bool letter_or_digit = (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
    return letter_or_digit || (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// "HTTP/1.1 200 OK" → 200; the version decides whether the connection is kept unless a header says otherwise.
base::Result<int> parse_status(std::string_view line, bool& keeps) {
    if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return malformed("no status line");
    if (line[7] != '0' && line[7] != '1') return malformed("an unknown version");
    keeps = line[7] == '1';
    int status = 0;
    const auto [end, failed] = std::from_chars(line.data() + 9, line.data() + 12, status);
    const bool ends = line.size() == 12 || line[12] == ' ';
    if (failed != std::errc{} || end != line.data() + 12 || status < 100 || !ends) return malformed("no status");
    return status;
}

}  // namespace

std::optional<std::string_view> HttpAnswer::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (key == name) return value;
    }
    return std::nullopt;
}

base::Result<void> AnswerParser::take(std::string_view bytes, std::string& body) {
    pending_ += bytes;
    for (bool go_on = true; go_on;) {
        TRY_ASSIGN(go_on, step(body));
    }
    return {};
}

base::Result<void> AnswerParser::end() {
    if (state_ == State::until_end) state_ = State::complete;
    if (state_ == State::complete) return {};
    return base::error(base::Code::outcome_unknown, state_ == State::head && pending_.empty()
                                                        ? "the connection ended before an answer"
                                                        : "the connection ended inside the answer");
}

// False where more bytes are needed, or none any more.
base::Result<bool> AnswerParser::step(std::string& body) {
    switch (state_) {
        case State::head: return take_head();
        case State::length: return take_body(body, State::complete);
        case State::until_end:
            body += pending_;
            pending_.clear();
            return false;
        case State::chunk_size: return take_chunk_size();
        case State::chunk: return take_body(body, State::chunk_end);
        case State::chunk_end:
            if (pending_.size() < 2) return false;
            if (!pending_.starts_with("\r\n")) return malformed("a chunk without its end");
            pending_.erase(0, 2);
            state_ = State::chunk_size;
            return true;
        case State::trailers: return take_trailers();
        case State::complete:
            if (!pending_.empty()) return malformed("bytes after its end");
            return false;
    }
    return false;
}

bool AnswerParser::take_body(std::string& body, State then) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, pending_.size()));
    body.append(pending_, 0, count);
    pending_.erase(0, count);
    left_ -= count;
    if (left_ == 0) state_ = then;
    return left_ == 0;
}

base::Result<bool> AnswerParser::take_head() {
    const std::size_t end = pending_.find("\r\n\r\n");
    if (std::min(end, pending_.size()) > head_bytes_max_) {
        return base::error(base::Code::too_large,
                           "the answer's headers are longer than " + std::to_string(head_bytes_max_) + " bytes");
    }
    if (end == std::string::npos) {
        // Garbage need not be waited for.
        const std::string_view start = "HTTP/1.";
        if (!std::string_view(pending_).starts_with(start.substr(0, std::min(start.size(), pending_.size())))) {
            return malformed("no status line");
        }
        return false;
    }
    answer_ = {};
    TRY(parse_head(std::string_view(pending_).substr(0, end + 2)));
    pending_.erase(0, end + 4);
    // 100 and its like announce that the answer is still to come.
    if (answer_.status < 200 && answer_.status != 101) return true;
    TRY(choose_framing());
    return true;
}

base::Result<void> AnswerParser::parse_head(std::string_view text) {
    const std::size_t first_end = text.find("\r\n");
    TRY_ASSIGN(answer_.status, parse_status(text.substr(0, first_end), keeps_connection_));
    text.remove_prefix(first_end + 2);
    while (!text.empty()) {
        const std::size_t end = text.find("\r\n");
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 2);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0) return malformed("a header without a name");
        const std::string_view name = line.substr(0, colon);
        if (!std::all_of(name.begin(), name.end(), is_token_character)) return malformed("a header with a bad name");
        const std::string_view value = trim(line.substr(colon + 1));
        if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
            return malformed("a header with a control character");
        }
        answer_.headers.emplace_back(lower(name), value);
    }
    return {};
}

base::Result<void> AnswerParser::choose_framing() {
    bool is_chunked = false;
    std::optional<std::uint64_t> length;
    for (const auto& [name, value] : answer_.headers) {
        if (name == "transfer-encoding") {
            if (is_chunked || lower(value) != "chunked") return malformed("an unknown transfer encoding");
            is_chunked = true;
        } else if (name == "content-length") {
            std::uint64_t number = 0;
            const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (failed != std::errc{} || end != value.data() + value.size()) return malformed("a bad content length");
            if (length && *length != number) return malformed("two content lengths");
            length = number;
        } else if (name == "connection") {
            const std::string wish = lower(value);
            if (wish.find("close") != std::string::npos) keeps_connection_ = false;
            else if (wish.find("keep-alive") != std::string::npos) keeps_connection_ = true;
        }
    }
    if (is_chunked && length) return malformed("both a length and chunks");
    if (of_head_ || answer_.status == 204 || answer_.status == 304 || answer_.status == 101) {
        state_ = State::complete;
    } else if (is_chunked) {
        state_ = State::chunk_size;
    } else if (length) {
        left_ = *length;
        state_ = left_ == 0 ? State::complete : State::length;
    } else {
        keeps_connection_ = false;
        state_ = State::until_end;
    }
    return {};
}

std::optional<std::string_view> AnswerParser::take_line(std::size_t bytes_max) {
    const std::size_t end = pending_.find("\r\n");
    if (end == std::string::npos || end > bytes_max) return std::nullopt;
    line_ = pending_.substr(0, end);
    pending_.erase(0, end + 2);
    return line_;
}

base::Result<bool> AnswerParser::take_chunk_size() {
    constexpr std::size_t line_bytes_max = 256;
    const std::optional<std::string_view> line = take_line(line_bytes_max);
    if (!line) {
        if (pending_.size() > line_bytes_max) return malformed("a chunk size that is too long");
        return false;
    }
    const std::string_view digits = trim(line->substr(0, line->find(';')));
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
    if (failed != std::errc{} || end != digits.data() + digits.size()) return malformed("a bad chunk size");
    state_ = left_ == 0 ? State::trailers : State::chunk;
    return true;
}

base::Result<bool> AnswerParser::take_trailers() {
    const std::optional<std::string_view> line = take_line(head_bytes_max_);
    trailer_bytes_ += line ? line->size() : 0;
    if (trailer_bytes_ > head_bytes_max_ || (!line && pending_.size() > head_bytes_max_)) {
        return malformed("trailers that are too long");
    }
    if (!line) return false;
    if (line->empty()) state_ = State::complete;
    return true;
}

}  // namespace belfry::wire
