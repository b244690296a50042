#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"

namespace belfry::cli {
namespace {

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

std::string peer_of(const std::string& members) {
    return R"({"id":"3f9a01c2d4e5","name":"desk","address":null,"host":null,"added_at":"2026-11-16T07:00:00Z","revoked_at":null,)" +
           members + '}';
}

class SyncCommands : public testing::Test {
protected:
    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.begin() + 1, {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }
    std::string status_of(const std::string& json) {
        Daemon daemon({{200, json}});
        EXPECT_EQ(run(daemon, {"sync", "status"}), Exit::ok) << world.err;
        EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/sync/status");
        return world.out;
    }
    bool says(const std::string& words) const { return world.out.find(words) != std::string::npos; }
    bool remarks(const std::string& words) const { return world.err.find(words) != std::string::npos; }

    World world;
};

TEST_F(SyncCommands, a_code_stands_alone_and_the_rest_is_said_beside_it) {
    Daemon daemon(
        {{201, R"({"code":"K7QF-92MX-4TRA","address":"192.0.2.7:7878","expires_at":"2026-11-16T07:10:00Z"})"}});
    EXPECT_EQ(run(daemon, {"peer", "pair"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/peers/pairing");
    EXPECT_EQ(world.out, "K7QF-92MX-4TRA\n");
    EXPECT_TRUE(remarks("belfry peer pair K7QF-92MX-4TRA --at 192.0.2.7:7878")) << world.err;
}

TEST_F(SyncCommands, an_address_that_is_everywhere_is_not_one_to_call) {
    Daemon daemon({{201, R"({"code":"K7QF-92MX-4TRA","address":"0.0.0.0:7878","expires_at":"t"})"}});
    EXPECT_EQ(run(daemon, {"peer", "pair"}), Exit::ok) << world.err;
    EXPECT_TRUE(remarks("--at ADDRESS:7878") && remarks("as the other one reaches it")) << world.err;
}

TEST_F(SyncCommands, a_code_is_typed_with_an_address) {
    Daemon daemon({{201, peer_of(R"("connected":false,"unsent":0,"unreceived":0)")}});
    EXPECT_EQ(run(daemon, {"peer", "pair", "K7QF", "--at", "a:1", "--name", "desk"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/peers");
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"code":"K7QF","at":"a:1","name":"desk"})");
    EXPECT_TRUE(remarks("paired with desk (3f9a01c2)")) << world.err;
    EXPECT_EQ(world.run({"peer", "pair", "K7QF"}), Exit::usage);
    EXPECT_TRUE(remarks("--at is missing")) << world.err;
    EXPECT_EQ(world.run({"peer", "pair", "--at", "a:1"}), Exit::usage);
    EXPECT_EQ(world.run({"peer", "pair", "--name", "x"}), Exit::usage);
    EXPECT_EQ(world.run({"peer", "list", "--at", "a:1"}), Exit::usage);
    EXPECT_EQ(world.run({"peer", "drop"}), Exit::usage);
    EXPECT_EQ(world.run({"peer", "revoke"}), Exit::usage);
}

TEST_F(SyncCommands, peers_are_listed_and_revoked) {
    const std::string peer =
        peer_of(R"("connected":true,"last_seen_at":"t","unsent":3,"unreceived":4,"last_error":null)");
    Daemon listing({{200, R"({"data":[)" + peer + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(listing, {"peer", "list"}), Exit::ok) << world.err;
    EXPECT_TRUE(says("3f9a01c2") && says("it calls") && says("connected")) << world.out;
    Daemon revoking({{200, peer_of(R"("connected":false,"unsent":0,"unreceived":0)")}});
    EXPECT_EQ(run(revoking, {"peer", "revoke", "my desk"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(revoking.requests.at(0)), "DELETE /v1/peers/my%20desk");
    EXPECT_TRUE(remarks("desk (3f9a01c2) is told nothing any more")) << world.err;
}

TEST_F(SyncCommands, the_status_of_one_alone_says_so) {
    status_of(
        R"({"device":{"name":"laptop","host":null,"listens_on":null},"peers":[],"hosts":[],"missing":[],"merges":0})");
    for (const char* words :
         {"this device  laptop, has changed nothing yet", "does not listen for others", "changes      0 of its own\n",
          "`belfry peer pair` adds one", "gaps         none", "nothing had to be decided"}) {
        EXPECT_TRUE(says(words)) << words << '\n' << world.out;
    }
}

TEST_F(SyncCommands, the_status_says_in_words_how_everybody_stands) {
    const std::string peers =
        peer_of(
            R"("connected":true,"connected_since":"T1","last_seen_at":"T1","unsent":0,"unreceived":0,"in_whole":true)") +
        ',' +
        peer_of(R"("connected":false,"last_seen_at":"T2","unsent":1,"unreceived":5,"last_error":"no\u001b[2Jroute")") +
        ',' + peer_of(R"("connected":false,"last_seen_at":null,"unsent":7,"unreceived":0)") + ',' +
        R"({"id":"99","name":"","added_at":"t","revoked_at":"T3","connected":false})";
    status_of(
        R"({"device":{"name":"laptop","host":"h0","listens_on":"127.0.0.1:7878"},"peers":[)" + peers +
        R"(],"hosts":[{"host":"h0","settled":12,"is_own":true},{"host":"h1","settled":3,"is_own":false}],)"
        R"("missing":[{"host":"h1","from":4,"to":6,"peer_id":"3f","since":"T4"},{"host":"h2","from":9,"to":9,"peer_id":"3f","since":"T5"}],"merges":2})");
    for (const char* words :
         {"laptop, host h0", "listens for others on 127.0.0.1:7878", "12 of its own, 3 of 1 other host",
          "desk (3f9a01c2): connected since T1\n             it is telling us all that it has",
          "desk (3f9a01c2): not connected, last here at T2\n             it has yet to hear of 1 change; we have yet "
          "to "
          "hear of 5 changes\n             last error: no\\x1b[2Jroute",
          "never been here since it was paired at 2026-11-16T07:00:00Z\n             it has yet to hear of 7 changes\n",
          "peer         99: revoked at T3\n", "gaps         4 changes that nobody could give so far",
          "4 to 6 of h1, since T4", "9 of h2, since T5", "2 fields decided between two devices"}) {
        EXPECT_TRUE(says(words)) << words << '\n' << world.out;
    }
}

TEST_F(SyncCommands, merges_say_what_was_kept_what_was_lost_and_by_which_rule) {
    const std::string note =
        R"({"number":7,"at":"T","kind":"task","id":"milk","user_id":"ada","field":"title","rule":"latest",)"
        R"("kept":{"host":"5be0aa11ff","counter":3,"version":2,"value":"\"Oat milk\""},)"
        R"("lost":{"host":"91c2bb22ff","counter":9,"version":2,"value":"\"Milk\""}})";
    Daemon daemon({{200, R"({"data":[)" + note + R"(],"next":7,"has_more":true})"}});
    EXPECT_EQ(run(daemon, {"sync", "merges", "--before", "9", "--limit", "1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/sync/merges?before=9&limit=1");
    EXPECT_TRUE(says("task milk") && says("latest")) << world.out;
    EXPECT_TRUE(says("\"Oat milk\" of 5be0aa11") && says("\"Milk\" of 91c2bb22")) << world.out;
    EXPECT_TRUE(remarks("--before 7")) << world.err;
    Daemon last({{200, R"({"data":[)" + note + R"(],"next":null,"has_more":false})"}});
    EXPECT_EQ(run(last, {"sync", "merges", "--json"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, note + '\n');
    EXPECT_EQ(world.run({"sync", "status", "--limit", "1"}), Exit::usage);
    EXPECT_EQ(world.run({"sync", "now"}), Exit::usage);
}

TEST_F(SyncCommands, a_digest_stands_alone) {
    Daemon daemon({{200, R"({"digest":"0f0e","records":12,"has":{}})"}});
    EXPECT_EQ(run(daemon, {"sync", "digest"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, "0f0e\n");
    EXPECT_TRUE(remarks("of 12 records")) << world.err;
}

}  // namespace
}  // namespace belfry::cli
