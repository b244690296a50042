#include <algorithm>
#include <gtest/gtest.h>

#include "net/guard.hpp"
#include "net/routes.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"
#include "net/test_socket.hpp"

namespace belfry::net::test {
namespace {

std::string concrete(std::string_view path) {
    std::string out(path);
    const auto replace = [&out](const std::string& from, const std::string& to) {
        if (const auto at = out.find(from); at != std::string::npos) out.replace(at, from.size(), to);
    };
    replace("/v1/streams/{name}", "/v1/streams/events");
    replace("/v1/tokens/{id}", "/v1/tokens/t1");
    replace("/v1/erasures/{id}", "/v1/erasures/018f0000-0000-7000-8000-000000000001");
    replace("/v1/sessions/{id}", "/v1/sessions/s1");
    replace("/v1/notifications/{id}", "/v1/notifications/018f0000-0000-7000-8000-000000000001");
    replace("/v1/subscribers/{id}", "/v1/subscribers/subagent");
    replace("/v1/runs/{id}", "/v1/runs/7");
    replace("/v1/interactions/{id}", "/v1/interactions/018f0000-0000-7000-8000-000000000007");
    replace("/v1/change-sets/{id}", "/v1/change-sets/018f0000-0000-7000-8000-000000000007");
    replace("/v1/tool-calls/{id}", "/v1/tool-calls/018f0000-0000-7000-8000-000000000007");
    replace("/items/{number}", "/items/1");
    replace("/sinks/{id}", "/sinks/018f0000-0000-7000-8000-000000000001");
    replace("/v1/tools/{name}", "/v1/tools/curl");
    replace("/v1/why/{id}", "/v1/why/018f0000-0000-7000-8000-000000000001");
    replace("/s1/context", "/s1/context?point=turn_start");
    replace("/v1/context/{name}", "/v1/context/build.progress");
    replace("/v1/users/{id}", "/v1/users/ada");
    replace("/v1/agents/{id}", "/v1/agents/a");
    replace("{mid}", "00000000-0000-7000-8000-000000000001");
    replace("/subscriptions/{sid}", "/subscriptions/018f0000-0000-7000-8000-000000000001");
    replace("/summaries/{sid}", "/summaries/018f0000-0000-7000-8000-000000000001");
    replace("/folds/{job}", "/folds/018f0000-0000-7000-8000-000000000001");
    replace("/memory/search", "/memory/search?q=x");
    replace("/timers/{tid}", "/timers/018f0000-0000-7000-8000-000000000001");
    replace("/v1/wakes/{id}", "/v1/wakes/7");
    replace("/v1/peers/{id}", "/v1/peers/phone");
    if (out.starts_with("/v1/journal/")) replace("{id}", "r1");
    replace("{relation}/{from}/{to}", "blocked_by/a/b");
    replace("/journal/links", "/journal/links?from=a");
    replace("/journal/links?from=a/", "/journal/links/");
    replace("/journal/search", "/journal/search?q=x");
    return out;
}

// A new record of the kind, with what it cannot be without; nothing of an import.
std::string journal_body(std::string_view path) {
    const std::string_view plural = path.substr(std::string_view("/v1/journal/").size());
    if (plural == "categories" || plural == "labels") return R"({"name":"x"})";
    if (plural == "tasks") return R"({"title":"x"})";
    if (plural == "checklists") return R"({"task_id":"t","title":"x"})";
    if (plural == "checklist_items") return R"({"checklist_id":"c","title":"x"})";
    if (plural == "day_plans") return R"({"plan_date":"2026-11-16"})";
    if (plural == "ratings") return R"({"target_id":"2026-11-16","score":3})";
    return plural == "import" ? "" : "{}";
}

std::string body_for(std::string_view id) {
    if (id == "emitEvents") return R"({"type":"a.b","source":"s"})";
    if (id == "mintToken") return R"({"role":"user"})";
    if (id == "eraseUser") return R"({"user_id":"u"})";
    if (id == "putSession") return "{}";
    if (id == "postMessage") return R"({"role":"user","content":"hi"})";
    if (id == "reportTurn") return R"({"event":"start"})";
    if (id == "reportToolCall") return R"({"status":"pending","tool_name":"t","call_id":"c"})";
    if (id == "notifySelf") return R"({"message":"hi"})";
    if (id == "pullNotifications") return R"({"point":"turn_start"})";
    if (id == "acknowledgeNotifications") return R"({"pull_id":"018f0000-0000-7000-8000-000000000001"})";
    if (id == "toggleSubscriber") return R"({"enabled":false})";
    if (id == "emitNotification") return R"({"text":"hi"})";
    if (id == "notify") return "hi";
    if (id == "ackNotification") return R"({"lease":1,"version":1})";
    if (id == "markNotification") return R"({"mark":"seen"})";
    if (id == "narrateNotification") return R"({"lease":1,"text":"hi"})";
    if (id == "putTool") return R"({"impact":"internal"})";
    if (id == "putContextValue") return R"({"content":"x"})";
    if (id == "askInteraction") return R"({"kind":"confirmation","message":"May I?"})";
    if (id == "answerInteraction") return R"({"decision":"deny"})";
    if (id == "finishRun") return R"({"state":"completed"})";
    if (id == "emitRunEvents") return R"({"event":"a.b"})";
    if (id == "runAgentAgUi") return R"({"threadId":"s1","runId":"1","messages":[]})";
    if (id == "redeemLink") return R"({"code":"nobody's"})";
    if (id == "putSettings") return R"({"disabled_subscribers":[]})";
    if (id == "createAgent") return R"({"id":"a"})";
    if (id == "changeAgent") return R"({"kind":"k"})";
    if (id == "addWakeSubscription") return R"({"types":["a.b"]})";
    if (id == "addTimer") return R"({"name":"t","schedule":{"kind":"daily","time":"07:00"}})";
    if (id == "changeTimer") return R"({"active":false})";
    if (id == "wakeAgent") return "{}";
    if (id == "claimWake") return R"({"agents":["a"]})";
    if (id == "appendAgentMessages") return R"({"fence":1,"messages":[{"kind":"thought"}]})";
    if (id == "callTool") return R"({"fence":1,"operation_id":"o"})";
    if (id == "storePlan") return R"({"fence":1,"actions":[{"tool_name":"t"}]})";
    if (id == "forgetMemory") return R"({"thread_id":"t"})";
    if (id == "importAgent") return R"({"agent":{"id":"x"}})";
    if (id == "renewWake" || id == "endWake" || id == "changeOwnState") return R"({"fence":1})";
    if (id == "pairWith") return R"({"code":"K7QF-92MX-4TRA","at":"127.0.0.1:7878"})";
    if (id == "claimToolCall") return R"({"tools":["t"]})";
    if (id == "renewToolCall") return R"({"fence":1})";
    if (id == "endToolCall") return R"({"fence":1,"result":{}})";
    return "";
}

Got call(House& house, const Route& route, const std::string& token) {
    Client client(house.server->port());
    const std::string fields = route.id == "followInbox" ? "Accept: text/event-stream\r\n"
                               : route.id == "openRpc"   ? upgrade
                                                         : "";
    const bool is_record = route.path.starts_with("/v1/journal/") && !route.request_schema.empty();
    const std::string body = !is_record                           ? body_for(route.id)
                             : route.method == wire::Method::post ? journal_body(route.path)
                                                                  : "{}";
    return client.ask(request(std::string(wire::method_name(route.method)), concrete(route.path), token, fields, body));
}

TEST(Access, every_route_is_open_to_exactly_those_whom_its_row_names) {
    House house;
    for (const Route& route : routes()) {
        for (int i = 0; i <= static_cast<int>(model::Role::emitter); ++i) {
            const auto role = static_cast<model::Role>(i);
            const Got got = call(house, route, std::string(model::role_name(role)));
            const bool may = !route.least || role <= *route.least;
            EXPECT_EQ(got.status == 403, !may) << route.id << " " << model::role_name(role) << " " << got.status;
            if (route.id == "redeemLink") {
                EXPECT_EQ(got.status, 410) << got.body;
            } else if (may) {
                EXPECT_LT(got.status, 300) << route.id << " " << got.body;
            }
        }
    }
}

TEST(Access, without_a_token_or_with_a_wrong_one_every_closed_route_says_401) {
    House house;
    for (const Route& route : routes()) {
        house.pass(base::seconds(2));  // failed logins are counted by the minute
        const Got none = call(house, route, "");
        const Got wrong = call(house, route, "nobody");
        EXPECT_EQ(none.status == 401, route.least.has_value()) << route.id;
        EXPECT_EQ(wrong.status == 401, route.least.has_value()) << route.id;
        if (!route.least) continue;
        EXPECT_EQ(wrong.header("WWW-Authenticate"), "Bearer");
        EXPECT_NE(wrong.body.find(R"("code":"unauthenticated")"), std::string::npos);
    }
}

TEST(Access, a_revoked_token_is_noticed_on_an_open_connection) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event()).status, 201);
    house.on_network([&] {
        house.access.principals.erase("emitter");
        ++house.access.generation_count;
    });
    EXPECT_EQ(client.ask(post_event()).status, 401);
}

