#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "daemon/command_queue.hpp"
#include "daemon/engine_door.hpp"
#include "daemon/engine_thread.hpp"
#include "daemon/pairing_talk.hpp"
#include "daemon/sync_world_test.hpp"
#include "engine/engine.hpp"
#include "host/config.hpp"
#include "host/system_clock.hpp"
#include "sim/subscribers.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// Peers that are paired and mean ill, against links, engine, thread and store as they run.
namespace belfry::daemon {
namespace {

namespace limits = base::limits;

// A daemon without its doors for people.
class House {
public:
    House()
        : store_(options(), engine_entropy_),
          engine_(store_, engine_entropy_, subscribers_, {}),
          queue_(metrics_, limits::queue_commands_max, limits::queue_bytes_max),
          log_(clock_, host::LogLevel::error, host::LogFormat::text),
          links_({queue_, clock_, links_entropy_, metrics_, log_, [](std::function<void()> work) { work(); },
                  folder_.file("peer.key"), "desk"}),
          thread_(engine_, queue_, clock_, metrics_, [this](engine::Effects effects) { let_out(effects); }) {
        auto opened = engine_.open(clock_.now());
        EXPECT_TRUE(opened.ok()) << opened.error().message;
        if (opened.ok()) let_out(*opened);
        EXPECT_TRUE(links_.start("127.0.0.1:0").ok());
        thread_.start();
    }
    ~House() {
        links_.stop();
        thread_.drain();
    }

    SyncLinks& links() { return links_; }
    EngineDoor door() { return EngineDoor(queue_); }

private:
    store::SqlStoreOptions options() {
        store::SqlStoreOptions options;
        options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
            store::SqliteOptions sqlite;
            sqlite.path = folder_.file("belfry.db");
            return store::open_sqlite(std::move(sqlite));
        };
        return options;
    }
    void let_out(engine::Effects& effects) {
        if (effects.peers) links_.adopt(effects.peers);
        if (effects.has_news) links_.hint_news();
        for (const ports::AnyCommand& command : effects.answered) command->deliver();
    }

    host::TemporaryFolder folder_;
    host::SystemClock clock_;
    host::Entropy engine_entropy_;
    host::Entropy links_entropy_;
    ports::Metrics metrics_;
    sim::HeldSubscribers subscribers_;
    store::SqlStore store_;
    engine::Engine engine_;
    CommandQueue queue_;
    host::Logger log_;
    SyncLinks links_;
    EngineThread thread_;
};

class SyncEngineTest : public testing::Test {
protected:
    SyncEngineTest() {
        hello_.protocol = limits::sync_protocol;
        hello_.host = "peer";
        hello_.name = "peer";
        hello_.version = "1";
        hello_.hosts = {seal("peer")};
        pair();
    }

    [[nodiscard]] model::HostSeal seal(const std::string& host) const {
        return {host, peer_.key.public_key(), peer_.key.sign("belfry host 1\n" + host)};
    }

    // As another daemon would: under the code that a person has read.
    void pair() {
        std::promise<ports::PairingCode> begun;
        house_.links().begin([&](const base::Result<ports::PairingCode>& made) { begun.set_value(*made); });
        const ports::PairingCode shown = begun.get_future().get();
        const std::string code = *wire::parse_pairing_code(shown.code);
        port_ = host::split_address(shown.address)->second;
        std::promise<base::Result<std::string>> paired;
        std::unique_ptr<PairingTalk> talk;
        peer_.network.post([&] {
            peer_.network.call(
                {"127.0.0.1", port_, "/v1/pair", {}}, [&](base::Result<std::unique_ptr<wire::PeerLink>> link) {
                    talk = std::make_unique<PairingTalk>(std::move(*link), wire::PairingRole::caller, peer_.key.pin());
                    talk->say("proof", talk->own_proof(wire::pairing_secret(code, talk->facts().pin)));
                    talk->expect("proof", [&](const base::Result<std::string>&) {
                        talk->say("name", "peer");
                        talk->expect("name",
                                     [&](base::Result<std::string> name) { paired.set_value(std::move(name)); });
                    });
                });
        });
        const auto name = paired.get_future().get();
        ASSERT_TRUE(name.ok()) << name.error().message;
        EXPECT_EQ(*name, "desk");
        std::promise<void> gone;
        peer_.network.post([&] {
            talk.reset();
            gone.set_value();
        });
        gone.get_future().wait();
    }

