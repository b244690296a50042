#include "wire/http_client.hpp"

#include <cstdlib>
#include <future>
#include <gtest/gtest.h>

#include "wire/scripted_server_test.hpp"

namespace belfry::wire {
namespace {

HttpClientOptions hasty() {
    HttpClientOptions options;
    options.connect_time_max = base::seconds(5);
    options.answer_time_max = base::milliseconds(300);
    options.silence_max = base::milliseconds(300);
    return options;
}

HttpRequest get(std::string target = "/") {
    return {"GET", std::move(target), {}, {}};
}

// What one raw answer becomes.
base::Result<HttpAnswer> answer_to(const std::string& raw) {
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        connection.send(raw);
    }});
    return HttpClient(server.endpoint(), {}).send(get());
}

TEST(HttpClient, sends_what_it_was_given) {
    std::string seen;
    {
        const ScriptedServer server({[&](ServedConnection& connection) {
            seen = connection.request();
            connection.answer(200, "fine", "X-Word: a b\r\n");
        }});
        HttpClient client(server.endpoint(), {});
        const auto answer = client.send({"POST", "/v1/x?y=1", {{"A", "b"}}, "body"});
        ASSERT_TRUE(answer.ok()) << answer.error().message;
        EXPECT_EQ(answer->status, 200);
        EXPECT_EQ(answer->body, "fine");
        EXPECT_EQ(answer->header("x-word"), "a b");
        EXPECT_EQ(seen, "POST /v1/x?y=1 HTTP/1.1\r\nHost: " + server.endpoint().authority() +
                            "\r\nA: b\r\nContent-Length: 4\r\n\r\nbody");
    }
}

TEST(HttpClient, who_wants_the_status_alone_does_not_wait_for_the_body) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                     connection.request();
                                     connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nand so on");
                                     connection.wait_for_hang_up();
                                 },
                                 [](ServedConnection& connection) {
                                     connection.request();
                                     connection.answer(503, "not now, and why: " + std::string(1000, 'x'));
                                 }});
    HttpClientOptions options;
    options.answer_bytes_max = 7;
    options.answer_wanted = AnswerWanted::status;
    HttpClient client(server.endpoint(), options);
    const auto taken = client.send(get());
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_EQ(taken->status, 200);
    const auto refused = client.send(get());
    ASSERT_TRUE(refused.ok()) << refused.error().message;
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->body, "not now");
}

TEST(HttpClient, reads_every_framing_of_a_body) {
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")->body, "hello");
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")->body, "");
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nhel\r\nA;x=y\r\nlo, world!\r\n0\r\nTrailer: 1\r\n\r\n")
                  ->body,
              "hello, world!");
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\n\r\nuntil the end")->body, "until the end");
    EXPECT_EQ(answer_to("HTTP/1.0 200 OK\r\n\r\nold")->body, "old");
    EXPECT_EQ(answer_to("HTTP/1.1 204 No Content\r\n\r\n")->body, "");
    EXPECT_EQ(answer_to("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx")->status,
              201);
}

TEST(HttpClient, pieces_of_any_size_make_the_same_answer) {
    const std::string raw =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nA\r\nlo, world!\r\n0\r\n\r\n";
    for (std::size_t size = 1; size < raw.size(); ++size) {
        AnswerParser parser;
        std::string body;
        for (std::size_t at = 0; at < raw.size(); at += size) {
            ASSERT_TRUE(parser.take(std::string_view(raw).substr(at, size), body).ok());
        }
        EXPECT_TRUE(parser.is_complete());
        EXPECT_EQ(body, "hello, world!");
    }
}

TEST(HttpClient, refuses_what_is_no_http_or_could_be_read_in_two_ways) {
    for (const char* raw :
         {"garbage garbage garbage\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
          "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy"}) {
        const auto answer = answer_to(raw);
        ASSERT_FALSE(answer.ok()) << raw;
        EXPECT_EQ(answer.error().code, base::Code::malformed) << raw << answer.error().message;
    }
}

