#include <gtest/gtest.h>
#include <poll.h>

#include "net/test_socket.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

class Runs : public Talk {};

TEST_F(Runs, are_made_with_what_is_given_and_200_tells_that_one_was_there) {
    const Got made = ask("POST", "/v1/runs",
                         R"({"user_id":"ada","session_id":"s","agent_id":"a","run_key":"k","parent_id":3,"title":"t",)"
                         R"("metadata":{"x":1},"caller":{"agent_id":"w","agent_type":"worker","agent_name":"W",)"
                         R"("team_name":"n"},"tree":true,"start":false})");
    EXPECT_EQ(made.status, 201) << made.body;
    of_last<ports::CreateRun>([](const ports::CreateRun& wish) {
        EXPECT_EQ(wish.user_id, "ada");
        EXPECT_EQ(wish.session_id, "s");
        EXPECT_EQ(wish.run_key, "k");
        EXPECT_EQ(wish.parent_id, 3);
        EXPECT_EQ(wish.metadata.bytes(), R"({"x":1})");
        EXPECT_EQ(wish.caller->team_name, "n");
        EXPECT_TRUE(wish.tree);
        EXPECT_FALSE(wish.start);
        return 0;
    });
    EXPECT_EQ(ask("POST", "/v1/runs", R"({"run_key":"again"})").status, 200);
    EXPECT_EQ(ask("POST", "/v1/runs").status, 201) << "nothing has to be said";
}

TEST_F(Runs, are_refused_by_the_field_that_is_wrong) {
    const auto of = [this](const std::string& body) { return refusal(ask("POST", "/v1/runs", body)); };
    EXPECT_EQ(of(R"({"title":7})"), "422 invalid title: must be a string, not a number");
    EXPECT_EQ(of(R"({"parent_id":0})").substr(0, 22), "422 invalid parent_id:");
    EXPECT_EQ(of(R"({"what":1})"), "422 invalid what: is not known");
    EXPECT_NE(
        of(R"({"caller":{"agent_id":"w","agent_type":"worker","agent_name":"W"}})").find("team_name must be given"),
        std::string::npos);
    EXPECT_EQ(ask("POST", "/v1/runs/7/finish", R"({"state":"cancelled"})").status, 422);
    EXPECT_EQ(ask("POST", "/v1/runs/7/finish", R"({"state":"failed","result":1})").status, 422);
    EXPECT_EQ(ask("POST", "/v1/runs/0/start").status, 404);
    EXPECT_EQ(ask("POST", "/v1/runs/seven/cancel").status, 404);
    EXPECT_EQ(get("/v1/runs?state=done").status, 422);
    EXPECT_EQ(get("/v1/runs/7/events?format=other").status, 422);
    EXPECT_EQ(get("/v1/runs/7/events?format=ag-ui").status, 406);
    EXPECT_EQ(get("/v1/runs/7/events?after=x").status, 400);
}

TEST_F(Runs, that_have_ended_say_so_by_a_stable_word) {
    const Got got = ask("POST", "/v1/runs/9/cancel", "{}");
    EXPECT_EQ(got.status, 409);
    EXPECT_NE(got.body.find(R"("reason":"ended")"), std::string::npos);
    of_last<ports::CancelRun>([](const ports::CancelRun& wish) {
        EXPECT_EQ(wish.lane, ports::Lane::control);
        return 0;
    });
}

