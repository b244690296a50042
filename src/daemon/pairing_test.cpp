#include <gtest/gtest.h>
#include <sys/stat.h>

#include "daemon/sync_world_test.hpp"
#include "host/config.hpp"
#include "host/files.hpp"

namespace belfry::daemon {
namespace {

std::string another(std::string code) {
    code.back() = code.back() == '7' ? '8' : '7';
    return code;
}

class PairingTest : public testing::Test {
protected:
    void expect_refused(const base::Result<model::Peer>& outcome, const std::string& reason) {
        ASSERT_FALSE(outcome.ok());
        EXPECT_EQ(outcome.error().code, base::Code::forbidden) << outcome.error().message;
        EXPECT_EQ(outcome.error().reason, reason) << outcome.error().message;
    }
    void expect_strangers() {
        EXPECT_TRUE(desk_.engine.peers().empty());
        EXPECT_TRUE(phone_.engine.peers().empty());
    }
    [[nodiscard]] std::string address() const { return desk_.links.listens_at(); }
    [[nodiscard]] std::uint16_t port() const { return host::split_address(address())->second; }

    Device desk_{"desk", "127.0.0.1:0"};
    Device phone_{"phone"};
};

TEST_F(PairingTest, the_right_code_makes_two_devices_known_to_each_other_and_links_them) {
    const ports::PairingCode code = desk_.begin();
    EXPECT_EQ(code.address, address());
    EXPECT_EQ(code.expires_at, desk_.clock.now() + base::minutes(10));
    const auto peer = phone_.join(code.code, address());
    ASSERT_TRUE(peer.ok()) << peer.error().message;
    EXPECT_EQ(peer->name, "desk");
    EXPECT_EQ(peer->address, address());
    EXPECT_EQ(peer->id, wire::pin_of(peer->key));
    const auto known = desk_.engine.peers();
    ASSERT_EQ(known.size(), 1U);
    EXPECT_EQ(known.begin()->second.name, "phone");
    EXPECT_EQ(known.begin()->second.address, "") << "it calls; where it can be called nobody knows";
    EXPECT_EQ(known.begin()->first, wire::pin_of(known.begin()->second.key));
    EXPECT_TRUE(phone_.becomes(ports::LinkState::up));
    EXPECT_TRUE(desk_.becomes(ports::LinkState::up));
}

TEST_F(PairingTest, a_code_is_typed_as_people_type_and_a_device_named_as_they_like) {
    std::string typed = desk_.begin().code;
    std::erase(typed, '-');
    for (char& c : typed) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const auto peer = phone_.join(typed, address(), "the one upstairs");
    ASSERT_TRUE(peer.ok()) << peer.error().message;
    EXPECT_EQ(peer->name, "the one upstairs");
}

TEST_F(PairingTest, a_wrong_code_pairs_nobody) {
    expect_refused(phone_.join(another(desk_.begin().code), address()), "wrong_code");
    expect_strangers();
}

TEST_F(PairingTest, two_wrong_tries_are_forgiven) {
    const std::string code = desk_.begin().code;
    expect_refused(phone_.join(another(code), address()), "wrong_code");
    expect_refused(phone_.join(another(code), address()), "wrong_code");
    EXPECT_TRUE(phone_.join(code, address()).ok());
}

TEST_F(PairingTest, three_wrong_tries_void_the_code) {
    const std::string code = desk_.begin().code;
    for (int i = 0; i < 3; ++i) expect_refused(phone_.join(another(code), address()), "wrong_code");
    expect_refused(phone_.join(code, address()), "no_pairing");
    expect_strangers();
    EXPECT_TRUE(phone_.join(desk_.begin().code, address()).ok()) << "a new one is as good as ever";
}

TEST_F(PairingTest, a_code_is_void_after_ten_minutes) {
    const std::string code = desk_.begin().code;
    desk_.clock.advance(base::limits::pairing_lasts - base::seconds(1));
    expect_refused(phone_.join(another(code), address()), "wrong_code");
    desk_.clock.advance(base::seconds(1));
    expect_refused(phone_.join(code, address()), "no_pairing");
    expect_strangers();
}

TEST_F(PairingTest, a_code_is_for_one_device) {
    const std::string code = desk_.begin().code;
    ASSERT_TRUE(phone_.join(code, address()).ok());
    Device tablet("tablet");
    expect_refused(tablet.join(code, address()), "no_pairing");
}

TEST_F(PairingTest, a_new_code_replaces_the_last) {
    const std::string old = desk_.begin().code;
    const std::string code = desk_.begin().code;
    expect_refused(phone_.join(old, address()), "wrong_code");
    EXPECT_TRUE(phone_.join(code, address()).ok());
}

TEST_F(PairingTest, without_a_code_nobody_is_paired) {
    expect_refused(phone_.join("K7QF-92MX-4TRA", address()), "no_pairing");
}

TEST_F(PairingTest, a_device_is_not_paired_with_itself) {
    expect_refused(desk_.join(desk_.begin().code, address()), "same_device");
}

TEST_F(PairingTest, who_does_not_listen_has_no_code_to_give) {
    phone_.links.begin([](const base::Result<ports::PairingCode>& code) {
        ASSERT_FALSE(code.ok());
        EXPECT_EQ(code.error().code, base::Code::conflict);
        EXPECT_EQ(code.error().reason, "not_listening");
    });
}

TEST_F(PairingTest, what_was_typed_wrongly_is_named) {
    EXPECT_EQ(phone_.join("K7QF", address()).error().field, "code");
    EXPECT_EQ(phone_.join("K7QF-92MX-4TRA", "desk").error().field, "at");
    EXPECT_EQ(phone_.join("K7QF-92MX-4TRA", "desk:0").error().field, "at");
    EXPECT_EQ(phone_.join("K7QF-92MX-4TRA", address(), "a\nb").error().field, "name");
}

TEST_F(PairingTest, where_nobody_listens_the_person_is_told) {
    std::string nowhere;
    {
        const Device gone("gone", "127.0.0.1:0");
        nowhere = gone.links.listens_at();
    }
    const auto refused = phone_.join("K7QF-92MX-4TRA", nowhere);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::unavailable);
}

TEST_F(PairingTest, a_listener_without_the_code_is_not_believed) {
    wire::TestDevice impostor;
    const std::string there = "127.0.0.1:" + std::to_string(impostor.listen());
    auto joining = std::async(std::launch::async, [&] { return phone_.join("K7QF-92MX-4TRA", there); });
    const auto link = impostor.next();
    ASSERT_TRUE(link);
    const auto proof = link->receive();
    ASSERT_TRUE(proof.ok());
    EXPECT_EQ(proof->find("phone"), std::string::npos) << "it has not learnt who calls";
    link->send(*proof);  // its own proof back
    expect_refused(joining.get(), "wrong_code");
    expect_strangers();
}

TEST_F(PairingTest, somebody_in_between_who_passes_the_proof_on_is_not_believed) {
    const std::string code = desk_.begin().code;
    wire::TestDevice between;
    const std::string there = "127.0.0.1:" + std::to_string(between.listen());
    auto joining = std::async(std::launch::async, [&] { return phone_.join(code, there); });
    const auto inward = between.next();
    ASSERT_TRUE(inward);
    const auto proof = inward->receive();
    auto outward = between.call(port(), {}, "/v1/pair");
    ASSERT_TRUE(proof.ok() && outward.ok());
    (*outward)->send(*proof);
    EXPECT_EQ(*(*outward)->receive(), R"({"refused":"wrong_code"})");
    inward->close();
    EXPECT_FALSE(joining.get().ok());
    expect_strangers();
}

TEST_F(PairingTest, nonsense_at_the_desk_is_turned_away_and_costs_no_try) {
    const std::string code = desk_.begin().code;
    wire::TestDevice stranger;
    for (const char* nonsense : {"", "{}", "[]", R"({"proof":1})", R"({"name":"x"})", R"({"proof":"x","name":"y"})"}) {
        auto link = stranger.call(port(), {}, "/v1/pair");
        ASSERT_TRUE(link.ok());
        (*link)->send(nonsense);
        EXPECT_EQ(*(*link)->receive(), R"({"refused":"malformed"})") << nonsense;
    }
    auto large = stranger.call(port(), {}, "/v1/pair");
    ASSERT_TRUE(large.ok());
    (*large)->send(R"({"proof":")" + std::string(1 << 20, 'x') + R"("})");
    EXPECT_EQ(*(*large)->receive(), R"({"refused":"malformed"})");
    EXPECT_TRUE(phone_.join(code, address()).ok());
}

TEST_F(PairingTest, who_says_nothing_at_the_desk_is_hung_up_on) {
    const std::string code = desk_.begin().code;
    wire::TestDevice stranger;
    auto link = stranger.call(port(), {}, "/v1/pair");
    ASSERT_TRUE(link.ok());
    auto never = (*link)->ask();
    // The desk counts from when it has taken the call, which may be after the clock was advanced for the first time.
    do {
        desk_.clock.advance(base::seconds(21));
        desk_.tick();
    } while (never.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready);
    EXPECT_FALSE(never.get().ok());
    EXPECT_TRUE(phone_.join(code, address()).ok());
}

TEST_F(PairingTest, a_listener_that_falls_silent_is_not_waited_for) {
    wire::TestDevice silent;
    const std::string there = "127.0.0.1:" + std::to_string(silent.listen());
    auto joining = std::async(std::launch::async, [&] { return phone_.join("K7QF-92MX-4TRA", there); });
    const auto link = silent.next();
    ASSERT_TRUE(link && link->receive().ok());
    phone_.clock.advance(base::seconds(21));
    const auto refused = joining.get();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::unavailable);
}

