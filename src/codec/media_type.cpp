#include "codec/media_type.hpp"

namespace belfry::codec {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool is_token(std::string_view text) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && others.find(c) == std::string_view::npos) return false;
    }
    return !text.empty();
}

std::string_view unquote(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
    return text;
}

}  // namespace

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

bool MediaType::is_json() const {
    return name == "application/json" || name == "text/json" || name.ends_with("+json");
}

bool MediaType::is_text() const {
    return name.starts_with("text/") || name == "application/xml" || name.ends_with("+xml");
}

base::Result<MediaType> parse_media_type(std::string_view header) {
    const auto unsupported = [](std::string message) {
        return base::error(base::Code::unsupported, std::move(message), "content-type");
    };
    MediaType type;
    header = trim(header);
    if (header.empty()) return type;
    const std::size_t semicolon = header.find(';');
    const std::string_view name = trim(header.substr(0, semicolon));
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos || !is_token(name.substr(0, slash)) || !is_token(name.substr(slash + 1))) {
        return unsupported("this is no media type");
    }
    type.name = to_lower(name);
    std::string_view rest = semicolon == std::string_view::npos ? "" : header.substr(semicolon + 1);
    while (!rest.empty()) {
        const std::size_t next = rest.find(';');
        const std::string_view parameter = trim(rest.substr(0, next));
        rest = next == std::string_view::npos ? "" : rest.substr(next + 1);
        const std::size_t equals = parameter.find('=');
        if (equals == std::string_view::npos || to_lower(trim(parameter.substr(0, equals))) != "charset") continue;
        type.charset = to_lower(unquote(trim(parameter.substr(equals + 1))));
    }
    if (!type.charset.empty() && type.charset != "utf-8" && type.charset != "utf8" && type.charset != "us-ascii") {
        return unsupported("the charset must be utf-8");
    }
    return type;
}

}  // namespace belfry::codec
