#include "net/server.hpp"

#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include "base/limits.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "belfry-net-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

TEST(Server, a_peer_of_the_same_user_on_the_unix_socket_needs_no_token) {
    const Folder folder;
    ServerOptions options;
    options.socket_path = folder.file("belfry.sock");
    House house(options);
    struct stat info{};
    ASSERT_EQ(::stat(options.socket_path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    Client client(options.socket_path);
    EXPECT_EQ(client.ask("GET /v1/status HTTP/1.1\r\nHost: any.thing\r\n\r\n").status, 200);
    EXPECT_EQ(client.ask(post_event("")).status, 201);
    house.on_network([&] {
        EXPECT_EQ(house.gateway.last_principal.id, "peer:" + std::to_string(::geteuid()));
        EXPECT_EQ(house.gateway.last_principal.role, model::Role::admin);
        EXPECT_EQ(house.gateway.last_principal.proof, model::Proof::peer);
    });
    EXPECT_EQ(client.ask(post_event("emitter")).status, 201);
    house.on_network([&] { EXPECT_EQ(house.gateway.last_principal.id, "token:emitter"); });
    EXPECT_EQ(client.ask(post_event("wrong")).status, 401);
}

TEST(Server, replaces_a_socket_that_nobody_answers_on_and_no_other) {
    const Folder folder;
    const std::string path = folder.file("belfry.sock");
    {
        const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        ::close(left);
    }
    ServerOptions options;
    options.host = "";
    options.socket_path = path;
    House house(options);
    EXPECT_EQ(Client(path).ask(request("GET", "/healthz")).status, 200);
    Server second(options, house.gateway, house.streams, house.queries, house.access, house.random, house.clock,
                  house.metrics);
    EXPECT_FALSE(second.listen().ok());
    EXPECT_EQ(Client(path).ask(request("GET", "/healthz")).status, 200);
}

TEST(Server, a_port_that_is_taken_is_an_error_with_its_name) {
    House house;
    ServerOptions options;
    options.port = house.server->port();
    Server second(options, house.gateway, house.streams, house.queries, house.access, house.random, house.clock,
                  house.metrics);
    const auto result = second.listen();
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find(std::to_string(options.port)), std::string::npos);
}

TEST(Server, turns_away_what_is_beyond_its_connections) {
    ServerOptions options;
    options.connections_max = 2;
    House house(options);
    Client first(house.server->port());
    Client second(house.server->port());
    EXPECT_EQ(first.ask(request("GET", "/healthz")).status, 200);
    EXPECT_EQ(second.ask(request("GET", "/healthz")).status, 200);
    Client third(house.server->port());
    const Got got = third.response();
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_EQ(house.metrics.http_connections_refused, 1U);
}

TEST(Server, a_header_that_never_ends_times_out) {
    House house;
    Client client(house.server->port());
    client.send("GET /healthz HTTP/1.1\r\nHost: local");
    while (house.metrics.connections == 0) std::this_thread::yield();
    house.on_network([] {});
    house.pass(base::limits::http_header_time_max - base::seconds(1));
    client.send("h");
    house.on_network([] {});
    house.pass(base::seconds(2));
    const Got got = client.response();
    EXPECT_EQ(got.status, 408);
    EXPECT_NE(got.body.find(R"("code":"timeout")"), std::string::npos);
    EXPECT_TRUE(client.is_closed());
}

TEST(Server, a_body_that_never_ends_times_out_later) {
    House house;
    Client client(house.server->port());
    client.send(
        "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer emitter\r\nContent-Length: "
        "10\r\n\r\n123");
    while (house.metrics.connections == 0) std::this_thread::yield();
    house.on_network([] {});
    house.pass(base::limits::http_header_time_max + base::seconds(1));
    EXPECT_EQ(house.metrics.http_errors_client, 0U);
    house.pass(base::limits::http_body_time_max);
    EXPECT_EQ(client.response().status, 408);
}

TEST(Server, an_idle_connection_is_closed_without_a_word) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(request("GET", "/v1/status", "admin")).status, 200);
    house.pass(base::limits::http_idle_max - base::seconds(1));
    EXPECT_EQ(client.ask(request("GET", "/healthz")).status, 200);
    house.pass(base::limits::http_idle_max + base::seconds(1));
    EXPECT_TRUE(client.is_closed());
}

