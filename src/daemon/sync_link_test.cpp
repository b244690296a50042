#include "daemon/sync_link.hpp"

#include <gtest/gtest.h>

#include "daemon/sync_world_test.hpp"

namespace belfry::daemon {
namespace {

namespace limits = base::limits;

// A link whose other end is the test, without any socket: what it takes, and when.
struct OtherEnd {
    wire::LinkFacts facts;
    std::vector<std::string> sent;  // and not taken
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    wire::PeerLink::OnMessage waits;  // for the next message
    bool is_closed = false;
};

class ScriptedLink final : public wire::PeerLink {
public:
    explicit ScriptedLink(OtherEnd& other) : other_(other) {}
    [[nodiscard]] const wire::LinkFacts& facts() const override { return other_.facts; }
    void send(std::string message) override { other_.sent.push_back(std::move(message)); }
    [[nodiscard]] std::size_t unsent_messages() const override { return other_.sent.size(); }
    [[nodiscard]] std::size_t unsent_bytes() const override { return other_.sent.size(); }
    void receive(std::size_t, OnMessage done) override { other_.waits = std::move(done); }
    [[nodiscard]] std::uint64_t bytes_received() const override { return other_.bytes_received; }
    [[nodiscard]] std::uint64_t bytes_sent() const override { return other_.bytes_sent; }
    void close() override { other_.is_closed = true; }

private:
    OtherEnd& other_;
};

class SyncLinkTest : public testing::Test {
protected:
    SyncLinkTest() {
        other_.facts.key = their_key_.public_key();
        other_.facts.pin = their_key_.pin();
        link_ = std::make_unique<SyncLink>(
            SyncLinkTools{engine_, clock_, metrics_, our_key_,
                          [this](std::function<void()> work) { posted_.push_back(std::move(work)); }, "the desk"},
            std::make_unique<ScriptedLink>(other_), 1, [this](const std::string& why) { ended_ = why; });
        link_->start();
        settle();
        model::SyncHello hello;
        hello.protocol = limits::sync_protocol;
        hello.host = "peer";
        hello.name = "peer";
        hello.version = "1";
        hello.hosts = {{"peer", their_key_.public_key(), their_key_.sign("belfry host 1\npeer")}};
        say(hello);
        EXPECT_TRUE(link_->is_up());
        first_word_ = other_.sent.at(0);
        take_all();
    }

    void settle() {
        while (!posted_.empty()) {
            const auto works = std::exchange(posted_, {});
            for (const auto& work : works) work();
        }
    }
    // False: nobody waits for it.
    bool say(const model::SyncMessage& message) {
        if (!other_.waits) return false;
        std::exchange(other_.waits, nullptr)(codec::sync_message_text(message));
        settle();
        return true;
    }
    bool say_frame() {
        model::SyncFrame frame;
        frame.host = "peer";
        frame.after = counter_++;
        frame.through = counter_;
        frame.erased = {{"peer", counter_, counter_}};
        return say(frame);
    }
    void take_all() {
        other_.bytes_sent += other_.sent.size();
        other_.sent.clear();
    }
    void pass(base::Duration time) {
        clock_.advance(time);
        link_->tick();
        settle();
    }

