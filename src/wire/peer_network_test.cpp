#include "wire/peer_network.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "wire/test_device_test.hpp"

namespace belfry::wire {
namespace {

PeerNetworkOptions hasty() {
    PeerNetworkOptions options;
    options.handshake_max = base::milliseconds(300);
    return options;
}

class LinkTest : public testing::Test {
protected:
    LinkTest() : port_(desk_.listen()) {
        auto called = phone_.call(port_, desk_.key.pin());
        EXPECT_TRUE(called.ok()) << called.error().message;
        if (called.ok()) outward_ = std::move(*called);
        inward_ = desk_.next();
    }

    TestDevice desk_;
    TestDevice phone_;
    std::uint16_t port_;
    std::unique_ptr<TestLink> outward_;  // the phone's end
    std::unique_ptr<TestLink> inward_;   // the desk's
};

TEST_F(LinkTest, both_ends_know_whom_they_speak_to) {
    ASSERT_TRUE(outward_ && inward_);
    EXPECT_EQ(outward_->facts().pin, desk_.key.pin());
    EXPECT_EQ(outward_->facts().key, desk_.key.public_key());
    EXPECT_TRUE(outward_->facts().is_by_us);
    EXPECT_EQ(inward_->facts().pin, phone_.key.pin());
    EXPECT_EQ(inward_->facts().key, phone_.key.public_key());
    EXPECT_FALSE(inward_->facts().is_by_us);
    EXPECT_EQ(inward_->facts().path, "/v1/sync");
    EXPECT_TRUE(inward_->facts().address.starts_with("127.0.0.1:"));
    EXPECT_EQ(inward_->facts().exporter.size(), 32U);
    EXPECT_EQ(inward_->facts().exporter, outward_->facts().exporter);
}

TEST_F(LinkTest, each_link_has_a_secret_of_its_own) {
    auto another = phone_.call(port_);
    ASSERT_TRUE(another.ok());
    EXPECT_NE((*another)->facts().exporter, outward_->facts().exporter);
}

TEST_F(LinkTest, messages_come_whole_and_in_order_whatever_their_size) {
    std::string large;
    for (int i = 0; i < 200'000; ++i) large += std::to_string(i);
    outward_->send("one");
    outward_->send(large);
    outward_->send("");
    outward_->send("ü");
    EXPECT_EQ(*inward_->receive(), "one");
    EXPECT_EQ(*inward_->receive(), large);
    EXPECT_EQ(*inward_->receive(), "");
    EXPECT_EQ(*inward_->receive(), "ü");
    inward_->send(large);
    EXPECT_EQ(*outward_->receive(), large);
    EXPECT_EQ(outward_->unsent_bytes(), 0U);
}

TEST_F(LinkTest, one_message_of_exactly_the_limit_comes_and_one_byte_more_does_not) {
    outward_->send(std::string(1000, 'a'));
    outward_->send(std::string(1001, 'a'));
    EXPECT_TRUE(inward_->receive(1000).ok());
    const auto refused = inward_->receive(1000);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::too_large) << refused.error().message;
    inward_->close();
    EXPECT_EQ(outward_->receive().error().message, "the other device found a message too large");
}

TEST_F(LinkTest, what_unpacks_to_more_than_may_be_takes_no_memory) {
    outward_->send(std::string(200 << 20, 'a'));  // about 200 KiB on the wire
    const auto refused = inward_->receive(1 << 20);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::too_large);
    EXPECT_EQ(inward_->bytes_received(), (1U << 20U) + 1);
}

TEST_F(LinkTest, what_is_not_text_ends_it) {
    outward_->send("\xff\xfe");
    const auto refused = inward_->receive();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::io) << "even where the other end does not hang up";
}

