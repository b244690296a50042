#include <vector>

#include "common/fail.hpp"
#include "instructions/count.hpp"
#include "instructions/http_client.hpp"
#include "instructions/in_process_daemon.hpp"
#include "instructions/paths.hpp"

namespace belfry::bench {
namespace {

constexpr const char* claim = R"({"agents":["fixer"],"lease_s":600})";

std::string wake_path(std::string_view grant, const char* action) {
    return "/v1/wakes/" + std::string(member_of(grant, "id")) + action;
}

std::string fence_of(std::string_view grant) {
    return R"({"fence":)" + std::string(member_of(grant, "fence"));
}

}  // namespace

void count_wake(const std::string& folder) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    client.ask("POST", "/v1/agents", R"({"id":"fixer","user_id":"ada"})", "201");
    client.ask("POST", "/v1/agents/fixer/subscriptions", R"({"types":["ci.*"],"window_ms":0})", "200");
    const Rounds rounds{10, 40};
    std::vector<std::string> events;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        events.push_back(client.request("POST", "/v1/events",
                                        R"({"type":"ci.failed","source":"ci","user_id":"ada","payload":{"branch":"b)" +
                                            std::to_string(100'000 + i) + R"(","message":"2 of 1381 tests failed"}})"));
    }
    const std::string claim_request = client.request("POST", "/v1/wakes/claim", claim);
    count("wake", rounds, [&](std::int64_t i) {
        client.send(events[static_cast<std::size_t>(i)], "201");
        const std::string_view grant = client.send(claim_request, "200");
        const std::string end =
            client.request("POST", wake_path(grant, "/end"), fence_of(grant) + R"(,"result":{"fixed":true}})");
        client.send(end, "200");
    });
}

void count_tool_call(const std::string& folder) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    const std::string category = client.ask("POST", "/v1/journal/categories?user=ada", R"({"name":"Work"})", "201");
    client.ask("POST", "/v1/agents",
               R"({"id":"fixer","user_id":"ada","capabilities":["task_read","task_write"],"allowed_category_ids":[")" +
                   std::string(member_of(category, "id")) + R"("]})",
               "201");
    client.ask("POST", "/v1/agents/fixer/wake", "{}", "201");
    const std::string grant = client.ask("POST", "/v1/wakes/claim", claim, "200");
    const Rounds rounds{10, 50};
    std::vector<std::string> calls;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        const std::string number = std::to_string(100'000 + i);
        calls.push_back(client.request("POST", wake_path(grant, "/call"),
                                       fence_of(grant) + R"(,"operation_id":"o)" + number +
                                           R"(","tool_name":"create_task","arguments":{"title":"Call the plumber )" +
                                           number + R"(","priority":"p1","dueDate":"2027-02-01"}})"));
    }
    count("tool_call", rounds, [&](std::int64_t i) {
        const std::string_view answer = client.send(calls[static_cast<std::size_t>(i)], "200");
        if (answer.find(R"("status":"success")") == std::string_view::npos) fail_bytes("the tool failed", answer);
    });
}

}  // namespace belfry::bench
