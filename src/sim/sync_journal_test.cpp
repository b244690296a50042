#include "sim/sync_world_test.hpp"

namespace belfry::sim {
namespace {

class SyncJournal : public SyncWorld {};

TEST_F(SyncJournal, a_task_of_one_device_is_there_on_the_other) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    laptop.make_task("t1", "Buy milk");
    laptop.live();
    const Told told = tell(laptop, phone);
    EXPECT_EQ(told.frames, 1U);
    ASSERT_TRUE(phone.task("t1"));
    EXPECT_EQ(phone.task("t1")->title, "Buy milk");
    EXPECT_EQ(phone.record("t1")->created_at, laptop.record("t1")->created_at);
    SyncWorld::expect_same(phone, laptop);
    EXPECT_EQ(tell(phone, laptop).records, 0U);
    SyncWorld::expect_same(phone, laptop);
}

TEST_F(SyncJournal, different_fields_that_were_changed_apart_are_both_kept) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    laptop.make_task("t1", "Buy milk");
    exchange(laptop, phone);
    laptop.change_task("t1", 0, [](model::Task& task) { task.title = "Buy oat milk"; });
    phone.change_task("t1", 2, [](model::Task& task) { task.status = model::TaskStatus::done; });
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_EQ(one->task("t1")->title, "Buy oat milk");
        EXPECT_EQ(one->task("t1")->status, model::TaskStatus::done);
    }
    SyncWorld::expect_same(phone, laptop);
}

}  // namespace
}  // namespace belfry::sim
