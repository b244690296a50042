#include <gtest/gtest.h>

#include "tale.hpp"

// Planted violations of the promises about requests and about context, and the cases that excuse them.
namespace observer {
namespace {

const Answer invalid{422, "invalid"};
const Answer forbidden{403, "forbidden"};
const Answer lost{};

// Steps of stories about subscribers: every event is of user ada and of session s1.
void make_subscriber(Tale& t, const std::string& priority, std::int64_t max_size = 10) {
    t.add(SessionMade{.session = "s1", .user = "ada", .answer = ok});
    t.add(SubscriberMade{.subscriber = "ci", .type = "ci.failed", .priority = priority, .max_size = max_size});
}

std::string mark_of(int number) {
    return "#m" + std::to_string(number) + "#";
}

void happen(Tale& t, int number, Answer answer = made) {
    t.add(EventEmitted{.caller = "emitter",
                       .role = "emitter",
                       .type = "ci.failed",
                       .source = "ci",
                       .severity = "error",
                       .user = "ada",
                       .session = "s1",
                       .mark = mark_of(number),
                       .answer = answer,
                       .id = "e" + std::to_string(number)});
}

// A pull that returns each list of events as one notification.
Pulled pull_at(Tale& t, const std::string& point, const std::vector<std::vector<int>>& notifications) {
    Pulled pull = t.pull_of("r1", {});
    pull.point = point;
    int number = 100;
    for (const auto& events : notifications) {
        PulledItem item{.handle = "n" + std::to_string(++number), .id = "i" + std::to_string(number), .lease = 1};
        for (const int event : events) item.content += "ci: " + mark_of(event) + "\n";
        item.text = "ci failed", pull.prompt += item.content, pull.items.push_back(item);
    }
    return pull;
}

void pull(Tale& t, const std::string& point, const std::vector<std::vector<int>>& notifications = {}) {
    t.add(pull_at(t, point, notifications));
}

KeySent keyed(const std::string& made_id, Answer answer = made) {
    return {.caller = "service",
            .path = "/v1/runs",
            .key = "k",
            .body = "{}",
            .mark = "#k1#",
            .answer = answer,
            .made = made_id};
}

MessagePosted message(const std::string& session, const std::string& way, Answer answer) {
    return {.caller = "ada",
            .user = "ada",
            .session = session,
            .role = "user",
            .mark = "#u1#",
            .text = "#u1# hi",
            .answer = answer,
            .way = way};
}

bool is_reported(const Tale& tale, const std::string& invariant) {
    return tale.judge().contains(invariant);
}

}  // namespace

const std::map<std::string, Plant>& intake_plants() {
    static const std::map<std::string, Plant> all = {
        {"record_stays_with_its_user",
         [](Tale& t) {
             t.emit("uus", 1, "ben");
             t.add(RecordRead{.caller = "ada",
                              .role = "user",
                              .user = "ada",
                              .path = "/v1/why/i1",
                              .mark = "#m1#",
                              .answer = ok,
                              .text = "{\"payload\":\"#m1#\"}"});
         }},
        {"owner_reads_the_record",
         [](Tale& t) {
             happen(t, 1);
             t.add(RecordRead{.caller = "ada",
                              .role = "user",
                              .user = "ada",
                              .path = "/v1/why/e1",
                              .mark = "#m1#",
                              .answer = forbidden});
         }},
        {"agent_reads_every_event",
         [](Tale& t) {
             make_subscriber(t, "normal"), happen(t, 1), happen(t, 2), pull(t, "turn_start", {{1}}), t.quiet();
         }},
        {"unknown_parameter_is_rejected",
         [](Tale& t) {
             t.add(ParameterSent{
                 .caller = "ada", .method = "POST", .path = "/v1/events", .parameter = "x", .answer = made});
         }},
        {"settings_follow_requests",
         [](Tale& t) {
             t.add(SubscriberSwitched{.caller = "ada", .user = "ada", .subscriber = "subagent", .answer = invalid});
             t.add(SettingsRead{.user = "ada", .disabled = {"subagent"}, .answer = ok});
         }},
        {"low_context_waits_for_turn_end",
         [](Tale& t) { make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1), pull(t, "after_tool", {{1}}); }},
        {"turn_end_gathers_low_context",
         [](Tale& t) {
             make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1), t.wait(11'000), happen(t, 2);
             pull(t, "turn_end", {{1}, {2}});
         }},
        {"low_context_comes_after_ten_minutes",
         [](Tale& t) {
             make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1), t.add(ClockStepped{.by_ms = 3'600'000});
             t.wait(15'000), pull(t, "after_tool");
         }},
        {"times_are_read",
         [](Tale& t) {
             t.add(TimeSent{.caller = "emitter",
                            .way = "events",
                            .text = "2026-11-17T04:43:35,5+00:00",
                            .answer = invalid,
                            .field = "timestamp"});
         }},
        {"session_id_is_one_rule",
         [](Tale& t) {
             t.add(SessionMade{.session = "a b", .user = "ada", .answer = ok}), t.add(message("a b", "cli", invalid));
         }},
        {"dev_leaves_the_user_alone",
         [](Tale& t) {
             t.add(DevStarted{.sinks = {"phone"}, .subscribers = {"mine"}});
             t.add(DevListed{.subscribers = {"example_failed_builds", "mine"}, .answer = ok});
         }},
        {"one_key_one_effect", [](Tale& t) { t.add(keyed("7")), t.add(keyed("8")); }},
    };
    return all;
}

