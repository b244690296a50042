#include "cli/connection.hpp"

#include <gtest/gtest.h>

#include "cli/world_test.hpp"
#include "client/scripted_server_test.hpp"
#include "host/files.hpp"

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

    void leave_admin_token() {
        const std::string data = world.folder.file(".local/state/belfry");
        ASSERT_TRUE(host::make_folder(data, 0700).ok());
        ASSERT_TRUE(host::write_file_atomically(data + "/admin.token", "bf_admin_x\nsecond line\n", 0600).ok());
    }
};

TEST(FindDaemon, without_anything_uses_the_local_address_and_the_admin_token) {
    Finder finder;
    finder.leave_admin_token();
    const auto options = finder.find();
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->endpoint.text(), "http://127.0.0.1:7117");
    EXPECT_EQ(options->token, "bf_admin_x");
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
