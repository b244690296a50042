#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "wire/http_client.hpp"
#include "wire/scripted_server_test.hpp"

namespace belfry::wire {
namespace {

// A certificate that vouches for itself, made for this test alone.
class TlsFixture : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
        key_.reset(::EVP_EC_gen("P-256"));
        certificate_.reset(::X509_new());
        X509* const made = certificate_.get();
        ::X509_set_version(made, 2);
        ::ASN1_INTEGER_set(::X509_get_serialNumber(made), 1);
        ::X509_gmtime_adj(::X509_getm_notBefore(made), -60);
        ::X509_gmtime_adj(::X509_getm_notAfter(made), 3600);
        ::X509_set_pubkey(made, key_.get());
        X509_NAME* name = ::X509_get_subject_name(made);
        ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("belfry test"),
                                     -1, -1, 0);
        ::X509_set_issuer_name(made, name);
        add_extension(NID_subject_alt_name, "IP:127.0.0.1");
        add_extension(NID_basic_constraints, "critical,CA:TRUE");
        ASSERT_GT(::X509_sign(made, key_.get(), ::EVP_sha256()), 0);
        std::FILE* file = std::fopen(ca_file().c_str(), "w");
        ASSERT_NE(file, nullptr);
        ::PEM_write_X509(file, made);
        std::fclose(file);
    }
    void TearDown() override {
        ::unlink(ca_file().c_str());
        ::rmdir(folder_.c_str());
    }

    void add_extension(int kind, const char* value) {
        X509_EXTENSION* extension = ::X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
        ::X509_add_ext(certificate_.get(), extension, -1);
        ::X509_EXTENSION_free(extension);
    }

    [[nodiscard]] std::string ca_file() const { return folder_ + "/ca.pem"; }

    // Serves one request over TLS; `in_order` says goodbye as TLS demands.
    ScriptedServer::Script serve(std::string answer, bool in_order) {
        return [this, answer = std::move(answer), in_order](ServedConnection& connection) {
            const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context(::SSL_CTX_new(::TLS_server_method()),
                                                                              &::SSL_CTX_free);
            ::SSL_CTX_use_certificate(context.get(), certificate_.get());
            ::SSL_CTX_use_PrivateKey(context.get(), key_.get());
            const std::unique_ptr<SSL, decltype(&::SSL_free)> session(::SSL_new(context.get()), &::SSL_free);
            ::SSL_set_fd(session.get(), connection.descriptor());
            if (::SSL_accept(session.get()) != 1) return;
            char buffer[4096];
            ::SSL_read(session.get(), buffer, sizeof(buffer));
            ::SSL_write(session.get(), answer.data(), static_cast<int>(answer.size()));
            if (in_order) ::SSL_shutdown(session.get());
        };
    }

    static Endpoint tls(const ScriptedServer& server) {
        Endpoint endpoint = server.endpoint();
        endpoint.scheme = Endpoint::Scheme::https;
        return endpoint;
    }

    std::string folder_ = "/tmp/belfry-tls-XXXXXX";
    std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key_{nullptr, &::EVP_PKEY_free};
    std::unique_ptr<X509, decltype(&::X509_free)> certificate_{nullptr, &::X509_free};
};

TEST_F(TlsFixture, speaks_with_a_server_that_it_trusts) {
    const std::string body(100'000, 'x');
    const ScriptedServer server({serve("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + body, true)});
    HttpClientOptions options;
    options.tls_ca_file = ca_file();
    const auto answer = HttpClient(tls(server), options).send({"GET", "/", {}, {}});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, body);
}

TEST_F(TlsFixture, refuses_a_server_that_nobody_vouches_for) {
    const ScriptedServer server({serve("HTTP/1.1 200 OK\r\n\r\n", true)});
    const auto answer = HttpClient(tls(server), {}).send({"GET", "/", {}, {}});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, base::Code::unavailable);
    EXPECT_NE(answer.error().message.find("the certificate is not trusted"), std::string::npos)
        << answer.error().message;
}

TEST_F(TlsFixture, refuses_a_certificate_of_another_name) {
    const ScriptedServer server({serve("HTTP/1.1 200 OK\r\n\r\n", true)});
    HttpClientOptions options;
    options.tls_ca_file = ca_file();
    Endpoint endpoint = tls(server);
    endpoint.host = "localhost";
    const auto answer = HttpClient(endpoint, options).send({"GET", "/", {}, {}});
    ASSERT_FALSE(answer.ok());
    EXPECT_NE(answer.error().message.find("the certificate is not trusted"), std::string::npos)
        << answer.error().message;
}

TEST_F(TlsFixture, a_body_that_ends_without_goodbye_was_cut) {
    const ScriptedServer server({serve("HTTP/1.1 200 OK\r\n\r\nhalf of the", false)});
    HttpClientOptions options;
    options.tls_ca_file = ca_file();
    const auto answer = HttpClient(tls(server), options).send({"GET", "/", {}, {}});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, base::Code::outcome_unknown);
}

TEST_F(TlsFixture, says_when_the_other_side_speaks_no_tls) {
    const ScriptedServer server({[](ServedConnection& connection) {
        char buffer[1000];
        (void)!::recv(connection.descriptor(), buffer, sizeof(buffer), 0);
        connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    }});
    const auto answer = HttpClient(tls(server), {}).send({"GET", "/", {}, {}});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, base::Code::unavailable);
}

}  // namespace
}  // namespace belfry::wire
