#include "ports/commands/timers.hpp"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/wake_key.hpp"
#include "sim/engine_world_test.hpp"

// Stored timers through the real engine and the real store, in time and zones that the test gives.
namespace belfry::sim {
namespace {

using model::WakeReason;
using model::WakeState;

base::Timestamp at(const std::string& text) {
    return base::parse_timestamp(text).value();
}

// Two places by the rules of today, and one whose data a test can take away.
class TestZones final : public ports::Zones {
public:
    base::Result<std::shared_ptr<const model::Zone>> find(std::string_view name) override {
        if (is_broken) return base::error(base::Code::malformed, "the data of " + std::string(name) + " is damaged");
        model::Zone zone;
        zone.name = std::string(name);
        if (name == "UTC") return std::make_shared<const model::Zone>(zone);
        using Moment = model::YearlyMoment;
        constexpr auto kind = Moment::Kind::weekday_of_month;
        if (name == "Europe/Berlin") {
            zone.first_offset_s = 3600;
            zone.tail = {3600, {{7200, Moment{kind, 3, 5, 0, 0, 2 * 3600}, Moment{kind, 10, 5, 0, 0, 3 * 3600}}}};
        } else if (name == "America/New_York") {
            zone.first_offset_s = -5 * 3600;
            zone.tail = {-5 * 3600,
                         {{-4 * 3600, Moment{kind, 3, 2, 0, 0, 2 * 3600}, Moment{kind, 11, 1, 0, 0, 2 * 3600}}}};
        } else {
            return base::error(base::Code::not_found, "there is no zone \"" + std::string(name) + '"');
        }
        return std::make_shared<const model::Zone>(zone);
    }

    bool is_broken = false;
};

class Timers : public EngineWorld {
protected:
    Timers() {
        now_ = at("2026-11-16T12:00:00Z");
        options_.zones = &zones_;
        open();
        make_agent("fixer");
    }

    void make_agent(const std::string& id, model::AgentMode mode = model::AgentMode::hybrid) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.mode = mode;
        ask(std::move(command));
    }
    static std::unique_ptr<ports::AddTimer> wish(const std::string& kind, const std::string& word,
                                                 const std::string& zone = "Europe/Berlin",
                                                 const std::string& name = "t") {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = "fixer";
        command->name = name;
        command->schedule.kind = kind;
        if (kind == "cron") command->schedule.cron = word;
        if (kind == "daily") command->schedule.time = word;
        if (kind == "every") command->schedule.interval = word;
        if (kind == "at") command->schedule.at = at(word);
        command->zone = zone;
        command->input = model::RawJson::trusted(R"({"do":"it"})");
        return command;
    }
    model::AgentTimer add(const std::string& kind, const std::string& word, const std::string& zone = "Europe/Berlin",
                          const std::string& name = "t") {
        return ask(wish(kind, word, zone, name)).shown.timer;
    }
    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    std::string refusal(std::unique_ptr<ports::AddTimer> command) {
        const auto result = try_to(std::move(command));
        return result.ok() ? "" : result.error().field + ": " + result.error().message;
    }
    model::AgentTimer stored(const model::TimerId& id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->timers().find(id);
        store_->rollback();
        return found.ok() && *found ? **found : model::AgentTimer{};
    }
    model::AgentRecord agent(const std::string& id = "fixer") {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agents().find(std::span(&id, 1));
        store_->rollback();
        return found.ok() && !found->empty() ? found->front() : model::AgentRecord{};
    }
    std::vector<model::Wake> wakes() {
        std::vector<model::Wake> all;
        EXPECT_TRUE(store_->begin().ok());
        const model::WakeId last = store_->wakes().last_id().value();
        for (model::WakeId id = 1; id <= last; ++id) all.push_back(**store_->wakes().find(id));
        store_->rollback();
        return all;
    }
    // As time goes, up to this instant: timers and wishes are looked at when they are due, and the agent does its work.
    void live_until(base::Timestamp until) {
        for (auto due = next_firing(); due && *due <= until; due = next_firing()) {
            now_ = std::max(now_, *due);
            tend();
        }
        now_ = until;
        tend();
    }
    std::optional<base::Timestamp> next_firing() {
        EXPECT_TRUE(store_->begin().ok());
        const auto due = store_->timers().next_due();
        store_->rollback();
        return due.ok() ? *due : std::nullopt;
    }
    void work() {
        for (;;) {
            auto claim = std::make_unique<ports::ClaimWake>();
            claim->agents = {"fixer"};
            const auto granted = ask(std::move(claim)).grant;
            if (!granted) return;
            ran.push_back(*granted);
            auto end = std::make_unique<ports::EndWake>();
            end->id = granted->wake.id;
            end->fence = granted->wake.fence;
            EXPECT_TRUE(try_to(std::move(end)).ok());
        }
    }
    void tend() {
        while (engine_->next_due() && *engine_->next_due() <= now_) engine_->tend(now_);
        work();
    }
    std::vector<std::string> instants() const {
        std::vector<std::string> all;
        for (const ports::WakeGrant& one : ran) all.push_back(one.signals.front().key);
        return all;
    }

