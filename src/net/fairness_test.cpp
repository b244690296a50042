#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "net/test_client.hpp"
#include "net/test_house.hpp"

// A peer that never stops talking is read from in turns. Without them the network's thread would be his alone: he says
// more while he is being answered.
namespace belfry::net::test {
namespace {

constexpr int asked = 50;

// Says this again and again from a thread of its own until it is let go.
class Flood {
public:
    Flood(const Client& client, const std::string& word, std::size_t times) : client_(client) {
        for (std::size_t i = 0; i < times; ++i) words_ += word;
        thread_ = std::thread([this] {
            while (!done_) {
                client_.send(words_);
                ++rounds;
            }
        });
    }
    ~Flood() {
        done_ = true;
        ::shutdown(client_.descriptor(), SHUT_RDWR);
        thread_.join();
    }
    std::atomic<int> rounds{0};

private:
    const Client& client_;
    std::string words_;
    std::atomic<bool> done_{false};
    std::thread thread_;
};

TEST(Fairness, a_peer_that_floods_with_calls_does_not_keep_the_others_from_being_answered) {
    ServerOptions options;
    options.rpc_host = "127.0.0.1";
    House house(options);
    Client other(house.server->port());
    EXPECT_EQ(other.ask(request("GET", "/healthz")).status, 200);
    Client loud(house.server->rpc_port());
    const auto framed = [](const std::string& text) {
        return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
    };
    loud.send(framed(R"({"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"user"}})"));
    loud.until("}}");
    const Flood flood(loud, framed(R"({"jsonrpc":"2.0","method":"ping"})"), 50'000);
    while (flood.rounds == 0) std::this_thread::yield();
    for (int i = 0; i < asked; ++i) ASSERT_EQ(other.ask(request("GET", "/healthz")).status, 200) << i;
}

TEST(Fairness, a_peer_that_floods_with_requests_does_not_keep_the_others_from_being_answered) {
    House house;
    Client other(house.server->port());
    EXPECT_EQ(other.ask(request("GET", "/healthz")).status, 200);
    Client loud(house.server->port());
    // Each takes longer to be refused than to be sent, and its answer is short.
    std::string name;
    for (int i = 0; i < 10'000; ++i) name += "\\u00e4";
    const std::string costly =
        request("POST", "/v1/tokens", "admin", "", R"({"name":")" + name + R"(","role":"nobody"})");
    std::thread listener;
    {
        const Flood flood(loud, costly, 100);
        listener = std::thread([&] {
            while (loud.more()) loud.rest.clear();
        });
        while (flood.rounds == 0) std::this_thread::yield();
        bool is_heard = true;
        for (int i = 0; i < asked && is_heard; ++i) is_heard = other.ask(request("GET", "/healthz")).status == 200;
        EXPECT_TRUE(is_heard);
    }
    listener.join();
}

}  // namespace
}  // namespace belfry::net::test
