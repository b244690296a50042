#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"

namespace belfry::cli {
namespace {

const std::string id = "018f0000-0000-7000-8000-000000000001";
const std::string morning =
    R"({"id":")" + id +
    R"(","agent_id":"coach","user_id":"ada","name":"daily 02:30 Europe/Berlin","schedule":{"kind":"daily",)"
    R"("time":"02:30"},"zone":"Europe/Berlin","active":true,"next_run_at":"2027-03-28T01:00:00Z",)"
    R"("last_scheduled_at":null,"fault":null,"next":[{"at":"2027-03-28T01:00:00Z",)"
    R"("local":"2027-03-28T03:00:00+02:00","note":"gap"},{"at":"2027-03-29T00:30:00Z",)"
    R"("local":"2027-03-29T02:30:00+02:00","note":null}]})";
const std::string all = R"({"data":[)" + morning + R"(],"next":null,"has_more":false})";

class StoredTimers : public testing::Test {
protected:
    StoredTimers() { world.variables["TZ"] = "Europe/Berlin"; }

    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.begin(), "timer");
        typed.insert(typed.end(), {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }

    World world;
};

TEST_F(StoredTimers, are_added_in_the_machines_zone_and_show_their_next_firings) {
    Daemon daemon({{201, morning}});
    EXPECT_EQ(run(daemon, {"add", "--agent", "coach", "--daily", "02:30"}), Exit::ok) << world.err;
    EXPECT_TRUE(daemon.requests.at(0).starts_with("POST /v1/agents/coach/timers "));
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"name":"daily 02:30 Europe/Berlin","schedule":{"kind":"daily",)"
                                           R"("time":"02:30"},"zone":"Europe/Berlin"})");
    EXPECT_EQ(world.err, "timer " + id + " wakes coach every day at 02:30, in Europe/Berlin (by TZ)\n");
    EXPECT_EQ(world.out,
              "DAY  LOCAL                      UTC                   NOTE\n"
              "sun  2027-03-28T03:00:00+02:00  2027-03-28T01:00:00Z  moved: the clock jumps forward\n"
              "mon  2027-03-29T02:30:00+02:00  2027-03-29T00:30:00Z\n");
}

TEST_F(StoredTimers, send_what_was_typed_and_an_anchor_only_where_one_was) {
    const auto sent = [this](std::vector<std::string> typed) {
        Daemon daemon({{201, morning}});
        typed.insert(typed.begin(), {"add", "--agent", "coach"});
        EXPECT_EQ(run(daemon, typed), Exit::ok) << world.err;
        return body_of(daemon.requests.at(0));
    };
    EXPECT_EQ(sent({"--every", "90m"}), R"({"name":"every 90m","schedule":{"kind":"every","interval":"90m"}})");
    EXPECT_EQ(sent({"--every", "90m", "--from", "2026-01-01T00:00:00Z", "--name", "n", "--dry-run"}),
              R"({"name":"n","schedule":{"kind":"every","interval":"90m","anchor":"2026-01-01T00:00:00Z"},)"
              R"("dry_run":true})");
    EXPECT_EQ(sent({"--weekly", "fri-sun@18:30", "--name", "n", "--zone", "UTC", "--priority", "-3"}),
              R"({"name":"n","schedule":{"kind":"weekly","days":["sun","fri","sat"],"time":"18:30"},"zone":"UTC",)"
              R"("priority":-3})");
    EXPECT_EQ(sent({"--cron", "@daily", "--name", "n", "--input", R"({"a":1})"}),
              R"({"name":"n","schedule":{"kind":"cron","cron":"@daily"},"zone":"Europe/Berlin","input":{"a":1}})");
    EXPECT_EQ(sent({"--at", "2026-12-24T18:00:00+01:00", "--name", "n"}),
              R"({"name":"n","schedule":{"kind":"at","at":"2026-12-24T17:00:00Z"}})");
}

TEST_F(StoredTimers, are_listed_with_what_was_meant) {
    Daemon daemon({{200, all}});
    EXPECT_EQ(run(daemon, {"list", "--user", "ada"}), Exit::ok) << world.err;
    EXPECT_TRUE(daemon.requests.at(0).starts_with("GET /v1/timers?user=ada&"));
    EXPECT_NE(world.out.find("every day at 02:30  Europe/Berlin  2027-03-28T03:00:00+02:00"), std::string::npos)
        << world.out;
}

TEST_F(StoredTimers, are_removed_by_name_or_by_id) {
    for (const std::string& named : {id, std::string("daily 02:30 Europe/Berlin")}) {
        Daemon daemon({{200, all}, {204, ""}});
        EXPECT_EQ(run(daemon, {"remove", named, "--agent", "coach"}), Exit::ok) << world.err;
        EXPECT_TRUE(daemon.requests.at(1).starts_with("DELETE /v1/agents/coach/timers/" + id + " "));
    }
    Daemon daemon({{200, all}});
    EXPECT_EQ(run(daemon, {"remove", "daily", "--agent", "coach"}), Exit::failure);
    EXPECT_NE(world.err.find("coach has no such timer"), std::string::npos) << world.err;
}

TEST_F(StoredTimers, are_refused_before_anybody_is_asked) {
    Daemon daemon({});
    const auto refused = [&](const std::vector<std::string>& typed, const std::string& says) {
        EXPECT_EQ(run(daemon, typed), Exit::usage) << says;
        EXPECT_NE(world.err.find(says), std::string::npos) << world.err;
    };
    refused({"add", "--daily", "07:00"}, "--agent is missing: whom it wakes");
    refused({"add", "--agent", "a"}, "give exactly one of --cron");
    refused({"add", "--agent", "a", "--daily", "7"}, "--daily must be a time from 00:00 to 23:59");
    refused({"add", "--agent", "a", "--daily", "07:00", "--from", "2026-01-01T00:00:00Z"},
            "--from of add is what --every counts from");
    refused({"add", "--agent", "a", "--every", "1h", "--zone", "UTC"}, "--zone is of wall times");
    refused({"add", "--agent", "a", "--every", "1h", "--input", "[]"}, "--input must be a JSON object");
    refused({"remove", "n"}, "usage: belfry timer remove NAME|ID --agent NAME");
    refused({"list", "n"}, "list takes no NAME");
    EXPECT_TRUE(daemon.requests.empty());
}

}  // namespace
}  // namespace belfry::cli
