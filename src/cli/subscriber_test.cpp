#include <gtest/gtest.h>

#include "cli/world_test.hpp"
#include "client/scripted_server_test.hpp"
#include "codec/json.hpp"
#include "host/files.hpp"
#include "host/subscriber_folder.hpp"
#include "text/toon.hpp"

namespace belfry::cli {
namespace {

using client::ScriptedServer;
using client::ServedConnection;

constexpr std::string_view failure_of_ci = R"({"type":"ci.failed","source":"ci","payload":{"message":"red, again"}})";

struct Subscribers : testing::Test {
    World world;
    std::string folder = world.folder.file(".config/belfry/subscribers");

    void write(const std::string& name, const std::string& content) const {
        const std::string path = folder + '/' + name;
        ASSERT_TRUE(host::make_folder(host::parent_folder(path), 0700).ok());
        ASSERT_TRUE(host::write_file_atomically(path, content, 0600).ok());
    }
    static std::string toml(const std::string& id, const std::string& rest = "") {
        return "[subscriber]\nid = \"" + id + "\"\nname = \"CI\"\ndescription = \"d\"\nversion = \"1.0.0\"\n" +
               "[events]\ntypes = [\"ci.*\"]\n" + rest;
    }
    [[nodiscard]] std::string events(std::string_view lines) const {
        const std::string path = world.folder.file("events.json");
        EXPECT_TRUE(host::write_file_atomically(path, lines, 0600).ok());
        return path;
    }
};

TEST_F(Subscribers, a_broken_configuration_is_wrong_use_here_as_everywhere) {
    world.variables["BELFRY_SERVER_PORT"] = "x";
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::usage);
    EXPECT_EQ(world.run({"subscriber", "test", "subagent"}), Exit::usage);
}

TEST_F(Subscribers, lint_names_every_problem_with_its_place_and_fails_where_a_file_is_unusable) {
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::ok);
    EXPECT_NE(world.err.find("only the shipped subscribers are used"), std::string::npos);
    write("ci.toml", toml("ci"));
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::ok) << world.out;
    EXPECT_EQ(world.out, "");
    EXPECT_NE(world.err.find("nothing is wrong"), std::string::npos);
    write("ci.toml", toml("ci", "[output]\ntemplate = \"templates/ci.j2\"\n"));
    write("templates/ci.j2", "a\n{% if %}");
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::ok);
    EXPECT_EQ(world.out, folder +
                             "/templates/ci.j2:2:7: expected an expression, got '%}'; the fallback text is used (a "
                             "warning)\n");
    write("bad.toml", toml("Bad", "[batching]\nwindow_ms = 99999\n"));
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::failure);
    EXPECT_NE(world.out.find(folder + "/bad.toml:2:6: subscriber.id: must be a lower-case"), std::string::npos);
    EXPECT_NE(world.out.find(folder + "/bad.toml:9:13: batching.window_ms: must be a whole number from 0 to 10000, "
                                      "not 99999\n"),
              std::string::npos)
        << world.out;
    EXPECT_EQ(world.run({"subscriber", "lint", folder + "/bad.toml", "--json"}), Exit::failure);
    EXPECT_TRUE(codec::validate(world.out.substr(0, world.out.find('\n'))).ok());
    EXPECT_NE(world.out.find(R"("line":9,"column":13,"field":"batching.window_ms")"), std::string::npos) << world.out;
    EXPECT_EQ(world.run({"subscriber", "lint", world.folder.file("none")}), Exit::failure);
}

TEST_F(Subscribers, test_renders_samples_of_what_a_subscriber_listens_to) {
    EXPECT_EQ(world.run({"subscriber", "test", "tool_failure"}), Exit::ok) << world.err;
    EXPECT_TRUE(world.out.starts_with("-- tool_failure high after_tool: 2 events, ")) << world.out;
    EXPECT_NE(world.out.find("tool_fails[2]{tool,error,message,ts}:\n  vault_search,timeout,Operation timed out after "
                             "5000ms,\"12:00:00\"\n  vault_search,timeout,no answer in 5000ms,\"12:00:00\"\n"
                             "-- for people\nvault_search failed: Operation timed out after 5000ms\n"),
              std::string::npos)
        << world.out;
    EXPECT_EQ(world.run({"subscriber", "test", "tool_fialure"}), Exit::failure);
    EXPECT_NE(world.err.find("there is no usable subscriber \"tool_fialure\"; did you mean tool_failure?"),
              std::string::npos);
}

TEST_F(Subscribers, every_shipped_one_renders_its_samples_without_the_fallback) {
    for (const model::Subscriber& subscriber : host::read_subscribers("").subscribers) {
        EXPECT_EQ(world.run({"subscriber", "test", subscriber.id, "--json"}), Exit::ok) << world.err;
        const bool used_fallback = world.out.find(R"("used_fallback":true)") != std::string::npos;
        EXPECT_FALSE(used_fallback) << subscriber.id;
        const auto json = codec::validate(world.out.substr(0, world.out.find('\n')));
        ASSERT_TRUE(json.ok()) << world.out;
        EXPECT_TRUE(text::toon_decode(json->member("content")->as_text()).ok());
    }
}

