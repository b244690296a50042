#include "codec/standard_webhooks.hpp"

#include "base/hash.hpp"
#include "base/limits.hpp"

namespace belfry::codec {

std::optional<std::string> parse_webhook_secret(std::string_view text) {
    constexpr std::string_view prefix = "whsec_";
    if (!text.starts_with(prefix)) return std::nullopt;
    auto secret = base::parse_base64(text.substr(prefix.size()));
    const bool fits = secret && secret->size() >= base::limits::sink_secret_bytes_min &&
                      secret->size() <= base::limits::sink_secret_bytes_max;
    return fits ? secret : std::nullopt;
}

std::string sign_webhook(std::string_view secret, std::string_view id, std::int64_t timestamp_s,
                         std::string_view body) {
    std::string signed_text(id);
    signed_text += '.' + std::to_string(timestamp_s) + '.';
    signed_text += body;
    const base::Sha256 code = base::hmac_sha256(secret, signed_text);
    return "v1," + base::base64({reinterpret_cast<const char*>(code.data()), code.size()});
}

}  // namespace belfry::codec