    TestZones zones_;
    std::vector<ports::WakeGrant> ran;
};

using Instants = std::vector<std::string>;

TEST_F(Timers, wake_their_agent_at_the_wall_time_with_a_key_of_the_instant) {
    const model::AgentTimer timer = add("daily", "07:00");
    EXPECT_EQ(timer.next_run_at, at("2026-11-17T06:00:00Z"));
    EXPECT_EQ(agent().next_timer_at, at("2026-11-17T06:00:00Z"));
    live_until(at("2026-11-18T12:00:00Z"));
    EXPECT_EQ(instants(), (Instants{"2026-11-17T06:00:00Z", "2026-11-18T06:00:00Z"}));
    const model::Wake& wake = ran[0].wake;
    const std::string id = base::format_uuid(timer.id.uuid);
    EXPECT_EQ(wake.reason, WakeReason::timer);
    EXPECT_EQ(wake.reason_id, id);
    EXPECT_FALSE(wake.catch_up);
    EXPECT_EQ(wake.run_key, rules::timer_run_key("fixer", id, at("2026-11-17T06:00:00Z")));
    EXPECT_EQ(ran[0].signals[0].body.bytes(),
              R"({"timer_id":")" + id +
                  R"(","name":"t","scheduled_at":)"
                  R"("2026-11-17T06:00:00Z","timer_catchup":false,"input":{"do":"it"}})");
    EXPECT_EQ(stored(timer.id).last_scheduled_at, at("2026-11-18T06:00:00Z"));
}

TEST_F(Timers, down_three_days_with_a_daily_0700_is_one_catch_up) {
    const model::AgentTimer timer = add("daily", "07:00");
    forget();
    now_ = at("2026-11-19T12:00:00Z");
    open();
    tend();
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].wake.reason, WakeReason::recovery_catchup);
    EXPECT_TRUE(ran[0].wake.catch_up);
    EXPECT_EQ(ran[0].wake.run_key,
              rules::timer_run_key("fixer", base::format_uuid(timer.id.uuid), at("2026-11-19T06:00:00Z")))
        << "the key of the last one that was missed";
    live_until(at("2026-11-20T12:00:00Z"));
    ASSERT_EQ(ran.size(), 2U);
    EXPECT_EQ(ran[1].wake.reason, WakeReason::timer);
    EXPECT_EQ(ran[1].signals[0].key, "2026-11-20T06:00:00Z");
}

TEST_F(Timers, what_is_a_minute_late_catches_up_and_what_is_less_does_not) {
    add("daily", "07:00");
    now_ = at("2026-11-17T06:01:00Z");
    tend();
    now_ = at("2026-11-18T06:01:01Z");
    tend();
    ASSERT_EQ(ran.size(), 2U);
    EXPECT_EQ(ran[0].wake.reason, WakeReason::timer);
    EXPECT_EQ(ran[1].wake.reason, WakeReason::recovery_catchup);
    EXPECT_EQ(ran[1].signals[0].key, "2026-11-18T06:00:00Z");
}

TEST_F(Timers, years_of_seconds_that_were_missed_are_one_catch_up_and_cost_no_years) {
    add("every", "1s");
    now_ = now_ + base::days(3650);
    tend();
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].signals[0].key, base::format_timestamp(now_));
    EXPECT_TRUE(ran[0].wake.catch_up);
}

