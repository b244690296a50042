#include "wire/http_response.hpp"

#include <gtest/gtest.h>

namespace belfry::wire {
namespace {

TEST(Response, has_its_length_and_says_when_the_connection_ends) {
    Response response;
    response.status = 201;
    response.content_type = "application/json";
    response.body = "{}";
    response.extra_fields = "X: y\r\n";
    response.date = "now";
    response.keep_alive = false;
    std::string out;
    append_response(out, response);
    EXPECT_EQ(out,
              "HTTP/1.1 201 Created\r\nDate: now\r\nContent-Type: application/json\r\n"
              "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nCache-Control: "
              "no-store\r\nContent-Length: 2\r\n"
              "Connection: close\r\nX: y\r\n\r\n{}");
}

TEST(Response, to_head_tells_the_length_without_the_body) {
    Response response;
    response.content_type = "text/plain";
    response.body = "hello";
    response.omit_body = true;
    std::string out;
    append_response(out, response);
    EXPECT_NE(out.find("Content-Length: 5\r\n"), std::string::npos);
    EXPECT_TRUE(out.ends_with("\r\n\r\n"));
}

TEST(Response, without_content_has_no_length) {
    Response response;
    response.status = 204;
    std::string out;
    append_response(out, response);
    EXPECT_EQ(out.find("Content-Length"), std::string::npos);
}

TEST(Response, writes_dates_as_http_has_them) {
    EXPECT_EQ(http_date({784111777LL * 1'000'000}), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(http_date({1709164800LL * 1'000'000}), "Thu, 29 Feb 2024 00:00:00 GMT");
}

}  // namespace
}  // namespace belfry::wire
