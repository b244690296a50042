#include "client/rpc_bridge.hpp"

#include <filesystem>
#include <gtest/gtest.h>

#include "client/scripted_server_test.hpp"

namespace belfry::client {
namespace {

constexpr int asked = 20'000;  // more than all buffers in between hold
const std::string request = "Content-Length: 40\r\n\r\n" + std::string(40, 'q');
const std::string answer = "Content-Length: 90\r\n\r\n" + std::string(90, 'a');

struct Pipe {
    Pipe() { EXPECT_EQ(::pipe(ends), 0); }
    ~Pipe() {
        ::close(ends[0]);
        close_writer();
    }
    void close_writer() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    void write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = ::write(ends[1], bytes.data(), bytes.size());
            if (written <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    std::size_t read_to_end() const {
        char buffer[4096];
        std::size_t bytes = 0;
        for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
            bytes += static_cast<std::size_t>(got);
        return bytes;
    }
    int ends[2] = {-1, -1};
};

class Bridging : public testing::Test {
protected:
    Bridging() : path(testing::TempDir() + "belfry-bridge-" + std::to_string(::getpid()) + ".sock") {
        std::filesystem::remove(path);
    }
    ~Bridging() override { std::filesystem::remove(path); }

    std::string path;
    Pipe in;
    Pipe out;
};

TEST_F(Bridging, a_server_that_does_not_read_on_before_its_answers_are_taken_answers_all) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                    while (!connection.request().empty()) connection.send(answer);
                                }},
                                path);
    std::thread asking([this] {
        for (int i = 0; i < asked; ++i) in.write(request);
        in.close_writer();
    });
    std::size_t bytes = 0;
    std::thread reading([&] { bytes = out.read_to_end(); });
    const auto done = bridge_rpc(path, in.ends[0], out.ends[1]);
    EXPECT_TRUE(done.ok()) << done.error().message;
    asking.join();
    out.close_writer();
    reading.join();
    EXPECT_EQ(bytes, asked * answer.size());
}

TEST_F(Bridging, what_a_server_says_before_it_hangs_up_is_read) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                    connection.request();
                                    connection.send(answer);
                                }},
                                path);
    in.write(request + request);
    std::size_t bytes = 0;
    std::thread reading([&] { bytes = out.read_to_end(); });
    const auto done = bridge_rpc(path, in.ends[0], out.ends[1]);  // though `in` stays open
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, base::Code::unavailable);
    out.close_writer();
    reading.join();
    EXPECT_EQ(bytes, answer.size());
}

TEST_F(Bridging, a_server_that_goes_before_it_has_everything_is_an_error) {
    const ScriptedServer server({[](ServedConnection& connection) { connection.request(); }}, path);
    std::thread asking([this] {
        for (int i = 0; i < asked; ++i) in.write(request);
        in.close_writer();
    });
    const auto done = bridge_rpc(path, in.ends[0], out.ends[1]);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, base::Code::unavailable);
    EXPECT_EQ(done.error().message, "the daemon closed the connection before everything was sent");
    in.read_to_end();
    asking.join();
}

TEST_F(Bridging, nobody_there_is_an_error) {
    EXPECT_EQ(bridge_rpc(path, in.ends[0], out.ends[1]).error().code, base::Code::unavailable);
}

}  // namespace
}  // namespace belfry::client
