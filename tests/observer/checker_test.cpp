#include "checker.hpp"

#include <gtest/gtest.h>
#include <map>

#include "observation_json.hpp"
#include "tale.hpp"

// Every invariant can fail: for each one there is a story in which exactly the promise in question is broken.
namespace observer {
namespace {

// A world in which every promise is kept: an alert, a narration, an internal matter, passive context, a tool, facts.
void tell_good_story(Tale& tale) {
    tale.add(SessionMade{.session = "s1", .user = "ada", .answer = made});
    tale.add(SinkMade{.sink = "bell", .user = "ada"});
    tale.add(FollowedAgent{.follower = "f1", .user = "ada", .answer = ok});
    tale.emit("uus", 1);
    tale.add(Rang{.sink = "bell", .user = "ada", .id = "i1", .version = 1, .lease = 1, .text = "#m1# text"});
    tale.connect("c0", "ben");
    tale.add(Connected{.connection = "c1", .user = "ada", .transport = "simulated", .answer = ok});
    tale.show("c1", 1);
    tale.add(CaughtUp{.connection = "c1", .waiting = 1});
    tale.ack("c1", 1);
    tale.emit("uua", 2);
    tale.add(TurnRequested{.follower = "f1", .user = "ada", .id = "i2"});
    Pulled pull = tale.pull_of("r1", {2});
    pull.seen.push_back({.status = "seen", .text = "[SEEN] #m1# text"});
    tale.add(pull);
    tale.narrate("r1", 2, 1);
    tale.add(tale.frame("c1", 2, "#s1# said", true));
    tale.add(Rang{.sink = "bell", .user = "ada", .id = "i2", .version = 1, .lease = 1, .text = "#s1# said"});
    tale.ack("c1", 2);
    tale.end("r1", pull.pull_id);
    tale.emit("uaa", 3);
    tale.add(TurnRequested{.follower = "f1", .user = "ada", .id = "i3"});
    const std::string second = tale.pull("r1", {3}, 1, false);
    tale.tool("mail_1", 3);
    tale.end("r1", second, {{"i3", 1, {}}});
    tale.add(tale.frame("c1", 3, "#m3# text (tool used: mail_1)", false, 2));
    tale.ack("c1", 3, 2);
    tale.emit("sas", 4);
    Pulled third = tale.pull_of("r1", {4});
    third.items.front().needs_answer = false;
    third.seen.push_back({.status = "seen", .text = "[SEEN] #m3# text"});
    tale.add(third);
    tale.end("r1", third.pull_id);
    for (const int number : {1, 2, 3, 4}) {
        tale.why(number);
        if (number != 4)
            tale.add(
                Listed{.user = "ada", .id = "i" + std::to_string(number), .text = "#m" + std::to_string(number) + "#"});
    }
}

const std::map<std::string, Plant>& plants() {
    static const std::map<std::string, Plant> delivery = {
        {"every_notification_is_seen",
         [](Tale& t) {
             t.emit("uua", 1), t.pull("r1", {1}), t.narrate("r1", 1, 1), t.why(1, "delivered", "narrated"), t.quiet();
         }},
        {"one_speaker",
         [](Tale& t) {
             t.connect("c1"), t.emit("uua", 1), t.pull("r1", {1}), t.narrate("r1", 1, 1),
                 t.add(t.frame("c1", 1, "#s1# said", true));
             t.add(t.frame("c1", 1, "#m1# text", false, 2));
         }},
        {"shown_once_per_connection",
         [](Tale& t) { t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.show("c1", 1); }},
        {"acknowledged_is_not_sent_again",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.ack("c1", 1), t.connect("c2"), t.show("c2", 1);
         }},
        {"unacknowledged_is_sent_on_connection",
         [](Tale& t) { t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.connect("c2"); }},
        {"oldest_first",
         [](Tale& t) {
             t.emit("uus", 1), t.emit("uus", 2),
                 t.add(Connected{.connection = "c1", .user = "ada", .transport = "simulated", .answer = ok});
             t.show("c1", 2), t.show("c1", 1), t.add(CaughtUp{.connection = "c1"});
         }},
        {"alert_is_immediate", [](Tale& t) { t.connect("c1"), t.emit("uus", 1), t.wait(10'000), t.show("c1", 1); }},
        {"other_devices_are_told",
         [](Tale& t) {
             t.connect("c1"), t.connect("c2"), t.emit("uus", 1), t.show("c1", 1), t.show("c2", 1), t.ack("c1", 1),
                 t.wait(10'000);
             t.add(Disconnected{.connection = "c2"});
         }},
        {"stale_acknowledgement_is_rejected",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.add(t.frame("c1", 1, "#m1#", false, 2)),
                 t.ack("c1", 1, 1);
         }},
        {"sinks_ring", [](Tale& t) { t.add(SinkMade{"bell", "ada"}), t.emit("uus", 1), t.quiet(); }},
        {"sink_rings_once",
         [](Tale& t) {
             t.emit("uus", 1);
             for (int i = 0; i < 2; ++i)
                 t.add(Rang{.sink = "bell", .user = "ada", .id = "i1", .version = 1, .lease = 1, .text = "#m1#"});
         }},
        {"nothing_unasked",
         [](Tale& t) { t.connect("c1"), t.add(t.frame("c1", 9, "robot has failed 5 times in a row")); }},
        {"nothing_reaches_another_user", [](Tale& t) { t.emit("uus", 1, "ben"), t.connect("c1"), t.show("c1", 1); }},
        {"rejected_changes_nothing",
         [](Tale& t) {
             t.emit("uua", 1), t.pull("r1", {1}), t.connect("c1"), t.narrate("r1", 1, 1, 1, conflict),
                 t.add(t.frame("c1", 1, "#s1# said", true));
         }},
        {"one_key_one_notification",
         [](Tale& t) {
             Emitted one = t.emission("uus", 1);
             one.idempotency_key = "k", t.add(one), one.id = "i2", t.add(one);
         }},
        {"accepted_is_never_lost", [](Tale& t) { t.emit("uas", 1), t.why(1, "missing", ""), t.quiet(); }},
        {"nothing_stays_open", [](Tale& t) { t.emit("uua", 1), t.why(1, "locked", "claimed"), t.quiet(); }},
        {"passive_context_is_not_shown", [](Tale& t) { t.emit("uas", 1), t.connect("c1"), t.show("c1", 1); }},
        {"passive_context_reaches_an_agent",
         [](Tale& t) { t.emit("uas", 1), t.why(1, "delivered", "turn_ended"), t.quiet(); }},
        {"internal_matter_stays_internal", [](Tale& t) { t.emit("uaa", 1), t.connect("c1"), t.show("c1", 1); }},
        {"external_tool_is_seen",
         [](Tale& t) {
             t.emit("uaa", 1);
             const std::string pull = t.pull("r1", {1}, 1, false);
             t.tool("mail_1", 1), t.end("r1", pull, {{"i1", 1, {}}}), t.why(1, "delivered", "acknowledged_by_model"),
                 t.quiet();
         }},
        {"inbox_lists_what_was_shown",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.ack("c1", 1), t.why(1), t.quiet();
             t.add(Listed{.user = "ada", .id = "i7", .text = "other"});
         }},
        {"stale_holder_changes_nothing",
         [](Tale& t) { t.emit("sua", 1), t.pull("r1", {1}), t.wait(11'000), t.pull("r2", {1}, 2), t.end("r1", ""); }},
        {"holder_is_heard",
         [](Tale& t) {
             t.emit("sua", 1), t.pull("r1", {1}), t.wait(11'000), t.pull("r2", {1}, 2), t.end("r1", ""),
                 t.narrate("r2", 1, 1, 2, conflict);
         }},
        {"guessed_lease_changes_nothing",
         [](Tale& t) {
             Emitted one = t.emission("sua", 1);
             one.deduplication_key = "k", t.add(one), t.pull("r1", {1});
             one.version = 2, one.mark = "#m2#", one.lease = 1, t.add(one);
         }},
        {"one_holder",
         [](Tale& t) {
             t.emit("uua", 1), t.pull("r1", {1});
             Pulled other = t.pull_of("r2", {1}, 2);
             other.session = "s2", t.add(other);
         }},
        {"silence_is_shown_at_once",
         [](Tale& t) {
             t.connect("c1"), t.emit("sua", 1);
             const std::string pull = t.pull("r1", {1});
             t.end("r1", pull), t.wait(10'000), t.show("c1", 1);
         }},
        {"deleted_session_is_shown_at_once",
         [](Tale& t) {
             t.connect("c1"), t.emit("sua", 1), t.pull("r1", {1}),
                 t.add(SessionDeleted{.session = "s1", .user = "ada", .answer = ok});
             t.wait(10'000), t.show("c1", 1);
         }},
        {"chains_end",
         [](Tale& t) {
             t.emit("uaa", 1);
             for (int number = 1; number <= 4; ++number) {
                 const std::string pull = t.pull("r1", {number}, 1, false);
                 Emitted child = t.emission("uaa", number + 1);
                 child.caller = "r1", child.role = "agent", t.add(child), t.end("r1", pull);
             }
             t.add(TurnRequested{.follower = "f1", .user = "ada", .id = "i5"});
         }},
        {"turn_is_requested",
         [](Tale& t) {
             t.add(FollowedAgent{.follower = "f1", .user = "ada", .answer = ok}), t.emit("uua", 1), t.why(1), t.quiet();
         }},
        {"ttl_is_kept", [](Tale& t) { t.connect("c1"), t.emit("uua", 1), t.wait(70'000), t.show("c1", 1); }},
        {"prompt_hides_classes_of_tools",
         [](Tale& t) {
             Pulled pull = t.pull_of("r1", {});
             pull.prompt = "call EXTERNAL tools with care", t.add(pull);
         }},
        {"item_says_must_tell", [](Tale& t) { t.emit("sua", 1), t.pull("r1", {1}, 1, false); }},
        {"belfry_agent_is_given_the_text",
         [](Tale& t) {
             t.add(AgentMade{.agent = "robot",
                             .user = "ada",
                             .workflow = "script",
                             .mark = "#a1#",
                             .tells = true,
                             .repeats_given = true,
                             .answer = made});
             Emitted one = t.emission("uaa", 1);
             one.agent = "robot", t.add(one), t.why(1, "delivered", "vetoed"), t.quiet();
         }},
        {"turn_knows_what_user_was_shown",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.ack("c1", 1), t.wait(1000), t.pull("r1", {});
         }},
        {"change_of_status_is_told",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1);
             Pulled pull = t.pull_of("r1", {});
             pull.seen.push_back({.status = "shown", .text = "[SHOWN] #m1#"}), t.add(pull), t.end("r1", pull.pull_id);
             t.ack("c1", 1), t.wait(1000), t.pull("r1", {});
         }},
        {"fact_is_told_once",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1), t.ack("c1", 1);
             for (int turn = 0; turn < 2; ++turn) {
                 Pulled pull = t.pull_of("r1", {});
                 pull.seen.push_back({.status = "seen", .text = "[SEEN] #m1#"}), t.add(pull), t.end("r1", pull.pull_id);
             }
         }},
        {"fact_is_true",
         [](Tale& t) {
             t.connect("c1"), t.emit("uus", 1), t.show("c1", 1);
             Pulled pull = t.pull_of("r1", {});
             pull.seen.push_back({.status = "seen", .text = "[SEEN] #m1#"}), t.add(pull);
         }},
        {"user_message_reaches_agent",
         [](Tale& t) {
             t.add(MessagePosted{
                 .user = "ada", .session = "s1", .role = "user", .mark = "#u1#", .text = "#u1# hi", .answer = made});
             t.pull("r1", {}), t.quiet();
         }},
        {"alerts_precede_output",
         [](Tale& t) {
             t.emit("sus", 1);
             t.add(MessagePosted{.user = "ada",
                                 .session = "s1",
                                 .role = "assistant",
                                 .mark = "#s1#",
                                 .text = "#s1# hi",
                                 .answer = made});
             t.add(HistoryRead{.session = "s1", .marks = {"#s1#", "#m1#"}});
         }},
    };
    static const std::map<std::string, Plant> all = [] {
        std::map<std::string, Plant> both = delivery;
        both.insert(intake_plants().begin(), intake_plants().end());
        both.insert(device_plants().begin(), device_plants().end());
        return both;
    }();
    return all;
}

TEST(Observer, a_world_that_keeps_every_promise_has_no_violation) {
    Tale tale;
    tell_good_story(tale);
    tale.quiet();
    for (const auto& [name, count] : tale.judge()) ADD_FAILURE() << name;
}

TEST(Observer, every_invariant_has_a_planted_violation) {
    for (const std::string& name : invariant_names()) EXPECT_TRUE(plants().contains(name)) << name;
    EXPECT_EQ(invariant_names().size(), plants().size());
}

TEST(Observer, every_planted_violation_is_found) {
    for (const auto& [name, plant] : plants()) {
        Tale tale;
        plant(tale);
        EXPECT_TRUE(tale.judge().contains(name)) << name;
    }
}

TEST(Observer, a_failure_that_the_ledger_explains_is_no_violation) {
    Tale tale;
    tale.emit("uus", 1);
    tale.why(1, "failed", "nobody_there");
    tale.quiet();
    EXPECT_FALSE(tale.judge().contains("every_notification_is_seen"));
}

TEST(Observer, an_emission_without_an_answer_owes_nothing) {
    Tale tale;
    Emitted lost = tale.emission("uus", 1);
    lost.answer = {}, lost.id = "", lost.version = 0;
    tale.add(lost);
    tale.quiet();
    EXPECT_TRUE(tale.judge().empty());
}

TEST(Observer, an_interface_that_was_sent_a_newer_lease_has_it_once) {
    Tale tale;
    tale.connect("c1"), tale.emit("uus", 1), tale.show("c1", 1), tale.add(tale.frame("c1", 1, "#m1# text", false, 2));
    EXPECT_FALSE(tale.judge().contains("shown_once_per_connection"));
}

TEST(Observer, a_time_in_whole_seconds_lies_before_its_fractions) {
    Tale tale;
    tale.emit("uus", 1), tale.emit("uus", 2);
    tale.add(Connected{.connection = "c1", .user = "ada", .transport = "simulated", .answer = ok});
    int number = 0;
    for (const char* const time : {"2026-01-01T00:00:47Z", "2026-01-01T00:00:47.001519Z"}) {
        ++number;
        Shown shown = tale.frame("c1", number, "#m" + std::to_string(number) + "# text");
        shown.created_at = time;
        tale.add(shown);
    }
    tale.add(CaughtUp{.connection = "c1"});
    EXPECT_FALSE(tale.judge().contains("oldest_first"));
}

TEST(Observer, facts_that_are_counted_for_later_turns_are_no_violation) {
    Tale tale;
    tale.connect("c1"), tale.emit("uus", 1), tale.show("c1", 1), tale.ack("c1", 1), tale.wait(1000);
    Pulled pull = tale.pull_of("r1", {});
    pull.facts_left = 1;
    tale.add(pull);
    EXPECT_FALSE(tale.judge().contains("turn_knows_what_user_was_shown"));
}

TEST(ObserverMarks, only_whole_marks_are_found) {
    Tale tale;
    tale.connect("c1"), tale.emit("uus", 1), tale.add(tale.frame("c1", 1, "#m1 ##m1# #x #12#"));
    EXPECT_TRUE(tale.judge().empty());
}

TEST(ObserverJson, every_observation_survives_writing_and_reading) {
    Tale tale;
    tell_good_story(tale);
    for (const auto& [name, plant] : plants()) plant(tale);
    tale.add(UserErased{.user = "a\"b\\c\n\x01 é", .answer = ok});
    for (const Observation& one : tale.seen()) {
        std::string error;
        const std::string line = write_json(one);
        const auto read = read_json(line, error);
        ASSERT_TRUE(read) << error << ": " << line;
        EXPECT_EQ(write_json(*read), line);
    }
}

TEST(ObserverJson, errors_are_named) {
    const std::map<std::string, std::string> wrong = {
        {"", "value expected"},
        {"{\"kind\":\"none\"}", "unknown kind"},
        {"{\"kind\":\"quiet\",\"x\":1}", "unknown member x"},
        {"{\"kind\":\"quiet\"} 1", "text after the value"},
        {"{\"kind\":\"rang\",\"version\":1.5}", "integer expected"},
        {"{\"kind\":\"rang\",\"text\":\"\\q\"}", "unknown escape"},
        {"{\"kind\":\"shown\",\"routing\":\"xyz\"}", "routing: routing expected"}};
    for (const auto& [line, problem] : wrong) {
        std::string error;
        EXPECT_FALSE(read_json(line, error)) << line;
        EXPECT_NE(error.find(problem), std::string::npos) << line << ": " << error;
    }
    std::string error;
    const auto read = read_json("{\"kind\":\"rang\",\"text\":\"\\u00e9 \\ud83d\\ude00\"}", error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(std::get<Rang>(read->body).text, "é 😀");
}

}  // namespace
}  // namespace observer
