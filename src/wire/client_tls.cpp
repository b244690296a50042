#include <arpa/inet.h>
#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

#include "wire/client_stream.hpp"

namespace belfry::wire {
namespace {

std::string openssl_says() {
    std::array<char, 256> text{};
    const unsigned long code = ::ERR_get_error();
    if (code == 0) return "unknown failure";
    ::ERR_error_string_n(code, text.data(), text.size());
    ::ERR_clear_error();
    return text.data();
}

struct Free {
    void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
    void operator()(SSL* session) const { ::SSL_free(session); }
};

// OpenSSL works on two buffers in memory, and the plain stream below moves the bytes: so deadlines, interrupts and
// broken pipes are treated in one place.
class TlsStream final : public ClientStream {
public:
    TlsStream(std::unique_ptr<ClientStream> plain, std::unique_ptr<SSL, Free> session)
        : plain_(std::move(plain)), session_(std::move(session)) {
        ::SSL_set_bio(session_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
    }

    base::Result<void> handshake(Deadline deadline) {
        for (;;) {
            const int done = ::SSL_connect(session_.get());
            const int reason = ::SSL_get_error(session_.get(), done);
            if (done == 1) return flush(deadline);
            if (reason != SSL_ERROR_WANT_READ) {
                (void)flush(deadline);  // the alert that tells the peer why
                return base::error(base::Code::unavailable, why_refused());
            }
            TRY(flush(deadline));
            TRY_ASSIGN(const bool more, fill(deadline));
            if (!more) return base::error(base::Code::unavailable, "the peer ended the TLS handshake");
        }
    }

    base::Result<std::size_t> read(char* to, std::size_t bytes_max, Deadline deadline) override {
        for (;;) {
            std::size_t got = 0;
            const int done = ::SSL_read_ex(session_.get(), to, bytes_max, &got);
            if (done == 1) return got;
            const int reason = ::SSL_get_error(session_.get(), done);
            if (reason == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
            if (reason != SSL_ERROR_WANT_READ)
                return base::error(base::Code::outcome_unknown, "TLS: " + openssl_says());
            TRY(flush(deadline));
            TRY_ASSIGN(const bool more, fill(deadline));
            // The end without TLS's own goodbye could be an attacker's scissors.
            if (!more) return base::error(base::Code::outcome_unknown, "the connection was cut inside TLS");
        }
    }

    base::Result<void> write(std::string_view bytes, Deadline deadline) override {
        if (bytes.empty()) return {};
        std::size_t taken = 0;
        if (::SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &taken) != 1) {
            return base::error(base::Code::outcome_unknown, "TLS: " + openssl_says());
        }
        return flush(deadline);
    }

    [[nodiscard]] bool is_quiet() const override { return ::SSL_pending(session_.get()) == 0 && plain_->is_quiet(); }

private:
    std::string why_refused() const {
        const long verdict = ::SSL_get_verify_result(session_.get());
        if (verdict != X509_V_OK) {
            ::ERR_clear_error();
            return std::string("the certificate is not trusted: ") + ::X509_verify_cert_error_string(verdict);
        }
        return "TLS: " + openssl_says();
    }

    base::Result<void> flush(Deadline deadline) {
        std::array<char, 16 * 1024> buffer{};
        for (;;) {
            std::size_t got = 0;
            if (::BIO_read_ex(::SSL_get_wbio(session_.get()), buffer.data(), buffer.size(), &got) != 1) return {};
            TRY(plain_->write({buffer.data(), got}, deadline));
        }
    }

    // False at the end of the connection.
    base::Result<bool> fill(Deadline deadline) {
        std::array<char, 16 * 1024> buffer{};
        TRY_ASSIGN(const std::size_t got, plain_->read(buffer.data(), buffer.size(), deadline));
        if (got == 0) return false;
        std::size_t taken = 0;
        ASSERT(::BIO_write_ex(::SSL_get_rbio(session_.get()), buffer.data(), got, &taken) == 1 && taken == got);
        return true;
    }

    std::unique_ptr<ClientStream> plain_;
    std::unique_ptr<SSL, Free> session_;
};

base::Error cannot(const Endpoint& endpoint, const std::string& why) {
    return base::error(base::Code::unavailable, "cannot connect to " + endpoint.text() + ": " + why);
}

bool is_address(const std::string& host) {
    std::array<unsigned char, 16> bytes{};
    return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

base::Result<std::unique_ptr<ClientStream>> start_tls(std::unique_ptr<ClientStream> plain, const Endpoint& endpoint,
                                                      const ConnectOptions& options, Deadline deadline) {
    const std::unique_ptr<SSL_CTX, Free> context(::SSL_CTX_new(::TLS_client_method()));
    if (!context) return cannot(endpoint, openssl_says());
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    ::SSL_CTX_set_default_verify_paths(context.get());
    if (!options.tls_ca_file.empty() && ::SSL_CTX_load_verify_file(context.get(), options.tls_ca_file.c_str()) != 1) {
        return cannot(endpoint, "cannot read the certificates of " + options.tls_ca_file + ": " + openssl_says());
    }
    std::unique_ptr<SSL, Free> session(::SSL_new(context.get()));
    if (!session) return cannot(endpoint, openssl_says());
    if (is_address(endpoint.host)) {
        ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session.get()), endpoint.host.c_str());
    } else {
        ::SSL_set1_host(session.get(), endpoint.host.c_str());
        ::SSL_ctrl(session.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                   const_cast<char*>(endpoint.host.c_str()));
    }
    auto stream = std::make_unique<TlsStream>(std::move(plain), std::move(session));
    if (auto shaken = stream->handshake(deadline); !shaken.ok()) return cannot(endpoint, shaken.error().message);
    return std::unique_ptr<ClientStream>(std::move(stream));
}

}  // namespace belfry::wire
