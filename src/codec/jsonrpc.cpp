#include "codec/jsonrpc.hpp"

#include <utility>

#include "base/limits.hpp"
#include "codec/json.hpp"
#include "codec/members.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonKind;

RpcError invalid_request(std::string message) {
    return {RpcCode::invalid_request, std::move(message)};
}

RpcCall failed_call(RpcError error) {
    RpcCall call;
    call.id = "null";
    call.error = std::move(error);
    return call;
}

RpcText refused_text(RpcError error) {
    RpcText text;
    text.calls.push_back(failed_call(std::move(error)));
    return text;
}

base::Result<void> read_id(JsonReader& reader, RpcCall& call) {
    TRY_ASSIGN(const JsonKind kind, reader.peek());
    if (kind != JsonKind::string && kind != JsonKind::number && kind != JsonKind::null) {
        return reader.invalid("must be a text, a number or null");
    }
    TRY_ASSIGN(const JsonSpan span, reader.raw_value());
    constexpr std::size_t quotes = 2;
    const std::size_t size = span.text.size() - (kind == JsonKind::string ? quotes : 0);
    if (size > limits::rpc_id_bytes_max) {
        return reader.invalid("must have at most " + std::to_string(limits::rpc_id_bytes_max) + " bytes");
    }
    call.id = span.text;
    return {};
}

base::Result<void> read_member(JsonReader& reader, std::string_view name, RpcCall& call, bool& has_version) {
    if (name == "jsonrpc") {
        TRY_ASSIGN(const std::string_view version, reader.read_string());
        if (version != "2.0") return reader.invalid("must be \"2.0\"");
        has_version = true;
    } else if (name == "id") {
        return read_id(reader, call);
    } else if (name == "method") {
        TRY_ASSIGN(const std::string_view method, reader.read_string());
        if (method.empty() || method.size() > limits::rpc_method_chars_max) {
            return reader.invalid("must have 1 to " + std::to_string(limits::rpc_method_chars_max) + " bytes");
        }
        if (method.starts_with("rpc.")) return reader.invalid("must not begin with rpc.");
        call.method = method;
    } else if (name == "params") {
        TRY_ASSIGN(const JsonKind kind, reader.peek());
        if (kind != JsonKind::object && kind != JsonKind::array) {
            return reader.invalid("must be an object or an array");
        }
        TRY_ASSIGN(const JsonSpan span, reader.raw_value());
        call.params = span.text;
    } else {
        if (name == "result" || name == "error") call.is_answer = true;
        return reader.skip_value();
    }
    return {};
}

// An error means that the text is no JSON; everything else is told in the call.
base::Result<void> read_call(JsonReader& reader, RpcCall& call) {
    bool has_version = false;
    std::optional<base::Error> refusal;
    TRY(read_members(reader, refusal,
                     [&](std::string_view name) { return read_member(reader, name, call, has_version); }));
    call.is_answer = call.is_answer && call.method.empty() && !refusal;
    if (refusal) {
        call.error =
            invalid_request(refusal->field.empty() ? refusal->message : refusal->field + " " + refusal->message);
        call.error->field = refusal->field;
    } else if (!has_version) {
        call.error = invalid_request("jsonrpc must be \"2.0\"");
        call.error->field = "jsonrpc";
    } else if (call.method.empty() && !call.is_answer) {
        call.error = invalid_request("method must be given");
        call.error->field = "method";
    }
    if (call.error && call.id.empty()) call.id = "null";
    return {};
}

base::Result<void> read_batch(JsonReader& reader, RpcText& text) {
    text.is_batch = true;
    TRY(reader.begin_array());
    std::size_t count = 0;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) break;
        if (++count > limits::rpc_batch_max) {
            TRY(reader.skip_value());
            continue;
        }
        reader.begin_paths_here();
        TRY_ASSIGN(const JsonKind kind, reader.peek());
        if (kind == JsonKind::object) {
            TRY(read_call(reader, text.calls.emplace_back()));
        } else {
            TRY(reader.skip_value());
            text.calls.push_back(failed_call(invalid_request("a call is an object")));
        }
    }
    TRY(reader.finish());
    if (count > 0 && count <= limits::rpc_batch_max) return {};
    text = refused_text(count == 0
                            ? invalid_request("a batch must not be empty")
                            : invalid_request("a batch may have " + std::to_string(limits::rpc_batch_max) + " calls"));
    return {};
}

