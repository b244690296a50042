// The loop of agent_loop.py once more, with Belfry's client library.
//
//     BELFRY_URL=http://127.0.0.1:7117 BELFRY_TOKEN=bf_… example_agent_loop [session]

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/client.hpp"

namespace {

using belfry::base::Result;
namespace client = belfry::client;
namespace model = belfry::model;

// What the model has before its eyes.
struct Context {
    std::string told;   // by Belfry and by the person
    std::string found;  // by tools
};

struct Thought {
    std::string text;  // the answer; empty: a call of this tool
    std::string tool;
};

// The model: asks the vault, and the notes once it has read that the vault does not answer.
Thought think(const Context& context) {
    if (!context.found.empty()) return {context.found, ""};
    return {"", context.told.find("vault_search") == std::string::npos ? "vault_search" : "note_search"};
}

// Puts what is due at this point into the model's context.
Result<void> take_due(client::Client& belfry, const std::string& session, model::InjectAt point, Context& context) {
    client::PullRequest request;
    request.point = point;
    request.budget_tokens = 2000;
    TRY_ASSIGN(const client::Pulled pulled, belfry.pull(session, request));
    // The person's own words come first. They count as read with the next call.
    for (const client::PulledUserMessage& message : pulled.user_messages) {
        std::printf("the person says: %s\n", message.content.c_str());
        context.told += "The user says: " + message.content + "\n";
    }
    if (pulled.text.empty()) return {};  // facts come without items
    TRY(belfry.acknowledge(session, pulled.pull_id));
    std::printf("%s: %zu for the model\n%s\n", std::string(model::inject_at_name(point)).c_str(), pulled.items.size(),
                pulled.text.c_str());
    context.told += pulled.text + "\n";
    return {};
}

// Runs a tool and reports how it went. What went wrong comes back to the model as a notification.
Result<std::string> call_tool(client::Client& belfry, const std::string& session, const std::string& tool, int call) {
    std::printf("the model calls %s\n", tool.c_str());
    client::ToolCallReport report;
    report.tool_name = tool;
    report.call_id = "call-" + std::to_string(call);
    std::string found;
    if (tool == "vault_search") {
        report.status = client::ToolCallReport::Status::failure;
        report.error_type = "timeout";
        report.error_message = "Operation timed out after 5000ms: keys";
    } else {
        found = "The keys hang beside the door.";
        report.duration_ms = 3;
        report.result_summary = found;
    }
    TRY(belfry.report_tool_call(session, report));
    return found;
}

// One turn of the agent: from a person's question to the answer.
Result<void> answer(client::Client& belfry, const std::string& session, Context& context) {
    TRY(belfry.report_turn(session, {}));
    TRY(take_due(belfry, session, model::InjectAt::turn_start, context));
    int calls = 0;
    for (;;) {
        const Thought thought = think(context);
        if (!thought.text.empty()) {
            std::printf("the agent says: %s\n", thought.text.c_str());
            break;
        }
        TRY_ASSIGN(context.found, call_tool(belfry, session, thought.tool, ++calls));
        TRY(take_due(belfry, session, model::InjectAt::after_tool, context));
    }
    client::TurnReport end;
    end.edge = client::TurnReport::Edge::end;
    end.reason = "answered";
    end.tool_calls = calls;
    end.tokens_used = 900;
    end.context_tokens = 4000;
    TRY(belfry.report_turn(session, end));
    return {};
}

Result<void> run(const std::string& url, const std::string& token, const std::string& session) {
    client::Options options;
    TRY_ASSIGN(options.endpoint, belfry::wire::parse_endpoint(url));
    options.token = token;
    client::Client belfry(options);
    client::SessionRequest wish;
    wish.title = "Where are the keys?";
    wish.budget = model::Budget{1000, 30, 0, 200000};
    TRY(belfry.put_session(session, wish));
    Context context;
    TRY(answer(belfry, session, context));
    return answer(belfry, session, context);  // 900 of 1000 tokens are gone: this turn begins with that
}

}  // namespace

int main(int count, char** arguments) {
    const char* const url = std::getenv("BELFRY_URL");
    const char* const token = std::getenv("BELFRY_TOKEN");
    const auto done = run(url != nullptr ? url : "http://127.0.0.1:7117", token != nullptr ? token : "",
                          count > 1 ? arguments[1] : "example-cpp");
    if (done.ok()) return 0;
    std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return 1;
}