TEST(Server, who_has_shown_no_valid_token_keeps_an_idle_connection_for_a_moment_only) {
    House house;
    Client open(house.server->port());
    Client wrong(house.server->port());
    EXPECT_EQ(open.ask(request("GET", "/healthz")).status, 200);
    EXPECT_EQ(wrong.ask(request("GET", "/v1/status", "nobody")).status, 401);
    house.pass(base::limits::http_stranger_idle_max - base::seconds(1));
    EXPECT_EQ(open.ask(request("GET", "/healthz")).status, 200);
    EXPECT_EQ(wrong.ask(request("GET", "/v1/status", "nobody")).status, 401);
    house.pass(base::limits::http_stranger_idle_max + base::seconds(1));
    EXPECT_TRUE(open.is_closed());
    EXPECT_TRUE(wrong.is_closed());
}

TEST(Server, keeps_places_for_the_peers_of_its_sockets) {
    const Folder folder;
    ServerOptions options;
    options.socket_path = folder.file("belfry.sock");
    options.connections_max = 4;
    House house(options);
    Client first(house.server->port());
    Client second(house.server->port());
    EXPECT_EQ(first.ask(request("GET", "/healthz")).status, 200);
    EXPECT_EQ(second.ask(request("GET", "/healthz")).status, 200);
    Client third(house.server->port());
    EXPECT_EQ(third.response().status, 503);
    Client local(options.socket_path);
    Client another(options.socket_path);
    EXPECT_EQ(local.ask(request("GET", "/v1/status")).status, 200);
    EXPECT_EQ(another.ask(request("GET", "/v1/status")).status, 200);
    Client beyond(options.socket_path);
    EXPECT_EQ(beyond.response().status, 503);
}

TEST(Server, a_connection_that_has_asked_nothing_yet_is_closed_sooner) {
    House house;
    Client silent(house.server->port());
    Client busy(house.server->port());
    EXPECT_EQ(busy.ask(request("GET", "/v1/status", "admin")).status, 200);
    house.pass(base::limits::http_header_time_max);
    EXPECT_TRUE(silent.is_closed());
    EXPECT_EQ(busy.ask(request("GET", "/healthz")).status, 200);
}

TEST(Server, who_does_not_read_his_answer_is_closed) {
    House house;
    house.on_network([&] {
        for (int i = 0; i < 900; ++i) house.streams.add("{\"text\":\"" + std::string(4000, 'x') + "\"}");
    });
    Client client(house.server->port(), 4096);
    for (int i = 0; i < 4; ++i) client.send(request("GET", "/v1/streams/events?limit=1000", "user"));
    while (house.metrics.http_requests == 0) std::this_thread::yield();
    house.on_network([] {});
    house.pass(base::limits::http_write_time_max + base::seconds(1));
    house.on_network([] {});
    EXPECT_EQ(house.metrics.connections, 0);
}

TEST(Server, stops_when_what_is_under_way_is_answered) {
    House house;
    house.on_network([&] { house.gateway.hold = true; });
    Client idle(house.server->port());
    EXPECT_EQ(idle.ask(request("GET", "/healthz")).status, 200);
    Client waiting(house.server->port());
    waiting.send(post_event());
    while (house.gateway.submitted == 0) std::this_thread::yield();
    Client follower(house.server->port());
    follower.send(request("GET", "/v1/streams/events", "user", "Accept: text/event-stream\r\n"));
    follower.until("retry: 1000\n\n");

    std::atomic<bool> stopped{false};
    house.server->stop([&] { stopped = true; });
    EXPECT_TRUE(idle.is_closed());
    EXPECT_EQ(follower.until("\n\n"), "event: close\ndata: {\"reason\":\"stopping\"}\n\n");
    house.on_network([] {});
    EXPECT_FALSE(stopped);
    house.on_network([&] { house.gateway.deliver(); });
    const Got got = waiting.response();
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.header("Connection"), "close");
    ::shutdown(waiting.descriptor(), SHUT_RDWR);
    ::shutdown(follower.descriptor(), SHUT_RDWR);
    while (!stopped) std::this_thread::yield();
    EXPECT_EQ(house.metrics.connections, 0);
}

TEST(Server, a_stop_has_its_time_limit) {
    House house;
    house.on_network([&] { house.gateway.hold = true; });
    Client waiting(house.server->port());
    waiting.send(post_event());
    while (house.gateway.submitted == 0) std::this_thread::yield();
    std::atomic<bool> stopped{false};
    house.server->stop([&] { stopped = true; });
    house.on_network([] {});
    house.pass(base::limits::http_stop_max);
    EXPECT_TRUE(stopped);
    house.on_network([&] { house.gateway.deliver(); });
}

