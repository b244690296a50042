#include <gtest/gtest.h>

#include "rules/delivery.hpp"
#include "rules/route.hpp"

namespace belfry::rules {
namespace {

using base::seconds;
using base::Timestamp;
using model::Address;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::Target;

constexpr Timestamp start{1'000'000'000'000};

Notification draft(Target target, Handler handler, const char* content = "new") {
    Notification row;
    row.scope = {"ada", "s1", ""};
    row.content = row.text = content;
    row.emitter = "token:emitter";
    row.target = target;
    row.handler = handler;
    row.created_at = start;
    return row;
}

Notification made(Target target, Handler handler) {
    Notification row = draft(target, handler, "old");
    Steps steps;
    born(row, row.emitter, steps);
    return row;
}

TEST(Repeat, follows_the_state_of_what_is_there) {
    Notification row = made(Target::user, Handler::agent);
    const std::pair<DeliveryState, Repeat> table[] = {
        {DeliveryState::pending, Repeat::overwrites},    {DeliveryState::dispatched, Repeat::overwrites},
        {DeliveryState::locked, Repeat::follows},        {DeliveryState::escalated, Repeat::becomes_new},
        {DeliveryState::delivered, Repeat::becomes_new}, {DeliveryState::failed, Repeat::becomes_new},
    };
    row.holder = "token:agent";
    for (const auto& [state, expected] : table) {
        row.state = state;
        EXPECT_EQ(repeat(row, "token:agent", std::nullopt), expected) << model::delivery_state_name(state);
        EXPECT_EQ(repeat(row, "token:agent", 2), expected) << "under another lease";
        EXPECT_EQ(repeat(row, "token:emitter", 1), expected) << "a lease that another one names is a guess";
        const bool is_locked = state == DeliveryState::locked;
        EXPECT_EQ(repeat(row, "token:agent", 1), is_locked ? Repeat::overwrites : expected) << "under its lease";
    }
}

TEST(Repeat, of_a_row_that_was_released_follows_whatever_its_emitter_names) {
    Notification row = made(Target::user, Handler::agent);
    Steps steps;
    claim(row, start, "token:agent", seconds(60), steps);
    ASSERT_TRUE(let_go(row, start, "turn_lost", steps));
    EXPECT_EQ(repeat(row, "token:agent", 1), Repeat::follows);
}

TEST(Repeat, of_a_narrated_row_becomes_a_new_one) {
    Notification row = made(Target::user, Handler::agent);
    Steps steps;
    claim(row, start, "token:agent", seconds(60), steps);
    ASSERT_EQ(narrate(row, start, {"token:agent", 1, {}, "told"}, steps), Refusal::none);
    EXPECT_EQ(repeat(row, "token:agent", 1), Repeat::becomes_new) << "the narration is about the old content";
    EXPECT_EQ(repeat(row, "token:emitter", std::nullopt), Repeat::becomes_new);
}

TEST(Overwrite, puts_everything_that_the_emitter_says_in_place_under_the_same_id) {
    Notification row = made(Target::user, Handler::system);
    row.handle = 7;
    const model::NotificationId id = row.id;
    Notification update = draft(Target::user, Handler::system);
    update.text = "for people";
    update.directive = "be brief";
    update.tone_hint = "calm";
    update.metadata = model::RawJson::trusted("{\"a\":1}");
    update.priority = model::Priority::critical;
    update.inject_at = model::InjectAt::immediate;
    update.severity = model::Severity::critical;
    update.model_tokens = 9;
    Steps steps;
    overwrite(row, update, start + seconds(5), steps);
    EXPECT_EQ(row.id, id);
    EXPECT_EQ(row.handle, 7);
    EXPECT_EQ(row.version, 2);
    EXPECT_EQ(row.lease, 1);
    EXPECT_EQ(row.state, DeliveryState::pending);
    EXPECT_EQ(row.created_at, start);
    EXPECT_EQ(row.content, "new");
    EXPECT_EQ(row.text, "for people");
    EXPECT_EQ(row.directive, "be brief");
    EXPECT_EQ(row.tone_hint, "calm");
    EXPECT_EQ(row.metadata, update.metadata);
    EXPECT_EQ(row.priority, model::Priority::critical);
    EXPECT_EQ(row.inject_at, model::InjectAt::immediate);
    EXPECT_EQ(row.severity, model::Severity::critical);
    EXPECT_EQ(row.model_tokens, 9);
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].reason, "updated");
    EXPECT_EQ(steps[0].holder, "token:emitter");
}