TEST(RunUploadMemory, what_is_not_whole_is_counted_and_the_one_that_is_too_much_is_refused) {
    ServerOptions options;
    options.unfinished_bytes_max = 2 << 20;
    House house(options);
    const std::string head =
        "POST /v1/runs/7/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer agent\r\n"
        "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string line = "{\"event\":\"a.b\"}\n";  // a whole one, and half a megabyte of the next
    const std::string piece = "10\r\n" + line + "\r\n80000\r\n" + std::string(0x80000, ' ') + "\r\n";
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<pollfd> sockets;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<Client>(house.server->port()));
        clients.back()->send(head + piece);
        sockets.push_back({clients.back()->descriptor(), POLLIN, 0});
    }
    ASSERT_GT(::poll(sockets.data(), sockets.size(), 10'000), 0) << "four megabytes are held, two are allowed";
    int refused = 0;
    for (std::size_t i = 0; i < clients.size(); ++i) {
        if ((sockets[i].revents & POLLIN) == 0) continue;
        const Got got = clients[i]->response();
        EXPECT_EQ(got.status, 503) << got.body;
        EXPECT_NE(got.body.find("\"accepted\":1"), std::string::npos) << got.body;
        ++refused;
    }
    EXPECT_LT(refused, 8) << "the others go on";
}

TEST_F(Runs, are_listed_with_a_limit) {
    const Got got = get("/v1/runs?user=ada&session=s&agent=a&state=running&root=4&after=12&limit=2");
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("next":8,"has_more":true)"), std::string::npos) << got.body;
    house.on_network([&] {
        const ports::RunFilter& filter = house.queries.run_filter;
        EXPECT_EQ(filter.user_id + filter.session_id + filter.agent_id, "adasa");
        EXPECT_EQ(*filter.state, model::RunState::running);
        EXPECT_EQ(filter.root_id, 4);
        EXPECT_EQ(filter.after, 12);
        EXPECT_EQ(filter.limit, 3U) << "one more tells whether more follow";
    });
}

TEST_F(Runs, take_a_batch_as_one_command) {
    const Got got = ask("POST", "/v1/runs/7/events", R"([{"event":"a.b","data":1},{"event":"c.d"}])");
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.body, R"({"accepted":2,"first":1,"last":2,"state":"running","paused":false})");
    EXPECT_EQ(submitted(), 1);
}

class RunStream : public Talk {
protected:
    std::string open(const std::string& query = "", const std::string& fields = "") {
        client.send(request("GET", "/v1/runs/7/events" + query, "agent", "Accept: text/event-stream\r\n" + fields));
        client.until("\r\n\r\n");
        return client.until("\n\n");  // retry
    }
};

TEST_F(RunStream, has_each_event_under_its_name_and_closes_at_the_end) {
    open();
    house.publish(R"({"sequence":1})", "llm.stream");
    EXPECT_EQ(client.until("\n\n"), "id: 1\nevent: llm.stream\ndata: {\"sequence\":1}\n\n");
    house.publish("{}", "lifecycle.completed");
    EXPECT_EQ(client.until("\n\n"), "id: 2\nevent: lifecycle.completed\ndata: {}\n\n");
    EXPECT_EQ(client.until("\n\n"), "event: close\ndata: {\"reason\":\"ended\"}\n\n");
    EXPECT_TRUE(client.is_closed());
}

TEST_F(RunStream, that_has_ended_closes_at_once_for_one_who_has_all_of_it) {
    house.publish("{}", "llm.stream");
    house.publish("{}", "lifecycle.failed");
    open("", "Last-Event-ID: 2\r\n");
    EXPECT_EQ(client.until("\n\n"), "event: close\ndata: {\"reason\":\"ended\"}\n\n");
}

TEST_F(RunStream, that_is_gone_closes_with_the_reason) {
    open();
    house.on_network([&] {
        house.streams.is_gone = true;
        house.streams.tell();
    });
    EXPECT_EQ(client.until("\n\n"), "event: close\ndata: {\"reason\":\"expired\"}\n\n");
}

TEST_F(RunStream, tells_what_was_trimmed_and_no_more_than_that) {
    for (int i = 0; i < 6; ++i) house.publish("{}", "llm.stream");
    house.on_network([&] { house.streams.floor = 4; });
    open("?after=2");
    EXPECT_EQ(client.until("\n\n"), "event: gap\ndata: {\"from\":3,\"to\":4}\n\n");
    EXPECT_EQ(client.until("\n\n").substr(0, 6), "id: 5\n");
}