TEST(PairingTalk, a_proof_is_good_on_its_own_link_alone) {
    wire::TestDevice desk;
    wire::TestDevice phone;
    const std::uint16_t port = desk.listen();
    const auto proofs = [&] {
        std::promise<std::pair<std::string, std::string>> made;
        phone.network.post([&] {
            phone.network.call({"127.0.0.1", port, "/v1/pair", {}},
                               [&](base::Result<std::unique_ptr<wire::PeerLink>> link) {
                                   ASSERT_TRUE(link.ok());
                                   const PairingTalk talk(std::move(*link), wire::PairingRole::caller, phone.key.pin());
                                   made.set_value({talk.own_proof("secret"), talk.other_proof("secret")});
                               });
        });
        return made.get_future().get();
    };
    const auto first = proofs();
    const auto second = proofs();
    EXPECT_NE(first.first, first.second);
    EXPECT_NE(first.first, second.first);
    EXPECT_NE(first.second, second.second);
}

TEST(DeviceKeyFile, is_made_once_for_its_owner_alone_and_kept) {
    const host::TemporaryFolder folder;
    const std::string path = folder.file("peer.key");
    StandingClock clock;
    host::Entropy entropy;
    ports::Metrics metrics;
    CountingEngine engine("desk");
    host::Logger log(clock, host::LogLevel::error, host::LogFormat::text);
    const auto answer = [](std::function<void()> work) { work(); };
    std::string first;
    for (int i = 0; i < 2; ++i) {
        SyncLinks links({engine, clock, entropy, metrics, log, answer, path, "desk"});
        ASSERT_TRUE(links.start(i == 0 ? "127.0.0.1:0" : "").ok());
        struct stat facts{};
        ASSERT_EQ(::stat(path.c_str(), &facts), 0);
        EXPECT_EQ(facts.st_mode & 0777U, 0600U);
        const auto pem = host::read_file(path, 1 << 16);
        ASSERT_TRUE(pem.ok());
        if (i == 0) first = *pem;
        else EXPECT_EQ(*pem, first);
    }
    ASSERT_TRUE(host::write_file_atomically(path, "no key", 0600).ok());
    SyncLinks links({engine, clock, entropy, metrics, log, answer, path, "desk"});
    const auto refused = links.start("127.0.0.1:0");
    ASSERT_FALSE(refused.ok()) << "a key that cannot be read is not replaced";
    EXPECT_NE(refused.error().message.find(path), std::string::npos);
}

TEST(DeviceKeyFile, is_not_made_where_nobody_needs_it) {
    const host::TemporaryFolder folder;
    StandingClock clock;
    host::Entropy entropy;
    ports::Metrics metrics;
    CountingEngine engine("desk");
    host::Logger log(clock, host::LogLevel::error, host::LogFormat::text);
    SyncLinks links({engine, clock, entropy, metrics, log, [](std::function<void()> work) { work(); },
                     folder.file("peer.key"), "desk"});
    ASSERT_TRUE(links.start("").ok());
    EXPECT_FALSE(*host::file_facts(folder.file("peer.key")));
}

}  // namespace
}  // namespace belfry::daemon
