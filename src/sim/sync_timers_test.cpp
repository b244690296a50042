#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/limits.hpp"
#include "ports/zones.hpp"
#include "rules/wake_key.hpp"
#include "sim/sync_world_test.hpp"

// Timers that another device has changed, and who of several devices carries out what they ask for.
namespace belfry::sim {
namespace {

// One zone, an hour ahead of UTC.
class OneZone final : public ports::Zones {
public:
    base::Result<std::shared_ptr<const model::Zone>> find(std::string_view name) override {
        model::Zone zone;
        zone.name = std::string(name);
        if (name != "UTC") zone.first_offset_s = 3600;
        return std::make_shared<const model::Zone>(zone);
    }
};

class SyncTimers : public SyncWorld {
protected:
    SyncTimers() : laptop(device("laptop")), phone(device("phone")) {
        laptop.options().zones = &zones_;
        laptop.crash();
        pair(laptop, phone);
        make_agent(laptop);
        exchange(laptop, phone);
    }
    ~SyncTimers() override { devices_.clear(); }

    static void make_agent(SyncDevice& on) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "fixer";
        command->draft.user_id = "ada";
        on.ask(std::move(command));
    }
    static model::AgentTimer add_timer(SyncDevice& on, const std::string& zone = {}) {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = "fixer";
        command->name = "morning";
        command->schedule.kind = "daily";
        command->schedule.time = "10:00";
        command->zone = zone;
        return on.ask(std::move(command)).shown.timer;
    }
    template <class Change>
    static model::AgentTimer change(SyncDevice& on, const model::TimerId& id, Change&& change) {
        auto command = std::make_unique<ports::ChangeTimer>();
        command->agent_id = "fixer";
        command->id = id;
        change(*command);
        return on.ask(std::move(command)).timer;
    }
    static model::AgentTimer timer(SyncDevice& on, const model::TimerId& id) {
        const auto found = on.look([&](ports::Store& store) { return store.timers().find(id); });
        EXPECT_TRUE(found);
        return found.value_or(model::AgentTimer{});
    }
    static std::optional<ports::WakeGrant> claim(SyncDevice& on) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"fixer"};
        command->holder = "w";
        return on.ask(std::move(command)).grant;
    }
    static void end(SyncDevice& on, const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        on.ask(std::move(command));
    }

    OneZone zones_;
    SyncDevice& laptop;
    SyncDevice& phone;
};

TEST_F(SyncTimers, go_by_the_schedule_that_the_other_device_gave_them) {
    const model::AgentTimer daily = add_timer(laptop);
    exchange(laptop, phone);
    EXPECT_EQ(timer(phone, daily.id).next_run_at, daily.next_run_at);
    const model::AgentTimer later = change(laptop, daily.id, [](ports::ChangeTimer& wish) {
        wish.schedule.emplace();
        wish.schedule->kind = "daily";
        wish.schedule->time = "12:30";
    });
    EXPECT_EQ(later.next_run_at, *daily.next_run_at + base::minutes(150));
    exchange(laptop, phone);
    EXPECT_EQ(timer(phone, daily.id).next_run_at, later.next_run_at);
    phone.live(*daily.next_run_at - phone.now() + base::minutes(1));
    EXPECT_FALSE(timer(phone, daily.id).last_scheduled_at);
    phone.live(base::minutes(150));
    EXPECT_EQ(timer(phone, daily.id).last_scheduled_at, later.next_run_at);
}

