#include <gtest/gtest.h>

#include "net/rpc/output.hpp"

namespace belfry::net {
namespace {

using Kind = RpcOutput::Kind;

TEST(RpcOutput, counts_answers_apart_from_what_is_followed) {
    RpcOutput out;
    out.append_raw("head");
    out.append_lsp("{}", Kind::stream);
    const std::size_t streamed = out.size() - 4;
    out.append_lsp("[1]", Kind::answer);
    const std::size_t answered = out.size() - 4 - streamed;
    EXPECT_EQ(out.answers(), 4 + answered);
    EXPECT_TRUE(out.unsent().starts_with("headContent-Length: 2\r\n\r\n{}Content-Length: 3"));
    out.sent(4 + streamed);
    EXPECT_EQ(out.answers(), answered);
    EXPECT_EQ(out.unsent(), "Content-Length: 3\r\n\r\n[1]");
    out.sent(out.size());
    EXPECT_EQ(out.size(), 0U);
    EXPECT_EQ(out.answers(), 0U);
}

TEST(RpcOutput, a_message_that_has_begun_to_go_out_goes_out_whole) {
    RpcOutput out;
    out.append_frame(wire::Opcode::text, "first", Kind::stream);
    const std::size_t first = out.size();
    out.append_frame(wire::Opcode::text, "second", Kind::stream);
    out.append_frame(wire::Opcode::text, "third", Kind::answer);
    out.sent(2);
    out.keep_begun();
    EXPECT_EQ(out.unsent(), "first");
    EXPECT_EQ(out.answers(), 0U);
    out.append_close(wire::close_going_away);
    EXPECT_EQ(out.size(), first - 2 + out.answers());
    RpcOutput empty;
    empty.keep_begun();
    EXPECT_EQ(empty.size(), 0U);
}

}  // namespace
}  // namespace belfry::net