TEST_F(Timers, a_changed_zone_keeps_the_wall_time) {
    const model::AgentTimer timer = add("daily", "07:00");
    live_until(at("2026-11-17T07:00:00Z"));
    auto change = std::make_unique<ports::ChangeTimer>();
    change->agent_id = "fixer";
    change->id = timer.id;
    change->zone = "America/New_York";
    const model::ShownTimer shown = ask(std::move(change));
    EXPECT_EQ(shown.timer.next_run_at, at("2026-11-17T12:00:00Z"));
    ASSERT_EQ(shown.next.size(), 5U);
    EXPECT_EQ(shown.next[1].at, at("2026-11-18T12:00:00Z"));
    EXPECT_EQ(shown.next[1].offset_s, -5 * 3600);
    live_until(at("2026-11-18T13:00:00Z"));
    EXPECT_EQ(instants(), (Instants{"2026-11-17T06:00:00Z", "2026-11-17T12:00:00Z", "2026-11-18T12:00:00Z"}));
}

TEST_F(Timers, a_wall_time_in_the_gap_of_spring_fires_once_at_the_first_valid_instant) {
    now_ = at("2027-03-27T12:00:00Z");
    add("daily", "02:30");
    live_until(at("2027-03-29T12:00:00Z"));
    EXPECT_EQ(instants(), (Instants{"2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"}));
}

TEST_F(Timers, a_wall_time_that_comes_twice_in_autumn_fires_once) {
    now_ = at("2027-10-30T12:00:00Z");
    add("cron", "30 2 * * *");
    live_until(at("2027-11-01T12:00:00Z"));
    EXPECT_EQ(instants(), (Instants{"2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"}));
}

TEST_F(Timers, a_clock_that_is_set_back_two_hours_does_not_fire_twice) {
    add("daily", "07:00");
    add("cron", "0 * * * *", "UTC", "hourly");
    live_until(at("2026-11-17T06:30:00Z"));
    const std::size_t before = ran.size();
    now_ = now_ - base::hours(2);
    engine_->clock_was_set_back(base::hours(2));
    crash();
    live_until(at("2026-11-17T06:59:59Z"));
    EXPECT_EQ(ran.size(), before);
    live_until(at("2026-11-18T06:30:00Z"));
    EXPECT_EQ(ran.size(), before + 24) << "07:00 of the next day joins the hour's";
}

// The wake and the timer's next time are one commit: whichever of the two cannot be written, there is neither.
TEST_F(Timers, a_crash_between_fire_and_advance_fires_once) {
    const model::AgentTimer timer = add("daily", "07:00");
    now_ = at("2026-11-17T06:00:00Z");
    for (const std::string what : {"UPDATE ON agent_timers", "INSERT ON wakes"}) {
        const std::string trigger =
            "CREATE TRIGGER cut BEFORE " + what + " BEGIN SELECT RAISE(ABORT, 'the power is gone'); END";
        ASSERT_TRUE(store_->database().script(trigger).ok());
        engine_->tend(now_);
        crash();
        EXPECT_TRUE(wakes().empty()) << what;
        EXPECT_EQ(stored(timer.id), timer) << what;
        ASSERT_TRUE(store_->database().script("DROP TRIGGER cut").ok());
    }
    tend();
    crash();
    tend();
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(wakes().size(), 1U);
    EXPECT_EQ(stored(timer.id).next_run_at, at("2026-11-18T06:00:00Z"));
}

TEST_F(Timers, a_zone_without_its_data_rests_with_a_reason_and_the_others_go_on) {
    const model::AgentTimer daily = add("daily", "07:00");
    add("every", "1h", "", "hourly");
    zones_.is_broken = true;
    live_until(at("2026-11-17T06:30:30Z"));
    EXPECT_EQ(ran.size(), 18U) << "every hour from 12:00 on";
    const model::AgentTimer resting = stored(daily.id);
    EXPECT_EQ(resting.fault, "the data of Europe/Berlin is damaged");
    EXPECT_TRUE(resting.active);
    EXPECT_EQ(resting.next_run_at, at("2026-11-17T06:00:00Z"));
    EXPECT_EQ(resting.due_at, at("2026-11-17T06:31:00Z"));
    zones_.is_broken = false;
    live_until(at("2026-11-17T06:31:00Z"));
    ASSERT_EQ(ran.size(), 19U);
    EXPECT_TRUE(ran.back().wake.catch_up);
    EXPECT_EQ(ran.back().signals[0].key, "2026-11-17T06:00:00Z");
    EXPECT_EQ(stored(daily.id).fault, "");
}

