#include "net/outbound/chat_http.hpp"

#include <algorithm>
#include <array>

#include "codec/chat_completions.hpp"
#include "codec/http_url.hpp"
#include "codec/media_type.hpp"

namespace belfry::net {
namespace {

constexpr std::string_view completions = "/chat/completions";

// `/v1` → `/v1/chat/completions`; a query stays behind it, and who gave the whole path gets no second one.
std::string target_of(const std::string& base) {
    const std::size_t query = std::min(base.find('?'), base.size());
    std::string path = base.substr(0, query);
    while (path.ends_with('/')) path.pop_back();
    if (!path.ends_with(completions)) path += completions;
    return path + base.substr(query);
}

bool is_printable_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

base::Result<void> check_header(const std::string& name, const std::string& value, bool has_secret) {
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (name.empty() || !std::ranges::all_of(name, is_part)) {
        return base::error(base::Code::invalid, "a header's name is letters, digits, `-` and `_`", "headers");
    }
    constexpr std::array<std::string_view, 7> own{"host",       "content-length", "content-type", "transfer-encoding",
                                                  "connection", "accept",         "user-agent"};
    const std::string lower = codec::to_lower(name);
    if (std::ranges::find(own, lower) != own.end() || (has_secret && lower == "authorization")) {
        return base::error(base::Code::invalid, "the header " + name + " is set by Belfry itself", "headers");
    }
    if (!is_printable_ascii(value)) {
        return base::error(base::Code::invalid, "the header " + name + " is not printable ASCII", "headers");
    }
    return {};
}

}  // namespace

base::Result<ChatHttpRequest> chat_http_request(const model::ChatRequest& request) {
    const model::ChatEndpoint& at = request.endpoint;
    const auto url = codec::split_http_url(at.base_url);
    if (!url) {
        return base::error(base::Code::invalid, "the model's address is no http or https address", "base_url");
    }
    ChatHttpRequest made;
    TRY_ASSIGN(made.endpoint, wire::parse_endpoint(url->origin));
    made.request.method = "POST";
    made.request.target = target_of(url->target);
    auto& headers = made.request.headers;
    headers.emplace_back("User-Agent", "belfry/" BELFRY_VERSION);
    headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Accept", "text/event-stream, application/json");
    if (!at.secret.empty()) {
        if (!is_printable_ascii(at.secret)) {
            return base::error(base::Code::invalid, "the secret is not printable ASCII", "secret");
        }
        headers.emplace_back("Authorization", "Bearer " + at.secret);
    }
    for (const auto& [name, value] : at.headers) {
        TRY(check_header(name, value, !at.secret.empty()));
        headers.emplace_back(name, value);
    }
    TRY_ASSIGN(made.request.body, codec::chat_request_body(request));
    return made;
}

}  // namespace belfry::net
