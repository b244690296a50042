#include <string>
#include <vector>

#include "base/sync_limits.hpp"
#include "sim/delivery_world_test.hpp"
#include "sim/sync_world_test.hpp"

// Which devices may be paired, and which of their messages are rejected.
namespace belfry::sim {
namespace {

class SyncPeers : public SyncWorld {
protected:
    static model::Peer peer(std::size_t number) {
        model::Peer made;
        const std::string digits = std::to_string(number);
        made.id = std::string(64 - digits.size(), 'a') + digits;
        made.key = "key";
        return made;
    }
    static base::Result<model::Peer> add(SyncDevice& on, model::Peer peer) {
        auto command = std::make_unique<ports::AddPeer>();
        command->peer = std::move(peer);
        return on.try_to(std::move(command));
    }
    static base::Result<model::Peer> revoke(SyncDevice& on, const std::string& key) {
        auto command = std::make_unique<ports::RevokePeer>();
        command->key = key;
        return on.try_to(std::move(command));
    }
    static std::vector<model::Peer> peers(SyncDevice& on) {
        return on.look([](ports::Store& store) { return store.sync().peers(); });
    }
};

TEST_F(SyncPeers, have_an_id_a_name_and_a_key_that_fit) {
    SyncDevice& laptop = device("laptop");
    std::vector<std::pair<std::string, model::Peer>> wrong;
    for (const std::string& id : {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')}) {
        wrong.emplace_back("id", peer(1)).second.id = id;
    }
    for (const std::string& name : {std::string(base::limits::peer_name_bytes_max + 1, 'n'), std::string("a\nb")}) {
        wrong.emplace_back("name", peer(1)).second.name = name;
    }
    wrong.emplace_back("key", peer(1)).second.key.clear();
    for (const auto& [field, one] : wrong) {
        const auto rejected = add(laptop, one);
        ASSERT_FALSE(rejected.ok()) << field;
        EXPECT_EQ(rejected.error().field, field);
        EXPECT_EQ(rejected.error().code, base::Code::invalid);
    }
    EXPECT_TRUE(peers(laptop).empty());
}

TEST_F(SyncPeers, are_thirty_two_at_most_and_a_revoked_one_leaves_its_place) {
    SyncDevice& laptop = device("laptop");
    for (std::size_t i = 0; i < base::limits::peers_max; ++i) ASSERT_TRUE(add(laptop, peer(i)).ok()) << i;
    const auto rejected = add(laptop, peer(100));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_TRUE(add(laptop, peer(0)).ok()) << "one that is paired can be paired anew";
    ASSERT_TRUE(revoke(laptop, peer(0).id).ok());
    EXPECT_TRUE(add(laptop, peer(100)).ok());
    EXPECT_EQ(add(laptop, peer(0)).error().code, base::Code::too_large) << "its place is another one's by now";
}

TEST_F(SyncPeers, are_revoked_by_a_key_that_only_one_has) {
    SyncDevice& laptop = device("laptop");
    for (const std::size_t number : {1U, 2U}) {
        model::Peer one = peer(number);
        one.name = "phone";
        ASSERT_TRUE(add(laptop, one).ok());
    }
    for (const std::string& key : {std::string("phone"), peer(1).id.substr(0, 8)}) {
        const auto rejected = revoke(laptop, key);
        ASSERT_FALSE(rejected.ok()) << key;
        EXPECT_EQ(rejected.error().reason, "ambiguous");
    }
    EXPECT_EQ(revoke(laptop, "tablet").error().code, base::Code::not_found);
    for (const model::Peer& one : peers(laptop)) EXPECT_FALSE(one.revoked_at);
    ASSERT_TRUE(revoke(laptop, peer(1).id).ok());
    EXPECT_EQ(revoke(laptop, "phone")->id, peer(2).id) << "the other one is revoked already";
}

TEST_F(SyncPeers, are_not_heard_with_more_than_fits) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    const model::VectorClock before = phone.has();
    model::SyncHello crowd = hello(laptop, phone);
    while (crowd.hosts.size() <= base::limits::sync_hosts_max) {
        crowd.hosts.push_back({"device" + std::to_string(crowd.hosts.size()) + ".1", "key", "x"});
    }
    auto note = std::make_unique<ports::NotePeer>();
    note->peer_id = laptop.peer().id;
    note->hello = crowd;
    const auto rejected = phone.try_to(std::move(note));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().reason, "oversized");
    EXPECT_EQ(rejected.error().field, "hosts");

    const std::string host = hello(laptop, phone).host;
    const std::vector<std::vector<model::CounterRange>> wrong{
        {{host, 1, base::limits::sync_frame_units_max + 1}},
        {{host, 1, base::limits::sync_frame_units_max}, {host, 5000, 5000}},
        {{host, 0, 1}},
        {{host, 2, 1}},
        std::vector<model::CounterRange>(base::limits::sync_ranges_max + 1, model::CounterRange{host, 1, 1}),
    };
    for (const auto& ranges : wrong) {
        auto accept = std::make_unique<ports::AcceptGone>();
        accept->peer_id = laptop.peer().id;
        accept->ranges = ranges;
        const auto refused = phone.try_to(std::move(accept));
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().reason, "oversized");
        auto confirm = std::make_unique<ports::ConfirmGone>();
        confirm->peer_id = laptop.peer().id;
        confirm->ranges = ranges;
        EXPECT_EQ(phone.try_to(std::move(confirm)).error().reason, "oversized");
    }
    EXPECT_EQ(phone.has(), before);
}

using SyncDigests = DeliveryProtocol;

TEST_F(SyncDigests, are_for_admins) {
    open();
    EXPECT_EQ(try_(std::make_unique<ports::TakeDigest>(), user("ada")).error().code, base::Code::forbidden);
    EXPECT_TRUE(try_(std::make_unique<ports::TakeDigest>()).ok());
}

}  // namespace
}  // namespace belfry::sim
