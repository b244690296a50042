#include "sim/devices_world_test.hpp"

// Runs of several devices, of which one had a wrong clock.
namespace belfry::sim {
namespace {

class DevicesClock : public DevicesTest {
protected:
    DevicesClock() {
        make(2);
        create_agent(0, "coach");
        meet();
    }
    void add_wake(std::size_t device, base::Duration in) {
        auto add = std::make_unique<ports::AddTimer>();
        add->agent_id = "coach";
        add->name = "once " + std::to_string(device);
        add->schedule.kind = "at";
        add->schedule.at = on(device).now() + in;
        ask(device, std::move(add));
    }
    void fail(std::size_t device, const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = model::RunError{"boom", "it broke"};
        command->may_mend = false;
        ask(device, std::move(command));
    }
};

// Both ways round: one of the two devices comes later in the order.
TEST_F(DevicesClock, that_was_ahead_when_another_gave_a_run_up_does_not_keep_it_from_the_run) {
    for (const std::size_t late : {std::size_t{1}, std::size_t{0}}) {
        SCOPED_TRACE(late);
        const std::size_t early = 1 - late;
        meet();
        add_wake(early, base::minutes(10));
        meet();
        part();
        on(late).set_clock(base::Duration{} - base::minutes(1));
        pass_on(early, base::minutes(10));
        const auto wake = claim(early, "coach");
        ASSERT_TRUE(wake);
        fail(early, *wake);
        on(late).set_clock(base::days(365));
        meet();
        part();
        on(late).set_clock({});
        bool has_run = false;
        for (int i = 0; i < 60 && !has_run; ++i) {
            pass_on(late, base::seconds(5));
            const auto taken = claim(late, "coach");
            if (!taken) continue;
            has_run = taken->run_key == wake->run_key;
            end(late, *taken);
        }
        EXPECT_TRUE(has_run);
    }
}

}  // namespace
}  // namespace belfry::sim
