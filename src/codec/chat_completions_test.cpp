#include "codec/chat_completions.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace belfry::codec {
namespace {

using model::ChatAnswer;
using model::ChatFailure;
using model::ChatFailureKind;
using model::ChatRole;
using model::FinishReason;
using model::TokenUsage;

// What a body becomes, in one line; and what was handed on of its text.
std::string show(const ChatAnswer& answer) {
    std::string out = "\"" + answer.text + "\" " + std::string(model::finish_reason_name(answer.finish));
    for (const model::ToolCall& call : answer.calls) {
        out += " " + call.id + "=" + call.name + call.arguments.bytes() + (call.problem.empty() ? "" : "!");
    }
    out += " " + std::to_string(answer.usage.prompt_tokens) + "+" + std::to_string(answer.usage.completion_tokens);
    return out + (answer.usage.source == TokenUsage::Source::server ? "" : "?");
}
std::string show(const ChatFailure& failure) {
    return std::string(model::chat_failure_name(failure.kind)) + ": " + failure.message;
}

std::string read(std::string_view body, std::size_t piece_bytes, const model::ChatBounds& bounds = {}) {
    ChatAnswerParser parser(bounds);
    std::string text;
    std::optional<ChatFailure> failure;
    for (std::size_t at = 0; at < body.size() && !failure && !parser.is_complete(); at += piece_bytes) {
        failure = parser.feed(body.substr(at, piece_bytes), text);
    }
    if (failure) return show(*failure) + " after \"" + text + "\"";
    const model::ChatOutcome outcome = parser.finish(text);
    if (const auto* const answer = std::get_if<ChatAnswer>(&outcome)) {
        EXPECT_EQ(answer->text, text) << "the pieces are not the text";
    }
    return std::visit([](const auto& one) { return show(one); }, outcome);
}

// The same, and cut at every byte and into pieces of every small size.
std::string read_every_way(const std::string& body, const model::ChatBounds& bounds = {}) {
    const std::string whole = read(body, body.size() + 1, bounds);
    for (std::size_t piece = 1; piece < 20; ++piece) {
        EXPECT_EQ(read(body, piece, bounds), whole) << "pieces of " << piece;
    }
    for (std::size_t cut = 1; cut < body.size(); ++cut) EXPECT_EQ(read(body, cut, bounds), whole) << "cut at " << cut;
    return whole;
}

std::string event(const std::string& json) {
    return "data: " + json + "\n\n";
}
std::string piece(const std::string& delta, const std::string& finish = "null") {
    return event(R"({"id":"c1","model":"m","choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish +
                 "}]}");
}
std::string say(const std::string& text) {
    return piece(R"({"content":")" + text + "\"}");
}
std::string call(const std::string& part) {
    return piece(R"({"tool_calls":[)" + part + "]}");
}
const std::string done = "data: [DONE]\n\n";
const std::string stop = piece("{}", "\"stop\"");
const std::string called = piece("{}", "\"tool_calls\"");

TEST(ChatAnswer, is_put_together_from_its_pieces) {
    const std::string body =
        piece(R"({"role":"assistant","content":""})") + say("Hel") + say("lo, \\u00e4\\ud83d\\ude00") + say("ö.") +
        stop + event(R"({"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":4,"total_tokens":15}})") + done;
    EXPECT_EQ(read_every_way(body), "\"Hello, ä😀ö.\" stop 11+4");
}

TEST(ChatAnswer, does_not_need_what_some_servers_leave_out) {
    EXPECT_EQ(read_every_way(say("a") + stop), "\"a\" stop 0+0?") << "no [DONE]";
    EXPECT_EQ(read_every_way(say("a") + done), "\"a\" other 0+0?") << "no finish_reason";
    EXPECT_EQ(read_every_way(say("a") + stop + "data: [DONE]"), "\"a\" stop 0+0?") << "no last line end";
    EXPECT_EQ(read_every_way(say("a") + R"(data: {"choices":[{"delta":{},"finish_reason":"length"}]})"),
              "\"a\" length 0+0?");
    EXPECT_EQ(read_every_way(piece(R"({"content":"a"})", "\"\"") + stop + done), "\"a\" stop 0+0?");
}

