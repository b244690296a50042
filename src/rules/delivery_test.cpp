#include "rules/delivery.hpp"

#include <gtest/gtest.h>

#include "rules/hold_proof.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::rules {
namespace {

using base::seconds;
using base::Timestamp;
using model::Address;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::ReadMark;
using model::Target;

constexpr Timestamp start{1'000'000'000'000};
constexpr base::Duration ttl = base::limits::agent_ttl_default;

// The four ways a notification can go: shown by itself; said by an agent; an agent's own matter; context.
enum class Kind { show, say, matter, passive };
constexpr Kind kinds[] = {Kind::show, Kind::say, Kind::matter, Kind::passive};

Notification fresh(Kind kind, Steps& steps) {
    Notification row;
    row.scope = {"ada", "s1", ""};
    row.content = row.text = "the disk is full";
    row.created_at = start;
    row.target = kind == Kind::show || kind == Kind::say ? Target::user : Target::agent;
    row.handler = kind == Kind::say || kind == Kind::matter ? Handler::agent : Handler::system;
    born(row, "token:emitter", steps);
    return row;
}

Notification fresh(Kind kind) {
    Steps steps;
    return fresh(kind, steps);
}

Acknowledgement ack_of(Voice voice, std::optional<std::int64_t> lease, std::optional<std::int64_t> version = 1) {
    return {voice, voice == Voice::interface ? "token:ada" : "token:agent", lease, version, "rendered"};
}

std::string outcome(const Notification& row, const Steps& steps) {
    std::string text = std::string(model::delivery_state_name(row.state)) + ' ' + std::to_string(row.lease) + ':';
    for (const auto& step : steps) text += ' ' + step.reason;
    return text;
}

// A row in a state, brought there by the rules alone; nothing where its kind has no such state.
std::optional<Notification> in_state(Kind kind, std::string_view state) {
    Steps steps;
    Notification row = fresh(kind, steps);
    const bool for_agent = kind != Kind::show;
    if (state == "pending") return row;
    if (state == "dispatched") return dispatch(row, start, "x", steps), row;
    if (state == "delivered" && for_agent) {
        claim(row, start, "a", seconds(60), steps);
        acknowledge(row, start, ack_of(Voice::model, 1), steps);
        return row;
    }
    if (state == "delivered") return acknowledge(row, start, ack_of(Voice::interface, 1), steps), row;
    if (state == "held" || state == "ran_out") {
        if (!for_agent) return std::nullopt;
        claim(row, start, "a", state == "held" ? seconds(900) : seconds(50), steps);
        return row;
    }
    if (state == "narrated") {
        claim(row, start, "a", seconds(900), steps);
        const bool is_narrated = narrate(row, start, {"a", 1, {}, "so it is"}, steps) == Refusal::none;
        return is_narrated ? std::optional(row) : std::nullopt;
    }
    const bool escalates = route(row).escalates != Escalates::never;
    if (escalates) watch(row, start + ttl, steps);
    if (state == "escalated") return escalates ? std::optional(row) : std::nullopt;
    watch(row, start + base::days(31), steps);
    return row;
}

// What somebody does one minute later, under the row's lease and version, as a word: a refusal, or what became of it.
std::string done(Notification row, std::string_view action) {
    const Notification before = row;
    const Timestamp now = start + seconds(60);
    Steps steps;
    std::optional<Refusal> refusal;
    bool changed = true;
    if (action == "dispatch") refusal = dispatch(row, now, "x", steps);
    if (action == "claim") refusal = claim(row, now, "b", seconds(900), steps);
    if (action == "renew") refusal = renew(row, now, row.lease, seconds(900));
    if (action == "interface_ack") refusal = acknowledge(row, now, ack_of(Voice::interface, row.lease), steps);
    if (action == "model_ack") refusal = acknowledge(row, now, ack_of(Voice::model, row.lease), steps);
    if (action == "narrate") refusal = narrate(row, now, {"token:agent", row.lease, {}, "so it is"}, steps);
    if (action == "turn_ended") refusal = turn_ended(row, now, steps);
    if (action == "watch_early") changed = watch(row, start + seconds(60), steps);
    if (action == "watch") changed = watch(row, start + base::days(70), steps);
    if (action == "promote") changed = promote(row, now, "send_mail", steps);
    if (action == "leave_session") changed = leave_session(row, now, steps);
    if (action == "leave_holder") changed = leave_holder(row, now, steps);
    if (action == "ended_untold") refusal = ended_untold(row, now, "token:agent", steps);
    if (refusal.value_or(Refusal::none) != Refusal::none || !changed) {
        EXPECT_EQ(row, before) << action << ": what is refused changes nothing";
        EXPECT_TRUE(steps.empty()) << action;
        return refusal && *refusal != Refusal::none ? std::string(refusal_name(*refusal)) : "nothing";
    }
    EXPECT_NE(row, before) << action;
    return outcome(row, steps);
}

struct Line {
    const char* action;
    const char* state;
    const char* expected[4];  // by kind
};

// Every state and everything that can be done in it. Empty: there is no such row.
constexpr Line table[] = {
    {"claim",
     "pending",
     {"wrong_channel", "locked 1: dispatched claimed", "locked 1: dispatched claimed", "locked 1: dispatched claimed"}},
    {"claim", "dispatched", {"wrong_channel", "locked 1: claimed", "locked 1: claimed", "locked 1: claimed"}},
    {"claim", "held", {"", "stale_lease", "stale_lease", "stale_lease"}},
    {"claim", "ran_out", {"", "locked 2: taken_over", "locked 2: taken_over", "locked 2: taken_over"}},
    {"claim", "escalated", {"", "wrong_channel", "wrong_channel", ""}},
    {"claim", "narrated", {"", "wrong_channel", "", ""}},
    {"claim", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"claim", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"renew", "pending", {"not_held", "not_held", "not_held", "not_held"}},
    {"renew", "dispatched", {"not_held", "not_held", "not_held", "not_held"}},
    {"renew", "held", {"", "locked 1:", "locked 1:", "locked 1:"}},
    {"renew", "ran_out", {"", "locked 1:", "locked 1:", "locked 1:"}},
    {"renew", "escalated", {"", "not_held", "not_held", ""}},
    {"renew", "narrated", {"", "not_held", "", ""}},
    {"renew", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"renew", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"interface_ack",
     "pending",
     {"delivered 1: dispatched claimed acknowledged_rendered", "wrong_channel", "wrong_channel", "wrong_channel"}},
    {"interface_ack",
     "dispatched",
     {"delivered 1: claimed acknowledged_rendered", "wrong_channel", "wrong_channel", "wrong_channel"}},
    {"interface_ack", "held", {"", "wrong_channel", "wrong_channel", "wrong_channel"}},
    {"interface_ack", "ran_out", {"", "wrong_channel", "wrong_channel", "wrong_channel"}},
    {"interface_ack",
     "escalated",
     {"", "delivered 2: acknowledged_rendered", "delivered 2: acknowledged_rendered", ""}},
    {"interface_ack", "narrated", {"", "delivered 1: acknowledged_rendered", "", ""}},
    {"interface_ack", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"interface_ack", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"model_ack", "pending", {"wrong_channel", "not_held", "not_held", "not_held"}},
    {"model_ack",
     "dispatched",
     {"wrong_channel", "delivered 1: claimed acknowledged_by_model", "delivered 1: claimed acknowledged_by_model",
      "delivered 1: claimed acknowledged_by_model"}},
    {"model_ack",
     "held",
     {"", "delivered 1: acknowledged_by_model", "delivered 1: acknowledged_by_model",
      "delivered 1: acknowledged_by_model"}},
    {"model_ack",
     "ran_out",
     {"", "delivered 1: acknowledged_by_model", "delivered 1: acknowledged_by_model",
      "delivered 1: acknowledged_by_model"}},
    {"model_ack", "escalated", {"", "wrong_channel", "wrong_channel", ""}},
    {"model_ack", "narrated", {"", "already_told", "", ""}},
    {"model_ack", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"model_ack", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"narrate", "pending", {"wrong_channel", "not_held", "not_held", "not_held"}},
    {"narrate", "dispatched", {"wrong_channel", "locked 1: narrated", "wrong_channel", "wrong_channel"}},
    {"narrate", "held", {"", "locked 1: narrated", "wrong_channel", "wrong_channel"}},
    {"narrate", "ran_out", {"", "locked 1: narrated", "wrong_channel", "wrong_channel"}},
    {"narrate", "narrated", {"", "already_told", "", ""}},
    {"narrate", "escalated", {"", "wrong_channel", "wrong_channel", ""}},
    {"narrate", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"narrate", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"turn_ended", "pending", {"not_held", "not_held", "not_held", "not_held"}},
    {"turn_ended", "dispatched", {"not_held", "not_held", "not_held", "not_held"}},
    {"turn_ended", "held", {"", "escalated 2: silence", "delivered 1: vetoed", "delivered 1: turn_ended"}},
    {"turn_ended", "ran_out", {"", "escalated 2: silence", "delivered 1: vetoed", "delivered 1: turn_ended"}},
    {"turn_ended", "escalated", {"", "not_held", "not_held", ""}},
    {"turn_ended", "narrated", {"", "not_held", "", ""}},
    {"turn_ended", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"turn_ended", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"dispatch",
     "pending",
     {"dispatched 1: dispatched", "dispatched 1: dispatched", "dispatched 1: dispatched", "dispatched 1: dispatched"}},
    {"dispatch", "held", {"", "stale_lease", "stale_lease", "stale_lease"}},
    {"dispatch", "ran_out", {"", "stale_lease", "stale_lease", "stale_lease"}},
    {"ended_untold", "held", {"", "escalated 2: acknowledged_untold", "wrong_channel", "wrong_channel"}},
    {"ended_untold", "ran_out", {"", "escalated 2: acknowledged_untold", "wrong_channel", "wrong_channel"}},
    {"ended_untold", "narrated", {"", "wrong_channel", "", ""}},
    {"ended_untold", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"ended_untold", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"dispatch", "delivered", {"terminal", "terminal", "terminal", "terminal"}},
    {"dispatch", "failed", {"terminal", "terminal", "terminal", "terminal"}},

    {"watch_early", "pending", {"nothing", "nothing", "nothing", "nothing"}},
    {"watch_early", "dispatched", {"nothing", "nothing", "nothing", "nothing"}},
    {"watch_early", "held", {"", "nothing", "nothing", "nothing"}},
    {"watch_early", "ran_out", {"", "nothing", "nothing", "nothing"}},
    {"watch_early", "escalated", {"", "nothing", "nothing", ""}},
    {"watch_early", "narrated", {"", "nothing", "", ""}},
    {"watch",
     "pending",
     {"failed 1: nobody_there", "escalated 2: ttl", "escalated 2: ttl", "failed 1: expired_unseen"}},
    {"watch",
     "dispatched",
     {"failed 1: nobody_there", "escalated 2: ttl", "escalated 2: ttl", "failed 1: expired_unseen"}},
    {"watch", "held", {"", "escalated 2: lease_expired", "escalated 2: lease_expired", "failed 1: expired_unseen"}},
    {"watch", "ran_out", {"", "escalated 2: lease_expired", "escalated 2: lease_expired", "failed 1: expired_unseen"}},
    {"watch", "escalated", {"", "failed 2: nobody_there", "failed 2: nobody_there", ""}},
    {"watch", "narrated", {"", "failed 1: nobody_there", "", ""}},
    {"watch", "delivered", {"nothing", "nothing", "nothing", "nothing"}},
    {"watch", "failed", {"nothing", "nothing", "nothing", "nothing"}},

    {"promote", "pending", {"pending 1: promoted", "nothing", "pending 1: promoted", "nothing"}},
    {"promote", "dispatched", {"dispatched 1: promoted", "nothing", "dispatched 1: promoted", "nothing"}},
    {"promote", "held", {"", "nothing", "locked 1: promoted", "nothing"}},
    {"promote", "ran_out", {"", "nothing", "locked 1: promoted", "nothing"}},
    {"promote", "narrated", {"", "locked 1: promoted", "", ""}},
    {"promote", "escalated", {"", "escalated 2: promoted", "escalated 2: promoted", ""}},
    {"promote", "delivered", {"nothing", "nothing", "nothing", "nothing"}},
    {"promote", "failed", {"nothing", "nothing", "nothing", "nothing"}},

    {"leave_session",
     "pending",
     {"pending 1: session_gone", "pending 1: session_gone", "pending 1: session_gone", "pending 1: session_gone"}},
    {"leave_session", "held", {"", "locked 1: session_gone", "locked 1: session_gone", "locked 1: session_gone"}},
    {"leave_session", "escalated", {"", "escalated 2: session_gone", "escalated 2: session_gone", ""}},
    {"leave_session", "narrated", {"", "locked 1: session_gone", "", ""}},
    {"leave_session", "delivered", {"nothing", "nothing", "nothing", "nothing"}},
    {"leave_session", "failed", {"nothing", "nothing", "nothing", "nothing"}},

    {"leave_holder", "pending", {"nothing", "nothing", "nothing", "nothing"}},
    {"leave_holder",
     "held",
     {"", "escalated 2: session_deleted", "locked 1: session_deleted", "locked 1: session_deleted"}},
    {"leave_holder",
     "ran_out",
     {"", "escalated 2: session_deleted", "locked 1: session_deleted", "locked 1: session_deleted"}},
    {"leave_holder", "narrated", {"", "nothing", "", ""}},
    {"leave_holder", "escalated", {"", "nothing", "nothing", ""}},
    {"leave_holder", "delivered", {"nothing", "nothing", "nothing", "nothing"}},
    {"leave_holder", "failed", {"nothing", "nothing", "nothing", "nothing"}},
};

TEST(Delivery, every_state_and_everything_that_can_be_done_in_it) {
    for (const Line& line : table) {
        for (std::size_t i = 0; i < std::size(kinds); ++i) {
            const auto row = in_state(kinds[i], line.state);
            ASSERT_EQ(row.has_value(), line.expected[i][0] != '\0') << line.action << ' ' << line.state << ' ' << i;
            if (row) {
                EXPECT_EQ(done(*row, line.action), line.expected[i]) << line.action << ' ' << line.state << ' ' << i;
            }
        }
    }
}

TEST(Delivery, a_new_row_is_pending_under_lease_1_and_waits_as_its_kind_does) {
    for (const Kind kind : kinds) {
        Steps steps;
        const Notification row = fresh(kind, steps);
        EXPECT_EQ(outcome(row, steps), "pending 1: emitted");
        EXPECT_EQ(steps[0].holder, "token:emitter");
        EXPECT_EQ(steps[0].routing, model::axes_of(row)) << "the audit says as what it began";
        EXPECT_EQ(row.ended_at, std::nullopt);
        const bool for_agent = kind == Kind::say || kind == Kind::matter;
        const base::Duration wait = for_agent ? seconds(300) : base::days(30);
        EXPECT_EQ(row.deadline, start + wait);
        EXPECT_EQ(row.deadline_max, start + wait * 2);
    }
}

TEST(Delivery, a_ttl_is_for_what_waits_for_an_agent_and_an_interface_has_its_thirty_days) {
    for (const Kind kind : kinds) {
        Notification row = fresh(kind);
        row.ttl = seconds(20);
        Steps steps;
        born(row, "x", steps);
        EXPECT_EQ(row.deadline, start + (kind == Kind::show ? base::days(30) : seconds(20)));
    }
}

TEST(Delivery, what_goes_out_again_is_told_as_another_attempt) {
    for (const char* state : {"dispatched", "escalated", "narrated"}) {
        Notification row = *in_state(Kind::say, state);
        const Notification before = row;
        Steps steps;
        EXPECT_EQ(dispatch(row, start, "token:ada", steps), Refusal::none);
        EXPECT_EQ(row, before);
        ASSERT_EQ(steps.size(), 1U);
        EXPECT_EQ(steps[0].reason, step_reason::sent);
    }
}

TEST(Delivery, whoever_holds_it_alone_has_it_until_his_time_is_over_to_the_microsecond) {
    Notification row = *in_state(Kind::say, "ran_out");
    EXPECT_FALSE(is_free(row, start + seconds(50) - base::microseconds(1)));
    EXPECT_TRUE(is_free(row, start + seconds(50)));
    EXPECT_FALSE(is_free(*in_state(Kind::say, "escalated"), start + base::days(1)));
    EXPECT_FALSE(is_free(*in_state(Kind::show, "pending"), start));
}

TEST(Delivery, a_holder_that_is_within_its_lease_is_not_judged_by_the_ttl) {
    Notification row = *in_state(Kind::say, "held");
    EXPECT_EQ(row.deadline, start + seconds(900));
    Steps steps;
    EXPECT_FALSE(watch(row, start + ttl * 2, steps));
    EXPECT_EQ(renew(row, start + seconds(800), 1, seconds(900)), Refusal::none);
    EXPECT_FALSE(watch(row, start + seconds(1000), steps));
    EXPECT_TRUE(watch(row, start + seconds(1700), steps));
    EXPECT_EQ(outcome(row, steps), "escalated 2: lease_expired");
}

TEST(Delivery, a_heartbeat_never_shortens_a_lease) {
    Notification row = *in_state(Kind::say, "held");
    EXPECT_EQ(renew(row, start, 1, seconds(5)), Refusal::none);
    EXPECT_EQ(row.lease_until, start + seconds(900));
    EXPECT_EQ(renew(row, start, 2, seconds(5)), Refusal::stale_lease);
}

TEST(Delivery, a_row_without_a_deadline_gets_one_at_the_first_look_and_a_held_one_is_looked_at_when_its_lease_ends) {
    Steps steps;
    Notification old = fresh(Kind::passive);
    old.deadline.reset();
    EXPECT_TRUE(watch(old, start + seconds(1), steps));
    EXPECT_EQ(old.deadline, start + base::days(30));
    Notification held = *in_state(Kind::say, "held");
    held.deadline = start + seconds(1);
    EXPECT_TRUE(watch(held, start + seconds(2), steps));
    EXPECT_EQ(held.deadline, held.lease_until);
    EXPECT_TRUE(steps.empty());
}

TEST(Delivery, an_escalation_takes_the_axes_the_lease_and_the_holder) {
    Notification row = *in_state(Kind::matter, "held");
    Steps steps;
    ASSERT_TRUE(watch(row, start + seconds(900), steps));
    EXPECT_EQ(row.handler, Handler::system);
    EXPECT_EQ(row.target, Target::user);
    EXPECT_EQ(row.lease, 2);
    EXPECT_EQ(row.holder, "");
    EXPECT_EQ(row.lease_until, std::nullopt);
    EXPECT_EQ(row.deadline, start + seconds(900) + base::days(30));
    EXPECT_EQ(steps[0].holder, "a") << "the audit says from whom";
    EXPECT_EQ(route(row).channel, model::Channel::conversation);
    EXPECT_FALSE(watch(row, start + seconds(900), steps)) << "a second watchdog finds nothing";
}

TEST(Delivery, where_nobody_had_it_the_audit_names_the_watchdog) {
    for (const Kind kind : kinds) {
        Notification row = *in_state(kind, "pending");
        Steps steps;
        ASSERT_TRUE(watch(row, *row.deadline, steps));
        EXPECT_EQ(steps.back().holder, "watchdog");
    }
}

TEST(Delivery, an_acknowledgement_needs_lease_and_version_and_says_why_it_is_refused) {
    Steps steps;
    Notification row = *in_state(Kind::show, "dispatched");
    const auto refused = [&](std::optional<std::int64_t> lease, std::optional<std::int64_t> version) {
        return acknowledge(row, start, ack_of(Voice::interface, lease, version), steps);
    };
    EXPECT_EQ(refused(std::nullopt, 1), Refusal::no_lease);
    EXPECT_EQ(refused(0, 1), Refusal::stale_lease);
    EXPECT_EQ(refused(2, 1), Refusal::stale_lease);
    EXPECT_EQ(refused(1, 0), Refusal::stale_version);
    EXPECT_EQ(refused(1, 2), Refusal::stale_version);
    EXPECT_EQ(refused(1, std::nullopt), Refusal::stale_version) << "an interface says what it showed";
    EXPECT_TRUE(steps.empty());
    Notification held = *in_state(Kind::say, "held");
    EXPECT_EQ(acknowledge(held, start, ack_of(Voice::model, 1, 2), steps), Refusal::stale_version);
    EXPECT_EQ(acknowledge(held, start, ack_of(Voice::model, 1, std::nullopt), steps), Refusal::none);
    for (const Refusal one : {Refusal::terminal, Refusal::no_lease, Refusal::stale_lease, Refusal::stale_version,
                              Refusal::not_held, Refusal::wrong_channel, Refusal::already_told}) {
        EXPECT_GT(refusal_text(one).size(), 20U);
        EXPECT_NE(refusal_name(one), "none");
    }
}

TEST(Delivery, the_audit_says_whose_word_it_was_and_how_it_was_shown) {
    const struct {
        Kind kind;
        Voice voice;
        const char* how;
        std::string_view reason;
    } words[] = {
        {Kind::show, Voice::interface, "rendered", "acknowledged_rendered"},
        {Kind::show, Voice::interface, "clicked", "acknowledged_clicked"},
        {Kind::show, Voice::interface, "heard", "acknowledged"},
        {Kind::say, Voice::model, "", "acknowledged_by_model"},
        {Kind::passive, Voice::runtime, "", "acknowledged_by_runtime"},
    };
    for (const auto& [kind, voice, how, reason] : words) {
        Notification row = *in_state(kind, "dispatched");
        Steps steps;
        ASSERT_EQ(acknowledge(row, start, {voice, "token:z", 1, 1, how}, steps), Refusal::none);
        EXPECT_EQ(steps.back().reason, reason);
        EXPECT_EQ(steps.back().holder, "token:z");
        EXPECT_EQ(row.ended_at, start);
        EXPECT_EQ(row.deadline, std::nullopt) << "nobody has to look at it again";
    }
}

TEST(Delivery, a_narration_is_kept_and_a_late_one_is_not) {
    Notification row = *in_state(Kind::say, "held");
    Steps steps;
    ASSERT_EQ(narrate(row, start, {"token:agent", 1, {}, "The disk is full, I made room."}, steps), Refusal::none);
    EXPECT_EQ(row.narration, "The disk is full, I made room.");
    Notification late = *in_state(Kind::say, "escalated");
    EXPECT_EQ(narrate(late, start, {"token:agent", 1, {}, "Too late."}, steps), Refusal::stale_lease);
    EXPECT_EQ(late.narration, "");
}

TEST(Delivery, a_narration_waits_thirty_days_for_an_interface_and_an_agent_has_no_more_part_in_it) {
    Notification row = *in_state(Kind::say, "held");
    const Timestamp told = start + seconds(2);
    Steps steps;
    ASSERT_EQ(narrate(row, told, {"token:agent", 1, {}, "It is full."}, steps), Refusal::none);
    EXPECT_EQ(row.state, DeliveryState::locked);
    EXPECT_EQ(row.ended_at, std::nullopt) << "nobody has shown it yet";
    EXPECT_EQ(row.holder, "");
    EXPECT_EQ(row.lease_until, std::nullopt);
    EXPECT_TRUE(route(row).to_interface);
    EXPECT_FALSE(route(row).starts_turn);
    EXPECT_FALSE(is_free(row, told + base::days(1)));
    EXPECT_FALSE(must_tell(row));
    EXPECT_EQ(row.handler, Handler::agent) << "an agent spoke";
    EXPECT_FALSE(watch(row, told + ttl * 2, steps)) << "no second speaker";
    EXPECT_FALSE(watch(row, told + base::days(30) - seconds(1), steps));
    EXPECT_TRUE(watch(row, told + base::days(30), steps));
    EXPECT_EQ(row.outcome, "nobody_there");
}

TEST(Delivery, a_narration_about_old_content_is_rejected) {
    Notification row = *in_state(Kind::say, "held");
    row.version = 2;
    Steps steps;
    EXPECT_EQ(narrate(row, start, {"a", 1, 1, "about v1"}, steps), Refusal::stale_version);
    EXPECT_EQ(narrate(row, start, {"a", 1, 3, "about v3"}, steps), Refusal::stale_version);
    EXPECT_TRUE(steps.empty());
    EXPECT_EQ(narrate(row, start, {"a", 1, 2, "about v2"}, steps), Refusal::none);
}

TEST(Delivery, only_a_row_for_the_user_that_an_agent_speaks_of_must_be_told) {
    EXPECT_FALSE(must_tell(fresh(Kind::show)));
    EXPECT_TRUE(must_tell(fresh(Kind::say)));
    EXPECT_FALSE(must_tell(fresh(Kind::matter)));
    EXPECT_FALSE(must_tell(fresh(Kind::passive)));
    Notification promoted = *in_state(Kind::matter, "held");
    Steps steps;
    ASSERT_TRUE(promote(promoted, start, "send_mail", steps));
    EXPECT_TRUE(must_tell(promoted));
}

TEST(Delivery, a_message_of_the_turn_tells_a_row_of_its_conversation_and_no_other) {
    Notification here = *in_state(Kind::say, "held");
    here.address = Address::session;
    const base::Uuid earlier = base::make_uuid7(start, 1, 1);
    here.pull_id = base::make_uuid7(start, 2, 2);
    model::Progress spoken;
    spoken.pulls = {{earlier, earlier, false, false, false, here.holder},
                    {*here.pull_id, *here.pull_id, false, false, false, here.holder}};
    spoken.spoken = {{here.holder, *here.pull_id}};
    EXPECT_TRUE(is_told_by_message(here, spoken));
    EXPECT_FALSE(is_told_by_message(here, {}));
    model::Progress before = spoken;
    before.spoken.front().after = earlier;
    EXPECT_FALSE(is_told_by_message(here, before)) << "the message came before the notification";
    model::Progress by_another = spoken;
    by_another.spoken.front().by = "token:another";
    EXPECT_FALSE(is_told_by_message(here, by_another));
    model::Progress by_both = spoken;
    note_spoken(by_both, "token:another");
    EXPECT_TRUE(is_told_by_message(here, by_both)) << "a message of another principal takes nothing back";
    forget_spoken(by_both, "token:another");
    EXPECT_TRUE(is_told_by_message(here, by_both));
    forget_spoken(by_both, here.holder);
    EXPECT_FALSE(is_told_by_message(here, by_both)) << "its next turn";
    Notification inbox = here;
    inbox.address = Address::user;
    EXPECT_FALSE(is_told_by_message(inbox, spoken)) << "the inbox does not have the message";
    Steps steps;
    EXPECT_FALSE(promote(here, start, "send_mail", steps)) << "the user is told in any case";
    Notification matter = *in_state(Kind::matter, "held");
    matter.address = Address::session;
    ASSERT_TRUE(promote(matter, start, "send_mail", steps));
    EXPECT_FALSE(is_told_by_message(matter, spoken)) << "the item has to name the tool";
}

TEST(Delivery, an_acknowledgement_without_telling_is_noted_once_and_ends_nothing) {
    Notification row = *in_state(Kind::say, "held");
    Steps steps;
    EXPECT_TRUE(note_untold(row, start + seconds(1), "token:agent", steps));
    EXPECT_FALSE(note_untold(row, start + seconds(2), "token:agent", steps));
    EXPECT_EQ(row.answered_at, start + seconds(1));
    EXPECT_EQ(row.state, DeliveryState::locked);
    EXPECT_EQ(row.holder, "a");
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].reason, "acknowledged_untold");
    EXPECT_EQ(steps[0].holder, "token:agent");
}

