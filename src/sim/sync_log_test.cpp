#include <algorithm>

#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"
#include "ports/commands/erasure.hpp"
#include "sim/sync_world_test.hpp"

// How far devices know each other's changes: gaps, what is gone, the whole, relays, and who may say what.
namespace belfry::sim {
namespace {

class SyncLog : public SyncWorld {
protected:
    static model::SyncFrame next(SyncDevice& from, SyncDevice& to, const model::VectorClock& has) {
        auto frame = give(from, to, has);
        EXPECT_TRUE(frame);
        return frame.value_or(model::SyncFrame{});
    }
    static void erase(SyncDevice& on, const std::string& user) {
        auto wish = std::make_unique<ports::EraseUser>();
        wish->user_id = user;
        on.ask(std::move(wish));
        finish_erasures(on);
    }
    static void finish_erasures(SyncDevice& on) {
        const auto effects = on.engine().tend(on.now());
        for (const ports::Obligation& owed : effects.owed) {
            for (bool finished = false; !finished;) {
                auto slice = std::make_unique<ports::EraseSlice>();
                slice->obligation = owed.id;
                slice->fence = owed.fence;
                finished = on.ask(std::move(slice)).finished;
            }
        }
    }
    static std::vector<ports::MissingChange> missing(SyncDevice& on) {
        return on.look([](ports::Store& store) { return store.sync().missing(100); });
    }
};

TEST_F(SyncLog, a_gap_is_noticed_and_filled) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    laptop.make_task("t1", "one");
    laptop.live();
    const model::SyncFrame first = next(laptop, phone, phone.has());
    laptop.make_task("t2", "two");
    laptop.live();
    model::VectorClock has = phone.has();
    ASSERT_TRUE(has.raise(first.host, first.through).ok());
    const model::SyncFrame second = next(laptop, phone, has);
    const auto taken = take(phone, laptop, second);
    EXPECT_TRUE(phone.task("t2"));
    ASSERT_EQ(taken.ack.missing.size(), 1U);
    EXPECT_EQ(taken.ack.missing[0], (model::CounterRange{first.host, 1, first.through}));
    EXPECT_EQ(taken.ack.has.counter_of(first.host), 0U);
    const auto filler = give(laptop, phone, has, taken.ack.missing);
    ASSERT_TRUE(filler);
    const auto filled = take(phone, laptop, *filler);
    EXPECT_TRUE(filled.ack.missing.empty());
    EXPECT_EQ(filled.ack.has.counter_of(first.host), second.through);
    SyncWorld::expect_same(phone, laptop);
}

TEST_F(SyncLog, what_comes_twice_or_in_another_order_changes_nothing) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    std::vector<model::SyncFrame> frames;
    model::VectorClock has = phone.has();
    for (int i = 0; i < 5; ++i) {
        laptop.make_task("t" + std::to_string(i), "one");
        if (i > 0) {
            laptop.change_task("t0", 0, [&](model::Task& task) { task.title = "try " + std::to_string(i); });
        }
        laptop.live();
        frames.push_back(next(laptop, phone, has));
        ASSERT_TRUE(has.raise(frames.back().host, frames.back().through).ok());
    }
    std::ranges::reverse(frames);
    for (const model::SyncFrame& frame : frames) take(phone, laptop, frame);
    for (const model::SyncFrame& frame : frames) EXPECT_EQ(take(phone, laptop, frame).records, 0U);
    EXPECT_EQ(phone.task("t0")->title, "try 4");
    SyncWorld::expect_same(phone, laptop);
    EXPECT_EQ(phone.has(), laptop.has());
}

TEST_F(SyncLog, a_relay_tells_on_what_it_was_told) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& relay = device("relay");
    SyncDevice& phone = device("phone");
    pair(laptop, relay);
    pair(relay, phone);
    laptop.make_task("t1", "one");
    auto link = std::make_unique<ports::PutLink>();
    laptop.make_task("t2", "two");
    link->user_id = "ada";
    link->draft.relation = "blocked_by";
    link->draft.from_id = "t1";
    link->draft.to_id = "t2";
    laptop.ask(std::move(link));
    exchange(laptop, relay);
    exchange(relay, phone);
    ASSERT_TRUE(phone.task("t1"));
    phone.change_task("t1", 0, [](model::Task& task) { task.title = "of the phone"; });
    exchange(relay, phone);
    exchange(laptop, relay);
    EXPECT_EQ(laptop.task("t1")->title, "of the phone");
    SyncWorld::expect_same(laptop, phone);
    SyncWorld::expect_same(laptop, relay);
    const auto links = phone.look([](ports::Store& store) {
        const std::string id = "t1";
        return store.journal().links_of("ada", std::span(&id, 1), 10);
    });
    EXPECT_EQ(links.size(), 1U);
}