    StandingClock clock_;
    ports::Metrics metrics_;
    CountingEngine engine_{"desk"};
    wire::DeviceKey our_key_ = *wire::DeviceKey::make();
    wire::DeviceKey their_key_ = *wire::DeviceKey::make();
    OtherEnd other_;
    std::vector<std::function<void()>> posted_;
    std::string ended_ = "not yet";
    std::unique_ptr<SyncLink> link_;
    std::uint64_t counter_ = 0;
    std::string first_word_;
};

TEST_F(SyncLinkTest, whoever_does_not_take_answers_is_not_read_any_more) {
    std::size_t frames = 0;
    while (frames < 1000 && say_frame()) ++frames;
    EXPECT_LT(frames, 50U);
    EXPECT_EQ(other_.sent.size(), frames) << "an acknowledgement each";
    take_all();
    pass(base::seconds(1));
    EXPECT_TRUE(say_frame()) << "it goes on when they are taken";
}

TEST_F(SyncLinkTest, whoever_takes_nothing_for_a_minute_is_given_up_however_much_it_says) {
    engine_.change(1);
    link_->changed();
    settle();
    ASSERT_FALSE(other_.sent.empty());
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(ended_, "not yet");
        say(model::SyncPing{});
        pass(base::seconds(10));
    }
    EXPECT_EQ(ended_, "the other device takes nothing");
    EXPECT_TRUE(other_.is_closed);
}

TEST_F(SyncLinkTest, a_slow_taker_is_waited_for_and_told_nothing_twice) {
    engine_.change(1);
    link_->changed();
    settle();
    const std::size_t sent = other_.sent.size();
    for (int i = 0; i < 30; ++i) {
        other_.bytes_sent += 1;
        say(model::SyncPing{});
        pass(base::seconds(10));
    }
    EXPECT_EQ(ended_, "not yet");
    const auto is_ping = [](const std::string& text) {
        return std::holds_alternative<model::SyncPing>(*codec::read_sync_message(text));
    };
    EXPECT_EQ(other_.sent.size() - static_cast<std::size_t>(std::ranges::count_if(other_.sent, is_ping)), sent);
}

TEST_F(SyncLinkTest, a_message_that_comes_slowly_is_no_silence) {
    for (int i = 0; i < 30; ++i) {
        take_all();
        other_.bytes_received += 1;
        pass(base::seconds(10));
    }
    EXPECT_EQ(ended_, "not yet");
    for (int i = 0; i < 7; ++i) {
        take_all();
        pass(base::seconds(10));
    }
    EXPECT_EQ(ended_, "the other device has said nothing for too long");
}

TEST_F(SyncLinkTest, the_next_message_is_read_when_the_engine_has_dealt_with_the_last) {
    engine_.fill(true);
    EXPECT_TRUE(say_frame());
    EXPECT_FALSE(other_.waits) << "nothing is read while the queue is full";
    for (int i = 0; i < 20; ++i) {
        take_all();
        pass(base::seconds(10));
    }
    EXPECT_EQ(ended_, "not yet") << "and that is not the other's fault";
    engine_.fill(false);
    pass(base::seconds(1));
    EXPECT_TRUE(other_.waits);
    EXPECT_EQ(engine_.has("peer"), 1U);
}

TEST_F(SyncLinkTest, the_host_is_sealed_before_it_is_named) {
    const auto first = codec::read_sync_message(first_word_);
    ASSERT_TRUE(first.ok());
    const auto& hello = std::get<model::SyncHello>(*first);
    EXPECT_EQ(hello.name, "the desk");
    ASSERT_EQ(hello.hosts.size(), 1U);
    EXPECT_EQ(hello.hosts[0].host, "desk");
    EXPECT_TRUE(wire::is_signed_by(our_key_.public_key(), "belfry host 1\ndesk", hello.hosts[0].signature));
}

TEST_F(SyncLinkTest, a_device_that_has_lost_its_key_says_so_and_nothing_else) {
    OtherEnd other;
    other.facts = other_.facts;
    std::string why;
    const wire::DeviceKey new_key = *wire::DeviceKey::make();
    SyncLink link(SyncLinkTools{engine_, clock_, metrics_, new_key,
                                [this](std::function<void()> work) { posted_.push_back(std::move(work)); }, "the desk"},
                  std::make_unique<ScriptedLink>(other), 2, [&](const std::string& reason) { why = reason; });
    link.start();
    settle();
    EXPECT_NE(why.find("peer.key was lost"), std::string::npos) << why;
    EXPECT_TRUE(other.sent.empty());
    EXPECT_TRUE(other.is_closed);
}

}  // namespace
}  // namespace belfry::daemon