TEST(Delivery, what_its_holder_let_go_is_free_at_once_and_no_turn_of_his_has_carried_it) {
    for (const Kind kind : {Kind::say, Kind::matter, Kind::passive}) {
        Notification row = *in_state(kind, "held");
        Steps steps;
        ASSERT_TRUE(let_go(row, start, step_reason::pulled_again, steps));
        ASSERT_EQ(steps.size(), 1U);
        EXPECT_EQ(steps[0].reason, "pulled_again");
        EXPECT_FALSE(let_go(row, start, step_reason::pulled_again, steps)) << "nobody holds it any more";
        EXPECT_EQ(renew(row, start, row.lease, seconds(900)), Refusal::not_held);
        EXPECT_EQ(turn_ended(row, start, steps), Refusal::not_held);
        EXPECT_TRUE(is_free(row, start));
        const std::int64_t before = row.lease;
        ASSERT_EQ(claim(row, start, "token:agent", seconds(900), steps), Refusal::none);
        EXPECT_EQ(row.lease, before + 1);
    }
    Notification waiting = *in_state(Kind::say, "pending");
    Steps steps;
    EXPECT_FALSE(let_go(waiting, start, step_reason::turn_lost, steps));
}

TEST(Delivery, a_released_row_stays_free_when_the_clock_is_set_back) {
    for (const Kind kind : {Kind::say, Kind::matter, Kind::passive}) {
        Notification row = *in_state(kind, "held");
        Steps steps;
        ASSERT_TRUE(let_go(row, start + seconds(10), step_reason::turn_lost, steps));
        EXPECT_EQ(row.lease_until, std::nullopt);
        const Timestamp set_back = start - seconds(3600);
        EXPECT_TRUE(is_free(row, set_back));
        EXPECT_EQ(claim(row, set_back, "token:agent", seconds(900), steps), Refusal::none);
    }
}

