#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "codec/json.hpp"
#include "net/openapi.hpp"
#include "net/routes.hpp"
#include "net/test_client.hpp"
#include "net/test_house.hpp"

namespace belfry::net::test {
namespace {

using model::JsonView;
using model::JsonWalker;

TEST(OpenApi, describes_exactly_the_routes_of_the_table) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(request("GET", "/openapi.json"));
    ASSERT_EQ(got.status, 200);
    const auto document = codec::validate(got.body);
    ASSERT_TRUE(document.ok()) << document.error().message;
    EXPECT_EQ(document->member("openapi")->as_text(), "3.1.0");
    std::set<std::string> described;
    JsonWalker paths(*document->member("paths"));
    std::string_view path;
    while (const auto item = paths.next(&path)) {
        JsonWalker operations(*item);
        std::string_view method;
        while (operations.next(&method)) described.insert(std::string(method) + " " + std::string(path));
    }
    std::set<std::string> served;
    for (const Route& route : routes()) {
        std::string method(wire::method_name(route.method));
        for (char& c : method) c = static_cast<char>(c | 0x20);
        served.insert(method + " " + std::string(route.path));
    }
    EXPECT_EQ(described, served);
}

TEST(OpenApi, every_reference_leads_to_a_schema_and_every_schema_is_referred_to) {
    const std::string& document = openapi_document();
    const auto schemas = codec::validate(openapi_schemas());
    ASSERT_TRUE(schemas.ok()) << schemas.error().message;
    std::set<std::string> known;
    JsonWalker walker(schemas->view());
    std::string_view name;
    while (walker.next(&name)) known.insert(std::string(name));
    // Of WebSockets, for which OpenAPI has no place.
    std::set<std::string> used{"StreamMessage", "RunStreamMessage", "SessionStreamMessage", "InboxWord"};
    const std::string mark = "#/components/schemas/";
    for (std::size_t at = 0; (at = document.find(mark, at)) != std::string::npos;) {
        at += mark.size();
        used.insert(document.substr(at, document.find('"', at) - at));
    }
    EXPECT_EQ(known, used);
}

TEST(OpenApi, an_answer_may_have_several_content_types) {
    EXPECT_NE(openapi_document().find(
                  R"("content":{"application/json":{"schema":{"$ref":"#/components/schemas/BatchResult"}},)"
                  R"("application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}})"),
              std::string::npos);
    for (const Route& route : routes()) {
        std::set<std::pair<int, std::string_view>> answers;
        for (std::size_t i = 0; i < route.answers.size(); ++i) {
            EXPECT_TRUE(answers.emplace(route.answers[i].status, route.answers[i].content_type).second) << route.id;
            const bool first = i == 0 || route.answers[i - 1].status != route.answers[i].status;
            EXPECT_EQ(route.answers[i].description.empty(), !first) << route.id;
        }
    }
}

TEST(OpenApi, every_path_parameter_is_described) {
    for (const Route& route : routes()) {
        std::size_t described = 0;
        for (const RouteParameter& parameter : route.parameters) {
            if (parameter.place != "path") continue;
            ++described;
            EXPECT_NE(route.path.find("{" + std::string(parameter.name) + "}"), std::string_view::npos) << route.id;
        }
        EXPECT_EQ(described, static_cast<std::size_t>(std::count(route.path.begin(), route.path.end(), '{')))
            << route.id;
    }
}

TEST(Operation, readiness_has_its_state) {
    House house;
    Client client(house.server->port());
    EXPECT_EQ(client.ask(request("GET", "/readyz")).status, 200);
    house.on_network([&] { house.queries.state = ports::Readiness::store_down; });
    const Got got = client.ask(request("GET", "/readyz"));
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.body, R"({"status":"store_down"})");
    EXPECT_EQ(client.ask(request("GET", "/healthz")).status, 200);
}

TEST(Operation, status_shows_its_fields) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(request("GET", "/v1/status", "service"));
    EXPECT_EQ(got.status, 200);
    ASSERT_TRUE(codec::validate(got.body).ok()) << got.body;
    EXPECT_NE(got.body.find(R"("version":"1.2.3")"), std::string::npos);
    EXPECT_NE(got.body.find(R"("streams":[{"name":"events","head":7,"floor":0}])"), std::string::npos);
}