TEST_F(RunStream, that_begins_now_says_where_that_is_before_anything_comes) {
    for (int i = 0; i < 3; ++i) house.publish("{}", "llm.stream");
    for (const char* query : {"?from=live", "?from=live&format=ag-ui"}) {
        Client reader(house.server->port());
        reader.send(request("GET", "/v1/runs/7/events" + std::string(query), "agent", "Accept: text/event-stream\r\n"));
        reader.until("\r\n\r\n");
        EXPECT_EQ(reader.until("\n\n"), "retry: 1000\n\n");
        EXPECT_EQ(reader.until("\n\n"), "id: 3\n\n") << query;
    }
    Socket socket(house, "/v1/runs/7/events?from=live", "agent");
    EXPECT_EQ(socket.frame().payload, R"({"type":"live","after":3})");
    // Whoever comes back with it gets what came meanwhile, though his address still says that he wants to begin now.
    house.publish("{}", "llm.stream");
    open("?from=live", "Last-Event-ID: 3\r\n");
    EXPECT_EQ(client.until("\n\n").substr(0, 6), "id: 4\n");
}

TEST_F(RunStream, tells_that_the_store_is_down_and_up_again) {
    open();
    house.on_network([&] { house.queries.state = ports::Readiness::store_down; });
    house.pass(base::seconds(1));
    EXPECT_EQ(client.until("\n\n"), "event: store\ndata: {\"state\":\"down\"}\n\n");
    house.on_network([&] { house.queries.state = ports::Readiness::ready; });
    house.pass(base::seconds(1));
    EXPECT_EQ(client.until("\n\n"), "event: store\ndata: {\"state\":\"up\"}\n\n");
}

TEST_F(RunStream, goes_out_as_ag_ui_from_where_a_reader_was) {
    house.publish(R"({"data":{}})", "lifecycle.started");
    house.publish(R"({"data":{"delta":"a"}})", "llm.stream");
    open("?format=ag-ui", "Last-Event-ID: 2\r\n");
    house.publish(R"({"data":{"delta":"b"}})", "llm.stream");
    EXPECT_EQ(client.until("\n\n"),
              "id: 3\ndata: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m2\",\"delta\":\"b\"}\n\n");
}

class RunUploads : public Talk {
protected:
    static std::string head(const std::string& run = "7", const std::string& token = "agent") {
        return request("POST", "/v1/runs/" + run + "/events", token,
                       "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n");
    }
    static std::string chunk(const std::string& text) {
        char size[20];
        std::snprintf(size, sizeof size, "%zx\r\n", text.size());
        return size + text + "\r\n";
    }
    static constexpr const char* line = "{\"event\":\"a.b\"}\n";
    model::Sequence emitted() {
        model::Sequence count = 0;
        house.on_network([&] { count = house.gateway.run_events; });
        return count;
    }
    void wait_for(model::Sequence count) {
        EXPECT_TRUE(house.wait_until([&] { return house.gateway.run_events >= count; }));
        EXPECT_EQ(emitted(), count);
    }
};

TEST_F(RunUploads, are_taken_in_line_by_line_however_they_are_cut) {
    client.send(head());
    client.send(chunk("{\"event\":"));
    client.send(chunk("\"a.b\"}\n{\"event\""));
    wait_for(1);
    client.send(chunk(":\"a.b\"}\n"));
    wait_for(2);
    client.send(chunk("{\"event\":\"c.d\"}") + "0\r\n\r\n");
    const Got got = client.response();
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.body, R"({"accepted":3,"first":1,"last":3,"state":"running","paused":false})");
    EXPECT_EQ(get("/healthz").status, 200) << "the connection goes on";
}

TEST_F(RunUploads, byte_by_byte_are_the_same) {
    const std::string all = head() + chunk(std::string(line) + line) + chunk(line) + "0\r\n\r\n";
    for (const char byte : all) client.send(std::string_view(&byte, 1));
    EXPECT_EQ(client.response().body, R"({"accepted":3,"first":1,"last":3,"state":"running","paused":false})");
}

