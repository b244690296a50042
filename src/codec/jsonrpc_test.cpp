#include "codec/jsonrpc.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/limits.hpp"

namespace belfry::codec {
namespace {

using namespace std::string_literals;

RpcCall only(std::string_view text) {
    const RpcText read = parse_rpc(text);
    EXPECT_EQ(read.calls.size(), 1U) << text;
    EXPECT_FALSE(read.is_batch) << text;
    return read.calls.front();
}

int code_of(std::string_view text) {
    const RpcCall call = only(text);
    return call.error ? static_cast<int>(call.error->code) : 0;
}

TEST(JsonRpc, reads_a_request_and_leaves_its_parameters_as_they_stand) {
    const RpcCall call = only(R"({"jsonrpc":"2.0","id":"a\u0041","method":"client/user_message","params":{"a": [1]}})");
    EXPECT_FALSE(call.error);
    EXPECT_EQ(call.id, R"("a\u0041")");
    EXPECT_EQ(call.method, "client/user_message");
    EXPECT_EQ(call.params, R"({"a": [1]})");
    EXPECT_FALSE(call.is_notification());
}

TEST(JsonRpc, a_call_without_an_id_is_a_notification_and_one_with_null_is_not) {
    EXPECT_TRUE(only(R"({"jsonrpc":"2.0","method":"ping"})").is_notification());
    EXPECT_EQ(only(R"({"jsonrpc":"2.0","method":"ping","id":null})").id, "null");
}

TEST(JsonRpc, what_is_no_json_is_a_parse_error_without_an_id) {
    for (const std::string& text : {""s, "{"s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\"} x"s,
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}"s, "[1,]"s}) {
        const RpcCall call = only(text);
        ASSERT_TRUE(call.error) << text;
        EXPECT_EQ(call.error->code, RpcCode::parse_error);
        EXPECT_EQ(call.error->message, "Invalid JSON-RPC notification format");
        EXPECT_EQ(call.id, "null");
    }
}

TEST(JsonRpc, what_breaks_the_standard_is_an_invalid_request_under_its_id) {
    EXPECT_EQ(code_of(R"({"jsonrpc":"1.0","id":1,"method":"p"})"), -32600);
    EXPECT_EQ(only(R"({"jsonrpc":"1.0","id":1,"method":"p"})").id, "1");
    EXPECT_EQ(only(R"({"jsonrpc":"1.0","method":"p"})").id, "null");
    EXPECT_EQ(code_of(R"({"id":1,"method":"p"})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"rpc.x"})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":7})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":{},"method":"p"})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"p","params":7})"), -32600);
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"p"})"), -32600);
    EXPECT_EQ(code_of("7"), -32600);
    const std::string longest_id(base::limits::rpc_id_bytes_max, 'x');
    EXPECT_FALSE(only(R"({"jsonrpc":"2.0","id":")" + longest_id + R"(","method":"p"})").error);
    const std::string long_id = longest_id + 'x';
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":")" + long_id + R"(","method":"p"})"), -32600);
    const std::string long_name(base::limits::rpc_method_chars_max + 1, 'x');
    EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":")" + long_name + R"("})"), -32600);
}

TEST(JsonRpc, what_is_nested_too_deeply_is_told_under_its_id) {
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    const RpcCall call = only(R"({"jsonrpc":"2.0","id":5,"method":"p","params":)" + deep + "}");
    ASSERT_TRUE(call.error);
    EXPECT_EQ(call.error->code, RpcCode::invalid_params);
    EXPECT_EQ(call.error->field, "params");
    EXPECT_EQ(call.id, "5");
}

TEST(JsonRpc, an_answer_of_the_peer_is_told_from_a_call) {
    EXPECT_TRUE(only(R"({"jsonrpc":"2.0","id":1,"result":{}})").is_answer);
    EXPECT_TRUE(only(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})").is_answer);
    EXPECT_FALSE(only(R"({"jsonrpc":"2.0","id":1,"method":"p","result":1})").is_answer);
}

TEST(JsonRpc, a_batch_is_read_call_by_call_and_a_bad_one_hurts_only_itself) {
    const RpcText read = parse_rpc(R"([{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"},{}])");
    ASSERT_TRUE(read.is_batch);
    ASSERT_EQ(read.calls.size(), 4U);
    EXPECT_EQ(read.calls[0].method, "a");
    EXPECT_EQ(read.calls[1].error->code, RpcCode::invalid_request);
    EXPECT_TRUE(read.calls[2].is_notification());
    EXPECT_EQ(read.calls[3].error->code, RpcCode::invalid_request);
}

TEST(JsonRpc, a_batch_of_nothing_or_of_too_much_is_one_invalid_request) {
    EXPECT_EQ(code_of("[]"), -32600);
    std::string many = "[";
    for (std::size_t i = 0; i < base::limits::rpc_batch_max; ++i) many += "0,";
    EXPECT_EQ(code_of(many + "0]"), -32600);
    many.back() = ']';
    EXPECT_EQ(parse_rpc(many).calls.size(), base::limits::rpc_batch_max);
}

TEST(JsonRpc, messages_read_as_agreed) {
    std::string out;
    append_rpc_result(out, "1", "{}");
    append_rpc_error(out, "null", rpc_rate_limited(600));
    append_rpc_error(out, "\"a\"", {RpcCode::invalid_params, "must be given", "timestamp"});
    append_rpc_notification(out, "run/event", "{\"a\":1}");
    append_rpc_request(out, "2", "ping", "{}");
    EXPECT_EQ(
        out,
        R"({"jsonrpc":"2.0","id":1,"result":{}})"
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Rate limit exceeded",)"
        R"("data":{"code":"rate_limited","retry_after_ms":600}}})"
        R"({"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"must be given","data":{"field":"timestamp"}}})"
        R"({"jsonrpc":"2.0","method":"run/event","params":{"a":1}})"
        R"({"jsonrpc":"2.0","id":2,"method":"ping","params":{}})");
}

TEST(JsonRpc, failures_of_the_house_keep_their_word) {
    const RpcError error = rpc_error_of(base::error(base::Code::overloaded, "full"));
    EXPECT_EQ(error.code, RpcCode::unavailable);
    EXPECT_EQ(error.word, "overloaded");
    EXPECT_TRUE(error.retry_after_ms);
    EXPECT_EQ(rpc_error_of(base::error(base::Code::conflict, "no", "", "ended")).reason, "ended");
}

}  // namespace
}  // namespace belfry::codec