TEST(Operation, metrics_are_text_for_prometheus) {
    House house;
    Client client(house.server->port());
    house.metrics.commit.counts[0] = 3;
    house.metrics.commit.counts[10] = 1;
    house.metrics.commit.us_total = 2'500'000;
    house.metrics.delivery.observe(50'000);
    const Got got = client.ask(request("GET", "/metrics", "admin"));
    EXPECT_EQ(got.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    for (const char* line :
         {"# TYPE belfry_http_requests_total counter\nbelfry_http_requests_total 1\n",
          "# TYPE belfry_connections gauge\nbelfry_connections 1\n", "belfry_commit_seconds_bucket{le=\"0.0001\"} 3\n",
          "belfry_commit_seconds_bucket{le=\"+Inf\"} 4\n", "belfry_commit_seconds_sum 2.5\n",
          "belfry_commit_seconds_count 4\n", "belfry_delivery_seconds_bucket{le=\"0.05\"} 1\n",
          "belfry_delivery_seconds_bucket{le=\"0.01\"} 0\n", "# TYPE belfry_http_seconds histogram\n",
          "belfry_notifications_open{state=\"pending\"} 4\n", "belfry_notifications_open{state=\"locked\"} 0\n",
          "belfry_runs_open{state=\"running\"} 2\n", "belfry_batches_open 1\n", "belfry_batch_rows_open 3\n",
          "belfry_obligations_open 5\n", "belfry_interactions_open 6\n"}) {
        EXPECT_NE(got.body.find(line), std::string::npos) << line << "\n" << got.body;
    }
}

TEST(Tokens, are_minted_listed_and_revoked) {
    House house;
    Client client(house.server->port());
    const Got minted = client.ask(request(
        "POST", "/v1/tokens", "admin", "",
        R"({"name":"ci","role":"emitter","user_id":null,"ttl_s":60,"bounds":{"type_prefixes":["ci."],"severity_max":"error"}})"));
    EXPECT_EQ(minted.status, 201);
    EXPECT_NE(minted.body.find(R"("token":"bf_t2_secret")"), std::string::npos);
    EXPECT_NE(minted.body.find(R"("type_prefixes":["ci."],"severity_max":"error")"), std::string::npos);
    const Got list = client.ask(request("GET", "/v1/tokens", "admin"));
    EXPECT_TRUE(list.body.starts_with(R"({"data":[{"id":"t1","name":"first")")) << list.body;
    EXPECT_EQ(list.body.find("secret"), std::string::npos);
    EXPECT_EQ(client.ask(request("DELETE", "/v1/tokens/t1", "admin")).status, 200);
    EXPECT_EQ(client.ask(request("DELETE", "/v1/tokens/t9", "admin")).status, 404);
}

TEST(Tokens, a_wish_that_is_none_names_the_field) {
    House house;
    Client client(house.server->port());
    const auto refused = [&](const std::string& body) {
        return client.ask(request("POST", "/v1/tokens", "admin", "", body)).body;
    };
    EXPECT_NE(refused(R"({"name":"x"})").find(R"("field":"role")"), std::string::npos);
    EXPECT_NE(refused(R"({"role":"king"})").find(R"("field":"role")"), std::string::npos);
    EXPECT_NE(refused(R"({"role":"user","ttl_s":0})").find(R"("field":"ttl_s")"), std::string::npos);
    EXPECT_NE(refused(R"({"role":"user","size":1})").find(R"("field":"size")"), std::string::npos);
    EXPECT_NE(refused(R"({"role":"user","bounds":{"users":[1]}})").find(R"("field":"bounds.users[0]")"),
              std::string::npos);
    EXPECT_NE(refused(R"({"role":)").find(R"("code":"malformed")"), std::string::npos);
}

TEST(Erasures, are_promised_and_can_be_followed) {
    House house;
    Client client(house.server->port());
    const Got got = client.ask(request("POST", "/v1/erasures", "admin", "", R"({"user_id":"ada"})"));
    EXPECT_EQ(got.status, 202);
    EXPECT_EQ(got.body, R"({"id":"018f0000-0000-7000-8000-000000000001"})");
    const Got state = client.ask(request("GET", got.header("Location"), "admin"));
    EXPECT_EQ(state.status, 200);
    EXPECT_NE(state.body.find(R"("state":"pending")"), std::string::npos);
    EXPECT_EQ(client.ask(request("GET", "/v1/erasures/none", "admin")).status, 404);
    EXPECT_EQ(client.ask(request("POST", "/v1/erasures", "admin", "", R"({"user_id":""})")).status, 422);
}

}  // namespace
}  // namespace belfry::net::test
