#include "wire/device_key.hpp"

#include <array>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <utility>

#include "base/hash.hpp"

namespace belfry::wire {
namespace {

constexpr std::size_t pem_bytes_max = 16 << 10;

base::Error key_error(const std::string& what) {
    std::array<char, 256> text{};
    ::ERR_error_string_n(::ERR_get_error(), text.data(), text.size());
    ::ERR_clear_error();
    return base::error(base::Code::io, what + ": " + text.data());
}

std::string_view as_text(const base::Sha256& hash) {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string der_of(EVP_PKEY* key) {
    if (key == nullptr || ::EVP_PKEY_get_id(key) != EVP_PKEY_ED25519) return {};
    unsigned char* der = nullptr;
    const int size = ::i2d_PUBKEY(key, &der);
    if (size <= 0) return {};
    std::string text = base::base64({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    ::OPENSSL_free(der);
    return text;
}

// What the certificate says matters to nobody; it is valid as long as a certificate can be, because it is known by its
// key and revoked by a person.
std::shared_ptr<X509> certificate_of(EVP_PKEY* key) {
    std::shared_ptr<X509> certificate(::X509_new(), ::X509_free);
    if (!certificate) return nullptr;
    X509* made = certificate.get();
    X509_NAME* name = ::X509_get_subject_name(made);
    const bool filled = ::X509_set_version(made, X509_VERSION_3) == 1 &&
                        ::ASN1_INTEGER_set(::X509_get_serialNumber(made), 1) == 1 &&
                        ::ASN1_TIME_set_string(::X509_getm_notBefore(made), "19700101000000Z") == 1 &&
                        ::ASN1_TIME_set_string(::X509_getm_notAfter(made), "99991231235959Z") == 1 &&
                        ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, as_bytes("belfry"), -1, -1, 0) == 1 &&
                        ::X509_set_issuer_name(made, name) == 1 && ::X509_set_pubkey(made, key) == 1;
    if (!filled || ::X509_sign(made, key, nullptr) == 0) return nullptr;
    return certificate;
}

}  // namespace

base::Result<DeviceKey> DeviceKey::make() {
    ::ERR_clear_error();
    DeviceKey made(std::shared_ptr<EVP_PKEY>(::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), ::EVP_PKEY_free));
    TRY(made.finish());
    return made;
}

base::Result<DeviceKey> DeviceKey::read(std::string_view pem) {
    ::ERR_clear_error();
    if (pem.size() > pem_bytes_max) return base::error(base::Code::too_large, "a key has at most 16 KiB");
    const std::unique_ptr<BIO, decltype(&::BIO_free)> bio(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                          ::BIO_free);
    // Without a password: nobody is there who could be asked.
    const auto no_password = [](char*, int, int, void*) { return -1; };
    DeviceKey read(std::shared_ptr<EVP_PKEY>(::PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr),
                                             ::EVP_PKEY_free));
    TRY(read.finish());
    return read;
}

base::Result<void> DeviceKey::finish() {
    if (!key_) return key_error("no key of a device");
    public_key_ = der_of(key_.get());
    if (public_key_.empty()) return base::error(base::Code::invalid, "the key of a device must be an Ed25519 key");
    pin_ = pin_of(public_key_);
    certificate_ = certificate_of(key_.get());
    if (!certificate_) return key_error("no certificate for the key of this device");
    return {};
}

base::Result<std::string> DeviceKey::pem() const {
    const std::unique_ptr<BIO, decltype(&::BIO_free)> bio(::BIO_new(::BIO_s_mem()), ::BIO_free);
    if (!bio || ::PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
        return key_error("the key cannot be written");
    }
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
}

std::string DeviceKey::sign(std::string_view text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free);
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    const bool is_signed = ::EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
                           ::EVP_DigestSign(context.get(), signature.data(), &size, as_bytes(text), text.size()) == 1;
    ASSERT(is_signed);
    return base::base64({reinterpret_cast<const char*>(signature.data()), size});
}

std::string pin_of(std::string_view public_key) {
    const auto der = base::parse_base64(public_key);
    return der ? base::hex(as_text(base::sha256(*der))) : std::string();
}

bool is_signed_by(std::string_view public_key, std::string_view text, std::string_view signature) {
    const auto der = base::parse_base64(public_key);
    const auto bytes = base::parse_base64(signature);
    if (!der || !bytes) return false;
    const unsigned char* at = as_bytes(*der);
    const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
        ::d2i_PUBKEY(nullptr, &at, static_cast<long>(der->size())), ::EVP_PKEY_free);
    // One text for one key: what follows it, or another encoding of it, is another pin.
    bool is_right = key != nullptr && der_of(key.get()) == public_key;
    if (is_right) {
        const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free);
        is_right = ::EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                   ::EVP_DigestVerify(context.get(), as_bytes(*bytes), bytes->size(), as_bytes(text), text.size()) == 1;
    }
    ::ERR_clear_error();
    return is_right;
}

std::string public_key_of(X509* certificate) {
    if (certificate == nullptr) return {};
    std::string key = der_of(::X509_get0_pubkey(certificate));
    ::ERR_clear_error();
    return key;
}

}  // namespace belfry::wire
