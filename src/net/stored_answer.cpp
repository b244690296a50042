#include "net/stored_answer.hpp"

#include <charconv>

namespace belfry::net {
namespace {

std::string_view take_line(std::string_view& rest) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    return line;
}

}  // namespace

// Three lines (status, content type, length of the header fields), the header fields, the body.
std::string write_stored_answer(const Answer& answer) {
    std::string out = std::to_string(answer.status);
    out += '\n';
    out += answer.content_type;
    out += '\n';
    out += std::to_string(answer.extra_fields.size());
    out += '\n';
    out += answer.extra_fields;
    out += answer.body;
    return out;
}

base::Result<Answer> read_stored_answer(std::string_view stored, std::string& fields) {
    Answer answer;
    const std::string_view status = take_line(stored);
    answer.content_type = take_line(stored);
    const std::string_view length = take_line(stored);
    std::size_t size = 0;
    const auto one = std::from_chars(status.data(), status.data() + status.size(), answer.status);
    const auto two = std::from_chars(length.data(), length.data() + length.size(), size);
    if (one.ec != std::errc{} || two.ec != std::errc{} || size > stored.size()) {
        return base::error(base::Code::internal, "the stored answer is damaged");
    }
    fields = stored.substr(0, size);
    fields += replayed_field;
    answer.extra_fields = fields;
    answer.body = stored.substr(size);
    return answer;
}

base::Error no_idempotency_key(std::string_view why) {
    return base::error(base::Code::invalid,
                       "Idempotency-Key is not accepted here: " + std::string(why) + "; send the request without it",
                       "Idempotency-Key");
}

}  // namespace belfry::net
