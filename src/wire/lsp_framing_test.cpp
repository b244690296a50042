#include "wire/lsp_framing.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::wire {
namespace {

using Event = LspReader::Event;

// What comes out of `text` when it arrives `piece` bytes at a time.
std::string read(std::string_view text, std::size_t piece) {
    LspReader reader(20, 50);
    std::string seen;
    while (!text.empty()) {
        const std::string part(text.substr(0, piece));
        text.remove_prefix(part.size());
        std::string_view rest = part;
        for (;;) {
            const Event event = reader.next(rest);
            if (event == Event::none) break;
            if (event == Event::message) seen += "<" + std::string(reader.message()) + ">";
            if (event == Event::too_large) seen += "large;";
            if (event == Event::hopeless) return seen + "hopeless";
            if (event == Event::broken) return seen + "broken: " + reader.problem();
        }
    }
    return seen;
}

void expect(const std::string& text, const std::string& seen) {
    for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(read(text, piece), seen) << piece;
}

std::string framed(std::string_view body) {
    std::string out;
    append_lsp_message(out, body);
    return out;
}

TEST(LspFraming, messages_come_whole_from_pieces_of_any_size) {
    EXPECT_EQ(framed("{}"), "Content-Length: 2\r\n\r\n{}");
    expect(framed("one") + framed("") + framed("and\r\n\r\ntwo"), "<one><><and\r\n\r\ntwo>");
}

TEST(LspFraming, names_of_fields_count_in_any_case_and_others_are_passed_over) {
    expect("content-LENGTH:3\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\nabc", "<abc>");
}

TEST(LspFraming, a_body_that_is_too_long_is_passed_over_and_the_next_one_read) {
    expect(framed(std::string(20, 'a')), "<" + std::string(20, 'a') + ">");
    expect(framed(std::string(21, 'a')) + framed("next"), "large;<next>");
}

TEST(LspFraming, a_body_is_refused_before_it_comes_and_nothing_of_it_is_kept) {
    LspReader reader(20, 50);
    std::string_view header = "Content-Length: 50\r\n\r\n";
    EXPECT_EQ(reader.next(header), Event::too_large);
    const std::string body(30, 'a');
    std::string_view rest = body;
    EXPECT_EQ(reader.next(rest), Event::none);
    EXPECT_LT(reader.held(), 50U);
}

TEST(LspFraming, what_is_only_announced_gets_no_memory) {
    LspReader reader(1 << 20, 1 << 24);
    std::string_view header = "Content-Length: 1048576\r\n\r\nx";
    EXPECT_EQ(reader.next(header), Event::none);
    EXPECT_LT(reader.held(), 1000U);
}

TEST(LspFraming, a_length_beyond_all_reason_is_the_end) {
    expect("Content-Length: 51\r\n\r\n", "hopeless");
    expect("Content-Length: 10000000000\r\n\r\n", "hopeless");
    expect("Content-Length: 99999999999999999999999999999999\r\n\r\n", "hopeless");
}

TEST(LspFraming, what_is_no_header_is_told_as_broken) {
    expect("Content-Length: -1\r\n\r\n", "broken: Content-Length must be a number");
    expect("Content-Length: 1x\r\n\r\n", "broken: Content-Length must be a number");
    expect("Content-Length: \r\n\r\n", "broken: Content-Length must be a number");
    expect("Content-Length: 1\r\nContent-length: 1\r\n\r\n", "broken: Content-Length stands twice");
    expect("Content-Type: a\r\n\r\n", "broken: Content-Length is missing");
    expect("{\"jsonrpc\":\"2.0\"}\r\n\r\n", "broken: Content-Length is missing");
    expect("nonsense\r\n\r\n", "broken: a line of the header is no field");
    expect(": 1\r\n\r\n", "broken: a line of the header is no field");
}

TEST(LspFraming, a_header_without_end_is_broken_at_its_limit) {
    EXPECT_EQ(read(std::string(base::limits::rpc_header_bytes_max, 'a'), 100), "");
    EXPECT_EQ(read(std::string(base::limits::rpc_header_bytes_max + 1, 'a'), 100), "broken: the header is too long");
    const std::string long_field = "a: " + std::string(base::limits::rpc_header_bytes_max, 'a') + "\r\n";
    EXPECT_EQ(read(long_field + framed("x"), 1 << 20), "broken: the header is too long");
}

}  // namespace
}  // namespace belfry::wire
