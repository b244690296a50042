#include "wire/peer_tls.hpp"

#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace belfry::wire {
namespace {

constexpr long certificates_bytes_max = 16 << 10;  // that a stranger may show
constexpr std::string_view exporter_label = "EXPORTER-belfry-pairing";
constexpr std::string_view session_context = "belfry";

// Where a session keeps which pin it expects. Index 0 is Asio's own.
int pin_index() {
    static const int index = ::SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

// In place of the usual check of chains, names and dates, none of which say anything of a device. That the other has
// the key of its certificate is proven by the handshake itself.
int check_certificate(X509_STORE_CTX* store, void* /*unused*/) {
    const int session_at = ::SSL_get_ex_data_X509_STORE_CTX_idx();
    const auto* session = static_cast<const SSL*>(::X509_STORE_CTX_get_ex_data(store, session_at));
    const std::string key = public_key_of(::X509_STORE_CTX_get0_cert(store));
    const auto* expected = static_cast<const std::string*>(::SSL_get_ex_data(session, pin_index()));
    const bool is_right = !key.empty() && (expected == nullptr || pin_of(key) == *expected);
    ::X509_STORE_CTX_set_error(store, is_right ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
    return is_right ? 1 : 0;
}

}  // namespace

base::Result<void> prepare_peer_tls(boost::asio::ssl::context& context, const DeviceKey& key) {
    ::ERR_clear_error();
    SSL_CTX* raw = context.native_handle();
    SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
    SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
    SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
    // Each link proves the keys anew: nothing is taken up again.
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    ::SSL_CTX_set_num_tickets(raw, 0);
    ::SSL_CTX_set_session_id_context(raw, reinterpret_cast<const unsigned char*>(session_context.data()),
                                     session_context.size());
    SSL_CTX_set_max_cert_list(raw, certificates_bytes_max);
    ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    ::SSL_CTX_set_cert_verify_callback(raw, check_certificate, nullptr);
    if (::SSL_CTX_use_certificate(raw, key.certificate()) == 1 && ::SSL_CTX_use_PrivateKey(raw, key.key()) == 1) {
        return {};
    }
    std::array<char, 256> text{};
    ::ERR_error_string_n(::ERR_get_error(), text.data(), text.size());
    return base::error(base::Code::io, std::string("the key of this device cannot be used: ") + text.data());
}

void expect_pin(SSL* session, const std::string* pin) {
    ::SSL_set_ex_data(session, pin_index(), const_cast<std::string*>(pin));
}

std::string peer_key_of(const SSL* session) {
    return public_key_of(::SSL_get0_peer_certificate(session));
}

std::optional<std::string> exporter_of(SSL* session) {
    std::array<unsigned char, 32> bytes{};
    if (::SSL_export_keying_material(session, bytes.data(), bytes.size(), exporter_label.data(), exporter_label.size(),
                                     nullptr, 0, 0) != 1) {
        return std::nullopt;
    }
    return std::string(bytes.begin(), bytes.end());
}

}  // namespace belfry::wire
