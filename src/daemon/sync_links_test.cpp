#include "daemon/sync_links.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "daemon/sync_world_test.hpp"
#include "host/config.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;

model::Peer peer_of(const wire::DeviceKey& key, const std::string& name, std::string address = {}) {
    model::Peer peer;
    peer.id = key.pin();
    peer.key = key.public_key();
    peer.name = name;
    peer.address = std::move(address);
    return peer;
}

model::HostSeal seal_of(const wire::DeviceKey& key, const std::string& host) {
    return {host, key.public_key(), key.sign("belfry host 1\n" + host)};
}

// Two devices that were paired, the phone calling the desk.
class LinkedTest : public testing::Test {
protected:
    LinkedTest() {
        const auto paired = phone_.join(desk_.begin().code, desk_.links.listens_at());
        EXPECT_TRUE(paired.ok()) << paired.error().message;
        EXPECT_TRUE(phone_.becomes(ports::LinkState::up));
        EXPECT_TRUE(desk_.becomes(ports::LinkState::up));
    }

    Device desk_{"desk", "127.0.0.1:0"};
    Device phone_{"phone"};
};

TEST_F(LinkedTest, what_is_new_on_one_is_told_to_the_other) {
    phone_.change(3);
    EXPECT_TRUE(Device::wait([&] { return desk_.engine.has("phone") == 3; }));
    desk_.change(2);
    EXPECT_TRUE(Device::wait([&] { return phone_.engine.has("desk") == 2; }));
    EXPECT_TRUE(Device::wait([&] {
        phone_.tick();
        return phone_.link().is_quiet;
    }));
}

TEST_F(LinkedTest, a_full_queue_only_delays_it) {
    desk_.engine.fill(true);
    phone_.change();
    EXPECT_TRUE(Device::wait([&] { return desk_.metrics.sync_messages_received >= 2U; }));
    EXPECT_EQ(desk_.engine.has("phone"), 0U);
    desk_.engine.fill(false);
    EXPECT_TRUE(Device::wait([&] { return desk_.engine.has("phone") == 1; }));
    EXPECT_EQ(desk_.link().state, ports::LinkState::up);
}

TEST_F(LinkedTest, a_revoked_device_is_hung_up_on_and_not_let_in_again) {
    desk_.engine.revoke_all();
    EXPECT_TRUE(phone_.becomes(ports::LinkState::resting));
    EXPECT_NE(phone_.link().why.find("unknown_peer"), std::string::npos) << phone_.link().why;
    EXPECT_TRUE(desk_.links.links().empty());
    phone_.clock.advance(limits::sync_call_pause_max);
    const std::uint64_t refused = desk_.metrics.sync_refusals;
    phone_.tick();
    EXPECT_TRUE(Device::wait([&] { return desk_.metrics.sync_refusals > refused; }));
    phone_.change();
    EXPECT_TRUE(phone_.becomes(ports::LinkState::resting));
    EXPECT_EQ(desk_.engine.has("phone"), 0U);
}

TEST_F(LinkedTest, who_revokes_does_not_call_any_more) {
    phone_.engine.revoke_all();
    EXPECT_TRUE(desk_.becomes(ports::LinkState::none));
    phone_.clock.advance(base::hours(1));
    const std::uint64_t opened = desk_.metrics.sync_links_opened;
    phone_.tick();
    EXPECT_TRUE(phone_.links.links().empty());
    EXPECT_EQ(desk_.metrics.sync_links_opened, opened);
}

TEST_F(LinkedTest, a_link_that_says_nothing_for_a_minute_is_dead_and_made_anew) {
    const std::uint64_t opened = desk_.metrics.sync_links_opened;
    phone_.clock.advance(limits::sync_silence_max + base::seconds(1));
    phone_.tick();
    EXPECT_TRUE(Device::wait([&] { return phone_.log_text().find("said nothing for too long") != std::string::npos; }));
    phone_.clock.advance(limits::sync_call_pause_max);
    EXPECT_TRUE(Device::wait([&] { return desk_.metrics.sync_links_opened == opened + 1; }));
    EXPECT_TRUE(phone_.becomes(ports::LinkState::up));
}

