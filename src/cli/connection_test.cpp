#include "cli/connection.hpp"

#include <atomic>
#include <gtest/gtest.h>

#include "cli/world_test.hpp"
#include "client/scripted_server_test.hpp"
#include "host/files.hpp"
#include "host/lock.hpp"

namespace belfry::cli {
namespace {

// What the command line would connect to.
struct Finder {
    World world;

    base::Result<client::Options> find(const std::vector<std::string>& typed = {}) {
        Output out;
        Output err;
        Console console{out, err};
        const host::Environment environment(world.variables);
        const std::vector<Command> commands;
        const Context context{console, environment, [] { return base::Timestamp{}; }, commands};
        const auto arguments = parse_arguments({common_options(Reach::daemon), {}}, typed);
        return find_daemon(context, *arguments);
    }

    std::string data = world.folder.file(".local/state/belfry");

    void leave_admin_token() const {
        ASSERT_TRUE(host::make_folder(data, 0700).ok());
        ASSERT_TRUE(host::write_file_atomically(data + "/admin.token", "bf_admin_x\nsecond line\n", 0600).ok());
    }

    // What a daemon of this folder holds.
    [[nodiscard]] host::FolderLock hold(const host::Doors& doors) const {
        auto lock = host::FolderLock::take(data, world.now);
        EXPECT_TRUE(lock.ok() && lock->tell(doors).ok());
        return std::move(*lock);
    }
};

TEST(FindDaemon, without_anything_uses_the_local_address_and_the_admin_token) {
    Finder finder;
    finder.leave_admin_token();
    const host::FolderLock daemon = finder.hold({"http://0.0.0.0:7117", ""});
    const auto options = finder.find();
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->endpoint.text(), "http://127.0.0.1:7117");
    EXPECT_EQ(options->token, "bf_admin_x");
    EXPECT_TRUE(options->may_send().ok());
}

TEST(FindDaemon, whoever_listens_in_a_stopped_daemons_place_gets_nothing) {
    Finder finder;
    finder.leave_admin_token();
    std::atomic<int> heard = 0;
    const client::ScriptedServer stranger({[&heard](client::ServedConnection&) { ++heard; }});
    finder.world.variables["BELFRY_SERVER_PORT"] = std::to_string(stranger.endpoint().port);
    const auto options = finder.find();
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->endpoint.port, stranger.endpoint().port);
    client::Client client(*options);
    const auto status = client.status();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, base::Code::unavailable);
    EXPECT_EQ(status.error().message, "cannot connect to " + options->endpoint.text() +
                                          ": no daemon of the data folder " + finder.data +
                                          " listens there; is the daemon running? start it with `belfry serve`");
    EXPECT_EQ(heard, 0);
    EXPECT_EQ(finder.find({"--url", options->endpoint.text()})->token, "");
}

TEST(FindDaemon, the_admin_token_is_kept_back_from_the_moment_when_the_daemon_goes) {
    Finder finder;
    finder.leave_admin_token();
    host::FolderLock daemon = finder.hold({"http://127.0.0.1:7117", ""});
    const auto options = finder.find();
    ASSERT_TRUE(options.ok() && options->may_send().ok());
    ASSERT_TRUE(daemon.tell({}).ok());
    EXPECT_EQ(options->may_send().error().code, base::Code::unavailable);
    ASSERT_TRUE(daemon.tell({"http://127.0.0.1:7118", ""}).ok());
    EXPECT_EQ(options->may_send().error().code, base::Code::unavailable);
    ASSERT_TRUE(daemon.tell({"http://127.0.0.1:7117", ""}).ok());
    EXPECT_TRUE(options->may_send().ok());
}

TEST(FindDaemon, finds_a_daemon_whose_socket_and_port_are_elsewhere_by_its_own_word) {
    Finder finder;
    finder.leave_admin_token();
    const std::string path = finder.world.folder.file("elsewhere.sock");
    host::FolderLock daemon = finder.hold({"http://[::1]:99", path});
    EXPECT_EQ(finder.find()->endpoint.text(), "http://[::1]:99") << "the socket has gone from under it";
    {
        const client::ScriptedServer server({}, path);
        EXPECT_EQ(finder.find()->endpoint.text(), "unix:" + path);
        EXPECT_EQ(finder.find()->token, "bf_admin_x");  // root is not the service's user
    }
    ASSERT_TRUE(daemon.tell({"http://[::1]:99", ""}).ok());
    EXPECT_EQ(finder.find()->endpoint.text(), "http://[::1]:99");
    EXPECT_EQ(finder.find()->token, "bf_admin_x");
}

TEST(FindDaemon, prefers_the_unix_socket_where_there_is_one) {
    Finder finder;
    finder.leave_admin_token();
    const std::string path = finder.world.folder.file(".local/state/belfry/belfry.sock");
    const client::ScriptedServer server({}, path);
    const auto options = finder.find();
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->endpoint.text(), "unix:" + path);
    EXPECT_EQ(options->token, "");
}

TEST(FindDaemon, flags_win_over_the_environment) {
    Finder finder;
    finder.world.variables["BELFRY_URL"] = "http://env:1";
    finder.world.variables["BELFRY_TOKEN"] = "from env";
    EXPECT_EQ(finder.find()->endpoint.text(), "http://env:1");
    EXPECT_EQ(finder.find()->token, "from env");
    EXPECT_EQ(finder.find({"--url", "http://flag:2", "--token", "f"})->endpoint.text(), "http://flag:2");
    EXPECT_EQ(finder.find({"--url", "http://flag:2", "--token", "f"})->token, "f");
    EXPECT_EQ(finder.find({"--socket", "/s"})->endpoint.text(), "unix:/s");
}

TEST(FindDaemon, the_admin_token_goes_to_no_other_address) {
    Finder finder;
    finder.leave_admin_token();
    const host::FolderLock daemon = finder.hold({"http://127.0.0.1:7117", ""});
    EXPECT_EQ(finder.find({"--url", "http://elsewhere:7117"})->token, "");
    EXPECT_EQ(finder.find({"--url", "http://127.0.0.1:7118"})->token, "");
    EXPECT_EQ(finder.find({"--url", "http://127.0.0.1:7117"})->token, "bf_admin_x");
}

TEST(FindDaemon, follows_the_configuration) {
    Finder finder;
    finder.world.variables["BELFRY_SERVER_PORT"] = "99";
    finder.world.variables["BELFRY_SERVER_HOST"] = "0.0.0.0";
    finder.world.variables["BELFRY_SERVER_TLS_CERTIFICATE"] = "/c";
    finder.world.variables["BELFRY_SERVER_TLS_KEY"] = "/k";
    EXPECT_EQ(finder.find()->endpoint.text(), "https://127.0.0.1:99");
}

}  // namespace
}  // namespace belfry::cli