TEST(HttpClient, an_answer_that_was_cut_off_is_no_answer) {
    for (const char* raw : {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
        const auto answer = answer_to(raw);
        ASSERT_FALSE(answer.ok()) << raw;
        EXPECT_EQ(answer.error().code, base::Code::outcome_unknown) << raw;
    }
}

TEST(HttpClient, bounds_what_it_takes) {
    const ScriptedServer server({[](ServedConnection& connection) {
                                     connection.request();
                                     connection.send("HTTP/1.1 200 OK\r\n\r\n");
                                     for (int i = 0; i < 100; ++i) connection.send(std::string(1000, 'x'));
                                 },
                                 [](ServedConnection& connection) {
                                     connection.request();
                                     connection.send("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'));
                                 }});
    HttpClientOptions options;
    options.answer_bytes_max = 5000;
    HttpClient client(server.endpoint(), options);
    EXPECT_EQ(client.send(get()).error().code, base::Code::too_large);
    EXPECT_EQ(client.send(get()).error().code, base::Code::too_large);
}

TEST(HttpClient, keeps_the_connection_for_the_next_request) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.answer(200, "one");
        connection.request();
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n");
        connection.request();
        connection.answer(200, "three", "Connection: close\r\n");
    }});
    HttpClient client(server.endpoint(), {});
    EXPECT_EQ(client.send(get())->body, "one");
    EXPECT_EQ(client.send(get())->body, "two");
    EXPECT_EQ(client.send(get())->body, "three");
}

TEST(HttpClient, makes_a_new_connection_when_the_old_one_was_ended) {
    std::promise<void> ended;
    const ScriptedServer server({[&](ServedConnection& connection) {
                                     connection.request();
                                     connection.answer(200, "one");
                                     ::shutdown(connection.descriptor(), SHUT_RDWR);
                                     ended.set_value();
                                 },
                                 [](ServedConnection& connection) {
                                     connection.request();
                                     connection.answer(200, "two");
                                 }});
    HttpClient client(server.endpoint(), {});
    EXPECT_EQ(client.send(get())->body, "one");
    ended.get_future().wait();
    const auto answer = client.send(get());
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "two");
}

TEST(HttpClient, says_where_nobody_listens) {
    Endpoint nobody;
    {
        const ScriptedServer server({});
        nobody = server.endpoint();
    }
    const auto answer = HttpClient(nobody, {}).send(get());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, base::Code::unavailable);
    EXPECT_EQ(answer.error().message, "cannot connect to " + nobody.text() + ": Connection refused");
    Endpoint socket;
    socket.scheme = Endpoint::Scheme::unix_socket;
    socket.socket_path = "/nonexistent/belfry.sock";
    EXPECT_EQ(HttpClient(socket, {}).send(get()).error().message,
              "cannot connect to unix:/nonexistent/belfry.sock: No such file or directory");
    socket.socket_path = "/" + std::string(200, 'x');
    EXPECT_NE(HttpClient(socket, {}).send(get()).error().message.find("longer than a socket's may be"),
              std::string::npos);
}

TEST(HttpClient, speaks_over_a_unix_socket) {
    std::string folder = "/tmp/belfry-wire-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/s";
    {
        const ScriptedServer server({[](ServedConnection& connection) {
                                        EXPECT_NE(connection.request().find("Host: localhost\r\n"), std::string::npos);
                                        connection.answer(200, "near");
                                    }},
                                    path);
        EXPECT_EQ(HttpClient(server.endpoint(), {}).send(get())->body, "near");
    }
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
}

TEST(HttpClient, does_not_wait_for_ever) {
    const auto silent = [](ServedConnection& connection) {
        connection.request();
        connection.wait_for_hang_up();
    };
    const auto slow = [](ServedConnection& connection) {
        connection.request();
        connection.send("HTTP/1.1 200 OK\r\n\r\nfirst");
        connection.wait_for_hang_up();
    };
    const ScriptedServer server({silent, slow});
    HttpClient client(server.endpoint(), hasty());
    const auto answer = client.send(get());
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, base::Code::timeout);
    std::string came;
    const auto stream = client.stream(get(), [&](std::string_view piece) {
        came += piece;
        return true;
    });
    ASSERT_FALSE(stream.ok());
    EXPECT_EQ(stream.error().code, base::Code::timeout);
    EXPECT_EQ(came, "first");
}

TEST(HttpClient, hands_a_stream_on_as_it_comes_until_told_to_stop) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
        connection.send("1\r\nb\r\n");
        connection.wait_for_hang_up();
    }});
    HttpClient client(server.endpoint(), {});
    std::string came;
    const auto answer = client.stream(get(), [&](std::string_view piece) {
        came += piece;
        return came != "ab";
    });
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(came, "ab");
}

TEST(HttpClient, a_refused_stream_is_an_answer_with_a_body) {
    const ScriptedServer server({[](ServedConnection& connection) {
        connection.request();
        connection.answer(404, "no such stream");
    }});
    HttpClient client(server.endpoint(), {});
    const auto answer = client.stream(get(), [](std::string_view) -> bool { std::abort(); });
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->status, 404);
    EXPECT_EQ(answer->body, "no such stream");
}

