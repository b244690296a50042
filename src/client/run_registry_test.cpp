#include "client/run_registry.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

#include "client/llm_callback_handler.hpp"
#include "client/run_context.hpp"

namespace belfry::client {
namespace {

CallerContext boss() {
    return CallerContext::make("boss", AgentType::global_supervisor, "Boss").value();
}

RunEvent event_of(RunId run_id, std::string name = "step.started") {
    return RunEvent{run_id, boss(), std::move(name), {}};
}

EventCallback into(std::vector<std::string>& names) {
    return [&names](const RunEvent& event) { names.push_back(event.event); };
}

TEST(CallerContext, who_is_of_a_team_must_name_it) {
    EXPECT_TRUE(CallerContext::make("a", AgentType::global_supervisor, "A").ok());
    for (const AgentType type : {AgentType::worker, AgentType::team_supervisor}) {
        const auto alone = CallerContext::make("a", type, "A");
        ASSERT_FALSE(alone.ok());
        EXPECT_EQ(alone.error().field, "team_name");
        EXPECT_TRUE(CallerContext::make("a", type, "A", "red").ok());
    }
    EXPECT_EQ(CallerContext::make("", AgentType::worker, "A", "red").error().field, "agent_id");
    EXPECT_EQ(CallerContext::make("a", AgentType::worker, "", "red").error().field, "agent_name");
    EXPECT_EQ(CallerContext::make(std::string(201, 'a'), AgentType::worker, "A", "red").error().field, "agent_id");
}

TEST(CallerContext, a_worker_is_of_the_team_of_whoever_leads_it) {
    const auto lead = CallerContext::child_of(boss(), "lead", AgentType::team_supervisor, "Lead", "red");
    ASSERT_TRUE(lead.ok());
    const auto worker = CallerContext::child_of(*lead, "w", AgentType::worker, "W");
    ASSERT_TRUE(worker.ok());
    EXPECT_EQ(worker->team_name(), "red");
    EXPECT_EQ(CallerContext::child_of(*lead, "w", AgentType::worker, "W", "blue").error().field, "team_name");
    EXPECT_EQ(CallerContext::child_of(boss(), "w", AgentType::worker, "W").error().field, "team_name");
    EXPECT_EQ(CallerContext::child_of(*worker, "x", AgentType::worker, "X").error().field, "agent_type");
    EXPECT_EQ(CallerContext::child_of(*lead, "x", AgentType::team_supervisor, "X").error().field, "agent_type");
    std::string json;
    model::append_caller_json(json, worker->value());
    EXPECT_EQ(json, R"({"agent_id":"w","agent_type":"worker","agent_name":"W","team_name":"red"})");
}

TEST(RunRegistry, what_was_deregistered_twice_is_not_there) {
    RunRegistry registry;
    std::vector<std::string> names;
    ASSERT_TRUE(registry.register_callback(7, into(names)).ok());
    ASSERT_TRUE(registry.register_checker(7, [] { return true; }).ok());
    EXPECT_NE(registry.callback(7), nullptr);
    EXPECT_TRUE(registry.is_cancelled(7));
    registry.deregister(7);
    registry.deregister(7);
    EXPECT_EQ(registry.callback(7), nullptr);
    EXPECT_EQ(registry.checker(7), nullptr);
    EXPECT_FALSE(registry.is_cancelled(7));
    EXPECT_EQ(registry.size(), 0U);
    ASSERT_TRUE(registry.register_callback(7, into(names)).ok());
    ASSERT_TRUE(registry.register_callback(7, {}).ok());
    EXPECT_EQ(registry.size(), 0U);
}

TEST(RunRegistry, registering_again_overwrites) {
    RunRegistry registry;
    std::vector<std::string> first;
    std::vector<std::string> second;
    ASSERT_TRUE(registry.register_callback(7, into(first)).ok());
    ASSERT_TRUE(registry.register_callback(7, into(second)).ok());
    EXPECT_TRUE(registry.emit(event_of(7)));
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(second.size(), 1U);
}

TEST(RunRegistry, what_nobody_is_registered_for_is_counted_and_seen_by_nobody) {
    RunRegistry registry;
    std::vector<std::string> names;
    ASSERT_TRUE(registry.register_callback(7, into(names)).ok());
    EXPECT_FALSE(registry.emit(event_of(8)));
    EXPECT_FALSE(registry.emit(event_of(0)));
    EXPECT_EQ(registry.dropped(), 2U);
    EXPECT_TRUE(names.empty());
}

TEST(RunRegistry, a_run_id_is_positive) {
    RunRegistry registry;
    for (const RunId wrong : {RunId{0}, RunId{-1}}) {
        EXPECT_EQ(registry.register_callback(wrong, [](const RunEvent&) {}).error().field, "run_id");
        EXPECT_EQ(registry.register_checker(wrong, [] { return false; }).error().field, "run_id");
        EXPECT_EQ(registry.enter(wrong, [](const RunEvent&) {}).error().field, "run_id");
        EXPECT_EQ(RunContext::make(registry, wrong, boss()).error().field, "run_id");
    }
    EXPECT_EQ(registry.size(), 0U);
}

base::Result<void> failing_run(RunRegistry& registry, std::vector<std::string>& names) {
    TRY_ASSIGN(const RunRegistration registration, registry.enter(7, into(names)));
    TRY(registry.register_checker(7, [] { return false; }));
    EXPECT_TRUE(registry.emit(event_of(7)));
    return base::error(base::Code::internal, "it failed");
}

TEST(RunRegistry, a_failed_run_leaves_no_registration_behind) {
    RunRegistry registry;
    std::vector<std::string> names;
    EXPECT_FALSE(failing_run(registry, names).ok());
    EXPECT_EQ(names.size(), 1U);
    EXPECT_EQ(registry.size(), 0U);
}

TEST(RunRegistry, who_has_left_does_not_take_the_next_ones_place_away) {
    RunRegistry registry;
    std::vector<std::string> first;
    std::vector<std::string> second;
    RunRegistration one = registry.enter(7, into(first)).value();
    RunRegistration two = registry.enter(7, into(second)).value();
    one.end();
    EXPECT_TRUE(registry.emit(event_of(7)));
    EXPECT_EQ(second.size(), 1U);
    two = registry.enter(8, into(second)).value();
    EXPECT_EQ(registry.callback(7), nullptr);
    EXPECT_NE(registry.callback(8), nullptr);
}

TEST(RunRegistry, who_leaves_takes_everything_along_that_came_meanwhile) {
    RunRegistry registry;
    const auto nobody = [](const RunEvent&) {};
    for (const bool deregisters : {false, true}) {
        auto registration = registry.enter(7, nobody);
        ASSERT_TRUE(registration.ok());
        if (deregisters) registry.deregister(7);
        else ASSERT_TRUE(registry.register_callback(7, {}).ok());
        EXPECT_EQ(registry.size(), 0U);
        EXPECT_EQ(registry.callback(7), nullptr);
        ASSERT_TRUE(registry.register_callback(7, nobody).ok());
        EXPECT_EQ(registry.size(), 1U);
        registration->end();
        EXPECT_EQ(registry.size(), 0U);
        EXPECT_EQ(registry.callback(7), nullptr);
    }
}

TEST(RunRegistry, a_callback_may_use_the_registry_that_calls_it) {
    RunRegistry registry;
    std::vector<std::string> names;
    // Its destructor uses it, too: an overwritten callback must not die under the lock.
    struct Last {
        RunRegistry& registry;
        explicit Last(RunRegistry& to) : registry(to) {}
        ~Last() { EXPECT_EQ(registry.callback(9), nullptr); }
    };
    const auto make = [&] {
        return [&registry, &names, last = std::make_shared<Last>(registry)](const RunEvent& event) {
            registry.deregister(event.run_id);
            EXPECT_TRUE(registry.register_callback(8, into(names)).ok());
            EXPECT_TRUE(registry.emit(event_of(8)));
        };
    };
    ASSERT_TRUE(registry.register_callback(7, make()).ok());
    ASSERT_TRUE(registry.register_callback(7, make()).ok());
    EXPECT_TRUE(registry.emit(event_of(7)));
    EXPECT_EQ(names.size(), 1U);
    EXPECT_EQ(registry.size(), 1U);
}

TEST(RunContext, workers_speak_in_the_run_of_their_supervisor) {
    RunRegistry registry;
    std::vector<RunEvent> events;
    ASSERT_TRUE(registry.register_callback(7, [&](const RunEvent& event) { events.push_back(event); }).ok());
    const auto root = RunContext::make(registry, 7, boss());
    const auto lead = root->child("lead", AgentType::team_supervisor, "Lead", "red");
    const auto worker = lead->child("w1", AgentType::worker, "W");
    ASSERT_TRUE(worker.ok());
    EXPECT_TRUE(worker->emit("step.started", model::RawJson::trusted(R"({"n":1})")));
    EXPECT_FALSE(worker->of_run(8)->emit("step.started", {}));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].run_id, 7);
    EXPECT_EQ(events[0].source.agent_id(), "w1");
    EXPECT_EQ(events[0].source.team_name(), "red");
    EXPECT_EQ(events[0].data.bytes(), R"({"n":1})");
    ASSERT_TRUE(registry.register_checker(7, [] { return true; }).ok());
    EXPECT_TRUE(worker->is_cancelled());
}