TEST(Overwrite, a_chatty_producer_cannot_postpone_beyond_twice_the_ttl) {
    Notification row = made(Target::user, Handler::agent);
    Steps steps;
    Timestamp now = start;
    for (int i = 0; i < 590; ++i) {
        now = now + seconds(1);
        Notification update = draft(Target::user, Handler::agent);
        update.ttl = seconds(3000 + i);  // nor by asking for more
        overwrite(row, update, now, steps);
        ASSERT_FALSE(watch(row, now, steps));
    }
    EXPECT_EQ(row.deadline, start + seconds(600));
    EXPECT_TRUE(watch(row, start + seconds(600), steps));
    EXPECT_EQ(row.state, DeliveryState::escalated);
}

TEST(Overwrite, moves_the_deadline_and_keeps_a_ttl_that_the_update_does_not_give) {
    Notification row = made(Target::user, Handler::agent);
    row.ttl = seconds(100);
    Steps steps;
    born(row, "x", steps);
    overwrite(row, draft(Target::user, Handler::agent), start + seconds(30), steps);
    EXPECT_EQ(row.deadline, start + seconds(130));
    Notification hasty = draft(Target::user, Handler::agent);
    hasty.ttl = seconds(5);
    overwrite(row, hasty, start + seconds(40), steps);
    EXPECT_EQ(row.deadline, start + seconds(45));
}

TEST(Overwrite, under_a_lease_leaves_the_holder_his_time) {
    Notification row = made(Target::user, Handler::agent);
    Steps steps;
    claim(row, start, "a", seconds(900), steps);
    overwrite(row, draft(Target::user, Handler::agent), start + seconds(10), steps);
    EXPECT_EQ(row.state, DeliveryState::locked);
    EXPECT_EQ(row.deadline, start + seconds(900));
    Acknowledgement ack{Voice::model, "a", 1, 1, ""};
    EXPECT_EQ(acknowledge(row, start + seconds(11), ack, steps), Refusal::stale_version);
    ack.version = 2;
    EXPECT_EQ(acknowledge(row, start + seconds(11), ack, steps), Refusal::none);
}

TEST(Overwrite, brings_a_notification_nearer_the_person_and_never_further_away) {
    const struct {
        Target target;
        Handler handler;
    } ways[] = {{Target::agent, Handler::system},
                {Target::agent, Handler::agent},
                {Target::user, Handler::agent},
                {Target::user, Handler::system}};  // nearer and nearer
    for (std::size_t from = 0; from < 4; ++from) {
        for (std::size_t to = 0; to < 4; ++to) {
            Notification row = made(ways[from].target, ways[from].handler);
            Notification dispatched = row;
            Notification locked = row;
            Steps steps;
            dispatch(dispatched, start, "x", steps);
            const bool is_locked = claim(locked, start, "a", seconds(60), steps) == Refusal::none;
            const Notification update = draft(ways[to].target, ways[to].handler);
            const std::size_t nearest = std::max(from, to);
            for (Notification* one : {&row, &dispatched}) {
                overwrite(*one, update, start + seconds(1), steps);
                EXPECT_EQ(one->target, ways[nearest].target) << from << to;
                EXPECT_EQ(one->handler, ways[nearest].handler) << from << to;
            }
            if (!is_locked) continue;
            overwrite(locked, update, start + seconds(1), steps);
            EXPECT_EQ(locked.handler, ways[from].handler) << "who speaks stays with the one who holds it";
            const bool rises = ways[from].handler == Handler::agent && ways[to].target == Target::user;
            EXPECT_EQ(locked.target, rises ? Target::user : ways[from].target) << from << to;
        }
    }
}

TEST(Overwrite, of_what_is_pending_moves_where_it_lives_and_of_what_went_out_does_not) {
    Notification row = made(Target::user, Handler::system);
    Notification shown = row;
    Steps steps;
    dispatch(shown, start, "x", steps);
    Notification update = draft(Target::user, Handler::system);
    update.address = Address::user;
    update.scope.session_id.clear();
    overwrite(row, update, start, steps);
    EXPECT_EQ(row.address, Address::user);
    EXPECT_EQ(row.scope.session_id, "");
    overwrite(shown, update, start, steps);
    EXPECT_EQ(shown.address, Address::session);
    EXPECT_EQ(shown.scope.session_id, "s1");
}

TEST(Overwrite, what_waits_for_somebody_else_from_now_on_has_his_time_anew) {
    Notification row = made(Target::agent, Handler::system);
    Steps steps;
    const Timestamp later = start + base::days(2);
    overwrite(row, draft(Target::user, Handler::agent), later, steps);
    EXPECT_EQ(row.deadline, later + seconds(300));
    EXPECT_EQ(row.deadline_max, later + seconds(600));
    overwrite(row, draft(Target::user, Handler::system), later, steps);
    EXPECT_EQ(row.deadline, later + base::days(30));
    EXPECT_FALSE(watch(row, later + seconds(600), steps));
}

}  // namespace
}  // namespace belfry::rules