TEST(Access, a_token_that_expired_is_noticed_within_a_second_or_so) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event()).status, 201);
    house.on_network([&] { house.access.principals.erase("emitter"); });
    house.pass(base::seconds(2));
    EXPECT_EQ(client.ask(post_event()).status, 401);
}

TEST(Access, one_connection_may_carry_several_tokens) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(post_event("emitter")).status, 201);
    house.on_network([&] { EXPECT_EQ(house.gateway.last_principal.id, "token:emitter"); });
    EXPECT_EQ(client.ask(post_event("admin")).status, 201);
    house.on_network([&] { EXPECT_EQ(house.gateway.last_principal.id, "token:admin"); });
    EXPECT_EQ(client.ask(request("POST", "/v1/events", "", "", "{}")).status, 401);
    EXPECT_EQ(client.ask(request("GET", "/v1/status", "", "Authorization: Basic admin\r\n")).status, 401);
}

TEST(Access, too_many_failed_logins_are_told_to_wait_and_valid_ones_pass) {
    House house;
    Client client(house.server->port());
    for (std::size_t i = 0; i < base::limits::failed_logins_per_minute_max; ++i) {
        ASSERT_EQ(client.ask(post_event("wrong" + std::to_string(i))).status, 401);
    }
    const Got got = client.ask(post_event("wrong"));
    EXPECT_EQ(got.status, 429);
    EXPECT_EQ(got.header("Retry-After"), "60");
    EXPECT_EQ(client.ask(post_event()).status, 201);
    house.pass(base::minutes(1));
    EXPECT_EQ(client.ask(post_event("wrong")).status, 401);
}