TEST_F(LinkedTest, pings_keep_a_quiet_link_alive) {
    for (int i = 0; i < 10; ++i) {
        const std::uint64_t heard_here = phone_.metrics.sync_messages_received;
        const std::uint64_t heard_there = desk_.metrics.sync_messages_received;
        phone_.clock.advance(limits::sync_ping_pause);
        desk_.clock.advance(limits::sync_ping_pause);
        desk_.tick();
        phone_.tick();
        ASSERT_TRUE(Device::wait([&] {
            return phone_.metrics.sync_messages_received > heard_here &&
                   desk_.metrics.sync_messages_received > heard_there;
        }));
    }
    EXPECT_EQ(phone_.metrics.sync_links_opened, 1U);
    EXPECT_EQ(phone_.link().state, ports::LinkState::up);
}

TEST(SyncLinks, of_two_links_that_cross_one_stays) {
    Device one("one", "127.0.0.1:0");
    Device two("two", "127.0.0.1:0");
    ASSERT_TRUE(two.join(one.begin().code, one.links.listens_at()).ok());
    ASSERT_TRUE(one.join(two.begin().code, two.links.listens_at()).ok());
    EXPECT_TRUE(one.becomes(ports::LinkState::up) && two.becomes(ports::LinkState::up));
    EXPECT_TRUE(Device::wait([&] { return one.metrics.sync_links == 1 && two.metrics.sync_links == 1; }));
    one.change();
    two.change();
    EXPECT_TRUE(Device::wait([&] { return one.engine.has("two") == 1 && two.engine.has("one") == 1; }));
}

TEST(SyncLinks, another_key_at_the_address_of_a_paired_device_is_told_and_not_spoken_to) {
    Device phone("phone");
    wire::TestDevice impostor;
    const std::string there = "127.0.0.1:" + std::to_string(impostor.listen());
    phone.engine.put(peer_of(*wire::DeviceKey::make(), "desk", there));
    EXPECT_TRUE(phone.becomes(ports::LinkState::resting));
    EXPECT_NE(phone.link().why.find("another device answers"), std::string::npos) << phone.link().why;
    EXPECT_FALSE(impostor.has_come());
    EXPECT_TRUE(Device::wait([&] { return phone.engine.errors().size() == 1; }));
}

TEST(SyncLinks, calls_that_fail_are_made_again_after_growing_pauses) {
    Device phone("phone");
    std::string nowhere;
    {
        wire::TestDevice gone;
        nowhere = "127.0.0.1:" + std::to_string(gone.listen());
    }
    phone.engine.put(peer_of(*wire::DeviceKey::make(), "desk", nowhere));
    EXPECT_TRUE(phone.becomes(ports::LinkState::resting));
    base::Duration pause = limits::sync_call_pause_first;
    for (int i = 0; i < 10; ++i) {
        const base::Timestamp since = phone.link().since;
        phone.clock.advance({pause.us / 2 - 1});
        phone.tick();
        EXPECT_EQ(phone.link().since, since) << "too soon after " << pause.us;
        phone.clock.advance({pause.us / 2 + 1});
        phone.tick();
        EXPECT_NE(phone.link().since, since) << "not called after " << pause.us;
        ASSERT_TRUE(phone.becomes(ports::LinkState::resting));
        pause = std::min(pause * 2, limits::sync_call_pause_max);
    }
    EXPECT_EQ(phone.engine.errors().size(), 1U) << "the same cause is stored once";
    const std::string log = phone.log_text();
    EXPECT_EQ(log.find("no link with another device"), log.rfind("no link with another device"));
}

