#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "codec/json.hpp"
#include "codec/sse.hpp"
#include "host/config.hpp"
#include "host/files.hpp"

namespace belfry::cli {
namespace {

TEST(CommandLine, every_command_has_help_with_examples_and_exit_codes) {
    World world;
    for (const Command& command : own_commands()) {
        EXPECT_EQ(world.run({command.name, "--help"}), Exit::ok);
        EXPECT_NE(world.out.find("Examples:\n"), std::string::npos) << command.name;
        EXPECT_NE(world.out.find("Exit codes:\n  0  "), std::string::npos) << command.name;
        EXPECT_NE(world.out.find("--json"), std::string::npos) << command.name;
        EXPECT_EQ(world.err, "") << command.name;
        std::string_view rest = world.out;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            EXPECT_LE(end, 120U) << rest.substr(0, end);
            rest.remove_prefix(end + 1);
        }
    }
}

TEST(CommandLine, the_document_holds_the_help_of_every_command_and_every_setting) {
    const auto document = host::read_file(BELFRY_SOURCE_DIR "/docs/command-line.md", 1 << 20);
    ASSERT_TRUE(document.ok()) << document.error().message;
    for (const Command& command : own_commands()) {
        EXPECT_NE(document->find("## belfry " + command.name + "\n"), std::string::npos) << command.name;
        EXPECT_NE(document->find("```\n" + help_text(command) + "```\n"), std::string::npos)
            << "docs/command-line.md must hold the output of `belfry " << command.name << " --help`";
    }
    for (const host::ConfigFieldInfo& field : host::config_fields()) {
        const std::string row = "| `" + std::string(field.name) + "` | `--" + std::string(field.flag) + "` | ";
        EXPECT_NE(document->find(row), std::string::npos) << row;
    }
}

TEST(CommandLine, without_or_with_a_wrong_command_it_says_what_there_is) {
    World world;
    EXPECT_EQ(world.run({}), Exit::usage);
    EXPECT_NE(world.err.find("Commands:"), std::string::npos);
    EXPECT_EQ(world.out, "");
    EXPECT_EQ(world.run({"tial"}), Exit::usage);
    EXPECT_NE(world.err.find("there is no command \"tial\"; did you mean `belfry tail`?"), std::string::npos);
    EXPECT_EQ(world.run({"tail", "--form", "start"}), Exit::usage);
    EXPECT_NE(world.err.find("did you mean --from?"), std::string::npos);
    EXPECT_EQ(world.run({"help"}), Exit::ok);
    EXPECT_EQ(world.run({"--help"}), Exit::ok);
    EXPECT_EQ(world.run({"--version"}), Exit::ok);
    EXPECT_TRUE(world.out.starts_with("belfry " BELFRY_VERSION "\n"));
    EXPECT_EQ(world.run({"help", "nothing"}), Exit::usage);
}

TEST(CommandLine, an_evil_word_is_not_repeated_to_the_terminal) {
    World world;
    world.run({"\x1b[2J"});
    EXPECT_EQ(world.err.find('\x1b'), std::string::npos);
}

TEST(CommandLine, common_options_may_stand_before_the_command) {
    World world;
    EXPECT_EQ(world.run({"--data", world.folder.file("x"), "--json", "config"}), Exit::ok);
    EXPECT_NE(world.out.find(world.folder.file("x")), std::string::npos);
    EXPECT_TRUE(codec::validate(world.out).ok());
}

TEST(Emit, sends_an_event_made_from_arguments) {
    Daemon daemon({{201, R"({"accepted":1,"refused":0,"data":[{"id":"e1","sequence":5}]})"}});
    World world;
    EXPECT_EQ(world.run({"emit", "a.b", "name=Ada \"L\"", "n:=[1,2]", "--severity", "error", "--user", "ada", "--run",
                         "3", "--url", daemon.url(), "--token", "bf_x_y", "--idempotency-key", "k"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, "e1\t5\n");
    EXPECT_EQ(body_of(daemon.requests.at(0)),
              R"({"type":"a.b","source":"cli","severity":"error","user_id":"ada","run_id":3,)"
              R"("payload":{"name":"Ada \"L\"","n":[1,2]}})"
              "\n");
    EXPECT_NE(daemon.requests[0].find("Bearer bf_x_y"), std::string::npos);
}