base::Result<void> read_text(JsonReader& reader, RpcText& text) {
    TRY_ASSIGN(const JsonKind kind, reader.peek());
    if (kind == JsonKind::array) return read_batch(reader, text);
    if (kind == JsonKind::object) {
        TRY(read_call(reader, text.calls.emplace_back()));
    } else {
        TRY(reader.skip_value());
        text.calls.push_back(failed_call(invalid_request("a message is an object or an array")));
    }
    return reader.finish();
}

// JSON all the same: its sender is told of the limit, under his id where that came first.
RpcText too_deep(RpcText text) {
    const bool has_id = !text.is_batch && !text.calls.empty() && !text.calls.front().id.empty();
    std::string id = has_id ? std::move(text.calls.front().id) : "null";
    text = refused_text(
        {RpcCode::invalid_params,
         "params are nested too deeply; " + std::to_string(limits::json_depth_max) + " levels of a message are read",
         "params"});
    text.calls.front().id = std::move(id);
    return text;
}

void begin_message(std::string& out) {
    out += "{\"jsonrpc\":\"2.0\"";
}

}  // namespace

RpcError rpc_parse_error() {
    return {RpcCode::parse_error, "Invalid JSON-RPC notification format"};
}

RpcError rpc_too_large() {
    return {RpcCode::invalid_request, "Notification payload exceeds 1MB size limit", "", "too_large"};
}

RpcError rpc_rate_limited(std::int64_t retry_after_ms) {
    return {RpcCode::rate_limited, "Rate limit exceeded", "", "rate_limited", "", retry_after_ms};
}

RpcError rpc_error_of(const base::Error& error) {
    RpcError out;
    switch (error.code) {
        case Code::invalid:
        case Code::malformed:
        case Code::too_large:
        case Code::not_found:
        case Code::gone:
        case Code::not_acceptable:
        case Code::unsupported: out.code = RpcCode::invalid_params; break;
        case Code::unauthenticated: out.code = RpcCode::unauthenticated; break;
        case Code::forbidden: out.code = RpcCode::forbidden; break;
        case Code::conflict: out.code = RpcCode::conflict; break;
        case Code::rate_limited: out.code = RpcCode::rate_limited; break;
        case Code::overloaded:
        case Code::unavailable:
        case Code::outcome_unknown:
        case Code::timeout: out.code = RpcCode::unavailable; break;
        case Code::io:
        case Code::internal: out.code = RpcCode::internal; break;
    }
    out.message = error.message;
    out.field = error.field;
    out.word = base::code_name(error.code);
    out.reason = error.reason;
    if (out.code == RpcCode::unavailable) out.retry_after_ms = limits::retry_after_s * 1000;
    return out;
}

RpcText parse_rpc(std::string_view text) {
    JsonReader reader(text);
    RpcText read;
    const auto whole = read_text(reader, read);
    if (whole.ok()) return read;
    if (whole.error().message.ends_with("nested too deeply")) return too_deep(std::move(read));
    return refused_text(rpc_parse_error());
}

void append_rpc_result(std::string& out, std::string_view id, std::string_view result) {
    begin_message(out);
    out.append(",\"id\":").append(id).append(",\"result\":").append(result).append("}");
}

void append_rpc_error(std::string& out, std::string_view id, const RpcError& error) {
    begin_message(out);
    out.append(",\"id\":").append(id).append(",\"error\":");
    model::JsonWriter writer(out);
    writer.begin_object().field("code", static_cast<long long>(error.code));
    writer.field("message", to_utf8(error.message));
    if (!error.field.empty() || !error.word.empty() || !error.reason.empty() || error.retry_after_ms) {
        writer.name("data").begin_object();
        if (!error.word.empty()) writer.field("code", error.word);
        if (!error.reason.empty()) writer.field("reason", to_utf8(error.reason));
        if (!error.field.empty()) writer.field("field", to_utf8(error.field));
        if (error.retry_after_ms) writer.field("retry_after_ms", static_cast<long long>(*error.retry_after_ms));
        writer.end_object();
    }
    writer.end_object();
    out += '}';
}

void append_rpc_request(std::string& out, std::string_view id, std::string_view method, std::string_view params) {
    begin_message(out);
    out.append(",\"id\":").append(id).append(",\"method\":\"");
    model::append_escaped(out, method);
    out.append("\",\"params\":").append(params).append("}");
}

void append_rpc_notification(std::string& out, std::string_view method, std::string_view params) {
    begin_message(out);
    out.append(",\"method\":\"");
    model::append_escaped(out, method);
    out.append("\",\"params\":").append(params).append("}");
}

}  // namespace belfry::codec