TEST(ChatAnswer, passes_over_what_is_no_part_of_it) {
    EXPECT_EQ(
        read_every_way("\xEF\xBB\xBF: ping\r\n\r\nevent: x\r\nid: 7\r\nretry: 5\r\ndata: "
                       R"({"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"a",)"
                       R"("reasoning_content":"hm","reasoning":"hm","new":[{}]}}]})"
                       "\r\n\r\n:\r\n\r\ndata:\r\n\r\ndata: {}\r\n\r\n" +
                       stop + event(R"({"choices":[],"usage":null})") +
                       event(R"({"usage":{"prompt_tokens":0,"completion_tokens":0}})") +
                       event(R"({"usage":{"prompt_tokens":-1,"completion_tokens":2.5}})") + done + "data: garbage"),
        "\"a\" stop 0+0?");
}

TEST(ChatAnswer, may_come_whole_though_pieces_were_asked_for) {
    EXPECT_EQ(read_every_way(R"( {"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",
        "content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}} )"),
              "\"Hello\" stop 3+1");
    EXPECT_EQ(read_every_way(R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function",)"
                             R"("function":{"name":"f","arguments":{"x": 1}}}]},"finish_reason":"stop"}]})"),
              R"("" tool_calls a=f{"x":1} 0+0?)");
    EXPECT_EQ(read_every_way(R"({"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},)"
                             R"({"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"eos"}]})"),
              "\"ab\" stop 0+0?");
    EXPECT_EQ(read_every_way(event(R"({"choices":[{"message":{"content":"in one"},"finish_reason":"stop"}]})") + done),
              "\"in one\" stop 0+0?");
}

TEST(ChatCalls, come_in_pieces_by_their_index) {
    EXPECT_EQ(read_every_way(
                  call(R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}})") +
                  call(R"({"index":0,"function":{"arguments":"{\"x\":"}})") +
                  call(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{"}})") +
                  call(R"({"index":0,"function":{"arguments":" \"ä\"}"}},{"index":1,"function":{"arguments":"}"}})") +
                  called + done),
              R"("" tool_calls a=f{"x":"ä"} b=g{} 0+0?)");
    EXPECT_EQ(read_every_way(call(R"({"index":0,"id":"a","function":{"name":"get_","arguments":null}})") +
                             call(R"({"index":0,"function":{"name":"time"}})") + called + done),
              R"("" tool_calls a=get_time{} 0+0?)");
}

TEST(ChatCalls, come_whole_with_and_without_index_and_id) {
    EXPECT_EQ(
        read_every_way(call(R"({"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":""}})") +
                       stop + done),
        R"("" tool_calls call_0=f{} call_1=g{} 0+0?)");
    EXPECT_EQ(
        read_every_way(call(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}})") +
                       call(R"({"index":0,"id":"b","function":{"name":"f","arguments":"{\"n\":2}"}})") + stop + done),
        R"("" tool_calls a=f{"n":1} b=f{"n":2} 0+0?)")
        << "all of index 0";
    EXPECT_EQ(read_every_way(call(R"({"index":0,"function":{"name":"f","arguments":"{\"n\":1}"}})") +
                             call(R"({"index":0,"function":{"name":"f","arguments":"{\"n\":2}"}})") + stop + done),
              R"("" tool_calls call_0=f{"n":1} call_1=f{"n":2} 0+0?)");
    EXPECT_EQ(read_every_way(call(R"({"id":"a","function":{"name":"f","arguments":"{"}})") +
                             call(R"({"id":"a","function":{"name":"f","arguments":"}"}})") +
                             call(R"({"id":"b","function":{"name":"f"}})") +
                             call(R"({"function":{"arguments":"{}"}})") + stop + done),
              R"("" tool_calls a=f{} b=f{} 0+0?)")
        << "without index, and the name again";
}

TEST(ChatCalls, have_ids_of_their_own) {
    EXPECT_EQ(read_every_way(call(R"({"index":0,"id":"call_1","function":{"name":"f"}})") +
                             call(R"({"index":1,"function":{"name":"g"}})") +
                             call(R"({"index":2,"id":"call_1","function":{"name":"h"}})") + stop + done),
              R"("" tool_calls call_1=f{} call_1_=g{} call_2=h{} 0+0?)");
    EXPECT_EQ(read(call(R"({"id":")" + std::string(300, 'x') + R"(","function":{"name":"f"}})") + stop + done, 1000),
              R"("" tool_calls call_0=f{} 0+0?)");
}