TEST_F(RunUploads, have_one_command_under_way_and_no_more) {
    house.on_network([&] { house.gateway.hold = true; });
    client.send(head() + chunk(line));
    ASSERT_TRUE(house.wait_until([&] { return submitted() == 1; }));
    for (int i = 0; i < 50; ++i) client.send(chunk(line));
    client.send("0\r\n\r\n");
    for (int i = 0; i < 20; ++i) emitted();  // turns of the network's thread
    EXPECT_EQ(submitted(), 1);
    house.on_network([&] {
        house.gateway.hold = false;
        house.gateway.deliver();
    });
    EXPECT_EQ(client.response().body, R"({"accepted":51,"first":1,"last":51,"state":"running","paused":false})");
    EXPECT_LE(submitted(), 3) << "what came meanwhile goes together";
}

TEST_F(RunUploads, end_with_the_line_that_is_refused) {
    client.send(head() + chunk(std::string(line) + "\n{\"event\":\"bad\"}\n" + line));
    const Got got = client.response();
    EXPECT_EQ(got.status, 422);
    EXPECT_NE(got.body.find(R"("line":3,"accepted":1,"first":1,"last":1)"), std::string::npos) << got.body;
    EXPECT_EQ(got.header("Connection"), "close");
    EXPECT_EQ(emitted(), 1U);
}

TEST_F(RunUploads, into_a_run_that_has_ended_are_told_so) {
    client.send(head("9") + chunk(line));
    const Got got = client.response();
    EXPECT_EQ(got.status, 409);
    EXPECT_NE(got.body.find(R"("reason":"ended","line":1,"accepted":0)"), std::string::npos) << got.body;
}

TEST_F(RunUploads, are_refused_before_their_body) {
    client.send(head("7", "emitter"));
    const Got got = client.response();
    EXPECT_EQ(got.status, 403);
    EXPECT_EQ(got.header("Connection"), "close");
}

TEST_F(RunUploads, may_be_silent_for_minutes_but_not_for_ever) {
    client.send(head() + chunk(line));
    wait_for(1);
    house.pass(base::minutes(9));
    client.send(chunk(line));
    wait_for(2);
    house.pass(base::minutes(9));
    client.send(chunk(line));
    wait_for(3);
    house.pass(base::minutes(11));
    EXPECT_EQ(client.response().status, 408);
}

TEST_F(RunUploads, in_broken_chunks_are_refused) {
    client.send(head() + chunk(line));
    wait_for(1);
    client.send("zz\r\n");
    const Got got = client.response();
    EXPECT_EQ(got.status, 400);
    EXPECT_NE(got.body.find(R"("line":2,"accepted":1,"first":1,"last":1)"), std::string::npos) << got.body;
    EXPECT_EQ(got.header("Connection"), "close");
}

TEST_F(RunUploads, that_are_too_fast_are_told_when_to_go_on) {
    house.on_network([&] { house.access.add("slow", model::Role::agent, 2); });
    client.send(head("7", "slow") + chunk(std::string(line) + line));
    wait_for(2);
    client.send(chunk(std::string(line) + line));
    const Got got = client.response();
    EXPECT_EQ(got.status, 429);
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_NE(got.body.find(R"("line":3,"accepted":2,"first":1,"last":2)"), std::string::npos) << got.body;
}

TEST_F(RunUploads, without_an_event_are_refused) {
    client.send(head() + chunk("\n\n") + "0\r\n\r\n");
    EXPECT_EQ(client.response().status, 422);
}

TEST_F(RunUploads, end_with_the_server) {
    client.send(head() + chunk(line));
    wait_for(1);
    std::promise<void> stopped;
    house.server->stop([&] { stopped.set_value(); });
    EXPECT_EQ(client.response().status, 503);
    client.half_close();
    stopped.get_future().wait();
}

}  // namespace
}  // namespace belfry::net::test
