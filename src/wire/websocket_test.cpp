#include "wire/websocket.hpp"

#include <gtest/gtest.h>

namespace belfry::wire {
namespace {

std::string masked(unsigned first, const std::string& payload) {
    std::string out(1, static_cast<char>(first));
    if (payload.size() < 126) {
        out += static_cast<char>(0x80U | payload.size());
    } else {
        out += static_cast<char>(0x80U | 126U);
        out += static_cast<char>(payload.size() >> 8U);
        out += static_cast<char>(payload.size() & 0xFFU);
    }
    const std::string mask = "\x01\x82\x33\xF4";
    out += mask;
    for (std::size_t i = 0; i < payload.size(); ++i) out += static_cast<char>(payload[i] ^ mask[i % 4]);
    return out;
}

FrameReader::Event only_event(const std::string& bytes) {
    FrameReader reader(1000);
    std::string_view rest = bytes;
    return reader.next(rest);
}

TEST(WebSocket, answers_the_key_of_the_standard) {
    EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_EQ(websocket_accept("short"), "");
    EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25j!Q=="), "");
}

TEST(WebSocket, frames_of_every_size_have_the_right_head) {
    std::string out;
    append_frame_head(out, Opcode::text, 125);
    EXPECT_EQ(out, "\x81\x7D");
    out.clear();
    append_frame_head(out, Opcode::text, 126);
    EXPECT_EQ(out, std::string("\x81\x7E\x00\x7E", 4));
    out.clear();
    append_frame_head(out, Opcode::text, 65536);
    EXPECT_EQ(out, std::string("\x81\x7F\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

TEST(WebSocket, a_ping_comes_out_unmasked_in_whatever_pieces_it_came) {
    const std::string bytes = masked(0x81, "some text") + masked(0x89, "are you there") + masked(0x8A, "");
    FrameReader reader(1000);
    std::vector<FrameReader::Event> events;
    for (const char& byte : bytes) {
        std::string_view piece(&byte, 1);
        while (!piece.empty()) {
            const auto event = reader.next(piece);
            if (event == FrameReader::Event::ping) {
                EXPECT_EQ(reader.payload(), "are you there");
            }
            if (event != FrameReader::Event::none) events.push_back(event);
        }
    }
    EXPECT_EQ(events, (std::vector{FrameReader::Event::ping, FrameReader::Event::pong}));
}

TEST(WebSocket, a_message_in_fragments_is_passed_over_with_a_ping_in_between) {
    const std::string bytes =
        masked(0x01, "a") + masked(0x89, "p") + masked(0x00, "b") + masked(0x80, "c") + masked(0x88, "");
    FrameReader reader(1000);
    std::string_view rest = bytes;
    EXPECT_EQ(reader.next(rest), FrameReader::Event::ping);
    EXPECT_EQ(reader.next(rest), FrameReader::Event::close);
    EXPECT_TRUE(rest.empty());
}

TEST(WebSocket, what_breaks_the_protocol_is_an_error) {
    EXPECT_EQ(only_event(std::string("\x81\x01x", 3)), FrameReader::Event::none);  // the mask is missing: not yet known
    EXPECT_EQ(only_event(std::string("\x81\x01xyzab", 7)), FrameReader::Event::error);
    EXPECT_EQ(only_event(masked(0xC1, "x")), FrameReader::Event::error);  // a reserved bit
    EXPECT_EQ(only_event(masked(0x83, "x")), FrameReader::Event::error);  // an unknown kind
    EXPECT_EQ(only_event(masked(0x80, "x")), FrameReader::Event::error);  // goes on with nothing
    EXPECT_EQ(only_event(masked(0x09, "x")), FrameReader::Event::error);  // a ping in fragments
    EXPECT_EQ(only_event(masked(0x88, "x")), FrameReader::Event::error);  // a close of one byte
    const auto close_with = [](unsigned code, const std::string& reason = "") {
        const std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
        return only_event(masked(0x88, payload + reason));
    };
    for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 2999U, 5000U, 65535U}) {
        EXPECT_EQ(close_with(code), FrameReader::Event::error) << code;
    }
    for (const unsigned code : {1000U, 1003U, 1007U, 1011U, 1014U, 3000U, 4999U}) {
        EXPECT_EQ(close_with(code, "why"), FrameReader::Event::close) << code;
    }
    EXPECT_EQ(close_with(1000, "\xff"), FrameReader::Event::error);
    EXPECT_EQ(only_event(masked(0x89, std::string(126, 'x'))), FrameReader::Event::error);
}

TEST(WebSocket, a_message_is_bounded_also_in_fragments) {
    EXPECT_EQ(only_event(masked(0x81, std::string(1001, 'x'))), FrameReader::Event::error);
    FrameReader reader(1000);
    const std::string bytes = masked(0x01, std::string(600, 'x')) + masked(0x80, std::string(600, 'x'));
    std::string_view rest = bytes;
    EXPECT_EQ(reader.next(rest), FrameReader::Event::error);
    EXPECT_EQ(reader.error_code(), close_too_big);
}

TEST(WebSocket, a_message_that_is_wanted_comes_out_whole) {
    const std::string bytes = masked(0x01, "he") + masked(0x89, "ping") + masked(0x80, "llo") + masked(0x82, "b") +
                              masked(0x81, "") + masked(0x81, "end");
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
        FrameReader reader(5, FrameReader::Messages::wanted);
        std::string seen;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            std::string_view piece = std::string_view(bytes).substr(at, step);
            for (;;) {
                const auto event = reader.next(piece);
                if (event == FrameReader::Event::none) break;
                if (event == FrameReader::Event::text) seen += "text " + reader.message() + "|";
                if (event == FrameReader::Event::binary) seen += "binary " + reader.message() + "|";
                if (event == FrameReader::Event::ping) seen += "ping " + reader.payload() + "|";
            }
        }
        EXPECT_EQ(seen, "ping ping|text hello|binary b|text |text end|");
    }
    FrameReader reader(5, FrameReader::Messages::wanted);
    const std::string large = masked(0x01, "hel") + masked(0x80, "lo!");
    std::string_view rest = large;
    EXPECT_EQ(reader.next(rest), FrameReader::Event::error);
    EXPECT_EQ(reader.error_code(), close_too_big);
}

}  // namespace
}  // namespace belfry::wire
