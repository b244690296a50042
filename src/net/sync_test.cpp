#include "ports/commands/sync.hpp"

#include <gtest/gtest.h>

#include "net/handlers/sync_words.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

model::VectorClock clock_of(std::initializer_list<std::pair<const char*, std::uint64_t>> counters) {
    model::VectorClock clock;
    for (const auto& [host, counter] : counters) EXPECT_TRUE(clock.raise(host, counter).ok());
    return clock;
}

class Sync : public Talk {
protected:
    Got ask_as(const std::string& role, const std::string& method, const std::string& target,
               const std::string& body = "") {
        return ask(method, target, body, role);
    }
    static bool says(const Got& got, const std::string& words) { return got.body.find(words) != std::string::npos; }
};

TEST(Behind, counts_what_each_lacks_of_the_other) {
    model::Peer peer;
    peer.has = clock_of({{"here", 7}, {"there", 20}, {"far", 3}});
    const std::vector<ports::HostPlace> hosts{{"here", 10, 0, {}}, {"there", 12, 0, {}}, {"third", 4, 0, {}}};
    const handlers::Behind lag = handlers::behind(peer, hosts);
    EXPECT_EQ(lag.unsent, 3U + 4U);      // of ours, and of one that it does not know
    EXPECT_EQ(lag.unreceived, 8U + 3U);  // of its own, and of one that we do not know
}

TEST_F(Sync, a_code_is_shown_to_an_admin_and_to_nobody_else) {
    const Got got = ask_as("admin", "POST", "/v1/peers/pairing");
    EXPECT_EQ(got.status, 201) << got.body;
    EXPECT_TRUE(says(got, R"("code":"K7QF-92MX-4TRA","address":"127.0.0.1:7878")")) << got.body;
    EXPECT_EQ(ask_as("service", "POST", "/v1/peers/pairing").status, 403);
    house.on_network([&] {
        house.pairing.refusal = base::error(base::Code::conflict, "sync.listen is not set", "", "not_listening");
    });
    const Got refused = ask_as("admin", "POST", "/v1/peers/pairing");
    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(says(refused, "not_listening")) << refused.body;
}

TEST_F(Sync, a_code_of_another_device_is_joined_under) {
    const Got got =
        ask_as("admin", "POST", "/v1/peers", R"({"code":"k7qf92mx4tra","at":"192.0.2.7:7878","name":"desk"})");
    EXPECT_EQ(got.status, 201) << got.body;
    EXPECT_TRUE(says(got, R"("id":"bb22","name":"desk","address":"192.0.2.7:7878")")) << got.body;
    house.on_network([&] { EXPECT_EQ(house.pairing.last.code, "k7qf92mx4tra"); });
    EXPECT_EQ(refusal(ask_as("admin", "POST", "/v1/peers", R"({"at":"a:1"})")), "422 invalid code: must be given");
    EXPECT_EQ(refusal(ask_as("admin", "POST", "/v1/peers", R"({"code":"x"})")), "422 invalid at: must be given");
    EXPECT_EQ(ask_as("admin", "POST", "/v1/peers", R"({"code":"x","at":"a:1","host":"h"})").status, 422);
    house.on_network(
        [&] { house.pairing.refusal = base::error(base::Code::forbidden, "it is wrong", {}, "wrong_code"); });
    const Got wrong = ask_as("admin", "POST", "/v1/peers", R"({"code":"x","at":"a:1"})");
    EXPECT_EQ(wrong.status, 403);
    EXPECT_TRUE(says(wrong, R"("field":"code")") && says(wrong, R"("reason":"wrong_code")")) << wrong.body;
    house.on_network([&] { house.pairing.refusal = base::error(base::Code::unavailable, "nobody answers"); });
    EXPECT_TRUE(says(ask_as("admin", "POST", "/v1/peers", R"({"code":"x","at":"a:1"})"), R"("field":"at")"));
}

TEST_F(Sync, nobody_is_paired_where_nobody_pairs) {
    house.on_network([&] { house.server->set_pairing(nullptr); });
    EXPECT_EQ(ask_as("admin", "POST", "/v1/peers/pairing").status, 503);
    EXPECT_EQ(ask_as("admin", "POST", "/v1/peers", R"({"code":"x","at":"a:1"})").status, 503);
    const Got status = ask_as("admin", "GET", "/v1/sync/status");
    EXPECT_EQ(status.status, 200);
    EXPECT_TRUE(says(status, R"("name":null,"host":null,"listens_on":null)")) << status.body;
}