TEST_F(Timers, a_zone_without_its_data_goes_by_the_right_date_after_a_clock_that_was_ahead) {
    const model::AgentTimer daily = add("daily", "07:00");
    const base::Timestamp right = now_;
    now_ = at("2099-01-01T00:00:00Z");
    engine_->clock_was_set_ahead(now_, now_ - right);
    tend();
    zones_.is_broken = true;
    engine_->clock_was_set_back(now_ - right);
    now_ = right;
    tend();
    zones_.is_broken = false;
    live_until(now_ + base::minutes(2));
    EXPECT_EQ(stored(daily.id).fault, "");
    EXPECT_EQ(stored(daily.id).next_run_at, at("2026-11-17T06:00:00Z"));
}

TEST_F(Timers, once_is_once) {
    const model::AgentTimer timer = add("at", "2026-11-16T12:00:05Z");
    live_until(now_ + base::hours(1));
    EXPECT_EQ(ran.size(), 1U);
    EXPECT_FALSE(stored(timer.id).active);
    EXPECT_EQ(stored(timer.id).next_run_at, std::nullopt);
    EXPECT_EQ(agent().next_timer_at, std::nullopt);
    crash();
    live_until(now_ + base::days(2));
    EXPECT_EQ(ran.size(), 1U);
}

TEST_F(Timers, an_agents_own_wish_wakes_it_and_is_gone) {
    add("daily", "07:00");
    auto change = std::make_unique<ports::ChangeAgent>();
    change->agent_id = "fixer";
    change->state.next_wake_at = std::optional(at("2026-11-16T13:00:00Z"));
    EXPECT_EQ(model::next_wake_of(ask(std::move(change))), at("2026-11-16T13:00:00Z")) << "sooner than its timer";
    crash();
    live_until(at("2026-11-16T13:00:00Z"));
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].wake.reason, WakeReason::timer);
    EXPECT_EQ(ran[0].wake.reason_id, "next_wake");
    EXPECT_EQ(ran[0].wake.run_key, rules::timer_run_key("fixer", "next_wake", at("2026-11-16T13:00:00Z")));
    EXPECT_EQ(agent().state.next_wake_at, std::nullopt);
    EXPECT_EQ(model::next_wake_of(agent()), at("2026-11-17T06:00:00Z"));
}

TEST_F(Timers, a_wish_at_the_end_of_a_wake_is_heard) {
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = "fixer";
    wake->request_id = "r";
    ask(std::move(wake));
    auto claim = std::make_unique<ports::ClaimWake>();
    claim->agents = {"fixer"};
    const auto granted = ask(std::move(claim)).grant;
    auto end = std::make_unique<ports::EndWake>();
    end->id = granted->wake.id;
    end->fence = granted->wake.fence;
    end->next_wake_at = now_ + base::minutes(5);
    ASSERT_TRUE(try_to(std::move(end)).ok());
    live_until(now_ + base::minutes(6));
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].wake.reason_id, "next_wake");
}

TEST_F(Timers, of_an_agent_that_sleeps_or_listens_to_its_person_only_end_with_why_and_go_on) {
    add("every", "1h");
    auto sleep = std::make_unique<ports::ChangeAgent>();
    sleep->agent_id = "fixer";
    sleep->state.sleep_until = std::optional(now_ + base::minutes(90));
    ask(std::move(sleep));
    live_until(now_ + base::hours(1));
    EXPECT_TRUE(ran.empty());
    EXPECT_EQ(wakes().at(0).state, WakeState::sleeping);
    live_until(now_ + base::hours(1));
    EXPECT_EQ(ran.size(), 1U);
    auto change = std::make_unique<ports::ChangeAgent>();
    change->agent_id = "fixer";
    change->patch.mode = model::AgentMode::interactive;
    ask(std::move(change));
    live_until(now_ + base::hours(1));
    EXPECT_EQ(ran.size(), 1U);
    EXPECT_EQ(wakes().back().state, WakeState::refused);
    EXPECT_EQ(wakes().size(), 3U);
}

TEST_F(Timers, of_a_destroyed_agent_do_not_fire_and_go_with_their_user) {
    const model::AgentTimer timer = add("every", "1h");
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    ask(std::move(destroy));
    EXPECT_FALSE(stored(timer.id).active);
    pass(base::days(1));
    EXPECT_TRUE(wakes().empty());
    erase_user("ada");
    EXPECT_EQ(stored(timer.id).name, "");
}