TEST(Access, a_ticket_opens_one_stream_once) {
    House house;
    Client client(house.server->port());
    const Got issued = client.ask(request("POST", "/v1/tickets", "user"));
    ASSERT_EQ(issued.status, 201);
    EXPECT_NE(issued.body.find(R"("expires_in":60)"), std::string::npos);
    const std::string ticket = issued.body.substr(11, issued.body.find('"', 11) - 11);
    const std::string target = "/v1/streams/events?ticket=" + ticket;
    EXPECT_EQ(client.ask(request("GET", "/v1/status?ticket=" + ticket)).status, 401);
    EXPECT_EQ(client.ask(request("GET", target)).status, 200);
    EXPECT_EQ(client.ask(request("GET", target)).status, 401);
    EXPECT_EQ(client.ask(request("GET", target.substr(0, target.size() - 1))).status, 401);
}

TEST(Access, a_ticket_has_the_role_of_its_token_and_expires) {
    House house;
    Client client(house.server->port());
    const auto issue = [&](const std::string& token) {
        const Got issued = client.ask(request("POST", "/v1/tickets", token));
        return "/v1/streams/events?ticket=" + issued.body.substr(11, issued.body.find('"', 11) - 11);
    };
    EXPECT_EQ(client.ask(request("POST", "/v1/tickets", "emitter")).status, 403);
    EXPECT_EQ(client.ask(request("GET", issue("agent"))).status, 200);
    const std::string late = issue("user");
    house.pass(base::limits::ticket_life);
    EXPECT_EQ(client.ask(request("GET", late)).status, 401);
}

