#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Standard Webhooks (www.standardwebhooks.com): how a receiver knows who sent it and that nobody changed it.
namespace belfry::codec {

// The bytes of `whsec_<base64>`, 24 to 64 of them; nothing for anything else.
std::optional<std::string> parse_webhook_secret(std::string_view text);

// The header `webhook-signature`: `v1,` and the code of "id.timestamp.body" under the secret.
std::string sign_webhook(std::string_view secret, std::string_view id, std::int64_t timestamp_s, std::string_view body);

}  // namespace belfry::codec
