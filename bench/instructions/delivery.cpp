#include <vector>

#include "common/fail.hpp"
#include "instructions/count.hpp"
#include "instructions/http_client.hpp"
#include "instructions/in_process_daemon.hpp"
#include "instructions/paths.hpp"

namespace belfry::bench {
namespace {

constexpr int notifications_per_pull = 3;

std::string failure_of(std::int64_t number) {
    const std::string name = std::to_string(100'000 + number);
    return R"({"type":"tool.call.failure","source":"tool_executor","session_id":"session-1","user_id":"ada",)"
           R"("payload":{"tool_name":"vault_search","call_id":"call-)" +
           name + R"(","error_type":"timeout","error_message":"Operation )" + name + R"( timed out after 5000ms"}})";
}

std::string session_of(std::int64_t number) {
    return "session-" + std::to_string(100'000 + number);
}

}  // namespace

void count_notification(const std::string& folder) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    const Rounds rounds{10, 50};
    std::vector<std::string> requests;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        requests.push_back(client.request("POST", "/v1/events", failure_of(i)));
    }
    count("notification", rounds, [&](std::int64_t i) {
        client.send(requests[static_cast<std::size_t>(i)], "201");
        daemon.pass(base::limits::batch_window_default);
    });
    if (daemon.notifications_made() != static_cast<std::uint64_t>(rounds.all())) fail("a notification is missing");
}

void count_delivery(const std::string& folder) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    const Rounds rounds{10, 50};
    std::vector<std::string> pulls;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        const std::string session = session_of(i);
        client.ask("PUT", "/v1/sessions/" + session, R"({"user_id":"ada"})", "20");
        for (int n = 0; n < notifications_per_pull; ++n) {
            client.ask("POST", "/v1/notifications",
                       R"({"session_id":")" + session + R"(","text":"Build )" + std::to_string(n) +
                           R"( of the archive has failed: disk full",)"
                           R"("routing":{"address":"session","target":"agent","handler":"system"}})",
                       "201");
        }
        pulls.push_back(client.request("POST", "/v1/sessions/" + session + "/pull", R"({"point":"turn_start"})"));
    }
    std::vector<std::string> answers(static_cast<std::size_t>(rounds.all()));
    count("pull", rounds, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        answers[at] = client.send(pulls[at], "200");
    });
    std::vector<std::string> acknowledgements;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        const std::string pull_id(member_of(answers[static_cast<std::size_t>(i)], "pull_id"));
        acknowledgements.push_back(client.request("POST", "/v1/sessions/" + session_of(i) + "/acknowledge",
                                                  R"({"pull_id":")" + pull_id + R"("})"));
    }
    count("acknowledgement", rounds,
          [&](std::int64_t i) { client.send(acknowledgements[static_cast<std::size_t>(i)], "200"); });
}

}  // namespace belfry::bench
