#include "wire/tls.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace belfry::wire {
namespace {

base::Error tls_error(const std::string& what) {
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    return base::error(base::Code::io, what + ": " + text.data());
}

class TlsTransport final : public Transport {
public:
    TlsTransport(int socket, SSL* ssl) : socket_(socket), ssl_(ssl) {}
    ~TlsTransport() override {
        SSL_free(ssl_);
        ::close(socket_);
    }
    TlsTransport(const TlsTransport&) = delete;
    TlsTransport& operator=(const TlsTransport&) = delete;

    IoResult read(char* into, std::size_t size) override {
        ERR_clear_error();
        std::size_t bytes = 0;
        const int result = SSL_read_ex(ssl_, into, size, &bytes);
        // A record may still lie in OpenSSL's own buffer, about which no edge will tell: only would_block means
        // drained.
        if (result == 1) return {Io::done, bytes, false};
        return failure(result);
    }

    IoResult write(const iovec* pieces, std::size_t count) override {
        std::size_t total = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t at = 0;
            while (at < pieces[i].iov_len) {
                ERR_clear_error();
                std::size_t bytes = 0;
                const char* from = static_cast<const char*>(pieces[i].iov_base) + at;
                const int result = SSL_write_ex(ssl_, from, pieces[i].iov_len - at, &bytes);
                if (result != 1) return total > 0 ? IoResult{Io::done, total} : failure(result);
                at += bytes;
                total += bytes;
            }
        }
        return {Io::done, total};
    }

    void finish() override {
        ERR_clear_error();
        if (SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
        ::shutdown(socket_, SHUT_WR);
    }
    [[nodiscard]] int socket() const override { return socket_; }

private:
    IoResult failure(int result) {
        switch (SSL_get_error(ssl_, result)) {
            case SSL_ERROR_WANT_READ:
            case SSL_ERROR_WANT_WRITE: return {Io::would_block};
            case SSL_ERROR_ZERO_RETURN: return {Io::closed};
            default: return {Io::failed};
        }
    }

    int socket_;
    SSL* ssl_;
};

}  // namespace

TlsServer::TlsServer(std::string certificate_path, std::string key_path)
    : certificate_path_(std::move(certificate_path)), key_path_(std::move(key_path)) {}

base::Result<void> TlsServer::load() {
    ERR_clear_error();
    const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context) return tls_error("TLS");
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(),
                        SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_path_.c_str()) != 1) {
        return tls_error("the certificate " + certificate_path_);
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), key_path_.c_str(), SSL_FILETYPE_PEM) != 1) {
        return tls_error("the key " + key_path_);
    }
    if (SSL_CTX_check_private_key(context.get()) != 1) return tls_error("the key does not belong to the certificate");
    context_ = context;
    return {};
}

base::Result<std::unique_ptr<Transport>> TlsServer::accept(int socket) const {
    ERR_clear_error();
    SSL* ssl = context_ ? SSL_new(context_.get()) : nullptr;
    if (ssl == nullptr || SSL_set_fd(ssl, socket) != 1) {
        SSL_free(ssl);
        ::close(socket);
        return tls_error("TLS");
    }
    SSL_set_accept_state(ssl);
    return std::unique_ptr<Transport>(std::make_unique<TlsTransport>(socket, ssl));
}

}  // namespace belfry::wire