// A peer that is paired and means ill.
class HostileTest : public testing::Test {
protected:
    HostileTest() {
        desk_.engine.put(peer_of(peer_.key, "peer"));
        EXPECT_TRUE(Device::wait([&] { return desk_.links.links().size() == 1; }));
        hello_.protocol = limits::sync_protocol;
        hello_.host = "peer";
        hello_.name = "peer";
        hello_.version = "1";
        hello_.hosts = {seal_of(peer_.key, "peer")};
    }

    std::unique_ptr<wire::TestLink> call(wire::TestDevice& device) {
        auto called = device.call(host::split_address(desk_.links.listens_at())->second);
        EXPECT_TRUE(called.ok()) << called.error().message;
        return called.ok() ? std::move(*called) : nullptr;
    }
    static void say(wire::TestLink& link, const model::SyncMessage& message) {
        link.send(codec::sync_message_text(message));
    }
    // The refusal that ends the link, whatever is said before; what ended it where there is none.
    static std::string refusal_of(wire::TestLink& link) {
        for (;;) {
            const auto text = link.receive();
            if (!text.ok()) return text.error().message;
            const auto message = codec::read_sync_message(*text);
            if (!message.ok()) return "no message";
            if (const auto* refusal = std::get_if<model::SyncRefusal>(&*message)) return refusal->code;
        }
    }
    std::string refusal_after(const model::SyncMessage& message) {
        const auto link = call(peer_);
        say(*link, message);
        return refusal_of(*link);
    }
    std::unique_ptr<wire::TestLink> greeted() {
        auto link = call(peer_);
        say(*link, hello_);
        EXPECT_TRUE(desk_.becomes(ports::LinkState::up));
        return link;
    }
    // Whoever did what, an honest peer is served afterwards.
    void expect_unharmed() {
        EXPECT_TRUE(desk_.becomes(ports::LinkState::none));
        const auto link = greeted();
        model::SyncFrame frame;
        frame.host = "peer";
        frame.through = 1;
        frame.erased = {{"peer", 1, 1}};
        say(*link, frame);
        EXPECT_TRUE(Device::wait([&] { return desk_.engine.has("peer") == 1; }));
    }

    Device desk_{"desk", "127.0.0.1:0"};
    wire::TestDevice peer_;
    model::SyncHello hello_;
};

TEST_F(HostileTest, a_stranger_is_told_that_it_is_one) {
    wire::TestDevice stranger;
    const auto link = call(stranger);
    EXPECT_EQ(refusal_of(*link), "unknown_peer");
    expect_unharmed();
}

TEST_F(HostileTest, a_seal_that_was_not_signed_is_refused) {
    hello_.hosts.push_back({"other", peer_.key.public_key(), base::base64(std::string(64, 'x'))});
    EXPECT_EQ(refusal_after(hello_), "bad_signature");
    hello_.hosts.pop_back();
    expect_unharmed();
}

TEST_F(HostileTest, a_seal_of_another_host_is_refused) {
    hello_.hosts = {{"peer", peer_.key.public_key(), peer_.key.sign("belfry host 1\nother")}};
    EXPECT_EQ(refusal_after(hello_), "bad_signature");
}

TEST_F(HostileTest, a_host_that_is_sealed_by_another_device_is_not_its_own) {
    hello_.hosts = {seal_of(*wire::DeviceKey::make(), "peer")};
    EXPECT_EQ(refusal_after(hello_), "forged_host");
    hello_.hosts.clear();
    EXPECT_EQ(refusal_after(hello_), "forged_host");
    hello_.host = "desk";
    hello_.hosts = {seal_of(peer_.key, "desk")};
    EXPECT_EQ(refusal_after(hello_), "forged_host") << "and least of all is it this one";
}

TEST_F(HostileTest, frames_of_hosts_that_it_may_not_speak_for_are_refused) {
    for (const auto& [host, code] : {std::pair{"desk", "forged_host"}, std::pair{"nobody", "unknown_host"}}) {
        const auto link = call(peer_);
        say(*link, hello_);
        model::SyncFrame frame;
        frame.host = host;
        frame.through = 1;
        frame.erased = {{host, 1, 1}};
        say(*link, frame);
        EXPECT_EQ(refusal_of(*link), code);
    }
    expect_unharmed();
}