// Ten runs at once, a thousand tagged events each. Which thread emits a run's next event is chance; that it is the next
// one is the run's own order.
TEST(RunRegistry, every_run_gets_its_own_events_in_order_whichever_thread_emits_them) {
    constexpr int runs = 10;
    constexpr int events = 1000;
    constexpr int threads = 8;
    struct Run {
        std::mutex turn;
        int next = 1;
        std::vector<std::string> seen;  // only its callback writes, which its turn orders
    };
    std::array<Run, runs> all;
    RunRegistry registry;
    std::vector<RunRegistration> registrations;
    std::vector<RunContext> contexts;
    for (Run& run : all) {
        const RunId id = static_cast<RunId>(contexts.size()) + 1;
        registrations.push_back(
            registry.enter(id, [&run](const RunEvent& event) { run.seen.push_back(event.data.bytes()); }).value());
        contexts.push_back(RunContext::make(registry, id, boss()).value());
    }
    std::atomic<bool> ends = false;
    std::thread visitor([&] {  // runs that come and go beside them
        for (RunId id = 1000; !ends; ++id) {
            const auto entered = registry.enter(id, [](const RunEvent&) { ADD_FAILURE() << "somebody else's event"; });
            registry.deregister(id - 1);
        }
    });
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
            std::minstd_rand chance(static_cast<unsigned>(t + 1));
            for (int idle = 0; idle < runs;) {
                const std::size_t i = chance() % runs;
                const std::lock_guard turn(all[i].turn);
                if (all[i].next > events) {
                    ++idle;
                    continue;
                }
                idle = 0;
                const std::string tag = "[" + std::to_string(i) + "," + std::to_string(all[i].next++) + "]";
                EXPECT_TRUE(contexts[i].emit("llm.stream", model::RawJson::trusted(tag)));
            }
        });
    }
    for (std::thread& worker : workers) worker.join();
    // Chance may have left some: the last thread goes through all of them.
    for (std::size_t i = 0; i < runs; ++i) {
        while (all[i].next <= events) {
            const std::string tag = "[" + std::to_string(i) + "," + std::to_string(all[i].next++) + "]";
            contexts[i].emit("llm.stream", model::RawJson::trusted(tag));
        }
    }
    ends = true;
    visitor.join();
    for (std::size_t i = 0; i < runs; ++i) {
        ASSERT_EQ(all[i].seen.size(), static_cast<std::size_t>(events));
        for (int n = 0; n < events; ++n) {
            ASSERT_EQ(all[i].seen[static_cast<std::size_t>(n)],
                      "[" + std::to_string(i) + "," + std::to_string(n + 1) + "]");
        }
    }
    EXPECT_EQ(registry.dropped(), 0U);
    registrations.clear();
    EXPECT_EQ(registry.size(), 0U);
}