TEST(ChatCalls, with_bad_arguments_say_so_each_for_itself) {
    ChatAnswerParser parser({});
    std::string text;
    ASSERT_FALSE(parser.feed(call(R"({"index":0,"function":{"name":"f","arguments":"{\"x\": tru"}})") +
                                 call(R"({"index":1,"function":{"name":"g","arguments":"[1]"}})") +
                                 call(R"({"index":2,"function":{"arguments":"{}"}})") +
                                 call(R"({"index":3,"function":{"name":"h","arguments":"{\"y\":1}"}})") + called + done,
                             text));
    const auto answer = std::get<ChatAnswer>(parser.finish(text));
    ASSERT_EQ(answer.calls.size(), 4U);
    EXPECT_EQ(answer.calls[0].problem,
              "the arguments are no JSON object (line 1, column 7: this is no value): {\"x\": tru");
    EXPECT_EQ(answer.calls[0].arguments.bytes(), "{}");
    EXPECT_EQ(answer.calls[1].problem, "the arguments are no JSON object (they are no object): [1]");
    EXPECT_EQ(answer.calls[2].problem, "the call names no tool");
    EXPECT_EQ(answer.calls[3].problem, "");
    EXPECT_EQ(answer.calls[3].arguments.bytes(), R"({"y":1})");
}