TEST(Emit, speaks_json_to_programs) {
    Daemon daemon({{201, R"({"accepted":1,"refused":0,"data":[{"id":"e1","sequence":5}]})"}});
    World world;
    EXPECT_EQ(world.run({"emit", "a.b", "--json", "--url", daemon.url(), "--token", "t"}), Exit::ok);
    EXPECT_EQ(world.out, "{\"id\":\"e1\",\"sequence\":5,\"replayed\":false}\n");
}

TEST(Emit, refuses_what_is_typed_wrong_before_it_asks_anybody) {
    World world;
    const std::string url = "http://127.0.0.1:1";
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"emit", "--url", url},
                                                  {"emit", "a.b", "novalue", "--url", url},
                                                  {"emit", "a.b", "k:={", "--url", url},
                                                  {"emit", "a.b", "--payload", "[1]", "--url", url},
                                                  {"emit", "a.b", "--payload", "{}", "k=v", "--url", url},
                                                  {"emit", "a.b", "--severity", "bad", "--url", url},
                                                  {"emit", "a.b", "--time", "noon", "--url", url},
                                                  {"emit", "a.b", "--file", "x", "--url", url},
                                                  {"emit", "a.b", "--run", "0", "--url", url},
                                                  {"emit", "a.b", "--url", "nonsense"},
                                                  {"emit", "a.b", "--url", url, "--socket", "/x"}}) {
        EXPECT_EQ(world.run(wrong), Exit::usage) << wrong.at(1) << world.err;
        EXPECT_EQ(world.out, "");
    }
}

TEST(Emit, exit_codes_tell_unreachable_from_refused_from_invalid) {
    World world;
    std::string gone;
    {
        gone = ScriptedServer({}).endpoint().text();
    }
    EXPECT_EQ(world.run({"emit", "a.b", "--url", gone, "--token", "t"}), Exit::unreachable);
    EXPECT_NE(world.err.find("is the daemon running? start it with `belfry serve`"), std::string::npos);
    Daemon daemon({{401, R"({"code":"unauthenticated","detail":"who are you?"})"}, {201, ""}});
    EXPECT_EQ(world.run({"emit", "a.b", "--json", "--url", daemon.url(), "--token", "t"}), Exit::refused);
    EXPECT_EQ(world.err, "{\"error\":{\"code\":\"unauthenticated\",\"detail\":\"who are you?\"}}\n");
    Daemon strict(
        {{422, R"({"accepted":0,"refused":1,"data":[{"error":{"code":"invalid","detail":"no","field":"type"}}]})"}});
    EXPECT_EQ(world.run({"emit", "ab", "--url", strict.url(), "--token", "t"}), Exit::failure);
}

TEST(EmitFile, sends_lines_and_names_those_that_were_refused) {
    Daemon daemon(
        {{207, R"({"accepted":2,"refused":1,"data":[{"id":"e1","sequence":1},)"
               R"({"error":{"code":"invalid","detail":"no \u001b type","field":"type"}},{"id":"e3","sequence":2}]})"}});
    World world;
    const std::string path = world.folder.file("events.ndjson");
    std::ofstream(path) << "{\"type\":\"a.b\"}\n\n  \n{\"type\":\"x\"}\r\n"
                        << std::string(2 << 20, 'x') << "\n{\"type\":\"c.d\"}";
    EXPECT_EQ(world.run({"emit", "--file", path, "--url", daemon.url(), "--token", "t", "--idempotency-key", "k"}),
              Exit::partial)
        << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), "{\"type\":\"a.b\"}\n{\"type\":\"x\"}\n{\"type\":\"c.d\"}\n");
    EXPECT_NE(daemon.requests[0].find("Idempotency-Key: k-1\r\n"), std::string::npos);
    EXPECT_NE(world.err.find("line 5: the event is longer than 1048576 bytes"), std::string::npos) << world.err;
    EXPECT_NE(world.err.find("line 4: no \\x1b type (type)\n"), std::string::npos) << world.err;
    EXPECT_NE(world.err.find("2 taken, 2 refused\n"), std::string::npos);
    EXPECT_EQ(world.out, "");
}

