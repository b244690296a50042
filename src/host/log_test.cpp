#include "host/log.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "codec/json.hpp"
#include "host/files.hpp"
#include "host/printable.hpp"
#include "host/system_clock.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

constexpr base::Timestamp noon{1'794'657'600'123'456};

TEST(Log, writes_a_line_of_text) {
    EXPECT_EQ(format_log_text(noon, LogLevel::warning, "the store is down",
                              {{"attempt", 3}, {"wait", 0.5}, {"final", false}, {"error", "no \"such\" disk"}}),
              "2026-11-14T12:00:00.123Z warning  the store is down  attempt=3 wait=0.5 final=false "
              "error=\"no \\\"such\\\" disk\"\n");
    EXPECT_EQ(format_log_text({1'794'657'600'000'000}, LogLevel::info, "up", {}),
              "2026-11-14T12:00:00.000Z info     up\n");
    EXPECT_EQ(format_log_text(noon, LogLevel::info, "m", {{"empty", ""}}),
              "2026-11-14T12:00:00.123Z info     m  empty=\"\"\n");
}

TEST(Log, nobody_can_forge_a_line_or_reach_the_terminal) {
    const std::string evil =
        "x\n2026 error forged\x1b]0;title\x07\x1b[2J\r\x7f\xc2\x9b"
        "31m";
    const std::string line = format_log_text(noon, LogLevel::info, evil, {{"user", evil}, {evil, 1}});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    for (const char c : line.substr(0, line.size() - 1)) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
    EXPECT_EQ(line.find('\x7f'), std::string::npos);
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
    EXPECT_NE(line.find("\\x1b]0;title\\x07"), std::string::npos) << line;
}

TEST(Log, json_stays_json_whatever_is_logged) {
    const std::string evil = "a\"b\\c\n\x1b[0m\x7f\xc2\x9b\xff\xe2\x80\xae";
    const std::string line = format_log_json(noon, LogLevel::error, evil, {{"path", evil}, {"n", -5}, {"ok", true}});
    const auto json = codec::validate(line.substr(0, line.size() - 1));
    ASSERT_TRUE(json.ok()) << json.error().message << line;
    EXPECT_EQ(json->member("level")->as_text(), "error");
    EXPECT_EQ(json->member("n")->text, "-5");
    EXPECT_EQ(json->member("message")->as_text(), "a\"b\\c\n\x1b[0m\x7f\xc2\x9b\xef\xbf\xbd\xe2\x80\xae");
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(line.find('\x7f'), std::string::npos);
    EXPECT_EQ(line.find("\xe2\x80\xae"), std::string::npos);
}

TEST(Logger, leaves_out_what_is_below_its_level) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const SystemClock clock;
    Logger logger(clock, LogLevel::warning, LogFormat::text, ends[1]);
    logger.info("quiet");
    logger.warning("loud");
    logger.debug("quieter");
    ::close(ends[1]);
    char buffer[1000];
    const ssize_t got = ::read(ends[0], buffer, sizeof(buffer));
    ::close(ends[0]);
    ASSERT_GT(got, 0);
    const std::string text(buffer, static_cast<std::size_t>(got));
    EXPECT_EQ(text.find("quiet"), std::string::npos);
    EXPECT_NE(text.find("loud"), std::string::npos);
}

TEST(Logger, lines_of_several_threads_never_mix) {
    const TemporaryFolder folder;
    const std::string path = folder.file("log");
    std::FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    const SystemClock clock;
    Logger logger(clock, LogLevel::info, LogFormat::json, ::fileno(file));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&logger, t] {
            for (int i = 0; i < 200; ++i) logger.info(std::string(100, static_cast<char>('a' + t)), {{"i", i}});
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::fclose(file);
    const auto content = read_file(path, 1 << 20);
    ASSERT_TRUE(content.ok());
    std::size_t lines = 0;
    std::string_view rest = *content;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        ASSERT_TRUE(codec::validate(rest.substr(0, end)).ok());
        rest.remove_prefix(end + 1);
        ++lines;
    }
    EXPECT_EQ(lines, 800U);
}

TEST(Printable, keeps_letters_of_every_language) {
    EXPECT_EQ(printable("Grüße, 世界 🔔"), "Grüße, 世界 🔔");
}

TEST(Printable, escapes_what_a_terminal_obeys_or_what_turns_a_line_around) {
    EXPECT_EQ(printable("a\tb\nc\r"), "a\\tb\\nc\\r");
    EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\x9b31m");
    EXPECT_EQ(printable("\xe2\x80\xae"
                        "abc"),
              "\\u{202e}abc");
    EXPECT_EQ(printable("\xe2\x81\xa6"), "\\u{2066}");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, json_keeps_its_value) {
    EXPECT_EQ(escape_json_controls("{\"a\":\"\xc2\x9b\x7f\xe2\x80\xaeü\"}"), "{\"a\":\"\\u009b\\u007f\\u202eü\"}");
}

}  // namespace
}  // namespace belfry::host