    std::unique_ptr<wire::TestLink> call() {
        auto called = peer_.call(port_);
        EXPECT_TRUE(called.ok()) << called.error().message;
        return called.ok() ? std::move(*called) : nullptr;
    }
    static void say(wire::TestLink& link, const model::SyncMessage& message) {
        link.send(codec::sync_message_text(message));
    }
    // What the daemon says next that is of this kind; a refusal's code where the link ends.
    template <class Kind>
    static std::optional<Kind> next(wire::TestLink& link, std::string* refusal = nullptr) {
        for (;;) {
            const auto text = link.receive();
            if (!text.ok()) {
                if (refusal != nullptr) *refusal = text.error().message;
                return std::nullopt;
            }
            auto message = codec::read_sync_message(*text);
            EXPECT_TRUE(message.ok()) << *text;
            if (!message.ok()) return std::nullopt;
            if (auto* wanted = std::get_if<Kind>(&*message)) return std::move(*wanted);
            if (const auto* refused = std::get_if<model::SyncRefusal>(&*message)) {
                if (refusal != nullptr) *refusal = refused->code;
                return std::nullopt;
            }
        }
    }
    // One link: our hello, then this; what ends it.
    std::string refusal_after(const std::vector<model::SyncMessage>& messages) {
        const auto link = call();
        for (const model::SyncMessage& message : messages) say(*link, message);
        std::string code;
        const auto refusal = next<model::SyncRefusal>(*link, &code);
        return refusal ? refusal->code : code;
    }
    static model::SyncFrame erased(const std::string& host, std::uint64_t after, std::uint64_t through) {
        model::SyncFrame frame;
        frame.host = host;
        frame.after = after;
        frame.through = through;
        frame.erased = {{host, after + 1, through}};
        return frame;
    }
    // Nothing of what went before is left, and an honest word is taken.
    void expect_unharmed() {
        const auto link = call();
        say(*link, hello_);
        const auto greeting = next<model::SyncHello>(*link);
        ASSERT_TRUE(greeting);
        EXPECT_EQ(greeting->name, "desk");
        const std::uint64_t known = greeting->has.counter_of("peer");
        EXPECT_EQ(known, taken_);
        say(*link, erased("peer", known, known + 1));
        std::string refusal;
        const auto ack = next<model::SyncAck>(*link, &refusal);
        ASSERT_TRUE(ack) << refusal;
        EXPECT_EQ(ack->has.counter_of("peer"), ++taken_);
    }

