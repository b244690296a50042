#include <gtest/gtest.h>

#include "tale.hpp"

// Planted violations of the promises about devices and memory, and the cases that excuse them.
namespace observer {
namespace {

const Answer rejected{404, "not_found"};
const std::vector<std::string> all_devices = {"a", "b", "c"};

void meet(Tale& t) {
    t.add(DevicesMet{.devices = all_devices, .is_settled = true});
}
void link(Tale& t, const std::string& state) {
    t.add(Links{.state = state, .devices = all_devices});
    t.wait(5000);
}
void grant(Tale& t, const std::string& device, const std::string& key, const std::string& instant = "t@07:00") {
    t.add(Granted{.device = device, .agent = "tick", .reason = "timer", .run_key = key, .instants = {instant}});
}
void finish(Tale& t, const std::string& device, const std::string& key) {
    t.add(GrantEnded{.device = device, .run_key = key, .answer = ok});
}
void read_agent(Tale& t, const std::string& device, const std::string& lifecycle, Answer answer = ok) {
    t.add(AgentRead{.device = device, .agent = "z", .lifecycle = lifecycle, .answer = answer});
}
void destroy(Tale& t) {
    t.add(AgentDestroyed{.device = "a", .agent = "z", .answer = ok});
}
void read_digests(Tale& t, const std::string& other) {
    t.add(DigestsRead{.devices = {"a", "b"}, .digests = {"11", other}, .waited_ms = 90'000});
}
void make_timer(Tale& t) {
    t.add(TimerMade{.device = "a", .agent = "tick", .timer = "t", .period_ms = 3'600'000, .answer = made});
}
void read_timer(Tale& t, std::int64_t next_in_ms) {
    t.add(TimerRead{
        .device = "a", .timer = "t", .is_active = true, .has_next = true, .next_in_ms = next_in_ms, .answer = ok});
}
void read_operation(Tale& t, const std::string& device, const std::string& tool, const std::string& mark) {
    t.add(OperationRead{.device = device,
                        .agent = "planner",
                        .operation = "op-" + tool,
                        .tool = tool,
                        .mark = mark,
                        .entity = tool == "create_task" ? "task-1" : "",
                        .status = "success"});
}
void read_task(Tale& t, const std::string& device, const std::string& mark) {
    t.add(TaskRead{.device = device, .record = "task-1", .mark = mark});
}
void read_inbox(Tale& t, const std::string& device, std::vector<std::string> marks) {
    t.add(InboxRead{.device = device, .user = "ada", .marks = std::move(marks), .answer = ok});
}
void add_block(Tale& t, const std::string& device, const std::string& element) {
    t.add(ElementAdded{.device = device, .record = "day", .list = "blocks", .element = element, .answer = ok});
}
void read_blocks(Tale& t, const std::string& device, std::vector<std::string> elements) {
    t.add(ElementsRead{
        .device = device, .record = "day", .list = "blocks", .elements = std::move(elements), .answer = ok});
}
void write_title(Tale& t, const std::string& device, const std::string& mark) {
    t.add(ValueWritten{.device = device, .record = "task", .field = "title", .mark = mark, .answer = ok});
}
void read_title(Tale& t, const std::string& device, const std::string& mark, const std::string& merges) {
    t.add(ValueRead{.device = device, .record = "task", .field = "title", .mark = mark, .answer = ok});
    t.add(MergesRead{.device = device, .text = merges, .answer = ok});
}

// Two devices write one title without a link; the value of b wins.
void lose_title(Tale& t, const std::string& merges) {
    link(t, "cut"), write_title(t, "a", "#v1#"), write_title(t, "b", "#v2#");
    link(t, "up"), meet(t), read_title(t, "a", "#v2#", merges);
}

// The steps of a device that fires one instant while it is connected.
void fire_connected(Tale& t, const std::string& second) {
    link(t, "up"), grant(t, "a", "k"), grant(t, second, "k");
}

void remember(Tale& t, const std::string& kind, const std::string& item, const std::string& mark) {
    t.add(Remembered{.device = "a",
                     .agent = "h",
                     .thread = "h:session:s",
                     .message = "m-" + mark,
                     .message_kind = kind,
                     .item = item,
                     .mark = mark,
                     .bytes = 40,
                     .answer = made});
}
void give_context(Tale& t, const std::string& text, std::int64_t messages_max = 0) {
    t.add(ContextGiven{.device = "a",
                       .agent = "h",
                       .thread = "h:session:s",
                       .way = "claim",
                       .budget_tokens = 16'000,
                       .messages_max = messages_max,
                       .text = text,
                       .answer = ok});
}
void read_summaries(Tale& t, std::vector<std::string> covered = {}) {
    t.add(SummariesRead{.device = "a", .agent = "h", .covered = std::move(covered), .answer = ok});
}
void wait_for_rules(Tale& t, const std::string& job) {
    t.add(SummarizerSet{.device = "a", .agent = "r", .how = "rules", .answer = made});
    t.add(FoldsRead{.device = "a", .agent = "r", .waiting = {"j1"}, .answer = ok}), t.wait(40'000);
    t.add(FoldsRead{.device = "a", .agent = "r", .waiting = {job}, .answer = ok});
}
ItemTold goal(const std::string& text, std::int64_t status = 200, const std::string& kind = "thought") {
    return {.device = "a",
            .agent = "h",
            .item = "goal",
            .text = text,
            .message = "m1",
            .message_status = status,
            .message_kind = kind};
}
void call_bound(Tale& t, const std::string& agent, Answer answer, const std::string& text = {}) {
    t.add(BoundTokenMade{.token = "T", .user = "ada", .agent = "a1", .answer = made});
    t.add(BoundCall{.token = "T", .method = "GET", .path = "/v1/agents/b1", .agent = "b1", .answer = rejected});
    t.add(
        BoundCall{.token = "T", .method = "GET", .path = "/v1/wakes", .agent = agent, .answer = answer, .text = text});
}
void speak(Tale& t, std::vector<std::string> marks) {
    t.add(SaidToAgent{.device = "a",
                      .user = "ada",
                      .agent = "p",
                      .session = "thr",
                      .way = "ag_ui",
                      .mark = "#u1#",
                      .reply_mark = "#r1#",
                      .answer = ok});
    t.add(HistoryRead{.session = "thr", .marks = std::move(marks)});
}

bool is_reported(const Plant& plant, const std::string& invariant) {
    Tale tale;
    plant(tale);
    return tale.judge().contains(invariant);
}

}  // namespace

const std::map<std::string, Plant>& device_plants() {
    static const std::map<std::string, Plant> all = {
        {"destroyed_stays_destroyed", [](Tale& t) { destroy(t), meet(t), read_agent(t, "b", "active"); }},
        {"devices_become_equal", [](Tale& t) { meet(t), read_digests(t, "12"); }},
        {"connected_devices_run_once", [](Tale& t) { fire_connected(t, "b"); }},
        {"instant_fires_once", [](Tale& t) { grant(t, "a", "k"), finish(t, "a", "k"), grant(t, "a", "other"); }},
        {"timer_follows_the_right_clock",
         [](Tale& t) {
             make_timer(t), t.add(DeviceClock{.device = "a", .offset_ms = 1'000'000});
             t.add(DeviceClock{.device = "a"}), read_timer(t, 4'600'000);
         }},
        {"memory_agrees_with_journal",
         [](Tale& t) { meet(t), read_operation(t, "a", "create_task", "#i1#"), read_task(t, "a", "#i2#"); }},
        {"devices_tell_one_story",
         [](Tale& t) {
             meet(t), read_operation(t, "a", "create_task", "#i1#"), read_operation(t, "b", "create_task", "#i2#");
         }},
        {"inboxes_tell_what_memory_tells",
         [](Tale& t) { meet(t), read_operation(t, "b", "notify_user", "#n1#"), read_inbox(t, "b", {"#n2#"}); }},
        {"added_elements_are_on_all_devices",
         [](Tale& t) { add_block(t, "a", "bA"), meet(t), read_blocks(t, "b", {"b0"}); }},
        {"lost_value_can_be_read", [](Tale& t) { lose_title(t, "[]"); }},
        {"context_has_what_no_summary_has",
         [](Tale& t) { remember(t, "thought", "goal", "#g1#"), give_context(t, "{}"), read_summaries(t); }},
        {"silent_summarizer_delays_nobody_else", [](Tale& t) { wait_for_rules(t, "j1"); }},
        {"goals_are_said_by_their_own",
         [](Tale& t) { remember(t, "observation", "", "#o1#"), t.add(goal("serve Eve #o1#")); }},
        {"bound_token_stays_with_its_agent", [](Tale& t) { call_bound(t, "b1", ok); }},
        {"history_has_both_sides", [](Tale& t) { speak(t, {"#r1#"}); }},
    };
    return all;
}

namespace {

TEST(ObserverDevices, a_second_violation_of_each_promise_is_found_too) {
    const std::vector<std::pair<std::string, Plant>> more = {
        {"destroyed_stays_destroyed",
         [](Tale& t) {
             destroy(t), meet(t), t.add(AgentWoken{.device = "b", .agent = "z", .state = "queued", .answer = made});
         }},
        {"destroyed_stays_destroyed", [](Tale& t) { destroy(t), read_agent(t, "a", "created"); }},
        {"devices_become_equal", [](Tale& t) { t.add(DevicesMet{.devices = all_devices, .waited_ms = 120'000}); }},
        {"instant_fires_once", [](Tale& t) { grant(t, "a", "k"), finish(t, "a", "k"), meet(t), grant(t, "b", "k"); }},
        {"timer_follows_the_right_clock",
         [](Tale& t) { make_timer(t), t.add(TimerAwaited{.device = "b", .timer = "t", .waited_ms = 4'000'000}); }},
        {"memory_agrees_with_journal",
         [](Tale& t) {
             meet(t), read_operation(t, "a", "create_task", "#i1#"), read_task(t, "a", "#i1#");
             t.add(TaskRead{.device = "a", .record = "task-2", .mark = "#i2#"});
         }},
        {"context_has_what_no_summary_has",
         [](Tale& t) {
             remember(t, "thought", "", "#t1#"), remember(t, "thought", "", "#t2#"), give_context(t, "#t2#", 200);
             read_summaries(t, {"m-#t2#"});
         }},
        {"goals_are_said_by_their_own", [](Tale& t) { t.add(goal("delete everything", 404, "")); }},
        {"goals_are_said_by_their_own", [](Tale& t) { t.add(goal("obey #x1#")); }},
        {"goals_are_said_by_their_own", [](Tale& t) { t.add(goal("wire the money", 200, "tool_result")); }},
        {"bound_token_stays_with_its_agent",
         [](Tale& t) { call_bound(t, "", ok, "{\"data\":[{\"agent_id\":\"b1\"}]}"); }},
        {"bound_token_stays_with_its_agent", [](Tale& t) { call_bound(t, "a1", rejected); }},
        {"history_has_both_sides", [](Tale& t) { speak(t, {"#r1#", "#u1#"}); }},
        {"history_has_both_sides", [](Tale& t) { speak(t, {"#u1#", "#u1#", "#r1#"}); }},
    };
    for (const auto& [name, plant] : more) EXPECT_TRUE(is_reported(plant, name)) << name;
}

TEST(ObserverDevices, a_world_that_keeps_every_promise_has_no_violation) {
    Tale t;
    make_timer(t), link(t, "up"), grant(t, "a", "k1"), finish(t, "a", "k1"), destroy(t), meet(t);
    read_agent(t, "a", "", rejected), read_agent(t, "b", "destroyed"), read_digests(t, "11");
    t.add(AgentWoken{.device = "b", .agent = "z", .answer = rejected});
    t.add(AgentWoken{.device = "a", .agent = "z", .state = "destroyed", .answer = made});
    grant(t, "b", "k2", "t@08:00"), finish(t, "b", "k2"), read_timer(t, 3'500'000);
    read_operation(t, "a", "create_task", "#i1#"), read_operation(t, "b", "create_task", "#i1#");
    read_operation(t, "b", "notify_user", "#n1#"), read_inbox(t, "b", {"#n1#"}), read_task(t, "a", "#i1#");
    add_block(t, "a", "bA"), add_block(t, "b", "bB");
    t.add(ElementRemoved{.device = "c", .record = "day", .list = "blocks", .element = "bB", .answer = ok});
    lose_title(t, "[{\"lost\":\"#v1#\"}]"), read_title(t, "b", "#v2#", "[]"), read_blocks(t, "c", {"b0", "bA"});
    remember(t, "user", "goal", "#g1#"), remember(t, "thought", "", "#t1#"), give_context(t, "#g1#");
    read_summaries(t, {"m-#t1#"}), wait_for_rules(t, "j2"), t.add(goal("see the sea #g1#"));
    call_bound(t, "a1", ok, "a1"), call_bound(t, "b1", Answer{204, {}}), speak(t, {"#u1#", "#r1#"});
    t.quiet();
    for (const auto& [name, count] : t.judge()) ADD_FAILURE() << name;
}

TEST(ObserverDevices, devices_without_a_link_may_both_run) {
    for (const std::string state : {"cut", "uncertain"})
        EXPECT_FALSE(is_reported([&](Tale& t) { link(t, state), grant(t, "a", "k"), grant(t, "b", "k"); },
                                 "connected_devices_run_once"));
}

TEST(ObserverDevices, a_link_that_breaks_between_two_grants_excuses_the_second) {
    EXPECT_FALSE(
        is_reported([](Tale& t) { link(t, "up"), grant(t, "a", "k"), link(t, "uncertain"), grant(t, "b", "k"); },
                    "connected_devices_run_once"));
}

TEST(ObserverDevices, a_machine_that_stood_still_excuses_a_second_run) {
    EXPECT_FALSE(is_reported([](Tale& t) { link(t, "up"), grant(t, "a", "k"), t.add(Stalled{}), grant(t, "b", "k"); },
                             "connected_devices_run_once"));
}

TEST(ObserverDevices, a_clock_that_is_wrong_excuses_a_second_run_and_a_resting_timer) {
    EXPECT_FALSE(
        is_reported([](Tale& t) { t.add(DeviceClock{.device = "b", .offset_ms = 5000}), fire_connected(t, "b"); },
                    "connected_devices_run_once"));
    EXPECT_FALSE(is_reported(
        [](Tale& t) {
            make_timer(t), t.add(DeviceClock{.device = "a", .offset_ms = 1'000'000}), read_timer(t, 4'600'000);
        },
        "timer_follows_the_right_clock"));
}

TEST(ObserverDevices, a_device_that_did_not_meet_the_others_may_know_less) {
    EXPECT_FALSE(
        is_reported([](Tale& t) { meet(t), destroy(t), read_agent(t, "b", "active"); }, "destroyed_stays_destroyed"));
    EXPECT_FALSE(is_reported([](Tale& t) { meet(t), add_block(t, "a", "bA"), read_blocks(t, "b", {}); },
                             "added_elements_are_on_all_devices"));
    EXPECT_FALSE(is_reported([](Tale& t) { grant(t, "a", "k"), finish(t, "a", "k"), grant(t, "b", "k"); },
                             "instant_fires_once"));
}

TEST(ObserverDevices, a_value_that_its_writer_had_seen_is_not_lost) {
    EXPECT_FALSE(is_reported(
        [](Tale& t) {
            link(t, "up"), write_title(t, "a", "#v1#"), write_title(t, "b", "#v2#"), meet(t);
            read_title(t, "a", "#v2#", "[]");
        },
        "lost_value_can_be_read"));
}

TEST(ObserverDevices, a_full_budget_and_a_short_context_excuse_messages) {
    EXPECT_FALSE(is_reported(
        [](Tale& t) {
            for (int number = 1; number <= 200; ++number)
                remember(t, "thought", "", "#t" + std::to_string(number) + "#");
            give_context(t, "{}"), read_summaries(t);
        },
        "context_has_what_no_summary_has"));
    EXPECT_FALSE(is_reported(
        [](Tale& t) {
            remember(t, "thought", "", "#t1#"), remember(t, "thought", "", "#t2#"), give_context(t, "#t2#", 1);
            read_summaries(t);
        },
        "context_has_what_no_summary_has"));
}

TEST(ObserverDevices, a_belfry_without_bound_tokens_is_not_judged) {
    EXPECT_FALSE(is_reported(
        [](Tale& t) {
            t.add(BoundTokenMade{.token = "T", .user = "ada", .agent = "a1", .answer = {422, "invalid"}});
            t.add(BoundCall{.token = "T", .method = "GET", .path = "/", .agent = "b1", .answer = ok});
        },
        "bound_token_stays_with_its_agent"));
}

}  // namespace
}  // namespace observer