TEST_F(HostileTest, another_version_of_the_protocol_is_named) {
    hello_.protocol = limits::sync_protocol + 1;
    hello_.hosts.clear();
    EXPECT_EQ(refusal_after(hello_), "protocol");
}

TEST_F(HostileTest, whoever_does_not_begin_with_a_hello_is_refused) {
    EXPECT_EQ(refusal_after(model::SyncAck{}), "hello_first");
    EXPECT_EQ(refusal_after(model::SyncPing{}), "hello_first");
}

TEST_F(HostileTest, garbage_is_refused) {
    for (const char* garbage : {"", "{", "null", "[]", R"({"frame":{}})", R"({"frame":{"host":7}})", "\x01"}) {
        const auto link = call(peer_);
        link->send(garbage);
        const std::string why = refusal_of(*link);
        EXPECT_TRUE(why == "malformed" || why == "invalid" || why == "hello_first") << garbage << ": " << why;
    }
    hello_.hosts = {seal_of(peer_.key, "peer")};
    expect_unharmed();
}

TEST_F(HostileTest, a_message_that_is_too_large_ends_the_link) {
    const auto link = greeted();
    link->send(std::string(limits::sync_message_bytes_max + 1, 'a'));
    EXPECT_EQ(refusal_of(*link), "the other device found a message too large");
    expect_unharmed();
}

TEST_F(HostileTest, silence_before_the_hello_ends_the_link_as_any_other) {
    const auto link = call(peer_);
    ASSERT_TRUE(link->receive().ok()) << "the desk greets";
    desk_.clock.advance(limits::sync_silence_max + base::seconds(1));
    desk_.tick();
    EXPECT_FALSE(link->receive().ok());
    EXPECT_TRUE(Device::wait([&] { return desk_.metrics.sync_links == 0; }));
}

TEST_F(HostileTest, a_gap_that_is_claimed_again_and_again_is_filled_once) {
    desk_.engine.change(1000);
    const auto link = greeted();
    std::size_t frames = 0;
    for (int i = 0; i < 50; ++i) {
        model::SyncAck ack;
        ack.missing = {{"desk", 1, 1000}};
        say(*link, ack);
    }
    model::SyncFrame last;
    last.host = "peer";
    last.through = 7;
    last.erased = {{"peer", 1, 7}};
    say(*link, last);
    for (bool is_heard = false; !is_heard;) {
        const auto text = link->receive();
        ASSERT_TRUE(text.ok()) << text.error().message;
        const auto message = codec::read_sync_message(*text);
        ASSERT_TRUE(message.ok());
        if (std::holds_alternative<model::SyncFrame>(*message)) ++frames;
        const auto* ack = std::get_if<model::SyncAck>(&*message);
        is_heard = ack != nullptr && ack->has.counter_of("peer") == 7;
    }
    EXPECT_LE(frames, 3U);
}

TEST_F(HostileTest, a_second_call_of_the_same_device_replaces_the_first) {
    const auto first = greeted();
    const auto second = call(peer_);
    say(*second, hello_);
    EXPECT_EQ(refusal_of(*first), "duplicate");
    EXPECT_TRUE(Device::wait([&] { return desk_.metrics.sync_links == 1; }));
}

TEST_F(HostileTest, the_log_names_each_cause_once) {
    hello_.protocol = limits::sync_protocol + 1;
    hello_.hosts.clear();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(refusal_after(hello_), "protocol");
    ASSERT_TRUE(desk_.becomes(ports::LinkState::none));
    const std::string log = desk_.log_text();
    EXPECT_NE(log.find("protocol"), std::string::npos);
    EXPECT_EQ(log.find("no link with another device"), log.rfind("no link with another device"));
    EXPECT_EQ(desk_.engine.errors().size(), 1U);
}

}  // namespace
}  // namespace belfry::daemon
