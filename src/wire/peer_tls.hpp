#pragma once

#include <boost/asio/ssl/context.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "wire/device_key.hpp"

typedef struct ssl_st SSL;  // NOLINT: as OpenSSL has it

// TLS between devices: 1.3 only, both show a certificate, and of a certificate only its key counts.
namespace belfry::wire {

base::Result<void> prepare_peer_tls(boost::asio::ssl::context& context, const DeviceKey& key);

// Before the handshake: the other must show this key. The text must outlive the session.
void expect_pin(SSL* session, const std::string* pin);

// After the handshake: the other's key, DER as base64, and what only the two ends know.
std::string peer_key_of(const SSL* session);
std::optional<std::string> exporter_of(SSL* session);

}  // namespace belfry::wire