TEST_F(LinkTest, a_reader_that_does_not_read_stops_the_writer) {
    std::string noise;
    std::uint64_t state = 1;
    while (noise.size() < (8U << 20U)) {  // more than any socket's buffers hold, and nothing that could be packed
        state = state * 6364136223846793005U + 1442695040888963407U;
        noise += static_cast<char>('!' + (state >> 40U) % 90);
    }
    outward_->send(noise);
    auto answer = outward_->ask();
    inward_->send("you will not be heard before I say so");
    EXPECT_TRUE(answer.get().ok());
    EXPECT_GT(outward_->unsent_bytes(), 0U);
    const auto whole = inward_->receive(64 << 20);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    EXPECT_EQ(whole->size(), noise.size());
}

TEST_F(LinkTest, a_good_bye_comes_after_what_was_said) {
    outward_->send("the last word");
    outward_->close();
    outward_->cut();
    EXPECT_EQ(*inward_->receive(), "the last word");
    const auto over = inward_->receive();
    ASSERT_FALSE(over.ok());
    EXPECT_EQ(over.error().code, base::Code::unavailable);
}

TEST_F(LinkTest, a_link_that_is_cut_is_noticed_and_calls_nobody_back) {
    auto never = outward_->ask();
    outward_->cut();
    EXPECT_FALSE(inward_->receive().ok());
    EXPECT_THROW(static_cast<void>(never.get()), std::future_error) << "the promise is broken: nobody called back";
}

TEST(PeerNetwork, another_key_than_the_pinned_one_ends_the_call_and_learns_nothing) {
    TestDevice desk;
    TestDevice impostor;
    TestDevice phone;
    const std::uint16_t port = impostor.listen();
    const auto refused = phone.call(port, desk.key.pin());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::forbidden);
    EXPECT_EQ(refused.error().reason, "wrong_key");
    EXPECT_FALSE(impostor.has_come());
    EXPECT_TRUE(phone.call(port, impostor.key.pin()).ok());
}

TEST(PeerNetwork, where_nobody_listens_the_call_says_so) {
    TestDevice phone;
    std::uint16_t port = 0;
    {
        TestDevice gone;
        port = gone.listen();
    }
    const auto refused = phone.call(port);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::unavailable);
    EXPECT_NE(refused.error().message.find("Connection refused"), std::string::npos) << refused.error().message;
}

TEST(PeerNetwork, names_are_looked_up) {
    TestDevice desk;
    TestDevice phone;
    const std::uint16_t port = desk.listen();
    EXPECT_TRUE(phone.call(port, desk.key.pin(), "/v1/sync", "localhost").ok());
    const auto unknown = phone.call(port, {}, "/v1/sync", "no-such-name.invalid");
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code, base::Code::unavailable);
}

TEST(PeerNetwork, a_listener_that_never_answers_is_waited_for_no_longer_than_allowed) {
    TestDevice phone(hasty());
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(socket, 1), 0);
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const auto refused = phone.call(ntohs(address.sin_port));
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("no answer in time"), std::string::npos);
    ::close(socket);
}

TEST(PeerNetwork, other_paths_do_not_come_up) {
    TestDevice desk;
    TestDevice phone;
    const std::uint16_t port = desk.listen();
    EXPECT_FALSE(phone.call(port, {}, "/v1/events").ok());
    EXPECT_FALSE(desk.has_come());
    EXPECT_TRUE(phone.call(port, {}, "/v1/pair").ok());
}

// Strangers who are no devices.
class StrangerTest : public testing::Test {
protected:
    StrangerTest() : desk_(hasty()), port_(desk_.listen()) {}

    void expect_unharmed() {
        EXPECT_FALSE(desk_.has_come());
        TestDevice phone;
        // The desk is hasty, and the machine may be busy.
        const auto until = std::chrono::steady_clock::now() + patience;
        bool is_served = false;
        while (!is_served && std::chrono::steady_clock::now() < until) {
            is_served = phone.call(port_, desk_.key.pin()).ok();
        }
        EXPECT_TRUE(is_served);
    }