namespace {

TEST(ObserverIntake, a_second_violation_of_each_promise_is_found_too) {
    const std::map<std::string, std::vector<Plant>> more = {
        {"unknown_parameter_is_rejected", {[](Tale& t) {
             t.add(ParameterSent{
                 .method = "GET", .path = "/v1/runs", .parameter = "x", .answer = invalid, .field = "id"});
         }}},
        {"settings_follow_requests", {[](Tale& t) {
             t.add(SubscriberSwitched{.user = "ada", .subscriber = "subagent", .enabled = false, .answer = ok});
             t.add(SettingsRead{.user = "ada", .disabled = {}, .answer = ok});
         }}},
        {"turn_end_gathers_low_context",
         {[](Tale& t) { make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1), pull(t, "turn_end"); }}},
        {"times_are_read", {[](Tale& t) {
             t.add(TimeSent{.way = "events", .text = "20261117T0443Z", .meant_us = 5, .answer = made, .read_us = 6});
         }}},
        {"session_id_is_one_rule", {[](Tale& t) { t.add(message("a b", "alias", ok)); }}},
        {"dev_leaves_the_user_alone", {[](Tale& t) {
             t.add(DevStarted{.sinks = {"phone"}}),
                 t.add(Rang{.sink = "phone", .user = "ada", .id = "d1", .text = "!"});
         }}},
        {"one_key_one_effect",
         {[](Tale& t) { t.add(keyed("7")), t.add(keyed("", conflict)); },
          [](Tale& t) {
              KeySent other = keyed("7");
              t.add(keyed("7")), other.body = "{\"title\":\"x\"}", t.add(other);
          },
          [](Tale& t) { t.add(KeySent{.path = "/v1/tickets", .key = "k", .takes_key = false, .answer = made}); },
          [](Tale& t) {
              t.add(keyed("", lost)), t.add(RecordsCounted{.what = "runs", .mark = "#k1#", .ids = {"7", "8"}});
          },
          [](Tale& t) { t.add(keyed("7")), t.add(HistoryRead{.session = "s1", .marks = {"#k1#", "#k1#"}}); }}},
    };
    for (const auto& [name, stories] : more)
        for (const Plant& plant : stories) {
            Tale tale;
            plant(tale);
            EXPECT_TRUE(is_reported(tale, name)) << name;
        }
}

TEST(ObserverIntake, a_world_that_keeps_every_promise_has_no_violation) {
    Tale t;
    make_subscriber(t, "low", 2), pull(t, "turn_start"), happen(t, 1), happen(t, 2), happen(t, 3);
    t.wait(2000), pull(t, "after_tool"), pull(t, "turn_end", {{1, 2}, {3}}), t.end("r1", "p3");
    happen(t, 4), t.add(TurnStarted{.runtime = "r1", .session = "s1", .answer = ok}), pull(t, "turn_start");
    t.end("r1", "p4");  // without a pull at turn_end
    pull(t, "turn_start", {{4}}), t.end("r1", "p5");
    t.add(RecordRead{.role = "user", .user = "ben", .path = "/v1/why/e1", .mark = "#m1#", .answer = forbidden});
    t.add(
        RecordRead{.role = "user", .user = "ada", .path = "/v1/why/e1", .mark = "#m1#", .answer = ok, .text = "#m1#"});
    t.add(ParameterSent{.method = "GET", .path = "/v1/runs", .parameter = "x", .answer = invalid, .field = "x"});
    t.add(SubscriberSwitched{.user = "ada", .subscriber = "subagent", .enabled = false, .answer = lost});
    t.add(SettingsRead{.user = "ada", .disabled = {"subagent"}, .answer = ok});
    t.add(SettingsRead{.user = "ben", .answer = ok});
    t.add(TimeSent{.way = "events", .text = "20261117T0443Z", .meant_us = 5, .answer = made, .read_us = 5});
    t.add(keyed("", lost)), t.add(keyed("7")), t.add(keyed("7"));
    KeySent other = keyed("", conflict);
    other.body = "{\"title\":\"x\"}", t.add(other);
    t.add(RecordsCounted{.what = "runs", .mark = "#k1#", .ids = {"7"}});
    t.add(DevStarted{.sinks = {"phone"}, .subscribers = {"mine"}});
    t.add(DevListed{.subscribers = {"example_failed_builds"}, .answer = ok});
    t.quiet();
    for (const auto& [name, count] : t.judge()) ADD_FAILURE() << name;
}

TEST(ObserverIntake, a_pull_without_an_answer_excuses_what_it_may_have_taken) {
    Tale t;
    make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1);
    Pulled unanswered = pull_at(t, "turn_end", {});
    unanswered.answer = lost, unanswered.pull_id = "", t.add(unanswered), pull(t, "turn_end");
    EXPECT_FALSE(is_reported(t, "turn_end_gathers_low_context"));
}

TEST(ObserverIntake, a_clock_that_was_set_back_excuses_low_context) {
    Tale t;
    make_subscriber(t, "low"), pull(t, "turn_start"), happen(t, 1), t.add(ClockStepped{.by_ms = -3'600'000});
    t.add(ClockStepped{.by_ms = 7'200'000}), t.wait(20'000), pull(t, "after_tool");
    EXPECT_FALSE(is_reported(t, "low_context_comes_after_ten_minutes"));
}

TEST(ObserverIntake, a_crash_excuses_a_rejected_message) {
    Tale t;
    t.add(SessionMade{.session = "a b", .user = "ada", .answer = ok}), t.add(Crashed{}), t.add(Restarted{});
    Observation said{.order = 100, .began = 3, .at_ms = 1000, .began_ms = 150, .body = message("a b", "cli", invalid)};
    Checker checker;
    for (const Observation& one : t.seen()) checker.see(one);
    checker.see(said);
    for (const Violation& one : checker.finish()) EXPECT_NE(one.invariant, "session_id_is_one_rule");
}

}  // namespace
}  // namespace observer
