// What a peer of JSON-RPC says: any bytes give calls that can be answered, and what is read is JSON.
#include <string>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/jsonrpc.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const codec::RpcText read = codec::parse_rpc(text);
    ASSERT(!read.calls.empty() && read.calls.size() <= base::limits::rpc_batch_max);
    for (const codec::RpcCall& call : read.calls) {
        std::string out;
        if (call.error) {
            ASSERT(!call.is_notification());
            codec::append_rpc_error(out, call.id, *call.error);
        } else if (!call.is_answer) {
            ASSERT(!call.method.empty());
            if (!call.params.empty()) ASSERT(codec::validate(call.params).ok());
            const std::string_view params = call.params.empty() ? std::string_view("{}") : call.params;
            codec::append_rpc_request(out, call.is_notification() ? "null" : call.id, call.method, params);
            const codec::RpcText again = codec::parse_rpc(out);
            ASSERT(again.calls.size() == 1 && again.calls.front().method == call.method);
        }
        if (!out.empty()) ASSERT(codec::validate(out).ok());
    }
    return 0;
}
