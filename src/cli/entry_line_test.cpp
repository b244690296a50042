#include "cli/entry_line.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace belfry::cli {
namespace {

client::Entry entry_of(std::string json) {
    client::Entry entry;
    entry.sequence = 42;
    entry.event = model::RawJson::trusted(std::move(json));
    return entry;
}

const std::string plain_event =
    R"({"id":"x","type":"tool.call.failure","source":"ci","severity":"error","timestamp":"2026-11-15T05:00:00Z",)"
    R"("user_id":"ada","session_id":"s1","run_id":7,"payload":{"tool":"grep"}})";

TEST(EntryLine, shows_what_a_person_wants_to_know) {
    EXPECT_EQ(entry_line(entry_of(plain_event), false),
              "#42 2026-11-15T05:00:00Z error tool.call.failure ci user=ada session=s1 run=7 {\"tool\":\"grep\"}");
}

TEST(EntryLine, leaves_out_what_is_not_there) {
    EXPECT_EQ(entry_line(entry_of(R"({"type":"a.b","severity":"info","payload":{}})"), false), "#42 info a.b");
    client::Entry erased;
    erased.sequence = 3;
    erased.erased = true;
    EXPECT_EQ(entry_line(erased, false), "#3 (erased)");
    EXPECT_EQ(entry_line(entry_of(R"({"action":"token.mint","by":"peer:0"})"), false),
              R"(#42 {"action":"token.mint","by":"peer:0"})");
}

TEST(EntryLine, colours_by_severity) {
    const std::string line = entry_line(entry_of(plain_event), true);
    EXPECT_NE(line.find("\x1b[31merror\x1b[0m"), std::string::npos);
}

// Whatever stands in an event: clear the screen, set the title, 8-bit CSI, DEL, turn the line around.
const std::string evil_event = R"({"type":"a.b\u001b[2J","source":"\u001b]0;owned\u0007","severity":"info\n",)"
                               "\"user_id\":\"\xc2\x9b\x33\x31m\x7f\xe2\x80\xae\","
                               R"("payload":{"text":"\u001b[31mred\u0000)"
                               "\xc2\x9b\x7f\xe2\x80\xae\"}}";

TEST(EntryLine, nothing_of_an_event_reaches_the_terminal_as_a_command) {
    const std::string line = entry_line(entry_of(evil_event), false);
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
    for (const char* bad : {"\x7f", "\xc2\x9b", "\xe2\x80\xae", "\x1b"}) EXPECT_EQ(line.find(bad), std::string::npos);
    EXPECT_NE(line.find("a.b\\x1b[2J"), std::string::npos) << line;
}

TEST(EntryLine, the_same_holds_for_json_which_stays_the_same_value) {
    const std::string json = entry_json(entry_of(evil_event));
    for (const char* bad : {"\x7f", "\xc2\x9b", "\xe2\x80\xae", "\x1b", "\n"}) {
        EXPECT_EQ(json.find(bad), std::string::npos) << json;
    }
    const auto read = codec::validate(json);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->member("event")->member("user_id")->as_text(), "\xc2\x9b\x33\x31m\x7f\xe2\x80\xae");
}

}  // namespace
}  // namespace belfry::cli