TEST_F(Subscribers, test_counts_repeats_batches_and_leaves_out_what_is_not_for_it) {
    write("ci.toml", toml("ci", "severity_filter = \"warning\"\n[batching]\nmax_size = 2\ndedupe_key = \"type\"\n"));
    const std::string path = events(
        R"({"type":"ci.failed","source":"ci","severity":"error","payload":{"message":"red, again"}})"
        "\n"
        R"({"sequence":4,"event":{"type":"ci.failed","source":"ci","severity":"error","payload":{"message":"red"}}})"
        "\n"
        R"({"type":"ci.slow","source":"ci","severity":"warning","payload":{"message":"slow"}})"
        "\n"
        R"({"type":"ci.failed","source":"ci","severity":"error","payload":{}})"
        "\n"
        R"({"sequence":5,"erased":true})"
        "\n"
        R"({"type":"ci.done","source":"ci","severity":"info"})");
    EXPECT_EQ(world.run({"subscriber", "test", "ci", "--events", path}), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("-- ci normal turn_start: 3 events, "), std::string::npos) << world.out;
    EXPECT_NE(
        world.out.find(
            "notifications[2]{type,source,message,times}:\n  ci.failed,ci,\"red, again\",2\n  ci.slow,ci,slow,1\n"),
        std::string::npos)
        << world.out;
    EXPECT_NE(world.out.find("-- ci (follow-up) normal turn_start: 1 event, "), std::string::npos) << world.out;
    EXPECT_NE(world.out.find("1 more time"), std::string::npos);
    EXPECT_NE(world.err.find("1 event is not for this subscriber"), std::string::npos) << world.err;
}

TEST_F(Subscribers, test_says_when_a_template_fails) {
    write("ci.toml", toml("ci", "[output]\ntemplate = \"templates/ci.j2\"\n"));
    write("templates/ci.j2", "{{ event.nope.x }}");
    EXPECT_EQ(world.run({"subscriber", "test", "ci", "--events", events(failure_of_ci)}), Exit::failure);
    EXPECT_NE(world.out.find("the fallback\nci[1]{type,source,message}:\n  ci.failed,ci,\"red, again\"\n"),
              std::string::npos)
        << world.out;
    EXPECT_NE(world.err.find("templates/ci.j2:1:15: "), std::string::npos) << world.err;
    EXPECT_EQ(world.run({"subscriber", "test", "ci", "--events", events(R"([{"type":"nonsense"}])")}), Exit::failure);
    EXPECT_NE(world.err.find("event 1: type: "), std::string::npos) << world.err;
}

TEST_F(Subscribers, test_takes_another_folder) {
    const std::string other = world.folder.file("other");
    ASSERT_TRUE(host::make_folder(other, 0700).ok());
    ASSERT_TRUE(host::write_file_atomically(other + "/ci.toml", toml("ci"), 0600).ok());
    EXPECT_EQ(world.run({"subscriber", "test", "ci"}), Exit::failure);
    EXPECT_EQ(world.run({"subscriber", "test", "ci", "--folder", other}), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("ci.example,example,an example"), std::string::npos) << world.out;
}

TEST_F(Subscribers, the_example_of_the_document_works) {
    const auto document = host::read_file(BELFRY_SOURCE_DIR "/docs/subscribers.md", 1 << 20);
    ASSERT_TRUE(document.ok());
    const auto block = [&document](const std::string& language) {
        const std::size_t from = document->find("```" + language + '\n') + language.size() + 4;
        return document->substr(from, document->find("```", from) - from);
    };
    write("ci_failure.toml", block("toml"));
    write("templates/ci_failure.toon.j2", block("jinja"));
    EXPECT_EQ(world.run({"subscriber", "lint"}), Exit::ok) << world.out;
    EXPECT_EQ(world.out, "");
    const std::string path =
        events(R"({"type":"ci.build.failed","severity":"error","payload":{"branch":"main","message":"red, again"}})");
    EXPECT_EQ(world.run({"subscriber", "test", "ci_failure", "--events", path}), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("ci_fail: \"main red, again\"\n-- for people\nmain failed: red, again\n"),
              std::string::npos)
        << world.out;
}