TEST(EmitFile, cuts_large_files_into_batches) {
    const std::size_t lines = 1200;
    std::vector<Daemon::Answer> answers;
    for (const std::size_t count : {500U, 500U, 200U}) {
        std::string body = "{\"data\":[";
        for (std::size_t i = 0; i < count; ++i) body += std::string(i > 0 ? "," : "") + "{\"id\":\"e\",\"sequence\":1}";
        answers.push_back({201, body + "]}"});
    }
    Daemon daemon(answers);
    World world;
    const std::string path = world.folder.file("events.ndjson");
    {
        std::ofstream file(path);
        for (std::size_t i = 0; i < lines; ++i) file << "{\"type\":\"a.b\"}\n";
    }
    EXPECT_EQ(world.run({"emit", "--file", path, "--url", daemon.url(), "--token", "t", "--json"}), Exit::ok)
        << world.err;
    EXPECT_EQ(daemon.requests.size(), 3U);
    EXPECT_EQ(std::count(world.out.begin(), world.out.end(), '\n'), 1200);
    EXPECT_TRUE(world.out.ends_with("{\"line\":1200,\"id\":\"e\",\"sequence\":1}\n"));
}

const std::string streams_at_3 = R"({"data":[{"name":"events","head":3,"floor":0}],"next":null,"has_more":false})";

TEST(Tail, shows_the_last_entries_and_ends_without_following) {
    Daemon daemon({{200, streams_at_3},
                   {200, R"({"data":[{"sequence":2,"event":{"type":"a.b","severity":"info"}},)"
                         R"({"sequence":3,"erased":true}],"next":3,"has_more":false})"}});
    World world;
    EXPECT_EQ(world.run({"tail", "-n", "2", "--no-follow", "--url", daemon.url(), "--token", "t"}), Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, "#2 info a.b\n#3 (erased)\n");
    EXPECT_TRUE(daemon.requests.at(1).starts_with("GET /v1/streams/events?after=1&limit=1000 "));
}

TEST(Tail, looks_further_back_for_the_last_ones_that_pass_a_filter) {
    Daemon daemon(
        {{200, R"({"data":[{"name":"events","head":100,"floor":0}]})"},
         {200, R"({"data":[],"next":100,"has_more":false})"},
         {200, R"({"data":[{"sequence":93,"event":{"type":"a.b","severity":"info"}}],"next":100,"has_more":false})"}});
    World world;
    EXPECT_EQ(world.run({"tail", "-n", "1", "--type", "a.*", "--no-follow", "--url", daemon.url(), "--token", "t"}),
              Exit::ok);
    EXPECT_EQ(world.out, "#93 info a.b\n");
    EXPECT_TRUE(daemon.requests.at(1).starts_with("GET /v1/streams/events?after=99&limit=1000&type=a.%2A "));
    EXPECT_TRUE(daemon.requests.at(2).starts_with("GET /v1/streams/events?after=92&limit=1000&type=a.%2A "));
}

TEST(Tail, reads_everything_that_is_stored_page_by_page) {
    Daemon daemon({{200, R"({"data":[{"sequence":1,"event":{"type":"a.b"}}],"next":1,"has_more":true})"},
                   {200, R"({"data":[{"sequence":2,"event":{"type":"a.b"}}],"next":2,"has_more":false})"}});
    World world;
    EXPECT_EQ(world.run({"tail", "--from", "start", "--no-follow", "--json", "--url", daemon.url(), "--token", "t"}),
              Exit::ok);
    EXPECT_EQ(world.out,
              "{\"sequence\":1,\"event\":{\"type\":\"a.b\"}}\n{\"sequence\":2,\"event\":{\"type\":\"a.b\"}}\n");
}

TEST(Tail, a_stream_that_is_not_there_is_a_failure) {
    Daemon daemon({{200, streams_at_3}});
    World world;
    EXPECT_EQ(world.run({"tail", "nothing", "--url", daemon.url(), "--token", "t"}), Exit::failure);
    EXPECT_NE(world.err.find("there is no stream \"nothing\""), std::string::npos);
    EXPECT_EQ(world.run({"tail", "--from", "yesterday", "--url", daemon.url()}), Exit::usage);
    EXPECT_EQ(world.run({"tail", "--from", "start", "-n", "5", "--url", daemon.url()}), Exit::usage);
}