// A certificate for localhost, signed by itself.
void make_certificate(const std::string& certificate_path, const std::string& key_path, long serial) {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(certificate_path.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(key_path.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

class TlsClient {
public:
    explicit TlsClient(std::uint16_t port) : client_(port), context_(SSL_CTX_new(TLS_client_method())) {
        ssl_ = SSL_new(context_);
        SSL_set_fd(ssl_, client_.descriptor());
        connected = SSL_connect(ssl_) == 1;
    }
    ~TlsClient() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    void send(const std::string& bytes) {
        EXPECT_EQ(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())), static_cast<int>(bytes.size()));
    }
    std::string until(const std::string& mark) {
        while (rest_.find(mark) == std::string::npos) {
            char piece[16384];
            const int count = SSL_read(ssl_, piece, sizeof piece);
            if (count <= 0) break;
            rest_.append(piece, static_cast<std::size_t>(count));
        }
        const std::size_t at = rest_.find(mark);
        std::string out = rest_.substr(0, at == std::string::npos ? at : at + mark.size());
        rest_.erase(0, out.size());
        return out;
    }
    [[nodiscard]] long serial() const {
        X509* certificate = SSL_get1_peer_certificate(ssl_);
        const long number = ASN1_INTEGER_get(X509_get0_serialNumber(certificate));
        X509_free(certificate);
        return number;
    }
    bool connected = false;

private:
    Client client_;
    SSL_CTX* context_;
    SSL* ssl_;
    std::string rest_;
};

class Tls : public ::testing::Test {
protected:
    Tls() {
        options.tls_certificate = folder.file("certificate.pem");
        options.tls_key = folder.file("key.pem");
        make_certificate(options.tls_certificate, options.tls_key, 1);
    }
    Folder folder;
    ServerOptions options;
};

TEST_F(Tls, serves_requests_and_streams) {
    House house(options);
    TlsClient client(house.server->port());
    ASSERT_TRUE(client.connected);
    client.send(post_event() + post_event());
    EXPECT_TRUE(client.until("\"sequence\":1}").starts_with("HTTP/1.1 201 Created\r\n"));
    EXPECT_TRUE(client.until("\"sequence\":2}").starts_with("HTTP/1.1 201 Created\r\n"));
    client.send(request("GET", "/v1/streams/events", "user", "Accept: text/event-stream\r\n"));
    client.until("retry: 1000\n\n");
    const std::string body = "{\"text\":\"" + std::string(20000, 'x') + "\"}";
    for (int i = 0; i < 100; ++i) house.publish(body);
    for (int i = 3; i <= 102; ++i) {
        ASSERT_EQ(client.until("\n\n"), "id: " + std::to_string(i) + "\ndata: {\"sequence\":" + std::to_string(i) +
                                            ",\"event\":" + body + "}\n\n");
    }
}

TEST_F(Tls, a_large_body_arrives_whole) {
    House house(options);
    TlsClient client(house.server->port());
    const std::string event =
        R"({"type":"a.b","source":"test","payload":{"text":")" + std::string(500'000, 'x') + "\"}}";
    client.send(request("POST", "/v1/events", "emitter", "", event));
    EXPECT_TRUE(client.until("}").starts_with("HTTP/1.1 201 Created\r\n"));
}

TEST_F(Tls, a_new_certificate_is_for_new_connections_and_a_broken_one_for_none) {
    House house(options);
    TlsClient before(house.server->port());
    EXPECT_EQ(before.serial(), 1);
    make_certificate(options.tls_certificate, options.tls_key, 2);
    house.on_network([&] { EXPECT_TRUE(house.server->reload_certificate().ok()); });
    EXPECT_EQ(TlsClient(house.server->port()).serial(), 2);
    fs::resize_file(options.tls_certificate, 10);
    house.on_network([&] { EXPECT_FALSE(house.server->reload_certificate().ok()); });
    EXPECT_EQ(TlsClient(house.server->port()).serial(), 2);
    before.send(request("GET", "/healthz"));
    EXPECT_TRUE(before.until("}").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(Tls, who_does_not_speak_it_is_closed) {
    House house(options);
    Client client(house.server->port());
    client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.half_close();
    while (client.more()) {
    }
    EXPECT_EQ(client.rest.find("HTTP/1.1 200"), std::string::npos);
}

}  // namespace
}  // namespace belfry::net::test