TEST(LLMCallbackHandler, a_direct_callback_wins_over_the_registry) {
    RunRegistry registry;
    std::vector<std::string> registered;
    std::vector<std::string> direct;
    ASSERT_TRUE(registry.register_callback(7, into(registered)).ok());
    auto handler = LLMCallbackHandler::make({boss(), into(direct), 7, &registry, false, {}});
    ASSERT_TRUE(handler.ok());
    handler->on_text("x");
    EXPECT_EQ(direct, std::vector<std::string>{"llm.stream"});
    EXPECT_TRUE(registered.empty());
    auto by_id = LLMCallbackHandler::make({boss(), {}, 7, &registry, false, {}});
    by_id->on_text("x");
    EXPECT_EQ(registered, std::vector<std::string>{"llm.stream"});
}

TEST(LLMCallbackHandler, without_a_route_events_are_dropped_and_counted) {
    RunRegistry registry;
    auto nowhere = LLMCallbackHandler::make({boss(), {}, {}, nullptr, false, {}});
    nowhere->on_text("x");
    EXPECT_EQ(nowhere->dropped(), 1U);
    auto unregistered = LLMCallbackHandler::make({boss(), {}, 7, &registry, false, {}});
    unregistered->on_text("x");
    EXPECT_EQ(unregistered->dropped(), 1U);
    EXPECT_EQ(registry.dropped(), 1U);
    EXPECT_EQ(LLMCallbackHandler::make({boss(), {}, 0, &registry, false, {}}).error().field, "run_id");
    EXPECT_EQ(LLMCallbackHandler::make({boss(), {}, 7, nullptr, false, {}}).error().field, "run_id");
}