TEST(Token, only_the_token_itself_goes_to_standard_output) {
    Daemon daemon({{201, R"({"id":"t1","token":"bf_t1_s","name":"ci","role":"emitter","expires_at":null})"}});
    World world;
    EXPECT_EQ(world.run({"token", "create", "ci", "--role", "emitter", "--ttl", "90d", "--url", daemon.url(), "--token",
                         "t"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(world.out, "bf_t1_s\n");
    EXPECT_EQ(world.err, "token t1 \"ci\", role emitter, without end; this is the only time that it is shown\n");
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"name":"ci","role":"emitter","ttl_s":7776000})");
}

TEST(Token, the_list_is_a_table_without_escapes) {
    Daemon daemon(
        {{200,
          R"({"data":[{"id":"t1","name":"ci\u001b[2J","role":"emitter","created_at":"2026","bounds":{"users":["a","b"],"sessions":[],)"
          R"("type_prefixes":["ci"],"severity_max":"error"}}]})"}});
    World world;
    EXPECT_EQ(world.run({"token", "list", "--url", daemon.url(), "--token", "t"}), Exit::ok);
    EXPECT_EQ(world.out,
              "ID  NAME       ROLE     USER  BOUNDS                                     CREATED  EXPIRES\n"
              "t1  ci\\x1b[2J  emitter        users a b, types ci, severity up to error  2026     never\n");
}

TEST(Token, says_what_is_missing) {
    World world;
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"token"},
                                                  {"token", "make"},
                                                  {"token", "create"},
                                                  {"token", "create", "x"},
                                                  {"token", "create", "x", "--role", "king"},
                                                  {"token", "revoke"}}) {
        EXPECT_EQ(world.run(wrong), Exit::usage);
        EXPECT_NE(world.err, "");
    }
}

TEST(Erase, waits_and_shows_how_far_it_is) {
    Daemon daemon({{202, R"({"id":"er1"})"},
                   {200, R"({"id":"er1","state":"running","progress":{"erased":3}})"},
                   {200, R"({"id":"er1","state":"done","progress":{"erased":9}})"}});
    World world;
    EXPECT_EQ(world.run({"erase", "--user", "ada", "--url", daemon.url(), "--token", "t"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, "er1\n");
    EXPECT_EQ(world.err, "erasure er1: running {\"erased\":3}\nerasure er1: done {\"erased\":9}\n");
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"user_id":"ada"})");
    EXPECT_EQ(world.run({"erase"}), Exit::usage);
}

TEST(Status, tells_a_person_and_a_program) {
    const std::string body =
        R"({"readiness":"ready","version":"0.1.0","pid":7,"started_at":"2026-11-15T05:00:00Z","store":{"backend":"sqlite",)"
        R"("location":"/d/belfry.db","schema_version":1,"commit_number":12,"file_bytes":1536,"wal_bytes":0},)"
        R"("streams":[{"name":"events","head":5,"floor":2}],"queue_commands":0,"queue_bytes":0,"connections":1})";
    Daemon daemon({{200, body}});
    World world;
    EXPECT_EQ(world.run({"status", "--url", daemon.url(), "--token", "t"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, "ready   Belfry 0.1.0 at " + daemon.url() +
                             ", process 7, since 2026-11-15T05:00:00Z\n"
                             "store   sqlite /d/belfry.db: schema 1, 1.5 KiB, write-ahead log 0 B, commit 12\n"
                             "queue   0 commands, 0 B; 1 connections\n\n"
                             "STREAM  LAST  KEPT FROM  ENTRIES\nevents  5     3          3\n");
    Daemon again({{200, body}});
    EXPECT_EQ(world.run({"status", "--json", "--url", again.url(), "--token", "t"}), Exit::ok);
    EXPECT_EQ(world.out, body + "\n");
    Daemon down({{200, R"({"readiness":"store_down"})"}});
    EXPECT_EQ(world.run({"status", "--url", down.url(), "--token", "t"}), Exit::unreachable);
}

TEST(Config, shows_values_and_where_they_came_from) {
    World world;
    world.variables["BELFRY_SERVER_PORT"] = "9";
    EXPECT_EQ(world.run({"config", "--data", "/d"}), Exit::ok);
    // The width of the second column is that of the longest value, a path of this test.
    std::string squeezed;
    for (const char c : world.out) {
        if (c != ' ' || !squeezed.ends_with(' ')) squeezed += c;
    }
    EXPECT_NE(squeezed.find("\nserver.port 9 BELFRY_SERVER_PORT\n"), std::string::npos) << world.out;
    EXPECT_NE(squeezed.find("\nstore.data_dir /d --data\n"), std::string::npos);
    EXPECT_EQ(world.run({"config", "--json"}), Exit::ok);
    const auto json = codec::validate(world.out);
    ASSERT_TRUE(json.ok());
    EXPECT_NE(world.out.find(R"({"name":"server.port","value":9,"source":"environment","where":"BELFRY_SERVER_PORT"})"),
              std::string::npos);
    world.variables["BELFRY_SERVER_PORT"] = "x";
    EXPECT_EQ(world.run({"config"}), Exit::usage);
}

}  // namespace
}  // namespace belfry::cli