TEST(HttpClient, can_be_interrupted_from_another_thread) {
    Interrupt interrupt;
    const ScriptedServer server({[&](ServedConnection& connection) {
        connection.request();
        interrupt.raise();
        connection.wait_for_hang_up();
    }});
    HttpClientOptions options;
    options.interrupt = &interrupt;
    HttpClient client(server.endpoint(), options);
    const auto answer = client.send(get());
    ASSERT_FALSE(answer.ok());
    EXPECT_NE(answer.error().message.find("interrupted"), std::string::npos);
    EXPECT_TRUE(interrupt.wait(base::hours(1)));
}

TEST(HttpClient, reads_the_refusal_of_a_body_that_was_too_large_to_be_taken) {
    const ScriptedServer server({[](ServedConnection& connection) {
        char some[1000];
        EXPECT_GT(::recv(connection.descriptor(), some, sizeof(some), 0), 0);
        connection.answer(413, "too large", "Connection: close\r\n");
        ::shutdown(connection.descriptor(), SHUT_WR);
        connection.wait_for_hang_up();
    }});
    HttpClient client(server.endpoint(), {});
    const auto answer = client.send({"POST", "/", {}, std::string(1 << 20, 'x')});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->status, 413);
}

TEST(HttpClient, a_body_that_the_socket_takes_in_parts_arrives_whole) {
    const std::string body(8 << 20, 'x');
    const ScriptedServer server({[&](ServedConnection& connection) {
        const std::string came = connection.request();
        connection.answer(came.ends_with("\r\n\r\n" + body) ? 200 : 400, "");
    }});
    HttpClientOptions options;
    options.answer_time_max = base::seconds(20);
    const auto answer = HttpClient(server.endpoint(), options).send({"POST", "/", {}, body});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
}

TEST(HttpClient, lets_no_line_break_into_a_request) {
    const ScriptedServer server({});
    HttpClient client(server.endpoint(), {});
    EXPECT_EQ(client.send(get("/a\r\nX: y")).error().code, base::Code::invalid);
    EXPECT_EQ(client.send(get("/a b")).error().code, base::Code::invalid);
    EXPECT_EQ(client.send({"GET", "/", {{"A", "b\r\nc: d"}}, {}}).error().code, base::Code::invalid);
}

TEST(Endpoint, reads_addresses) {
    EXPECT_EQ(parse_endpoint("http://127.0.0.1:7117")->text(), "http://127.0.0.1:7117");
    EXPECT_EQ(parse_endpoint("http://localhost/")->text(), "http://localhost:80");
    EXPECT_EQ(parse_endpoint("https://belfry.example")->port, 443);
    EXPECT_EQ(parse_endpoint("http://[::1]:7117")->host, "::1");
    EXPECT_EQ(parse_endpoint("http://[::1]:7117")->authority(), "[::1]:7117");
    EXPECT_EQ(parse_endpoint("unix:/run/b.sock")->socket_path, "/run/b.sock");
    EXPECT_EQ(parse_endpoint("unix:///run/b.sock")->socket_path, "/run/b.sock");
    for (const char* bad :
         {"", "localhost:7117", "ftp://x", "http://", "http://:80", "http://a:0", "http://a:65536", "http://a:x",
          "http://a/path", "http://u@a", "http://[::1", "http://[::1]x", "unix:rel", "http://a b"}) {
        EXPECT_FALSE(parse_endpoint(bad).ok()) << bad;
    }
}

TEST(HttpClient, a_stream_may_have_to_begin_and_to_end_in_time) {
    const auto head_and_then = [](const std::string& body) {
        return [body](ServedConnection& connection) {
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\n\r\n" + body);
            connection.wait_for_hang_up();
        };
    };
    const ScriptedServer server({head_and_then(""), head_and_then("a")});
    const auto listen = [](std::string_view) { return true; };
    HttpClientOptions options;
    options.answer_time_max = base::milliseconds(50);
    options.stream_begins = StreamBegins::body;
    auto unbegun = HttpClient(server.endpoint(), options).stream(get(), listen);
    ASSERT_FALSE(unbegun.ok());
    EXPECT_EQ(unbegun.error().code, base::Code::timeout);
    options = {};
    options.stream_time_max = base::milliseconds(50);
    auto endless = HttpClient(server.endpoint(), options).stream(get(), listen);
    ASSERT_FALSE(endless.ok());
    EXPECT_EQ(endless.error().code, base::Code::timeout);
}

}  // namespace
}  // namespace belfry::wire