TEST_F(Subscribers, doctor_names_file_line_and_field) {
    write("bad.toml", toml("bad", "[output]\npriority = \"loud\"\n"));
    EXPECT_EQ(world.run({"doctor"}), Exit::failure);
    EXPECT_NE(world.out.find("failure subscribers   " + folder +
                             "/bad.toml:9:12: output.priority: must be critical, high, normal or low, not \"loud\"\n"),
              std::string::npos)
        << world.out;
    write("bad.toml", toml("bad"));
    world.run({"doctor"});
    EXPECT_NE(world.out.find("ok      subscribers   13, 1 of them from " + folder), std::string::npos) << world.out;
}

// Answers one request and keeps it.
struct Daemon {
    Daemon(int status, std::string body)
        : server({[this, status, body = std::move(body)](ServedConnection& connection) {
              request = connection.request();
              connection.answer(status, body);
          }}) {}
    [[nodiscard]] std::string url() const { return server.endpoint().text(); }

    std::string request;
    ScriptedServer server;
};

constexpr std::string_view state =
    R"({"id":"source_stale","name":"Stale sources","description":"d","version":"1.0.0","types":["source.stale"],)"
    R"("severity_filter":null,"sources":[],"priority":"normal","inject_at":"after_tool","core":false,"enabled":false,)"
    R"("user_id":"ada","visible":true,"window_ms":2000,"origin":"shipped"})";

TEST_F(Subscribers, list_shows_what_is_on_and_what_is_wrong) {
    Daemon daemon(200, R"({"user_id":"ada","data":[)" + std::string(state) +
                           R"(,{"id":"tool_failure","name":"Tools","types":["a.b","c.d"],"priority":"high",)"
                           R"("inject_at":"after_tool","core":true,"enabled":true,"origin":"shipped"}],"next":null,)"
                           R"("has_more":false,"problems":[{"file":"x.toml","line":3,"column":5,"field":"output.core",)"
                           R"("message":"must be true or false","fatal":true}]})");
    EXPECT_EQ(world.run({"subscriber", "list", "--user", "ada", "--url", daemon.url(), "--token", "t"}), Exit::ok)
        << world.err;
    EXPECT_TRUE(daemon.request.starts_with("GET /v1/subscribers?user=ada&limit=1000 ")) << daemon.request;
    EXPECT_EQ(world.out,
              "ID            STATE  PRIORITY  POINT       TYPES         NAME           FILE\n"
              "source_stale  off    normal    after_tool  source.stale  Stale sources  shipped\n"
              "tool_failure  core   high      after_tool  a.b, c.d      Tools          shipped\n");
    EXPECT_NE(world.err.find("x.toml:3:5: output.core: must be true or false"), std::string::npos) << world.err;
}

TEST_F(Subscribers, show_and_switching_speak_to_the_daemon) {
    Daemon shown(200, std::string(state));
    EXPECT_EQ(world.run({"subscriber", "show", "source_stale", "--url", shown.url(), "--token", "t"}), Exit::ok);
    EXPECT_TRUE(shown.request.starts_with("GET /v1/subscribers/source_stale "));
    EXPECT_NE(world.out.find("types             source.stale\n"), std::string::npos) << world.out;
    EXPECT_EQ(world.out.find("severity_filter"), std::string::npos);
    Daemon off(200, std::string(state));
    EXPECT_EQ(world.run({"subscriber", "disable", "source_stale", "--user", "ada", "--url", off.url(), "--token", "t"}),
              Exit::ok);
    EXPECT_TRUE(off.request.starts_with("PUT /v1/subscribers/source_stale "));
    EXPECT_TRUE(off.request.ends_with(R"({"enabled":false,"user_id":"ada"})")) << off.request;
    EXPECT_NE(world.err.find("source_stale is off, from the next event on"), std::string::npos);
    Daemon core(422, R"({"code":"invalid","detail":"tool_failure is a core one and cannot be switched off"})");
    EXPECT_EQ(world.run({"subscriber", "disable", "tool_failure", "--url", core.url(), "--token", "t"}), Exit::failure);
    EXPECT_NE(world.err.find("is a core one"), std::string::npos) << world.err;
    Daemon on(200, std::string(state));
    EXPECT_EQ(world.run({"subscriber", "enable", "source_stale", "--json", "--url", on.url(), "--token", "t"}),
              Exit::ok);
    EXPECT_TRUE(on.request.ends_with(R"({"enabled":true})"));
    EXPECT_EQ(world.out, std::string(state) + '\n');
}

TEST_F(Subscribers, a_wrong_action_or_a_missing_id_is_wrong_usage) {
    EXPECT_EQ(world.run({"subscriber", "remove", "x"}), Exit::usage);
    EXPECT_NE(world.err.find("ACTION must be list, show, test, enable, disable or lint"), std::string::npos);
    EXPECT_EQ(world.run({"subscriber", "show"}), Exit::usage);
    EXPECT_EQ(world.run({"subscriber", "list", "x"}), Exit::usage);
    EXPECT_EQ(world.run({"subscriber", "test", "a", "b"}), Exit::usage);
}

}  // namespace
}  // namespace belfry::cli
