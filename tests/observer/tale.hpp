#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "checker.hpp"

// Stories for the tests of the checker.
namespace observer {

inline const Answer ok{200, {}};
inline const Answer made{201, {}};
inline const Answer conflict{409, "stale_lease"};

// Tells a story step by step; every step is 100 ms after the one before.
class Tale {
public:
    const Observation& add(Body body) {
        now_ms_ += 100;
        order_ += 2;
        seen_.push_back({.order = order_,
                         .began = order_ - 1,
                         .at_ms = now_ms_,
                         .began_ms = now_ms_,
                         .actor = "test",
                         .body = std::move(body)});
        return seen_.back();
    }
    void wait(std::int64_t ms) { now_ms_ += ms; }

    Emitted emission(const std::string& code, int number, const std::string& user = "ada") {
        const std::string mark = "#m" + std::to_string(number) + "#";
        return {.caller = "emitter",
                .role = "emitter",
                .user = user,
                .session = code[0] == 's' ? "s1" : "",
                .routing = Routing::from_code(code),
                .mark = mark,
                .text = mark + " text",
                .ttl_ms = 60'000,
                .answer = made,
                .id = "i" + std::to_string(number),
                .version = 1};
    }
    void emit(const std::string& code, int number, const std::string& user = "ada") {
        add(emission(code, number, user));
    }

    void connect(const std::string& connection, const std::string& user = "ada") {
        add(Connected{.connection = connection, .user = user, .transport = "simulated", .answer = ok});
        add(CaughtUp{.connection = connection});
    }
    Shown frame(const std::string& connection, int number, const std::string& text, bool narration = false,
                std::int64_t lease = 1) {
        return {.connection = connection,
                .user = "ada",
                .id = "i" + std::to_string(number),
                .lease = lease,
                .version = 1,
                .channel = "inbox",
                .narration = narration,
                .text = text,
                .created_at = std::to_string(1000 + number)};
    }
    void show(const std::string& connection, int number) {
        add(frame(connection, number, "#m" + std::to_string(number) + "# text"));
    }
    void ack(const std::string& connection, int number, std::int64_t lease = 1, Answer answer = ok) {
        add(Acked{.connection = connection,
                  .user = "ada",
                  .id = "i" + std::to_string(number),
                  .lease = lease,
                  .version = 1,
                  .answer = answer});
        add(StateShown{.connection = connection, .id = "i" + std::to_string(number), .state = "delivered"});
    }

    Pulled pull_of(const std::string& runtime, std::vector<int> numbers, std::int64_t lease = 1,
                   bool must_tell = true) {
        Pulled pull{.runtime = runtime,
                    .token = runtime,
                    .user = "ada",
                    .session = "s1",
                    .point = "turn_start",
                    .lease_ms = 10'000,
                    .answer = ok,
                    .pull_id = "p" + std::to_string(++pulls_)};
        for (const int number : numbers)
            pull.items.push_back({.handle = "n" + std::to_string(number),
                                  .id = "i" + std::to_string(number),
                                  .lease = lease,
                                  .version = 1,
                                  .needs_answer = true,
                                  .must_tell = must_tell,
                                  .text = "#m" + std::to_string(number) + "# text"});
        return pull;
    }
    std::string pull(const std::string& runtime, std::vector<int> numbers, std::int64_t lease = 1,
                     bool must_tell = true) {
        Pulled one = pull_of(runtime, std::move(numbers), lease, must_tell);
        add(one);
        return one.pull_id;
    }
    void narrate(const std::string& runtime, int number, int speech, std::int64_t lease = 1, Answer answer = ok) {
        const std::string mark = "#s" + std::to_string(speech) + "#";
        add(Narrated{.runtime = runtime,
                     .token = runtime,
                     .session = "s1",
                     .item = {"n" + std::to_string(number), lease, {}},
                     .mark = mark,
                     .text = mark + " said",
                     .answer = answer});
    }
    void end(const std::string& runtime, const std::string& pull_id, std::vector<ItemName> acknowledged = {},
             Answer answer = made) {
        add(TurnEnded{.runtime = runtime,
                      .token = runtime,
                      .session = "s1",
                      .pull_id = pull_id,
                      .acknowledged = std::move(acknowledged),
                      .answer = answer});
    }
    void tool(const std::string& name, int number) {
        add(ToolCalled{.runtime = "r1",
                       .token = "r1",
                       .user = "ada",
                       .session = "s1",
                       .tool = name,
                       .status = "pending",
                       .handling = {{"i" + std::to_string(number), {}, {}}},
                       .answer = made});
    }
    void why(int number, const std::string& state = "delivered", const std::string& reason = "rendered") {
        add(WhySaid{
            .id = "i" + std::to_string(number), .user = "ada", .state = state, .reason = reason, .reasons = {reason}});
    }
    void quiet() {
        wait(20'000);
        add(Quiet{});
    }

    std::map<std::string, int> judge() const {
        Checker checker;
        for (const Observation& one : seen_) checker.see(one);
        std::map<std::string, int> found;
        for (const Violation& one : checker.finish()) {
            EXPECT_FALSE(one.promise.empty());
            EXPECT_FALSE(one.message.empty());
            ++found[one.invariant];
        }
        return found;
    }
    const std::vector<Observation>& seen() const { return seen_; }

private:
    std::vector<Observation> seen_;
    std::uint64_t order_ = 0;
    std::int64_t now_ms_ = 0;
    int pulls_ = 0;
};

// A plant is a whole story of its own in which one promise is broken.
using Plant = std::function<void(Tale&)>;

// The plants for the invariants of requests and of context.
const std::map<std::string, Plant>& intake_plants();

// The plants for the invariants of devices and of memory.
const std::map<std::string, Plant>& device_plants();

}  // namespace observer