TEST_F(SyncTimers, of_a_zone_that_is_not_here_rest_and_a_stopped_one_stays_stopped) {
    const model::AgentTimer daily = add_timer(laptop, "Europe/Berlin");
    exchange(laptop, phone);
    model::AgentTimer here = timer(phone, daily.id);
    EXPECT_TRUE(here.active);
    EXPECT_EQ(here.fault, "there is no zone \"Europe/Berlin\": there is only UTC here");
    EXPECT_TRUE(here.due_at);
    change(laptop, daily.id, [](ports::ChangeTimer& wish) { wish.active = false; });
    exchange(laptop, phone);
    here = timer(phone, daily.id);
    EXPECT_FALSE(here.active);
    EXPECT_EQ(here.fault, "");
    EXPECT_FALSE(here.due_at) << "it is not looked at again";
    phone.options().zones = &zones_;
    phone.crash();
    phone.live(base::hours(26));
    EXPECT_FALSE(timer(phone, daily.id).active);
    EXPECT_FALSE(timer(phone, daily.id).last_scheduled_at);
    EXPECT_TRUE(phone.look([](ports::Store& store) { return store.wakes().load_open(); }).empty());
}

TEST_F(SyncTimers, are_told_as_done_also_where_the_work_began_before_there_was_another_device) {
    SyncDevice& alone = device("alone");
    SyncDevice& later = device("later");
    make_agent(alone);
    const model::AgentTimer daily = add_timer(alone);
    alone.live(*daily.next_run_at - alone.now());
    const auto granted = claim(alone);
    ASSERT_TRUE(granted);
    later.set_clock(alone.now());
    pair(alone, later);
    end(alone, granted->wake);
    const std::string key = rules::timer_run_key("fixer", base::format_uuid(daily.id.uuid), *daily.next_run_at);
    const std::pair<std::string, std::string> name(model::run_claim_kind, key);
    const std::string host = hello(alone, later).host;
    exchange(alone, later);
    for (SyncDevice* const one : {&alone, &later}) {
        const auto claims = one->look([&](ports::Store& store) { return store.sync().plain(std::span(&name, 1)); });
        ASSERT_EQ(claims.size(), 1U) << one->folder();
        const model::JsonView body = claims[0].body.view();
        EXPECT_EQ(body.member("agent_id")->as_text(), "fixer");
        EXPECT_EQ(body.member("host")->as_text(), host);
        EXPECT_EQ(body.member("state")->as_text(), "done");
    }
}

// The middle device of three is the first in the order once the greatest is revoked, with all names that it had.
TEST_F(SyncTimers, do_not_wait_for_a_device_that_was_revoked_whatever_it_was_called_before) {
    std::array<SyncDevice*, 3> all{&device("one"), &device("two"), &device("three")};
    pair(*all[0], *all[1]);
    pair(*all[1], *all[2]);
    const auto host_of = [&](SyncDevice* one) { return hello(*one, one == all[1] ? *all[0] : *all[1]).host; };
    std::vector<std::pair<std::string, SyncDevice*>> order;
    for (SyncDevice* const one : all) order.emplace_back(host_of(one), one);
    std::ranges::sort(order);
    SyncDevice& low = *order[0].second;
    SyncDevice& middle = *order[1].second;
    SyncDevice& high = *order[2].second;
    pair(low, middle);
    pair(high, middle);
    make_agent(middle);
    high.make_task("t1", "of its first name");
    exchange(middle, high);
    high.become_a_copy();
    high.make_task("t2", "of its second name");
    exchange(middle, high);
    exchange(middle, low);
    const model::AgentTimer daily = add_timer(middle);
    exchange(middle, low);
    EXPECT_TRUE(middle.task("t1") && middle.task("t2"));
    const auto is_due = [&] {
        middle.live(*timer(middle, daily.id).next_run_at - middle.now());
        return claim(middle);
    };
    EXPECT_FALSE(is_due()) << "the greatest comes first";
    middle.live(base::hours(1));
    const auto late = claim(middle);
    ASSERT_TRUE(late);
    end(middle, late->wake);
    auto revoke = std::make_unique<ports::RevokePeer>();
    revoke->key = high.peer().id;
    middle.ask(std::move(revoke));
    EXPECT_TRUE(is_due());
}

}  // namespace
}  // namespace belfry::sim