TEST_F(Timers, are_refused_with_their_reason) {
    EXPECT_EQ(refusal(wish("cron", "0 25 * * *")).substr(0, 31), "schedule.cron: the hour is \"25\"");
    EXPECT_EQ(refusal(wish("daily", "7")), "schedule.time: must be a time from 00:00 to 23:59, like 07:00, not \"7\"");
    EXPECT_EQ(refusal(wish("daily", "07:00", "Mars")), "zone: there is no zone \"Mars\"");
    EXPECT_EQ(refusal(wish("at", "2026-11-16T11:00:00Z")), "schedule: never comes after 2026-11-16T12:00:00Z");
    EXPECT_EQ(refusal(wish("soon", "")), "schedule.kind: must be cron, daily, weekly, every or at");
    auto other = wish("daily", "07:00");
    other->agent_id = "nobody";
    EXPECT_EQ(refusal(std::move(other)), "agent_id: there is no such agent");
    make_agent("talker", model::AgentMode::interactive);
    auto talker = wish("daily", "07:00");
    talker->agent_id = "talker";
    EXPECT_EQ(refusal(std::move(talker)), "mode: an interactive agent is woken by its person only");
}

TEST_F(Timers, of_an_agent_are_a_thousand_at_most) {
    for (std::size_t i = 0; i < base::limits::timers_per_agent_max; ++i) add("every", "1h", "", std::to_string(i));
    const auto rejected = try_to(wish("every", "1h", "", "one more"));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_FALSE(ask(wish("every", "1h", "", "7")).is_new) << "one that is there is told again";
}

TEST_F(Timers, know_no_zone_but_utc_where_the_host_has_none) {
    forget();
    options_.zones = nullptr;
    open();
    EXPECT_EQ(refusal(wish("daily", "07:00")), "zone: there is no zone \"Europe/Berlin\": there is only UTC here");
    EXPECT_EQ(add("daily", "07:00", "UTC").next_run_at, at("2026-11-17T07:00:00Z"));
}

TEST_F(Timers, the_same_one_is_there_once_and_another_of_its_name_is_not) {
    const model::AgentTimer first = add("every", "1h");
    now_ = now_ + base::minutes(1);
    const auto again = ask(wish("every", "1h"));
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.shown.timer.id, first.id);
    EXPECT_EQ(refusal(wish("every", "2h")), "name: this agent has another timer of this name");
}

TEST_F(Timers, a_rehearsal_shows_the_next_five_and_stores_nothing) {
    auto rehearsal = wish("daily", "07:00");
    rehearsal->dry_run = true;
    const auto shown = ask(std::move(rehearsal)).shown;
    ASSERT_EQ(shown.next.size(), 5U);
    EXPECT_EQ(shown.next[4].at, at("2026-11-21T06:00:00Z"));
    pass(base::days(2));
    EXPECT_TRUE(wakes().empty());
}

TEST_F(Timers, that_were_removed_or_stopped_do_not_fire) {
    const model::AgentTimer gone = add("every", "1h", "", "gone");
    const model::AgentTimer stopped = add("every", "1h", "", "stopped");
    auto remove = std::make_unique<ports::DeleteTimer>();
    remove->agent_id = "fixer";
    remove->id = gone.id;
    ask(std::move(remove));
    auto stop = std::make_unique<ports::ChangeTimer>();
    stop->agent_id = "fixer";
    stop->id = stopped.id;
    stop->active = false;
    EXPECT_FALSE(ask(std::move(stop)).timer.active);
    pass(base::days(1));
    EXPECT_TRUE(wakes().empty());
    auto again = std::make_unique<ports::ChangeTimer>();
    again->agent_id = "fixer";
    again->id = stopped.id;
    again->active = true;
    EXPECT_EQ(ask(std::move(again)).timer.next_run_at, now_ + base::hours(1)) << "from now on";
}

TEST_F(Timers, that_are_due_together_fire_in_slices_and_none_is_left) {
    for (int i = 0; i < 300; ++i) {
        make_agent("a" + std::to_string(i));
        auto one = wish("at", "2026-11-16T13:00:00Z");
        one->agent_id = "a" + std::to_string(i);
        ask(std::move(one));
    }
    pass(base::hours(1));
    EXPECT_EQ(wakes().size(), 300U);
}

}  // namespace
}  // namespace belfry::sim
