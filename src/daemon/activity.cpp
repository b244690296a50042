#include "daemon/activity.hpp"

#include <array>
#include <chrono>

#include "model/event.hpp"
#include "ports/commands/intake.hpp"

namespace belfry::daemon {
namespace {

struct Scene {
    const char* type;
    const char* source;
    const char* payload;  // @ becomes the turn's number
};

constexpr std::array<Scene, 9> scenes{{
    {"agent.turn.start", "agent", R"({"turn_number":@,"session_id":"demo"})"},
    {"tool.call.pending", "tool_executor",
     R"({"tool_name":"vault_search","call_id":"call-@a","arguments":{"query":"release notes"}})"},
    {"tool.call.success", "tool_executor",
     R"({"tool_name":"vault_search","call_id":"call-@a","duration_ms":412,"result_summary":"17 notes"})"},
    {"tool.call.pending", "tool_executor", R"({"tool_name":"web_fetch","call_id":"call-@b"})"},
    {"tool.call.timeout", "tool_executor", R"({"tool_name":"web_fetch","call_id":"call-@b","timeout_ms":5000})"},
    {"tool.call.failure", "tool_executor",
     R"({"tool_name":"web_fetch","call_id":"call-@c","error_type":"connection_refused","error_message":"Nobody listens on port 8081","retry_count":1})"},
    {"budget.token.warning", "budget_monitor",
     R"({"budget_type":"token","current":42500,"limit":50000,"percentage":85,"remaining":7500})"},
    {"subagent.complete", "supervisor",
     R"({"task_id":"task-@","result_summary":"changelog drafted","duration_ms":8211})"},
    {"agent.turn.end", "agent",
     R"({"turn_number":@,"session_id":"demo","reason":"done","tool_calls":3,"tokens_used":4211})"},
}};

std::string fill_in(std::string_view text, std::uint64_t turn) {
    std::string out;
    for (const char c : text) {
        if (c == '@') out += std::to_string(turn);
        else out += c;
    }
    return out;
}

}  // namespace

void Activity::greet(cli::Context& context, const std::string& base, const std::string& link,
                     const std::string& token) {
    cli::Output& out = context.console.out;
    const bool colours = context.console.colours_out;
    out.line("");
    out.line("  " + cli::paint("Belfry rings.", cli::Colour::bold, colours) +
             " A temporary store; everything is gone when it stops (Ctrl-C).");
    out.line("");
    out.line("  look    " + cli::paint(link, cli::Colour::cyan, colours));
    out.line("  follow  belfry tail --url " + base + " --token " + token);
    out.line("  ring    curl -s " + base + "/v1/events -H 'Authorization: Bearer " + token + "' \\");
    out.line(
        "            -d "
        "'{\"type\":\"ci.failed\",\"source\":\"me\",\"severity\":\"error\",\"payload\":{\"branch\":\"main\"}}'");
    out.line("");
    out.flush();
}

void Activity::start() {
    thread_ = std::thread([this] { run(); });
}

void Activity::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_asked_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Activity::run() {
    std::size_t scene = 0;
    std::uint64_t turn = 1;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        emit(scene, turn);
        lock.lock();
        scene = (scene + 1) % scenes.size();
        if (scene == 0) ++turn;
        stop_asked_.wait_for(lock, std::chrono::milliseconds(scene == 0 ? 2500 : 700), [this] { return stopping_; });
    }
}

void Activity::emit(std::size_t scene, std::uint64_t turn) {
    model::Event event;
    event.type = scenes[scene].type;
    event.source = scenes[scene].source;
    event.user_id = "you";
    event.session_id = "demo";
    event.agent_id = "scribe";
    event.payload = model::RawJson::trusted(fill_in(scenes[scene].payload, turn));
    auto command = std::make_unique<ports::EmitEvents>();
    command->principal = model::house_principal();
    command->bytes = 512;
    command->entries.push_back({std::move(event), {}});
    ports::AnyCommand any = std::move(command);
    (void)gateway_.submit(any);
}

}  // namespace belfry::daemon