    // A handshake with this certificate, or none; whether the desk lets it finish and then listens.
    bool is_let_in(int version_max, EVP_PKEY* key, std::string_view says) {
        Stranger stranger(port_);
        const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context(::SSL_CTX_new(::TLS_client_method()),
                                                                          &::SSL_CTX_free);
        SSL_CTX_set_max_proto_version(context.get(), version_max);
        const std::unique_ptr<X509, decltype(&::X509_free)> certificate(::X509_new(), &::X509_free);
        if (key != nullptr) {
            ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -60);
            ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), 3600);
            ::X509_set_pubkey(certificate.get(), key);
            ::X509_sign(certificate.get(), key, ::EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 ? nullptr : ::EVP_sha256());
            ::SSL_CTX_use_certificate(context.get(), certificate.get());
            ::SSL_CTX_use_PrivateKey(context.get(), key);
        }
        const std::unique_ptr<SSL, decltype(&::SSL_free)> session(::SSL_new(context.get()), &::SSL_free);
        ::SSL_set_fd(session.get(), stranger.descriptor());
        if (::SSL_connect(session.get()) != 1) return false;
        ::SSL_write(session.get(), says.data(), static_cast<int>(says.size()));
        char buffer[512];
        return ::SSL_read(session.get(), buffer, sizeof buffer) > 0;
    }

    static constexpr std::string_view upgrade_ =
        "GET /v1/sync HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    TestDevice desk_;
    std::uint16_t port_;
};

TEST_F(StrangerTest, garbage_is_hung_up_on) {
    Stranger stranger(port_);
    stranger.send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(stranger.is_closed());
    expect_unharmed();
}

TEST_F(StrangerTest, silence_is_hung_up_on) {
    Stranger stranger(port_);
    EXPECT_TRUE(stranger.is_closed());
    expect_unharmed();
}

TEST_F(StrangerTest, silence_after_the_handshake_is_hung_up_on) {
    EVP_PKEY* key = ::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    EXPECT_FALSE(is_let_in(TLS1_3_VERSION, key, "GET /v1/sync HTTP/1.1\r\n"));
    ::EVP_PKEY_free(key);
    expect_unharmed();
}

TEST_F(StrangerTest, only_an_ed25519_key_under_tls_1_3_is_let_in) {
    EVP_PKEY* right = ::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    EVP_PKEY* wrong = ::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    EXPECT_FALSE(is_let_in(TLS1_3_VERSION, nullptr, upgrade_)) << "without a certificate";
    EXPECT_FALSE(is_let_in(TLS1_3_VERSION, wrong, upgrade_));
    EXPECT_FALSE(is_let_in(TLS1_2_VERSION, right, upgrade_));
    EXPECT_FALSE(desk_.has_come());
    const auto until = std::chrono::steady_clock::now() + patience;
    bool is_in = false;
    while (!is_in && std::chrono::steady_clock::now() < until) is_in = is_let_in(TLS1_3_VERSION, right, upgrade_);
    EXPECT_TRUE(is_in);
    ::EVP_PKEY_free(right);
    ::EVP_PKEY_free(wrong);
}

TEST_F(StrangerTest, an_endless_head_is_not_read_to_its_end) {
    EVP_PKEY* key = ::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    EXPECT_FALSE(is_let_in(TLS1_3_VERSION, key, "GET /v1/sync HTTP/1.1\r\nX: " + std::string(16 << 10, 'x')));
    EXPECT_FALSE(is_let_in(TLS1_3_VERSION, key, std::string(upgrade_) + "something more"));
    ::EVP_PKEY_free(key);
    expect_unharmed();
}

TEST(PeerNetwork, so_many_strangers_at_once_and_no_more) {
    PeerNetworkOptions options;
    options.arriving_max = 2;
    TestDevice desk(options);
    const std::uint16_t port = desk.listen();
    Stranger first(port);
    Stranger second(port);
    Stranger third(port);
    EXPECT_TRUE(third.is_closed()) << "long before its time for a handshake is over";
    EXPECT_EQ(desk.network.turned_away(), 1U);
}

}  // namespace
}  // namespace belfry::wire