TEST(Delivery, turns_that_begin_anew_for_ever_do_not_keep_it_from_the_person) {
    for (const Kind kind : {Kind::say, Kind::matter, Kind::passive}) {
        Notification row = *in_state(kind, "held");
        const std::int64_t before = row.lease;
        Steps steps;
        ASSERT_TRUE(let_go(row, *row.deadline_max, step_reason::pulled_again, steps));
        if (kind == Kind::passive) {
            EXPECT_EQ(row.state, DeliveryState::locked) << "nobody has to say it";
            continue;
        }
        EXPECT_EQ(row.state, DeliveryState::escalated);
        EXPECT_EQ(row.lease, before + 1);
        EXPECT_TRUE(route(row).to_interface);
        ASSERT_EQ(steps.size(), 2U);
        EXPECT_EQ(steps[0].reason, "pulled_again");
        EXPECT_EQ(steps[1].reason, "ttl");
    }
}

TEST(Delivery, a_chain_ends_where_it_would_start_another_turn) {
    Notification row = *in_state(Kind::matter, "pending");
    const model::Axes asked = model::axes_of(row);
    EXPECT_FALSE(deepen(row, base::limits::chain_depth_max - 1));
    EXPECT_TRUE(route(row).starts_turn);
    EXPECT_TRUE(deepen(row, base::limits::chain_depth_max));
    EXPECT_EQ(row.depth, base::limits::chain_depth_max);
    EXPECT_TRUE(route(row).to_interface);
    Steps steps;
    born(row, "x", steps, asked);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].routing, asked);
    EXPECT_EQ(steps[1].reason, "chain_end");
    Notification passive = *in_state(Kind::passive, "pending");
    EXPECT_FALSE(deepen(passive, base::limits::chain_depth_max));
    EXPECT_EQ(passive.target, Target::agent) << "it starts no turn";
}

