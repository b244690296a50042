#include "codec/sse.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace belfry::codec {
namespace {

using base::Code;
using namespace std::string_view_literals;

std::vector<SseMessage> drain(SseParser& parser) {
    std::vector<SseMessage> messages;
    while (auto message = parser.next()) messages.push_back(std::move(*message));
    return messages;
}

std::string show(const std::vector<SseMessage>& messages) {
    std::string out;
    for (const SseMessage& message : messages) out += message.id + "|" + message.event + "|" + message.data + ";";
    return out;
}

std::string parse(std::string_view text) {
    SseParser parser;
    EXPECT_TRUE(parser.feed(text).ok());
    return show(drain(parser));
}

TEST(SseFrames, read_as_agreed) {
    std::string out;
    append_sse_retry(out, 1000);
    append_sse_entry(out, 7, "{\"a\":1}");
    append_sse_entry(out, 8, "");
    append_sse_gap(out, 1, 99);
    append_sse_comment(out, "ping");
    append_sse_close(out, "slow_reader");
    EXPECT_EQ(out,
              "retry: 1000\n\n"
              "id: 7\ndata: {\"sequence\":7,\"event\":{\"a\":1}}\n\n"
              "id: 8\ndata: {\"sequence\":8,\"erased\":true}\n\n"
              "event: gap\ndata: {\"from\":1,\"to\":99}\n\n"
              ": ping\n\n"
              "event: close\ndata: {\"reason\":\"slow_reader\"}\n\n");
}

TEST(SseParser, reads_what_the_server_writes_in_pieces_of_any_size) {
    std::string text;
    append_sse_retry(text, 1000);
    append_sse_entry(text, 7, "{}");
    append_sse_comment(text, "ping");
    append_sse_gap(text, 8, 9);
    for (std::size_t size = 1; size < text.size(); ++size) {
        SseParser parser;
        for (std::size_t at = 0; at < text.size(); at += size)
            ASSERT_TRUE(parser.feed(std::string_view(text).substr(at, size)).ok());
        EXPECT_EQ(show(drain(parser)), "7|message|{\"sequence\":7,\"event\":{}};7|gap|{\"from\":8,\"to\":9};");
        EXPECT_EQ(parser.last_event_id(), "7");
        EXPECT_EQ(parser.retry_ms(), 1000);
    }
}

TEST(SseParser, takes_every_kind_of_line_end) {
    EXPECT_EQ(parse("data: a\n\ndata: b\r\rdata: c\r\n\r\n"), "|message|a;|message|b;|message|c;");
    EXPECT_EQ(parse("data: a\r\ndata: b\r\n\r\n"), "|message|a\nb;");
    SseParser parser;
    ASSERT_TRUE(parser.feed("data: a\r").ok());
    ASSERT_TRUE(parser.feed("\n\r").ok());
    ASSERT_TRUE(parser.feed("\ndata: b\n\n").ok());
    EXPECT_EQ(show(drain(parser)), "|message|a;|message|b;");
}

TEST(SseParser, follows_the_standard_in_its_corners) {
    EXPECT_EQ(parse("\xEF\xBB\xBF"
                    "data: a\n\n"),
              "|message|a;");
    EXPECT_EQ(parse("data: a\ndata:b\ndata\n\n"), "|message|a\nb\n;");
    EXPECT_EQ(parse("data:  two spaces\n\n"), "|message| two spaces;");
    EXPECT_EQ(parse("event: x\nid: 1\n\ndata: a\n\n"), "1|message|a;");
    EXPECT_EQ(parse("data\n\n"), "|message|;");
    EXPECT_EQ(parse("id: 1\ndata: a\n\nid\ndata: b\n\n"), "1|message|a;|message|b;");
    EXPECT_EQ(parse("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"sv), "1|message|a;1|message|b;");
    EXPECT_EQ(parse("data: never ended\n"), "");
    EXPECT_EQ(parse("unknown: 1\nretry: 5x\n: c\n\n"), "");
}

TEST(SseParser, bounds_what_it_keeps) {
    SseParser parser(100);
    EXPECT_EQ(parser.feed(std::string(101, 'x')).error().code, Code::too_large);
    SseParser pieces(100);
    ASSERT_TRUE(pieces.feed(std::string(60, 'x')).ok());
    EXPECT_EQ(pieces.feed(std::string(60, 'x')).error().code, Code::too_large);
    SseParser lines(100);
    const std::string line = "data: " + std::string(60, 'x') + "\n";
    ASSERT_TRUE(lines.feed(line).ok());
    EXPECT_EQ(lines.feed(line).error().code, Code::too_large);
}

TEST(ParsePosition, takes_digits_of_63_bits) {
    EXPECT_EQ(*parse_position("0"), 0U);
    EXPECT_EQ(*parse_position("0042"), 42U);
    EXPECT_EQ(*parse_position("9223372036854775807"), 9223372036854775807U);
    for (const char* text :
         {"", "-1", "+1", " 1", "1 ", "0x1", "1.0", "9223372036854775808", "99999999999999999999999"}) {
        auto position = parse_position(text, "Last-Event-ID");
        ASSERT_FALSE(position.ok()) << text;
        EXPECT_EQ(position.error().code, Code::malformed);
        EXPECT_EQ(position.error().field, "Last-Event-ID");
    }
}

TEST(SseParser, takes_error_lines_for_events_where_it_is_told_to) {
    const std::string text = "error: {}\n\ndata: a\n\n";
    EXPECT_EQ(parse(text), "|message|a;");
    SseParser parser(100, SseParser::ErrorLines::events);
    ASSERT_TRUE(parser.feed(text).ok());
    EXPECT_EQ(show(drain(parser)), "|error|{};|message|a;");
    EXPECT_EQ(parser.feed("error: " + std::string(95, 'x')).error().code, Code::too_large);
}

}  // namespace
}  // namespace belfry::codec
