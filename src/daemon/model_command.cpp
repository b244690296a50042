#include "daemon/model_command.hpp"

#include <charconv>
#include <limits>

#include "daemon/model_answer.hpp"
#include "host/system_clock.hpp"
#include "net/outbound/chat_completions.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::daemon {
namespace {

using cli::Arguments;
using cli::Context;
using cli::Exit;

model::ChatTool sample_tool() {
    return {"current_time", "Tells the time in a zone of the world.",
            model::RawJson::trusted(R"({"type":"object","properties":{"zone":{"type":"string","description":)"
                                    R"("an IANA zone such as Europe/Berlin"}},"required":["zone"]})")};
}

base::Result<void> read_times(const Arguments& arguments, model::ChatTimes& times) {
    const auto read = [&arguments](std::string_view option, base::Duration& into) -> base::Result<void> {
        TRY_ASSIGN(const auto time, arguments.duration(option));
        if (time) into = *time;
        return {};
    };
    TRY(read("connect-timeout", times.connect));
    TRY(read("first-timeout", times.first_byte));
    TRY(read("silence-timeout", times.silence));
    return read("timeout", times.whole);
}

base::Result<void> read_endpoint(const Arguments& arguments, const host::Environment& environment,
                                 model::ChatEndpoint& at) {
    const auto url = arguments.value("url");
    if (!url) return cli::wrong("--url is missing: where the server is, as http://127.0.0.1:11434/v1");
    at.base_url = *url;
    at.tls_ca_file = arguments.value_or("ca-file", "");
    if (const auto name = arguments.value("key-env")) {
        const auto key = environment.get(*name);
        if (!key) return cli::wrong("the environment has no " + *name + ", which --key-env names");
        at.secret = *key;
    }
    for (const std::string& header : arguments.values("header")) {
        const std::size_t colon = header.find(':');
        if (colon == std::string::npos) return cli::wrong("--header must be \"NAME: VALUE\"");
        const std::size_t value = std::min(header.find_first_not_of(' ', colon + 1), header.size());
        at.headers.emplace_back(header.substr(0, colon), header.substr(value));
    }
    if (arguments.has("no-stream")) at.streaming = model::ChatStreaming::whole;
    return {};
}

base::Result<void> read_settings(const Arguments& arguments, model::ChatRequest& request) {
    if (const auto text = arguments.value("temperature")) {
        double number = 0;
        const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
        const bool is_number = failed == std::errc{} && end == text->data() + text->size();
        if (!is_number || !(number >= 0 && number <= 2)) {
            return cli::wrong("--temperature must be a number from 0 to 2, not \"" + *text + "\"");
        }
        request.temperature = number;
    }
    constexpr std::int64_t tokens_max = std::numeric_limits<std::int32_t>::max();
    TRY_ASSIGN(request.output_tokens_max, arguments.integer("max-tokens", 1, tokens_max));
    TRY_ASSIGN(const auto newer, arguments.integer("max-completion-tokens", 1, tokens_max));
    if (newer && request.output_tokens_max) {
        return cli::wrong("--max-tokens and --max-completion-tokens are two names of one limit: give one");
    }
    if (newer) {
        request.output_tokens_max = newer;
        request.endpoint.output_limit_name = model::OutputLimitName::max_completion_tokens;
    }
    return read_times(arguments, request.times);
}

base::Result<model::ChatRequest> read_request(const Arguments& arguments, const host::Environment& environment) {
    if (arguments.positional(0) != "try") {
        return cli::wrong("ACTION must be try, not \"" + arguments.positional(0) + "\"");
    }
    model::ChatRequest request;
    TRY(read_endpoint(arguments, environment, request.endpoint));
    request.model = arguments.value_or("model", "");
    if (request.model.empty()) return cli::wrong("--model is missing: which of the server's models");
    TRY(read_settings(arguments, request));
    std::string text = "Say hello in one short sentence.";
    if (arguments.has("tool")) {
        request.tools.push_back(sample_tool());
        text = "What time is it in Berlin? Use the tool.";
    }
    if (const auto system = arguments.value("system")) {
        request.messages.push_back({model::ChatRole::system, *system, {}, {}});
    }
    if (arguments.positionals().size() > 1) text = arguments.positional(1);
    request.messages.push_back({model::ChatRole::user, text, {}, {}});
    return request;
}

Exit run_model(Context& context, const Arguments& arguments) {
    auto request = read_request(arguments, context.environment);
    if (!request.ok()) return cli::usage_error(context, arguments, request.error());
    const bool as_json = arguments.has("json");
    const host::SystemClock clock;
    net::ChatCompletions models(rules::estimate_model_tokens);
    const auto call = models.begin(std::move(request).value());
    const base::Duration before = clock.monotonic();
    std::optional<base::Duration> first_text;
    const model::ChatOutcome outcome = call->wait([&](std::string_view piece) {
        if (!first_text) first_text = clock.monotonic() - before;
        if (as_json) return;
        cli::write_foreign(context.console, piece);
        if (!context.console.out.flush()) call->cancel();
    });
    if (context.console.out.is_closed()) return Exit::ok;
    if (const auto* const failure = std::get_if<model::ChatFailure>(&outcome)) {
        // What came of the text ends in the middle of a line.
        if (first_text && !as_json) context.console.out.write("\n");
        context.console.out.flush();
        return show_failure(context, arguments, *failure);
    }
    const auto& answer = std::get<model::ChatAnswer>(outcome);
    if (as_json) {
        context.console.out.line(answer_line(answer, first_text));
        return Exit::ok;
    }
    show_answer(context, answer);
    if (arguments.has("tool") && answer.calls.empty()) cli::remark(context, "the model did not call the tool");
    return Exit::ok;
}

}  // namespace