TEST(Delivery, a_veto_is_marked_as_one_and_a_promoted_matter_cannot_be_vetoed) {
    Notification row = *in_state(Kind::matter, "held");
    Notification felt = row;
    Steps steps;
    ASSERT_EQ(turn_ended(row, start, steps), Refusal::none);
    EXPECT_EQ(row.outcome, "vetoed");
    ASSERT_TRUE(promote(felt, start, "send_mail", steps));
    EXPECT_EQ(steps.back().holder, "tool:send_mail");
    EXPECT_EQ(felt.target, Target::user);
    EXPECT_FALSE(promote(felt, start, "send_mail", steps)) << "the same tool again is nothing new";
    ASSERT_EQ(turn_ended(felt, start, steps), Refusal::none);
    EXPECT_EQ(felt.state, DeliveryState::escalated);
    EXPECT_EQ(felt.lease, 2);
}

TEST(Delivery, what_escalates_says_which_tools_were_used) {
    Notification row = *in_state(Kind::matter, "held");
    Steps steps;
    ASSERT_TRUE(promote(row, start, "send_mail", steps));
    EXPECT_EQ(row.text, "the disk is full") << "nobody has shown it: the agent's text comes first";
    EXPECT_EQ(row.version, 1);
    ASSERT_TRUE(promote(row, start, "post_message", steps));
    EXPECT_EQ(row.used_tools, (std::vector<std::string>{"send_mail", "post_message"}));
    ASSERT_EQ(turn_ended(row, start, steps), Refusal::none);
    EXPECT_EQ(row.text, "the disk is full (tools used: send_mail, post_message)");
    EXPECT_EQ(row.content, row.text);
    EXPECT_EQ(row.version, 2);
}

