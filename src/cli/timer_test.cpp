#include <gtest/gtest.h>

#include "cli/world_test.hpp"
#include "codec/json.hpp"
#include "host/files.hpp"

namespace belfry::cli {
namespace {

struct Timer : testing::Test {
    World world;

    Timer() { world.variables["TZ"] = "Europe/Berlin"; }

    Exit next(std::vector<std::string> typed) {
        typed.insert(typed.begin(), {"timer", "next"});
        return world.run(typed);
    }
    void refused(const std::vector<std::string>& typed, const std::string& says) {
        EXPECT_EQ(next(typed), Exit::usage) << says;
        EXPECT_EQ(world.out, "") << says;
        EXPECT_NE(world.err.find(says), std::string::npos) << world.err;
    }
};

TEST_F(Timer, next_shows_the_clock_of_the_zone_and_what_happens_to_it) {
    EXPECT_EQ(next({"--cron", "30 2 * * *", "--from", "2026-03-28T00:00:00Z", "--count", "3"}), Exit::ok);
    EXPECT_EQ(world.out,
              "DAY  LOCAL                      UTC                   NOTE\n"
              "sat  2026-03-28T02:30:00+01:00  2026-03-28T01:30:00Z\n"
              "sun  2026-03-29T03:00:00+02:00  2026-03-29T01:00:00Z  moved from 02:30: the clock jumps forward\n"
              "mon  2026-03-30T02:30:00+02:00  2026-03-30T00:30:00Z\n");
    EXPECT_EQ(world.err, "cron 30 2 * * *, in Europe/Berlin (by TZ)\n");
    EXPECT_EQ(next({"--daily", "02:30", "--from", "2026-10-24T12:00:00Z", "-n1"}), Exit::ok);
    EXPECT_NE(world.out.find("first of two 02:30: the clock is set back\n"), std::string::npos) << world.out;
    EXPECT_EQ(next({"--cron", "*/15 * * * *", "--from", "2026-03-29T00:45:00Z", "-n1"}), Exit::ok);
    EXPECT_NE(world.out.find("  for 02:00 to 03:00, 5 times: the clock jumps forward\n"), std::string::npos)
        << world.out;
    EXPECT_EQ(next({"--daily", "07:00", "--zone", "Pacific/Apia", "--from", "2011-12-30T00:00:00Z", "-n1"}), Exit::ok);
    EXPECT_NE(world.out.find("  moved from 2011-12-30 07:00: the clock jumps forward\n"), std::string::npos)
        << world.out;
}

TEST_F(Timer, next_begins_now_with_five_in_the_machines_zone) {
    world.now = world.now + base::microseconds(123'456);
    EXPECT_EQ(next({"--every", "90m"}), Exit::ok);
    EXPECT_EQ(world.out,
              "DAY  LOCAL                      UTC                   NOTE\n"
              "sat  2026-11-14T14:30:00+01:00  2026-11-14T13:30:00Z\n"
              "sat  2026-11-14T16:00:00+01:00  2026-11-14T15:00:00Z\n"
              "sat  2026-11-14T17:30:00+01:00  2026-11-14T16:30:00Z\n"
              "sat  2026-11-14T19:00:00+01:00  2026-11-14T18:00:00Z\n"
              "sat  2026-11-14T20:30:00+01:00  2026-11-14T19:30:00Z\n");
    world.variables["TZ"] = "CET-1CEST";
    EXPECT_EQ(next({"--daily", "07:00"}), Exit::ok);
    EXPECT_EQ(world.err, "every day at 07:00, in UTC (the machine names no zone)\n");
}

TEST_F(Timer, next_says_when_there_are_fewer) {
    EXPECT_EQ(next({"--at", "2026-12-24T18:00:00+01:00"}), Exit::ok);
    EXPECT_NE(world.out.find("thu  2026-12-24T18:00:00+01:00  2026-12-24T17:00:00Z\n"), std::string::npos) << world.out;
    EXPECT_NE(world.err.find("that is all: it fires once, not 5 times\n"), std::string::npos) << world.err;
    EXPECT_EQ(next({"--at", "2026-12-24T18:00:00Z", "--count", "1"}), Exit::ok);
    EXPECT_EQ(world.err.find("that is all"), std::string::npos) << world.err;
    EXPECT_EQ(next({"--at", "2025-12-24T18:00:00Z"}), Exit::ok);
    EXPECT_EQ(world.out, "");
    EXPECT_NE(world.err.find("it does not fire after 2026-11-14T12:00:00Z\n"), std::string::npos) << world.err;
}

TEST_F(Timer, next_answers_programs_in_one_object) {
    EXPECT_EQ(next({"--daily", "02:30", "--from", "2026-03-28T12:00:00Z", "--count", "2", "--json"}), Exit::ok);
    EXPECT_EQ(
        world.out,
        R"({"schedule":{"kind":"daily","time":"02:30"},"zone":"Europe/Berlin","zone_from":"TZ",)"
        R"("from":"2026-03-28T12:00:00Z","data":[{"at":"2026-03-29T01:00:00Z","local":"2026-03-29T03:00:00+02:00",)"
        R"("wall":{"first":"2026-03-29T02:30:00","last":"2026-03-29T02:30:00","count":1},"note":"gap"},)"
        R"({"at":"2026-03-30T00:30:00Z","local":"2026-03-30T02:30:00+02:00",)"
        R"("wall":{"first":"2026-03-30T02:30:00","last":"2026-03-30T02:30:00","count":1},"note":null}],)"
        R"("has_more":true})"
        "\n");
    EXPECT_EQ(world.err, "");
    EXPECT_EQ(next({"--at", "2026-12-24T18:00:00Z", "--zone", "UTC", "--json"}), Exit::ok);
    EXPECT_EQ(world.out, R"({"schedule":{"kind":"at","at":"2026-12-24T18:00:00Z"},"zone":"UTC","zone_from":"--zone",)"
                         R"("from":"2026-11-14T12:00:00Z","data":[{"at":"2026-12-24T18:00:00Z",)"
                         R"("local":"2026-12-24T18:00:00+00:00","wall":null,"note":null}],"has_more":false})"
                         "\n");
    EXPECT_EQ(next({"--daily", "7", "--json"}), Exit::usage);
    EXPECT_TRUE(world.err.starts_with(R"({"error":{"code":"invalid")")) << world.err;
}

TEST_F(Timer, next_takes_a_thousand_and_keeps_them_in_order) {
    EXPECT_EQ(next({"--cron", "0 0 29 2 *", "--count", "1000", "--from", "2026-01-01T00:00:00Z", "--json"}), Exit::ok);
    EXPECT_NE(world.out.find("\"2096-02-28T23:00:00Z\""), std::string::npos);
    EXPECT_EQ(world.out.find("\"2100-"), std::string::npos);
    refused({"--daily", "07:00", "--count", "1001"}, "--count must be a whole number from 1 to 1000, not \"1001\"");
    refused({"--daily", "07:00", "--count", "0"}, "--count must be a whole number from 1 to 1000");
}

TEST_F(Timer, next_refuses_what_it_cannot_read_and_names_the_option) {
    refused({}, "give exactly one of --cron, --daily, --weekly, --every, --at\n");
    refused({"--daily", "07:00", "--at", "x"},
            "give exactly one of --cron, --daily, --weekly, --every, --at, not --daily and --at");
    refused({"--cron", "0 0 30 2 *"}, "--cron: it never comes: the day of month is \"30\"");
    refused({"--cron", "0 25 * * *"}, "--cron: the hour is \"25\": it has no 25; allowed are 0 to 23");
    refused({"--daily", "7"}, "--daily must be a time from 00:00 to 23:59, like 07:00, not \"7\"");
    refused({"--weekly", "monday@07:00"}, "--weekly must be weekdays and a time like mon,thu@18:30");
    refused({"--every", "0s"}, "--every must be a time from 1s to 3660d");
    refused({"--at", "tomorrow"}, "--at must be an instant from 1970 to 9999 with its offset");
    refused({"--daily", "07:00", "--from", "2026-03-28"}, "--from must be an instant from 1970 to 9999");
    refused({"--daily", "07:00", "--zone", "Europe/Berln"},
            "--zone: there is no zone \"Europe/Berln\"; did you mean Europe/Berlin?");
    refused({"--daily", "07:00", "--zone", "../../etc/passwd"}, "--zone: \"../../etc/passwd\" is no name of a zone");
    EXPECT_EQ(world.run({"timer", "last", "--daily", "07:00"}), Exit::usage);
    EXPECT_NE(world.err.find("ACTION must be add, list, remove or next, not \"last\""), std::string::npos) << world.err;
}

TEST_F(Timer, next_fails_where_the_data_of_a_zone_is_damaged) {
    world.variables["TZDIR"] = world.folder.path();
    ASSERT_TRUE(host::write_file_atomically(world.folder.path() + "/Broken", "TZif2", 0644).ok());
    EXPECT_EQ(next({"--daily", "07:00", "--zone", "Broken"}), Exit::failure);
    EXPECT_NE(world.err.find("/Broken: it is no file of time zone data: it is cut off"), std::string::npos)
        << world.err;
    EXPECT_EQ(next({"--daily", "07:00"}), Exit::ok) << "UTC needs no data";
}

}  // namespace
}  // namespace belfry::cli
