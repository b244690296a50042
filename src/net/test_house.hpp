#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/server.hpp"
#include "net/test_queries.hpp"
#include "net/test_sync_commands.hpp"
#include "ports/commands/access.hpp"
#include "ports/commands/agent_import.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/change_sets.hpp"
#include "ports/commands/client_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/journal.hpp"
#include "ports/commands/memory.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/timers.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"

// What the tests of this room put behind the server: ports that keep everything in memory, on the network's thread.
namespace belfry::net::test {

class TestClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return base::Timestamp{1'763'000'000'000'000} + monotonic(); }
    [[nodiscard]] base::Duration monotonic() const override { return {us.load()}; }
    std::atomic<std::int64_t> us{1'000'000'000};
};

class TestRandom final : public ports::Random {
public:
    std::uint64_t next() override { return state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL; }

private:
    std::uint64_t state_ = 42;
};

class TestAccess final : public ports::Access {
public:
    [[nodiscard]] base::Result<model::Principal> authenticate(std::string_view token) const override {
        const auto found = principals.find(std::string(token));
        if (found == principals.end()) return base::error(base::Code::unauthenticated, "unknown token");
        return found->second;
    }
    [[nodiscard]] std::uint64_t generation() const override { return generation_count; }
    [[nodiscard]] base::Result<std::vector<model::AccessToken>> tokens(const model::Principal&) const override {
        model::AccessToken token;
        token.id = "t1";
        token.name = "first";
        return std::vector<model::AccessToken>{token};
    }

    void add(const std::string& token, model::Role role, std::int64_t events_per_second = 0) {
        model::Principal principal;
        principal.id = "token:" + token;
        principal.role = role;
        principal.events_per_second = events_per_second;
        principals[token] = principal;
        ++generation_count;
    }

    std::map<std::string, model::Principal> principals;
    std::uint64_t generation_count = 1;
};

// One stream, `events`, which is ada's inbox, run 7's and session s1's, too. Entries up to `in_store` are not in memory
// and have to be fetched first.
class TestStreams final : public ports::Streams {
public:
    struct Place final : ports::Cursor {
        [[nodiscard]] model::StreamId stream() const override { return id; }
        model::StreamId id = 1;
        [[nodiscard]] model::Sequence at() const override { return position; }
        model::Sequence position = 0;
        bool fetched = false;
        std::string type;
    };

    [[nodiscard]] model::Sequence head(std::string_view) const override { return head(); }
    // Three of them; the first is `events`.
    [[nodiscard]] base::Result<std::vector<model::StreamInfo>> list(const model::Principal&,
                                                                    const Question& question) const override {
        std::vector<model::StreamInfo> page;
        model::StreamId known = 0;
        for (const char* name : {"events", "inbox:ada", "agent:ada"}) {
            model::StreamInfo info;
            info.id = ++known;
            info.name = name;
            info.head = head();
            const bool is_wanted = info.id > question.after && (question.name.empty() || question.name == name);
            if (is_wanted && page.size() < question.limit) page.push_back(info);
        }
        return page;
    }
    base::Result<std::unique_ptr<ports::Cursor>> open(const ports::OpenStream& request) override {
        last_open = request;
        const auto is = [&](const char* name) { return request.stream == name; };
        const bool is_agents = knows_agents && is("agent:ada");
        if (!is("events") && !is("inbox:ada") && !is("run:7") && !is("session:s1") && !is_agents)
            return base::error(base::Code::not_found, "there is no such stream");
        auto place = std::make_unique<Place>();
        if (is_agents) place->id = 2;
        if (request.start == ports::StartAt::live) place->position = head();
        if (request.start == ports::StartAt::after) place->position = request.after;
        if (place->position > head()) return base::error(base::Code::invalid, "beyond the head", "after");
        if (!request.filter.type_patterns.empty()) place->type = request.filter.type_patterns.front();
        return std::unique_ptr<ports::Cursor>(std::move(place));
    }
    ports::ReadState read(ports::Cursor& cursor, std::size_t bytes_max, std::size_t entries_max,
                          ports::StreamBatch& batch) override {
        batch.clear();
        auto& place = static_cast<Place&>(cursor);
        if (place.position < floor) {
            batch.gap = ports::Gap{place.position + 1, floor};
            place.position = floor;
        }
        if (is_gone) return ports::ReadState::gone;
        if (place.position == head()) return ports::ReadState::at_head;
        if (place.position < in_store && !place.fetched) return ports::ReadState::behind;
        std::size_t bytes = 0;
        while (place.position < head() && entries_max-- > 0 && bytes < bytes_max) {
            const model::SharedBlock& block = blocks[place.position++];
            batch.ended = batch.ended || model::ends_stream(last_open.stream, block->entries[0].facets.type);
            bytes += block->entries[0].body.size();
            if (place.type.empty() || place.type == block->entries[0].facets.type)
                batch.slices.push_back({block, 0, 1});
        }
        return ports::ReadState::entries;
    }
    void fetch(ports::Cursor& cursor, std::function<void(base::Result<void>)> done) override {
        auto& place = static_cast<Place&>(cursor);
        ++fetches;
        soon([&place, done = std::move(done), fails = fetch_fails] {
            if (fails) return done(base::error(base::Code::io, "the disk"));
            place.fetched = true;  // the tests keep the reader while it fetches
            done({});
        });
    }
    void set_listener(Listener listener) override { listener_ = std::move(listener); }