TEST(Delivery, a_content_in_another_form_than_the_text_stays_as_it_is) {
    Notification row = *in_state(Kind::matter, "held");
    row.content = "disk: full";
    Steps steps;
    ASSERT_TRUE(promote(row, start, "send_mail", steps));
    ASSERT_EQ(turn_ended(row, start, steps), Refusal::none);
    EXPECT_EQ(row.text, "the disk is full (tool used: send_mail)");
    EXPECT_EQ(row.content, "disk: full");
}

TEST(Delivery, a_narration_says_which_tools_were_used) {
    Notification row = *in_state(Kind::matter, "held");
    Steps steps;
    ASSERT_TRUE(promote(row, start, "send_mail", steps));
    ASSERT_EQ(narrate(row, start, {"a", 1, {}, "I wrote to Bert."}, steps), Refusal::none);
    EXPECT_EQ(row.narration, "I wrote to Bert. (tool used: send_mail)");
    EXPECT_EQ(row.version, 1);
    ASSERT_TRUE(promote(row, start, "call", steps));
    EXPECT_EQ(row.narration, "I wrote to Bert. (tools used: send_mail, call)") << "a tool that was used after it";
    EXPECT_EQ(row.version, 2) << "interfaces show the next version";
}

TEST(Delivery, an_item_that_is_shown_names_a_tool_that_is_used_afterwards) {
    for (const char* state : {"dispatched", "escalated"}) {
        Notification row = *in_state(std::string_view(state) == "escalated" ? Kind::matter : Kind::show, state);
        const std::int64_t before = row.version;
        Steps steps;
        ASSERT_TRUE(promote(row, start, "send_mail", steps));
        EXPECT_EQ(row.text, "the disk is full (tool used: send_mail)");
        ASSERT_TRUE(promote(row, start, "call", steps));
        EXPECT_EQ(row.text, "the disk is full (tools used: send_mail, call)");
        EXPECT_EQ(row.content, row.text);
        EXPECT_EQ(row.version, before + 2);
    }
}