TEST(LLMCallbackHandler, a_message_is_streamed_gathered_and_ended) {
    RunRegistry registry;
    std::vector<std::string> lines;
    std::vector<std::string> told;
    ASSERT_TRUE(registry
                    .register_callback(
                        7, [&](const RunEvent& event) { lines.push_back(event.event + " " + event.data.bytes()); })
                    .ok());
    auto handler = LLMCallbackHandler::make(
        {boss(), {}, 7, &registry, true, [&](std::string_view line) { told.emplace_back(line); }});
    handler->on_message_start("m1");
    handler->on_text("Grüße");
    handler->on_text("");
    handler->on_text(" \n");
    handler->on_message_end();
    handler->on_tool_call("c1", "search", model::RawJson::trusted(R"({"q":"x"})"));
    handler->on_tool_result("c1", "search", "found");
    handler->on_error("overloaded", "try later");
    EXPECT_EQ(lines, (std::vector<std::string>{
                         R"(llm.message_start {"message_id":"m1"})",
                         R"(llm.stream {"message_id":"m1","text":"Grüße"})",
                         R"(llm.stream {"message_id":"m1","text":" \n"})",
                         R"(llm.message_end {"message_id":"m1","text":"Grüße \n"})",
                         R"(llm.tool_call {"tool_call_id":"c1","tool_name":"search","arguments":{"q":"x"}})",
                         R"(llm.tool_result {"tool_call_id":"c1","tool_name":"search","content":"found"})",
                         R"(llm.error {"type":"overloaded","message":"try later"})",
                     }));
    EXPECT_EQ(handler->text(), "Grüße \n");
    EXPECT_EQ(handler->tool_count(), 1U);
    ASSERT_EQ(told.size(), lines.size());
    EXPECT_EQ(told[1], "boss " + lines[1]);
}

TEST(LLMCallbackHandler, a_piece_may_end_inside_a_character) {
    std::vector<std::string> seen;
    const auto take = [&seen](const RunEvent& event) { seen.push_back(event.event + " " + event.data.bytes()); };
    std::vector<std::string> log;
    auto handler = LLMCallbackHandler::make(
        {boss(), take, {}, nullptr, true, [&log](std::string_view line) { log.emplace_back(line); }});
    ASSERT_TRUE(handler.ok());
    handler->on_message_start("m");
    for (const char* const piece : {"Gr\xC3", "\xBC", "\xC3\x9F \xF0\x9F", "\x98", "\x80", "e\xFF", "\xE2\x82"})
        handler->on_text(piece);
    handler->on_message_end();
    const std::vector<std::string> wanted{
        R"(llm.message_start {"message_id":"m"})",      R"(llm.stream {"message_id":"m","text":"Gr"})",
        R"(llm.stream {"message_id":"m","text":"ü"})",  R"(llm.stream {"message_id":"m","text":"ß "})",
        R"(llm.stream {"message_id":"m","text":"😀"})", R"(llm.stream {"message_id":"m","text":"e�"})",
        R"(llm.stream {"message_id":"m","text":"��"})", R"(llm.message_end {"message_id":"m","text":"Grüß 😀e���"})"};
    EXPECT_EQ(seen, wanted);
    handler->on_tool_result("c", "t", "bell \x7F, escape \xC2\x9B, half \xC3");
    EXPECT_TRUE(log.back().ends_with(R"("content":"bell ?, escape ?, half �"})")) << log.back();
}

TEST(LLMCallbackHandler, one_handler_serves_many_threads) {
    RunRegistry registry;
    std::atomic<int> taken = 0;
    ASSERT_TRUE(registry.register_callback(7, [&](const RunEvent&) { ++taken; }).ok());
    LLMCallbackHandler handler = LLMCallbackHandler::of(RunContext::make(registry, 7, boss()).value());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i) {
                handler.on_text("ab");
                handler.on_tool_call("c", "t", {});
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(taken, 2000);
    EXPECT_EQ(handler.tool_count(), 1000U);
    EXPECT_EQ(handler.text().size(), 2000U);
    EXPECT_FALSE(handler.is_cancelled());
}

}  // namespace
}  // namespace belfry::client