TEST_F(Sync, a_device_is_revoked_by_whatever_it_is_known_by) {
    const Got got = ask_as("admin", "DELETE", "/v1/peers/my%20phone");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_TRUE(says(got, R"("name":"my phone")") && !says(got, R"("revoked_at":null)")) << got.body;
    EXPECT_EQ(ask_as("admin", "DELETE", "/v1/peers/stranger").status, 404);
    EXPECT_EQ(ask_as("user", "DELETE", "/v1/peers/phone").status, 403);
}

TEST_F(Sync, the_status_has_links_lags_and_gaps) {
    house.on_network([&] {
        ports::SyncStatus& status = house.queries.devices;
        status.host = "here";
        status.hosts = {{"here", 10, 2, {}}, {"there", 12, 0, model::HostSeal{}}};
        model::Peer up = test_peer("aa11", "desk");
        up.has = clock_of({{"here", 8}, {"there", 15}});
        up.last_error = "long ago";
        model::Peer away = test_peer("bb22", "phone");
        away.address = "192.0.2.9:7878";
        model::Peer gone = test_peer("cc33", "lost");
        gone.revoked_at = gone.added_at;
        status.peers = {up, away, gone};
        const base::Timestamp early{1'763'000'000'000'000};
        const base::Timestamp late{1'763'000'001'000'000};
        status.missing = {{"there", 4, "aa11", late},
                          {"there", 3, "aa11", early},
                          {"there", 6, "aa11", late},
                          {"there", 7, "bb22", late}};
        status.merges = 5;
        house.pairing.known = {{"aa11", ports::LinkState::up, early, false, "an old reason"},
                               {"bb22", ports::LinkState::resting, early, false, "connection refused"}};
    });
    const Got got = ask_as("service", "GET", "/v1/sync/status");
    EXPECT_EQ(got.status, 200) << got.body;
    for (const char* words :
         {R"("device":{"name":"laptop","host":"here","listens_on":"127.0.0.1:7878"})",
          R"("name":"desk","address":null,"host":null,"link":"up","connected":true,"connected_since":"2025)",
          R"("unsent":2,"unreceived":3,"in_whole":false,"last_error":"long ago")",
          R"("link":"resting","connected":false,"connected_since":null)", R"("last_error":"connection refused")",
          R"("host":"here","settled":10,"floor":2,"is_own":true,"is_sealed":false)",
          R"("is_own":false,"is_sealed":true)", R"("from":3,"to":4,"peer_id":"aa11","since":"2025-11-13T02:13:20Z")",
          R"("from":6,"to":6,"peer_id":"aa11")", R"("from":7,"to":7,"peer_id":"bb22")", R"("merges":5})"}) {
        EXPECT_TRUE(says(got, words)) << words << '\n' << got.body;
    }
    const std::string lost = got.body.substr(got.body.find(R"("id":"cc33")"));
    EXPECT_NE(lost.find(R"("unsent":0,"unreceived":0)"), std::string::npos)
        << "nothing is owed to one that was revoked";

    house.on_network([&] { house.pairing.known.front().is_quiet = true; });
    EXPECT_TRUE(says(ask_as("service", "GET", "/v1/peers"), R"("unsent":0,"unreceived":3)")) << "it has said so itself";
    EXPECT_EQ(ask_as("user", "GET", "/v1/sync/status").status, 403);
}

TEST_F(Sync, what_was_decided_comes_in_pages) {
    const Got got = ask_as("service", "GET", "/v1/sync/merges?before=9&limit=2");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_TRUE(says(got, R"("next":2,"has_more":true)")) << got.body;
    house.on_network([&] { EXPECT_EQ(house.queries.asked, "token:service 9 3"); });
    EXPECT_TRUE(says(ask_as("service", "GET", "/v1/sync/merges"), R"("next":null,"has_more":false)"));
    EXPECT_EQ(ask_as("service", "GET", "/v1/sync/merges?before=x").status, 400);
    EXPECT_EQ(ask_as("service", "GET", "/v1/sync/merges?after=1").status, 422);
}

TEST_F(Sync, a_digest_is_one_number_for_all_of_it) {
    EXPECT_EQ(ask_as("admin", "GET", "/v1/sync/digest").body, R"({"digest":"0f0e","records":12,"has":{"h0":7}})");
    EXPECT_EQ(ask_as("service", "GET", "/v1/sync/digest").status, 403);
}

}  // namespace
}  // namespace belfry::net::test