TEST(Delivery, a_row_remembers_a_bounded_number_of_tools) {
    Notification row = *in_state(Kind::matter, "held");
    Steps steps;
    for (std::size_t i = 0; i < 2 * base::limits::used_tools_max; ++i) {
        promote(row, start, "tool" + std::to_string(i), steps);
    }
    ASSERT_EQ(row.used_tools.size(), base::limits::used_tools_max + 1);
    EXPECT_EQ(row.used_tools.back(), "…") << "there were more";
}

TEST(Delivery, a_tool_that_is_used_for_an_ended_row_gives_a_notice_to_the_user) {
    Notification ended = *in_state(Kind::matter, "delivered");
    ended.id.uuid = base::make_uuid7(start, 1, 2);
    ended.address = Address::user;
    ended.depth = 1;
    Notification notice = effect_notice(ended, "send_mail");
    EXPECT_EQ(notice.text, "the disk is full (tool used: send_mail)");
    EXPECT_EQ(notice.content, notice.text);
    Notification named = ended;
    named.used_tools = {"call"};
    named.text += " (tool used: call)";
    EXPECT_EQ(effect_notice(named, "send_mail").text, notice.text) << "the tool of the item is told already";
    EXPECT_EQ(notice.scope, ended.scope);
    EXPECT_EQ(notice.address, Address::user);
    EXPECT_EQ(notice.caused_by, ended.id);
    EXPECT_EQ(notice.depth, 2);
    EXPECT_TRUE(route(notice).to_interface);
    EXPECT_FALSE(extend_notice(notice, "send_mail"));
    ASSERT_TRUE(extend_notice(notice, "call"));
    EXPECT_EQ(notice.text, "the disk is full (tools used: send_mail, call)");
    EXPECT_EQ(notice.content, notice.text);
}