cli::Command model_command() {
    cli::Command command;
    command.name = "model";
    command.summary = "see whether a language model's server works";
    command.detail =
        "try sends one question to an OpenAI-compatible server (Ollama, llama.cpp, vLLM, hosted ones), with what\n"
        "the daemon asks models with, and shows the answer as it comes, how long it took and what it cost. It\n"
        "needs no daemon. With --tool a harmless tool is offered; its call is shown and not made. docs/models.md\n"
        "tells what servers differ in.";
    command.options = {{"url", "URL", "where the server is, as http://127.0.0.1:11434/v1"},
                       {"model", "NAME", "which of the server's models"},
                       {"key-env", "NAME", "the environment variable that holds the key"},
                       {"header", "HEADER",
                        "another header, as \"NAME: VALUE\"; others can read it in the list of processes", 0, true},
                       {"ca-file", "FILE", "PEM file of certificates to trust besides the system's"},
                       {"system", "TEXT", "what the model is told before the question"},
                       {"tool", "", "offer a tool, and show its call"},
                       {"no-stream", "", "ask for the answer in one piece"},
                       {"temperature", "N", "0 to 2; the server's own without it"},
                       {"max-tokens", "N", "the most tokens to answer with"},
                       {"max-completion-tokens", "N", "the same, under the name that newer hosted models want"},
                       {"connect-timeout", "TIME", "for the connection (10s)"},
                       {"first-timeout", "TIME", "for the first byte of the answer (2m)"},
                       {"silence-timeout", "TIME", "between two pieces of it (1m)"},
                       {"timeout", "TIME", "for all of it (10m)"}};
    command.positionals = {{"ACTION", "try"}, {"TEXT", "the question", cli::PositionalSpec::Count::optional}};
    command.examples = {
        {"belfry model try --url http://127.0.0.1:11434/v1 --model llama3 \"Say hello\"", "a local server"},
        {"belfry model try --url https://api.example.com/v1 --model large --key-env API_KEY --tool",
         "a hosted one: does it call tools?"},
        {"belfry model try --url http://127.0.0.1:8080/v1 --model any --json | jq .first_text_ms",
         "how long until it begins to speak?"}};
    command.exits = {{Exit::failure, "the model did not answer; the message says why"},
                     {Exit::unreachable, "the server cannot be reached, takes too long or fails"},
                     {Exit::refused, "the server refuses the key, or wants one"}};
    command.run = run_model;
    return command;
}

}  // namespace belfry::daemon
