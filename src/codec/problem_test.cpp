#include "codec/problem.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace belfry::codec {
namespace {

using base::Code;

TEST(Problem, has_the_agreed_members) {
    std::string out;
    append_problem(out, 422, base::error(Code::invalid, "not \"a\" type", "type"));
    EXPECT_EQ(
        out,
        R"({"type":"about:blank","title":"Unprocessable Content","status":422,"code":"invalid","detail":"not \"a\" type","field":"type"})");
}

TEST(Problem, leaves_the_field_out_where_there_is_none) {
    std::string out;
    append_problem(out, 503, base::error(Code::overloaded, "full"));
    EXPECT_EQ(
        out,
        R"({"type":"about:blank","title":"Service Unavailable","status":503,"code":"overloaded","detail":"full"})");
    out.clear();
    append_entry_problem(out, base::error(Code::conflict, "other"));
    EXPECT_EQ(out, R"({"code":"conflict","detail":"other"})");
}

TEST(Problem, is_valid_json_whatever_the_message_quotes) {
    std::string out;
    append_problem(out, 400, base::error(Code::malformed, "bytes \xFF\x80 and \n", "\xC3"));
    EXPECT_TRUE(validate(out).ok()) << out;
}

TEST(Problem, gives_every_code_a_status_with_a_title) {
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
        const unsigned status = status_of(static_cast<Code>(i));
        EXPECT_GE(status, 400U);
        EXPECT_NE(title_of(status), "Error") << status;
    }
    EXPECT_EQ(status_of(Code::outcome_unknown), 503U);
    EXPECT_EQ(status_of(Code::malformed), 400U);
}

}  // namespace
}  // namespace belfry::codec
