#include "wire/http_request.hpp"

#include <gtest/gtest.h>

namespace belfry::wire {
namespace {

constexpr RequestLimits limits{1024, 8, 64, 4096};

RequestParser::State parse(RequestParser& parser, const std::string& bytes) {
    return parser.parse(bytes);
}

int failure(const std::string& bytes) {
    RequestParser parser(limits);
    return parser.parse(bytes) == RequestParser::State::failed ? parser.error().status : 0;
}

const std::string post =
    "POST /v1/events?a=1&b HTTP/1.1\r\nHost: localhost\r\nauthorization: Bearer x\r\nContent-Length: 5\r\n"
    "Idempotency-Key: k\r\n\r\nhello";

TEST(RequestParser, gives_views_of_a_whole_request) {
    RequestParser parser(limits);
    ASSERT_EQ(parse(parser, post), RequestParser::State::complete);
    const Request& request = parser.request();
    EXPECT_EQ(request.method, Method::post);
    EXPECT_EQ(request.path, "/v1/events");
    EXPECT_EQ(request.query, "a=1&b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.header(Header::authorization), "Bearer x");
    EXPECT_EQ(request.header(Header::idempotency_key), "k");
    EXPECT_EQ(request.header(Header::origin), "");
    EXPECT_EQ(request.fields.size(), 4U);
    EXPECT_TRUE(request.keep_alive);
    EXPECT_EQ(parser.size(), post.size());
}

TEST(RequestParser, reads_a_request_that_comes_byte_by_byte_and_moves_in_memory) {
    RequestParser parser(limits);
    for (std::size_t i = 1; i < post.size(); ++i) {
        const std::string elsewhere = post.substr(0, i);
        ASSERT_EQ(parser.parse(elsewhere), RequestParser::State::need_more) << i;
    }
    const std::string whole = post;
    ASSERT_EQ(parser.parse(whole), RequestParser::State::complete);
    EXPECT_EQ(parser.request().body, "hello");
    EXPECT_EQ(parser.request().path, "/v1/events");
    EXPECT_EQ(parser.request().header(Header::host), "localhost");
}

TEST(RequestParser, stops_at_the_end_of_a_request_and_goes_on_with_the_next) {
    RequestParser parser(limits);
    const std::string two = post + "GET / HTTP/1.1\r\n\r\n";
    ASSERT_EQ(parser.parse(two), RequestParser::State::complete);
    ASSERT_EQ(parser.size(), post.size());
    parser.reset();
    ASSERT_EQ(parser.parse(std::string_view(two).substr(post.size())), RequestParser::State::complete);
    EXPECT_EQ(parser.request().method, Method::get);
    EXPECT_EQ(parser.request().body, "");
    EXPECT_TRUE(parser.request().fields.empty());
}

TEST(RequestParser, joins_chunks_and_believes_no_trailer) {
    const std::string bytes =
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nHost: evil\r\n\r\n";
    RequestParser parser(limits);
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        const std::string part = bytes.substr(0, i);
        ASSERT_EQ(parser.parse(part), RequestParser::State::need_more) << i;
    }
    ASSERT_EQ(parser.parse(bytes), RequestParser::State::complete);
    EXPECT_EQ(parser.request().body, "abcdefg");
    EXPECT_EQ(parser.request().header(Header::host), "");
}

TEST(RequestParser, refuses_what_two_readers_could_understand_in_two_ways) {
    EXPECT_EQ(failure("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"), 400);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"), 400);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"), 501);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501);
    EXPECT_EQ(failure("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
    EXPECT_EQ(failure("GET / HTTP/1.1\r\nAuthorization: a\r\nauthorization: b\r\n\r\n"), 400);
    EXPECT_EQ(failure("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"), 400);
    EXPECT_EQ(failure("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
    EXPECT_EQ(failure("GET / HTTP/1.1\nHost: a\n\n"), 400);
}

TEST(RequestParser, refuses_what_is_no_request) {
    EXPECT_EQ(failure(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello there\r\n\r\n", 27)), 400);
    EXPECT_EQ(failure("GET /\r\n\r\n"), 400);
    EXPECT_EQ(failure("GET / HTTP/2.0\r\n\r\n"), 505);
}

TEST(RequestParser, holds_its_limits) {
    EXPECT_EQ(failure("GET /" + std::string(100, 'a') + " HTTP/1.1\r\n\r\n"), 414);
    EXPECT_EQ(failure("GET / HTTP/1.1\r\nX: " + std::string(2000, 'a')), 431);
    std::string fields;
    for (int i = 0; i < 9; ++i) fields += "X-" + std::to_string(i) + ": y\r\n";
    EXPECT_EQ(failure("GET / HTTP/1.1\r\n" + fields + "\r\n"), 431);
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"), 413);
    std::string chunks;
    for (int i = 0; i < 5; ++i) chunks += "400\r\n" + std::string(1024, 'x') + "\r\n";
    EXPECT_EQ(failure("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks), 413);
}

TEST(RequestParser, bounds_what_chunks_say_beside_the_body) {
    const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    const RequestLimits tight{1024, 8, 64, 4096, 4096};
    const auto taken = [&](const std::string& chunk) {
        RequestParser parser(tight);
        std::string bytes = head;
        while (bytes.size() < 100'000) {
            bytes += chunk;
            if (parser.parse(bytes) == RequestParser::State::failed) {
                EXPECT_EQ(parser.error().status, 413);
                return bytes.size();
            }
        }
        return bytes.size();
    };
    const std::size_t raw_max = 1024 + 4096 + 4096;
    EXPECT_LT(taken("1\r\nx\r\n"), raw_max + 100);
    EXPECT_LT(taken("1;" + std::string(500, 'e') + "\r\nx\r\n"), raw_max + 600);
    EXPECT_LT(taken("100\r\n" + std::string(0x100, 'x') + "\r\n"), raw_max);

    RequestParser parser(tight);
    std::string all = head;
    for (int i = 0; i < 2000; ++i) all += "1\r\nx\r\n";
    ASSERT_EQ(parser.parse(all + "0\r\n\r\n"), RequestParser::State::failed);
    EXPECT_EQ(parser.error().status, 413);
}

TEST(RequestParser, tells_once_that_the_client_waits_for_a_word) {
    RequestParser parser(limits);
    const std::string head = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    ASSERT_EQ(parser.parse(head), RequestParser::State::need_more);
    EXPECT_TRUE(parser.wants_continue());
    EXPECT_FALSE(parser.wants_continue());
    EXPECT_EQ(parser.missing(), 2U);
}

TEST(RequestParser, a_target_may_be_a_whole_address_whose_host_counts) {
    RequestParser parser(limits);
    const std::string bytes = "GET http://evil.org:1/a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ASSERT_EQ(parser.parse(bytes), RequestParser::State::complete);
    EXPECT_EQ(parser.request().header(Header::host), "evil.org:1");
    EXPECT_EQ(parser.request().path, "/a");
    EXPECT_EQ(parser.request().query, "b=c");
}

TEST(RequestParser, knows_who_wants_to_stay_connected) {
    const auto keeps = [](const std::string& head) {
        RequestParser parser(limits);
        EXPECT_EQ(parser.parse(head), RequestParser::State::complete);
        return parser.request().keep_alive;
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace belfry::wire