TEST(Delivery, what_lived_in_a_session_that_is_gone_lives_with_its_user) {
    Notification row = fresh(Kind::show);
    Steps steps;
    ASSERT_TRUE(leave_session(row, start, steps));
    EXPECT_EQ(row.address, Address::user);
    EXPECT_EQ(row.scope, (model::Scope{"ada", "", ""}));
    EXPECT_EQ(steps[0].holder, "session:s1");
    EXPECT_FALSE(leave_session(row, start, steps));
}

TEST(Delivery, a_mark_implies_that_it_was_seen_and_never_goes_back) {
    Notification row = *in_state(Kind::show, "delivered");
    EXPECT_TRUE(mark_read(row, ReadMark::acted, start));
    EXPECT_EQ(row.seen_at, start);
    EXPECT_EQ(row.acted_at, start);
    EXPECT_FALSE(mark_read(row, ReadMark::seen, start + seconds(1)));
    EXPECT_FALSE(mark_read(row, ReadMark::acted, start + seconds(1)));
    EXPECT_TRUE(mark_read(row, ReadMark::dismissed, start + seconds(1)));
    EXPECT_EQ(row.seen_at, start);
    EXPECT_EQ(row.dismissed_at, start + seconds(1));
    Notification other = fresh(Kind::show);
    EXPECT_TRUE(mark_read(other, ReadMark::dismissed, start));
    EXPECT_EQ(other.seen_at, start);
    EXPECT_EQ(other.acted_at, std::nullopt);
    Notification seen = fresh(Kind::show);
    EXPECT_TRUE(mark_read(seen, ReadMark::seen, start));
    EXPECT_EQ(seen.seen_at, start);
    EXPECT_EQ(seen.acted_at, std::nullopt);
}

}  // namespace
}  // namespace belfry::rules