TEST(Access, a_foreign_host_name_is_refused) {
    ServerOptions options;
    options.allowed_hosts = {"belfry.example.org"};
    House house(options);
    Client client(house.server->port());
    const auto status = [&](const std::string& host) {
        return client.ask("GET /healthz HTTP/1.1\r\n" + host + "\r\n").status;
    };
    EXPECT_EQ(status("Host: localhost:7117\r\n"), 200);
    EXPECT_EQ(status("Host: [::1]:80\r\n"), 200);
    EXPECT_EQ(status("Host: 127.0.0.1\r\n"), 200);
    EXPECT_EQ(status("Host: Belfry.Example.org:1\r\n"), 200);
    EXPECT_EQ(status("Host: evil.example.org\r\n"), 421);
    EXPECT_EQ(status("Host: localhost.evil.org\r\n"), 421);
    EXPECT_EQ(status("Host: localhost:80@evil.org\r\n"), 421);
    EXPECT_EQ(status(""), 400);
}

TEST(Access, the_address_that_is_listened_on_is_an_allowed_host) {
    const auto allowed = [](const std::string& host, std::string_view name) {
        ServerOptions options;
        options.host = host;
        return is_host_allowed(name, options);
    };
    EXPECT_TRUE(allowed("192.0.2.2", "192.0.2.2:7117"));
    EXPECT_FALSE(allowed("192.0.2.2", "192.0.2.3"));
    EXPECT_TRUE(allowed("2001:db8::2", "[2001:DB8:0::2]:7117"));
    EXPECT_FALSE(allowed("2001:db8::2", "[2001:db8::3]"));
    EXPECT_FALSE(allowed("0.0.0.0", "0.0.0.0"));
    EXPECT_FALSE(allowed("0.0.0.0", "192.0.2.2"));
    EXPECT_FALSE(allowed("::", "[::]"));
    EXPECT_FALSE(allowed("", ""));
    EXPECT_TRUE(allowed("", "localhost"));
}

TEST(Access, a_foreign_page_is_refused_and_a_configured_one_may_read) {
    ServerOptions options;
    options.allowed_origins = {"https://app.example.org"};
    House house(options);
    Client client(house.server->port());
    const auto from = [&](const std::string& origin) {
        return client.ask(request("GET", "/healthz", "", "Origin: " + origin + "\r\n"));
    };
    EXPECT_EQ(from("http://evil.example.org").status, 403);
    EXPECT_EQ(from("null").status, 403);
    EXPECT_EQ(from("http://localhost:3000").status, 200);
    EXPECT_EQ(from("http://localhost:3000").header("Access-Control-Allow-Origin"), "");
    const Got allowed = from("https://app.example.org");
    EXPECT_EQ(allowed.status, 200);
    EXPECT_EQ(allowed.header("Access-Control-Allow-Origin"), "https://app.example.org");
    EXPECT_EQ(allowed.header("Vary"), "Origin");
    const Got preflight = client.ask(request(
        "OPTIONS", "/v1/events", "", "Origin: https://app.example.org\r\nAccess-Control-Request-Method: POST\r\n"));
    EXPECT_EQ(preflight.status, 204);
    EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "POST, OPTIONS");
    EXPECT_TRUE(preflight.header("Access-Control-Allow-Headers").ends_with("Title, Priority"));
}

TEST(Access, host_names_are_cut_out_with_care) {
    EXPECT_EQ(host_name("localhost:80"), "localhost");
    EXPECT_EQ(host_name("[::1]:80"), "[::1]");
    EXPECT_EQ(host_name("[::1"), "");
}

}  // namespace
}  // namespace belfry::net::test