TEST(ChatAnswer, that_was_cut_off_is_none) {
    const std::string ended = "unreachable: the stream ended before the answer was whole";
    EXPECT_EQ(read_every_way(say("Hel")), ended);
    EXPECT_EQ(read_every_way(say("Hel") + R"(data: {"choices":[{"del)"), ended);
    EXPECT_EQ(read_every_way(": ping\n\n"), ended);
    EXPECT_EQ(read_every_way("dat"), "protocol: there is no answer in: dat");
    EXPECT_EQ(read("", 1), "protocol: the answer is empty");
    EXPECT_TRUE(read_every_way(R"({"choices":[{"mess)").starts_with("protocol: the answer is no JSON: "));
}

TEST(ChatAnswer, that_is_something_else_is_refused_with_an_excerpt) {
    EXPECT_EQ(read_every_way("<html>\n<body>login</body></html>"),
              "protocol: there is no answer in: <html>\n<body>login</body></html>");
    EXPECT_EQ(read_every_way(done + "data: 1"), "protocol: the stream ended without an answer after \"\"");
    EXPECT_EQ(read_every_way("{}"), "protocol: there is no answer in: {}");
    EXPECT_EQ(read_every_way("data: 5\n\n"), "protocol: a piece of the stream is no object: 5 after \"\"");
    EXPECT_EQ(read_every_way(event(R"({"choices":[7]})")), "protocol: a choice is no object: 7 after \"\"");
    EXPECT_EQ(read_every_way(say("a") + "data: {\"choices\"\n\n"),
              "protocol: a piece of the stream is no JSON: line 1, column 11: a colon is expected after a name, in: "
              "{\"choices\" after \"a\"");
    EXPECT_LT(read(std::string(100'000, 'x'), 1000).size(), 300U);
}

TEST(ChatAnswer, may_be_an_error_after_all) {
    const auto failed = [](const std::string& error) { return read_every_way(say("Hel") + error + done); };
    EXPECT_EQ(failed(event(R"({"error":{"message":"it fell over","type":"server_error","code":500}})")),
              "server: an error in place of the answer: it fell over after \"Hel\"");
    EXPECT_EQ(
        failed("error: {\"code\":400,\"message\":\"the request exceeds the available context size\"}\n\n"),
        "too_long: an error in place of the answer: the request exceeds the available context size after \"Hel\"");
    EXPECT_EQ(failed(event(R"({"error":{"message":"slowly","type":"rate_limit_error"}})")),
              "rate_limited: an error in place of the answer: slowly after \"Hel\"");
    EXPECT_EQ(failed(event(R"({"object":"error","message":"no","code":400})")),
              "invalid: an error in place of the answer: no after \"Hel\"");
    EXPECT_EQ(read_every_way(R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})"),
              "server: an error in place of the answer: Loading model");
    EXPECT_EQ(read_every_way(R"([{"error":{"code":429,"message":"quota"}}])"),
              "rate_limited: an error in place of the answer: quota");
    EXPECT_EQ(read_every_way(event(R"({"error":null,"choices":[{"delta":{"content":"a"}}]})") + stop + done),
              "\"a\" stop 0+0?");
}

TEST(ChatAnswer, is_bounded) {
    model::ChatBounds bounds;
    bounds.text_bytes = 10;
    EXPECT_EQ(read_every_way(say("12345") + say("67890") + stop, bounds), "\"1234567890\" stop 0+0?");
    EXPECT_EQ(read_every_way(say("12345") + say("678901") + stop, bounds),
              "protocol: the answer's text has more than 10 bytes after \"12345\"");
    bounds = {};
    bounds.line_bytes = 100;
    EXPECT_EQ(read_every_way(say("a") + "data: " + std::string(200, 'x'), bounds),
              "protocol: a line of the stream has more than 100 bytes after \"a\"");
    bounds = {};
    bounds.calls = 2;
    const std::string one = R"({"function":{"name":"f","arguments":"{}"}})";
    EXPECT_EQ(read_every_way(call(one) + call(one) + stop, bounds), R"("" tool_calls call_0=f{} call_1=f{} 0+0?)");
    EXPECT_EQ(read_every_way(call(one) + call(one) + call(one) + stop, bounds),
              "protocol: there are more than 2 tool calls after \"\"");
    bounds = {};
    bounds.calls_bytes = 5;
    EXPECT_EQ(read_every_way(call(one) + call(one) + stop, bounds),
              "protocol: the tool calls have more than 5 bytes after \"\"");
    bounds = {};
    bounds.body_bytes = 200;
    EXPECT_EQ(read_every_way(": " + std::string(190, 'x') + "\n" + std::string(100, '\n'), bounds),
              "protocol: the answer has more than 200 bytes after \"\"");
    bounds = {};
    bounds.json_bytes = 20;
    EXPECT_EQ(read_every_way("{" + std::string(20, ' ') + "}", bounds),
              "protocol: the answer has more than 20 bytes after \"\"");
}

TEST(ChatFailures, are_told_apart_by_status_and_words) {
    const auto kind = [](int status, std::string_view body) {
        return std::string(model::chat_failure_name(read_chat_failure(status, body).kind));
    };
    EXPECT_EQ(kind(400, R"({"error":{"message":"no tools here"}})"), "invalid");
    EXPECT_EQ(kind(422, "{}"), "invalid");
    EXPECT_EQ(kind(401, ""), "refused");
    EXPECT_EQ(kind(402, ""), "refused");
    EXPECT_EQ(kind(403, ""), "refused");
    EXPECT_EQ(kind(404, R"({"error":"model \"x\" not found"})"), "not_found");
    EXPECT_EQ(kind(400, R"({"error":{"message":"?","code":"model_not_found"}})"), "not_found");
    EXPECT_EQ(kind(429, ""), "rate_limited");
    EXPECT_EQ(kind(429, R"({"error":"context length"})"), "rate_limited");
    EXPECT_EQ(kind(500, ""), "server");
    EXPECT_EQ(kind(503, "busy"), "server");
    EXPECT_EQ(kind(408, ""), "server");
    EXPECT_EQ(kind(302, ""), "protocol");
    EXPECT_EQ(kind(413, ""), "too_long");
    EXPECT_EQ(kind(400, R"({"error":{"message":"?","code":"context_length_exceeded"}})"), "too_long");
    EXPECT_EQ(kind(400, R"({"error":{"message":"?","type":"exceed_context_size_error"}})"), "too_long");
    EXPECT_EQ(
        kind(400, R"({"object":"error","message":"This model's maximum context length is 10 tokens","code":400})"),
        "too_long");
    EXPECT_EQ(kind(500, R"({"error":{"message":"Context size has been exceeded."}})"), "too_long");
}

TEST(ChatFailures, have_the_words_of_the_server_in_bounds) {
    const auto words = [](std::string_view body) { return read_chat_failure(400, body).message; };
    EXPECT_EQ(words(R"({"error":{"message":"a","type":"b"}})"), "HTTP 400: a");
    EXPECT_EQ(words(R"({"error":"a"})"), "HTTP 400: a");
    EXPECT_EQ(words(R"({"detail":"a"})"), "HTTP 400: a");
    EXPECT_EQ(words(R"({"detail":[{"loc":["body"]}]})"), R"(HTTP 400: [{"loc":["body"]}])");
    EXPECT_EQ(words(R"([{"error":{"message":"a"}}])"), "HTTP 400: a");
    EXPECT_EQ(words("plain\nand more"), "HTTP 400: plain");
    EXPECT_EQ(words("\xff"), "HTTP 400: \xEF\xBF\xBD");
    EXPECT_EQ(words("[]"), "HTTP 400: []");
    EXPECT_EQ(words(""), "HTTP 400");
    EXPECT_LT(words(std::string(100'000, 'x')).size(), 5000U);
    EXPECT_LT(words(R"({"error":")" + std::string(100'000, 'x') + "\"}").size(), 5000U);
    EXPECT_EQ(read_chat_failure(307, "").message, "HTTP 307, which leads elsewhere and is not followed");
}

model::ChatRequest question() {
    model::ChatRequest request;
    request.model = "m";
    request.messages = {{ChatRole::user, "Hi \"you\"", {}, {}}};
    return request;
}

std::string body_of(const model::ChatRequest& request) {
    auto body = chat_request_body(request);
    if (!body.ok()) return body.error().field + " " + body.error().message;
    EXPECT_TRUE(validate(*body).ok()) << *body;
    return *body;
}

TEST(ChatRequest, says_as_little_as_it_can) {
    EXPECT_EQ(body_of(question()), R"({"model":"m","messages":[{"role":"user","content":"Hi \"you\""}],"stream":true,)"
                                   R"("stream_options":{"include_usage":true}})");
}

TEST(ChatRequest, carries_a_turn_with_tools) {
    model::ChatRequest request = question();
    request.messages.insert(request.messages.begin(), {ChatRole::system, "Be brief.", {}, {}});
    request.messages.push_back(
        {ChatRole::assistant, "", {{"c1", "f", model::RawJson::trusted(R"({"x":"y"})"), {}}}, {}});
    request.messages.push_back({ChatRole::tool, "7", {}, "c1"});
    request.tools = {{"f", "does f", model::RawJson::trusted(R"({"type":"object"})")}, {"g", "", {}}};
    request.temperature = 0.5;
    request.output_tokens_max = 100;
    request.endpoint.streaming = model::ChatStreaming::whole;
    EXPECT_EQ(
        body_of(request),
        R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi \"you\""},)"
        R"({"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f",)"
        R"("arguments":"{\"x\":\"y\"}"}}]},{"role":"tool","content":"7","tool_call_id":"c1"}],"stream":false,)"
        R"("temperature":0.5,"max_tokens":100,"tools":[{"type":"function","function":{"name":"f",)"
        R"("description":"does f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g",)"
        R"("parameters":{}}}]})");
}