    House house_;
    wire::TestDevice peer_;
    std::uint16_t port_ = 0;
    model::SyncHello hello_;
    std::uint64_t taken_ = 0;
};

TEST_F(SyncEngineTest, an_honest_peer_is_understood) {
    expect_unharmed();
    expect_unharmed();
}

TEST_F(SyncEngineTest, seals_and_hosts_that_are_forged_change_nothing) {
    model::SyncHello unsigned_seal = hello_;
    unsigned_seal.hosts.push_back({"other", peer_.key.public_key(), base::base64(std::string(64, 'x'))});
    EXPECT_EQ(refusal_after({unsigned_seal}), "bad_signature");
    model::SyncHello unsealed = hello_;
    unsealed.hosts.clear();
    EXPECT_EQ(refusal_after({unsealed}), "forged_host");

    const auto link = call();
    const auto greeting = next<model::SyncHello>(*link);
    ASSERT_TRUE(greeting);
    model::SyncHello as_desk = hello_;
    as_desk.hosts.push_back(seal(greeting->host));
    EXPECT_EQ(refusal_after({as_desk}), "forged_host") << "another key for a host that is known";
    EXPECT_EQ(refusal_after({hello_, erased(greeting->host, 0, 1)}), "forged_host");
    EXPECT_EQ(refusal_after({hello_, erased("nobody", 0, 1)}), "unknown_host");
    expect_unharmed();
}

TEST_F(SyncEngineTest, what_is_no_message_or_too_large_changes_nothing) {
    EXPECT_EQ(refusal_after({erased("peer", 0, 1)}), "hello_first");
    model::SyncHello newer = hello_;
    newer.protocol = limits::sync_protocol + 1;
    EXPECT_EQ(refusal_after({newer}), "protocol");
    for (const char* garbage : {"", "{", "[]", R"({"frame":7})"}) {
        const auto link = call();
        link->send(garbage);
        std::string code;
        const auto refusal = next<model::SyncRefusal>(*link, &code);
        if (refusal) code = refusal->code;
        EXPECT_TRUE(code == "malformed" || code == "invalid" || code == "hello_first") << garbage << ": " << code;
    }
    const auto link = call();
    say(*link, hello_);
    link->send(std::string(limits::sync_message_bytes_max + 1, ' '));
    std::string code;
    EXPECT_FALSE(next<model::SyncRefusal>(*link, &code));
    EXPECT_EQ(code, "the other device found a message too large");
    expect_unharmed();
}

TEST_F(SyncEngineTest, frames_that_leave_something_out_or_lie_far_ahead_change_nothing) {
    model::SyncFrame holed = erased("peer", 0, 3);
    holed.erased = {{"peer", 1, 1}, {"peer", 3, 3}};
    EXPECT_EQ(refusal_after({hello_, holed}), "invalid");
    const std::uint64_t far = limits::sync_ahead_max + 1;
    EXPECT_EQ(refusal_after({hello_, erased("peer", far, far + 1)}), "invalid");
    EXPECT_EQ(refusal_after({hello_, erased("peer", 0, limits::sync_frame_units_max + 1)}), "invalid");
    expect_unharmed();
}

TEST_F(SyncEngineTest, a_gap_that_never_closes_costs_an_answer_a_frame_and_no_more) {
    const auto link = call();
    say(*link, hello_);
    for (std::uint64_t i = 1; i <= 20; ++i) {
        say(*link, erased("peer", 10 * i, 10 * i + 1));
        std::string refusal;
        const auto ack = next<model::SyncAck>(*link, &refusal);
        ASSERT_TRUE(ack) << refusal;
        EXPECT_EQ(ack->has.counter_of("peer"), 0U);
        ASSERT_FALSE(ack->missing.empty());
        EXPECT_LE(ack->missing.size(), limits::sync_ranges_max);
    }
    say(*link, erased("peer", 0, 10));
    const auto ack = next<model::SyncAck>(*link);
    ASSERT_TRUE(ack);
    EXPECT_EQ(ack->has.counter_of("peer"), 11U) << "what came early counts when the gap before it is closed";
}

TEST_F(SyncEngineTest, a_revoked_peer_is_hung_up_on_and_stays_outside) {
    const auto link = call();
    say(*link, hello_);
    ASSERT_TRUE(next<model::SyncHello>(*link));
    const auto revoked =
        house_.door().ask<ports::RevokePeer>([&](ports::RevokePeer& command) { command.key = peer_.key.pin(); });
    ASSERT_TRUE(revoked.ok()) << revoked.error().message;
    std::string code;
    const auto refusal = next<model::SyncRefusal>(*link, &code);
    EXPECT_EQ(refusal ? refusal->code : code, "unknown_peer");
    EXPECT_EQ(refusal_after({hello_}), "unknown_peer");
    pair();
    expect_unharmed();
}

}  // namespace
}  // namespace belfry::daemon