TEST_F(SyncLog, a_deleted_record_stays_deleted_whoever_changes_it_meanwhile) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    laptop.make_task("t1", "one");
    exchange(laptop, phone);
    auto remove = std::make_unique<ports::DeleteRecord>();
    remove->user_id = "ada";
    remove->id = "t1";
    laptop.ask(std::move(remove));
    phone.change_task("t1", 0, [](model::Task& task) { task.title = "still here"; });
    exchange(laptop, phone);
    EXPECT_TRUE(laptop.record("t1")->deleted_at);
    EXPECT_TRUE(phone.record("t1")->deleted_at);
    SyncWorld::expect_same(laptop, phone);
}

TEST_F(SyncLog, who_is_too_far_behind_is_told_the_whole_and_can_go_on_in_the_middle) {
    SyncDevice& laptop = device("laptop");
    for (int i = 0; i < 300; ++i) {
        model::Task task;
        task.title = "task " + std::to_string(i);
        task.text = std::string(2000, 'x');
        laptop.create("t" + std::to_string(i), task, 3);
    }
    laptop.live();
    laptop.set_clock(laptop.now() + base::limits::changes_kept);
    laptop.live(base::hours(3));
    SyncDevice& phone = device("phone");
    phone.set_clock(laptop.now());
    pair(laptop, phone);
    const auto page = give(laptop, phone, phone.has());
    ASSERT_TRUE(page && page->is_whole());
    ASSERT_FALSE(page->next_cursor.empty());
    const auto taken = take(phone, laptop, *page);
    EXPECT_EQ(taken.ack.whole_cursor, page->next_cursor);
    EXPECT_TRUE(phone.has().empty());
    phone.crash();
    EXPECT_EQ(hello(phone, laptop).whole_cursor, page->next_cursor);
    std::string cursor = page->next_cursor;
    for (int pages = 0; !cursor.empty() && pages < 100; ++pages) {
        const auto more = give(laptop, phone, phone.has(), {}, cursor, true);
        ASSERT_TRUE(more && more->is_whole());
        cursor = take(phone, laptop, *more).ack.whole_cursor;
    }
    EXPECT_EQ(phone.has(), laptop.has());
    SyncWorld::expect_same(phone, laptop);
    laptop.make_task("later", "after the whole");
    exchange(laptop, phone);
    EXPECT_TRUE(phone.task("later"));
    SyncWorld::expect_same(phone, laptop);
}

TEST_F(SyncLog, what_its_author_cannot_give_any_more_is_confirmed_in_two_phases_and_not_asked_for_again) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& relay = device("relay");
    SyncDevice& phone = device("phone");
    pair(laptop, relay);
    pair(relay, phone);
    pair(laptop, phone);
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->draft.id = "fixer";
    agent->draft.user_id = "ada";
    laptop.ask(std::move(agent));
    auto timer = std::make_unique<ports::AddTimer>();
    timer->agent_id = "fixer";
    timer->name = "once";
    timer->schedule.kind = "daily";
    timer->schedule.time = "07:00";
    const model::TimerId id = laptop.ask(std::move(timer)).shown.timer.id;
    exchange(laptop, relay);
    // Retention has taken it on both, without a word.
    for (SyncDevice* const one : {&laptop, &relay}) one->drop_timer(id);
    const model::SyncFrame frame = next(relay, phone, phone.has());
    ASSERT_EQ(frame.gone.size(), 1U);
    EXPECT_TRUE(frame.gone_for_good.empty());
    const auto taken = take(phone, relay, frame);
    ASSERT_EQ(taken.ack.confirm.size(), 1U);
    EXPECT_EQ(missing(phone).size(), 1U);
    // The relay is not its author: it cannot say so for sure.
    auto ask_relay = std::make_unique<ports::ConfirmGone>();
    ask_relay->peer_id = phone.peer().id;
    ask_relay->ranges = taken.ack.confirm;
    EXPECT_TRUE(relay.ask(std::move(ask_relay)).ranges.empty());
    auto ask_author = std::make_unique<ports::ConfirmGone>();
    ask_author->peer_id = phone.peer().id;
    ask_author->ranges = taken.ack.confirm;
    const model::SyncGone sure = laptop.ask(std::move(ask_author));
    EXPECT_EQ(sure.ranges, taken.ack.confirm);
    auto accept = std::make_unique<ports::AcceptGone>();
    accept->peer_id = laptop.peer().id;
    accept->ranges = sure.ranges;
    const model::SyncAck ack = phone.ask(std::move(accept));
    EXPECT_TRUE(ack.confirm.empty());
    EXPECT_TRUE(ack.missing.empty());
    EXPECT_TRUE(missing(phone).empty());
    EXPECT_EQ(ack.has.counter_of(frame.host), frame.through);
    // Whoever was told so tells it on as sure.
    const model::SyncFrame back = next(phone, relay, {});
    EXPECT_EQ(back.gone_for_good, sure.ranges);
}