    [[nodiscard]] model::Sequence head() const { return blocks.size(); }
    // Adds an entry without telling anybody.
    model::Sequence add(std::string body, const std::string& type = "a.b") {
        auto block = std::make_shared<model::Block>();
        block->bytes = type + body;
        model::LogEntry entry;
        entry.stream = 1;
        entry.sequence = head() + 1;
        entry.facets.type = std::string_view(block->bytes).substr(0, type.size());
        entry.body = std::string_view(block->bytes).substr(type.size());
        block->entries.push_back(entry);
        blocks.push_back(std::move(block));
        return head();
    }
    void tell() { listener_({1}); }
    void tell_of_agents() { listener_({2}); }

    std::vector<model::SharedBlock> blocks;
    model::Sequence in_store = 0;
    model::Sequence floor = 0;
    ports::OpenStream last_open;
    bool knows_agents = false;  // of `agent:ada`, which has no entries
    bool fetch_fails = false;
    bool is_gone = false;
    int fetches = 0;
    std::function<void(std::function<void()>)> soon;

private:
    Listener listener_;
};

// Decides at once and answers in a later turn of the network's thread, as the engine does; `hold` keeps the answers.
class TestGateway final : public ports::Gateway {
public:
    explicit TestGateway(TestStreams& streams) : streams_(streams) {}

    base::Result<void> submit(ports::AnyCommand& command) override;
    void deliver() {
        auto commands = std::exchange(waiting_, {});
        if (commands.empty()) return;
        // Whoever has its answer may look at it at once.
        ports::Command& newest = *commands.back();
        last = std::move(commands.back());
        commands.pop_back();
        for (const auto& command : commands) command->deliver();
        newest.deliver();
        streams_.tell();
    }
    // The last command that was answered, as one of its kind.
    template <class C>
    [[nodiscard]] const C& last_as() const {
        static const C none;
        const auto* const command = dynamic_cast<const C*>(last.get());
        EXPECT_NE(command, nullptr);
        return command == nullptr ? none : *command;
    }

    bool hold = false;
    bool full = false;
    bool down = false;  // takes commands, but can decide nothing
    int open_inboxes = 0;
    std::set<std::string> due;       // agents that have something to do
    model::Sequence run_events = 0;  // that were emitted
    std::atomic<int> submitted{0};
    std::function<void()> decided;  // told of each command
    ports::AnyCommand last;
    model::Principal last_principal;
    std::string last_key;
    std::array<std::uint8_t, 16> last_fingerprint{};
    std::function<void(std::function<void()>)> soon;

private:
    void decide(ports::Command& command);

    TestStreams& streams_;
    std::vector<ports::AnyCommand> waiting_;
};

// A server on loopback with a thread of its own.
class House {
public:
    explicit House(ServerOptions options = {});
    ~House();
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    // Runs something on the network's thread and waits for it.
    void on_network(const std::function<void()>& work) {
        std::promise<void> done;
        server->post([&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }
    // Waits until the commands that have come make this so. It is asked on the network's thread.
    bool wait_until(const std::function<bool()>& is_so) {
        std::promise<void> promise;
        bool was_so = false;
        const auto look = [&] {
            if (was_so || !is_so()) return;
            was_so = true;
            promise.set_value();
        };
        on_network([&] {
            gateway.decided = look;
            look();
        });
        const bool came = promise.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
        on_network([&] { gateway.decided = {}; });
        return came;
    }
    // Lets time pass, and the server notice it.
    void pass(base::Duration time) {
        clock.us += time.us;
        on_network([this] { server->sweep(); });
    }
    model::Sequence publish(const std::string& body, const std::string& type = "a.b") {
        model::Sequence sequence = 0;
        on_network([&] {
            sequence = streams.add(body, type);
            streams.tell();
        });
        return sequence;
    }

    TestClock clock;
    TestRandom random;
    TestAccess access;
    TestStreams streams;
    TestGateway gateway{streams};
    TestQueries queries;
    TestPairing pairing;
    ports::Metrics metrics;
    std::unique_ptr<Server> server;

private:
    std::thread thread_;
};

}  // namespace belfry::net::test
