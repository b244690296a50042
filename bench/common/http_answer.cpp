#include "common/http_answer.hpp"

#include <charconv>
#include <cstring>
#include <strings.h>

#include "common/fail.hpp"

namespace belfry::bench {

std::optional<HttpHead> read_http_head(std::string_view in) {
    const std::size_t end = in.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    constexpr std::string_view version = "HTTP/1.1 ";
    const std::size_t line_end = in.find("\r\n");
    HttpHead head;
    if (!in.starts_with(version) || line_end < version.size() + 3) fail_bytes("no HTTP/1.1 answer", in);
    std::from_chars(in.data() + version.size(), in.data() + version.size() + 3, head.status);
    head.fields = in.substr(line_end + 2, end - line_end);
    head.bytes = end + 4;
    return head;
}

std::optional<std::string_view> http_field(const HttpHead& head, std::string_view name) {
    std::string_view rest = head.fields;
    while (!rest.empty()) {
        const std::size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
        if (line.size() <= name.size() || line[name.size()] != ':') continue;
        if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
        std::string_view value = line.substr(name.size() + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        return value;
    }
    return std::nullopt;
}

std::optional<HttpAnswer> read_http_answer(std::string_view in) {
    const auto head = read_http_head(in);
    if (!head) return std::nullopt;
    const auto length = http_field(*head, "content-length");
    if (!length) fail_bytes("an answer without Content-Length", in);
    std::size_t size = 0;
    if (std::from_chars(length->data(), length->data() + length->size(), size).ec != std::errc())
        fail_bytes("Content-Length is no number", in);
    if (in.size() < head->bytes + size) return std::nullopt;
    return HttpAnswer{*head, in.substr(head->bytes, size), head->bytes + size};
}

}  // namespace belfry::bench
