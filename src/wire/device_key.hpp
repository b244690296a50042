#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct evp_pkey_st;
struct x509_st;

namespace belfry::wire {

// The key by which other devices know this one: Ed25519, with a certificate that it signs itself. Nobody looks at
// anything of the certificate but its key.
class DeviceKey {
public:
    static base::Result<DeviceKey> make();
    // Of a PEM text, as `pem` writes it.
    static base::Result<DeviceKey> read(std::string_view pem);

    [[nodiscard]] base::Result<std::string> pem() const;
    // The public key: DER (SubjectPublicKeyInfo) as base64, and its pin.
    [[nodiscard]] const std::string& public_key() const { return public_key_; }
    [[nodiscard]] const std::string& pin() const { return pin_; }
    // A signature of this text, as base64.
    [[nodiscard]] std::string sign(std::string_view text) const;

    [[nodiscard]] evp_pkey_st* key() const { return key_.get(); }
    [[nodiscard]] x509_st* certificate() const { return certificate_.get(); }

private:
    explicit DeviceKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
    base::Result<void> finish();

    std::shared_ptr<evp_pkey_st> key_;
    std::shared_ptr<x509_st> certificate_;
    std::string public_key_;
    std::string pin_;
};

// SHA-256 of a public key's DER, as hex; empty where it is no base64.
[[nodiscard]] std::string pin_of(std::string_view public_key);
// Whether the owner of this key has signed this text. False for a key that is no Ed25519.
[[nodiscard]] bool is_signed_by(std::string_view public_key, std::string_view text, std::string_view signature);

// The public key of a certificate, DER as base64; empty where it is no Ed25519 key.
[[nodiscard]] std::string public_key_of(x509_st* certificate);

}  // namespace belfry::wire