TEST_F(SyncLog, nobody_speaks_for_another_device_or_for_this_one) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    laptop.make_task("t1", "one");
    laptop.live();
    const model::SyncFrame frame = next(laptop, phone, phone.has());
    const std::string before = phone.digest();

    model::SyncFrame own = frame;
    own.host = hello(phone, laptop).host;
    EXPECT_EQ(try_take(phone, laptop, own).error().reason, "forged_host");
    model::SyncFrame strange = frame;
    strange.host = "nobody.1";
    EXPECT_EQ(try_take(phone, laptop, strange).error().reason, "unknown_host");
    model::SyncFrame hole = frame;
    ++hole.through;
    EXPECT_EQ(try_take(phone, laptop, hole).error().code, base::Code::invalid);
    model::SyncFrame broken = frame;
    broken.entries.back().record.body = model::RawJson::trusted(R"({"created_at":1,"status":"flying"})");
    const auto refused = try_take(phone, laptop, broken);
    EXPECT_EQ(refused.error().code, base::Code::invalid);
    EXPECT_NE(refused.error().field.find("entries["), std::string::npos);
    model::SyncFrame far = frame;
    far.after += base::limits::sync_ahead_max + 10;
    far.through += base::limits::sync_ahead_max + 10;
    EXPECT_EQ(try_take(phone, laptop, far).error().code, base::Code::invalid);

    auto revoke = std::make_unique<ports::RevokePeer>();
    revoke->key = laptop.peer().id;
    phone.ask(std::move(revoke));
    EXPECT_EQ(try_take(phone, laptop, frame).error().reason, "unknown_peer");
    EXPECT_EQ(phone.digest(), before);
    EXPECT_FALSE(phone.task("t1"));
}

TEST_F(SyncLog, a_host_never_gets_another_key) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    model::SyncHello lie = hello(laptop, phone);
    auto note = std::make_unique<ports::NotePeer>();
    note->peer_id = laptop.peer().id;
    lie.hosts.push_back({hello(phone, laptop).host, "another key", "x"});
    note->hello = lie;
    const auto refused = phone.try_to(std::move(note));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "forged_host");
    model::SyncHello other = hello(laptop, phone);
    for (model::HostSeal& seal : other.hosts) seal.key = "another key";
    auto again = std::make_unique<ports::NotePeer>();
    again->peer_id = laptop.peer().id;
    again->hello = other;
    EXPECT_EQ(phone.try_to(std::move(again)).error().reason, "forged_host");
}

TEST_F(SyncLog, an_erased_person_is_erased_everywhere_and_what_he_does_later_stays) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    SyncDevice& desk = device("desk");
    pair(laptop, phone);
    pair(phone, desk);
    model::Task task;
    task.title = "of ben";
    laptop.create("b1", task, 1, "general", "ben");
    laptop.make_task("t1", "of ada");
    exchange(laptop, phone);
    exchange(phone, desk);
    erase(laptop, "ben");
    laptop.live();
    task.title = "ben again";
    laptop.create("b2", task, 1, "general", "ben");
    exchange(laptop, phone);
    finish_erasures(phone);
    EXPECT_FALSE(phone.record("b1", "ben"));
    ASSERT_TRUE(phone.record("b2", "ben"));
    EXPECT_TRUE(phone.task("t1"));
    SyncWorld::expect_same(laptop, phone);
    // What the desk still knows of him does not come back.
    exchange(phone, desk);
    finish_erasures(desk);
    for (SyncDevice* const one : {&phone, &desk}) {
        EXPECT_FALSE(one->record("b1", "ben"));
        EXPECT_TRUE(one->record("b2", "ben"));
    }
    SyncWorld::expect_same(phone, desk);
    EXPECT_EQ(laptop.has(), phone.has());
}

TEST_F(SyncLog, a_batch_is_the_same_on_both_and_the_frame_is_bounded) {
    SyncDevice& laptop = device("laptop");
    SyncDevice& phone = device("phone");
    pair(laptop, phone);
    for (int i = 0; i < 200; ++i) {
        model::Task task;
        task.title = "task " + std::to_string(i);
        task.text = std::string(5000, 'x');
        laptop.create("t" + std::to_string(i), task, 3);
        if (i % 10 == 9) laptop.live();
    }
    laptop.live();
    std::size_t frames = 0;
    model::VectorClock has = phone.has();
    while (const auto frame = give(laptop, phone, has)) {
        ++frames;
        std::size_t bytes = 0;
        for (const model::SyncEntry& entry : frame->entries) bytes += entry.record.body.bytes().size();
        EXPECT_LT(bytes, base::limits::sync_frame_bytes + (400U << 10));
        take(phone, laptop, *frame);
        ASSERT_TRUE(has.raise(frame->host, frame->through).ok());
    }
    EXPECT_GT(frames, 3U);
    const auto batches = [&](SyncDevice& on) {
        std::map<std::uint64_t, std::string> ids;
        const std::string host = hello(laptop, phone).host;
        const auto all = on.look([&](ports::Store& store) { return store.sync().changes_after(host, 0, 10'000); });
        for (const model::Change& change : all) ids[change.unit.counter] = change.batch_id;
        return ids;
    };
    EXPECT_EQ(batches(laptop), batches(phone));
    SyncWorld::expect_same(laptop, phone);
}

}  // namespace
}  // namespace belfry::sim