TEST(ChatRequest, says_which_tool_is_wanted) {
    model::ChatRequest request = question();
    const auto ends = [&request](std::string_view with) { return body_of(request).ends_with(with); };
    request.tool_choice = model::ToolChoice::required;
    EXPECT_EQ(body_of(request).find("tool_choice"), std::string::npos) << "there are none";
    request.tools = {{"f", "", {}}};
    EXPECT_TRUE(ends(R"(,"tool_choice":"required"})"));
    request.tool_choice = model::ToolChoice::none;
    EXPECT_TRUE(ends(R"(,"tool_choice":"none"})"));
    request.tool_choice = model::ToolChoice::one;
    request.tool = "f";
    EXPECT_TRUE(ends(R"(,"tool_choice":{"type":"function","function":{"name":"f"}}})"));
    request.endpoint.output_limit_name = model::OutputLimitName::max_completion_tokens;
    request.output_tokens_max = 5;
    EXPECT_NE(body_of(request).find(R"("max_completion_tokens":5)"), std::string::npos);
}

TEST(ChatRequest, that_no_server_understands_is_refused) {
    const auto refused = [](const std::function<void(model::ChatRequest&)>& change) {
        model::ChatRequest request = question();
        change(request);
        return body_of(request);
    };
    EXPECT_EQ(refused([](auto& r) { r.model = ""; }), "model must name a model");
    EXPECT_EQ(refused([](auto& r) { r.messages.clear(); }), "messages must have a message at least");
    EXPECT_EQ(refused([](auto& r) { r.messages[0].text = "\xff"; }), "messages[0] is not UTF-8");
    EXPECT_EQ(refused([](auto& r) { r.messages[0].calls.push_back({"a", "f", {}, {}}); }),
              "messages[0] has tool calls, which only an assistant makes");
    EXPECT_EQ(refused([](auto& r) { r.messages[0].role = ChatRole::tool; }),
              "messages[0] must name its call if it is a result, else none");
    EXPECT_EQ(refused([](auto& r) { r.messages[0].tool_call_id = "a"; }),
              "messages[0] must name its call if it is a result, else none");
    EXPECT_EQ(refused([](auto& r) { r.tool_choice = model::ToolChoice::one; }), "tool must be one of the tools");
    EXPECT_EQ(refused([](auto& r) { r.tools = {{"", "", {}}}; }), "tools must have a name and a description in UTF-8");
    EXPECT_EQ(refused([](auto& r) { r.bounds.request_bytes = 10; }), " the request has more than 10 bytes");
}

}  // namespace
}  // namespace belfry::codec
