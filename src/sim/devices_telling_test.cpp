#include "base/hash.hpp"
#include "codec/sync_wire.hpp"
#include "ports/commands/erasure.hpp"
#include "sim/devices_world.hpp"
#include "sim/devices_world_test.hpp"

// What devices tell each other, over bad lines and at what cost. Acceptance 24, and the costs of 25.
namespace belfry::sim {
namespace {

class DevicesTelling : public DevicesTest {
protected:
    // The next of what the second device has not yet.
    std::optional<model::SyncFrame> give(const model::VectorClock& has, std::vector<model::CounterRange> asked = {}) {
        auto command = std::make_unique<ports::GiveChanges>();
        command->peer_id = on(1).peer_id();
        command->has = has;
        command->asked = std::move(asked);
        return ask(0, std::move(command)).frame;
    }
    model::SyncAck take(const model::SyncFrame& frame) {
        auto command = std::make_unique<ports::TakeChanges>();
        command->peer_id = on(0).peer_id();
        command->frame = frame;
        return ask(1, std::move(command)).ack;
    }
    void erase(std::size_t device, const std::string& user_id) {
        auto command = std::make_unique<ports::EraseUser>();
        command->user_id = user_id;
        ask(device, std::move(command));
        tend(device);
        for (const ports::Obligation& owed : on(device).take_owed()) {
            for (bool is_over = false; !is_over;) {
                auto slice = std::make_unique<ports::EraseSlice>();
                slice->obligation = owed.id;
                slice->fence = owed.fence;
                is_over = ask(device, std::move(slice)).finished;
            }
        }
    }
    // All that the first device has, page by page, as if the log did not reach back.
    std::vector<model::SyncFrame> pages() {
        std::vector<model::SyncFrame> all;
        std::string cursor;
        do {
            auto command = std::make_unique<ports::GiveChanges>();
            command->peer_id = on(1).peer_id();
            command->in_whole = true;
            command->whole_cursor = cursor;
            auto page = ask(0, std::move(command)).frame;
            EXPECT_TRUE(page && page->is_whole());
            if (!page) break;
            cursor = page->next_cursor;
            all.push_back(std::move(*page));
        } while (!cursor.empty());
        return all;
    }
    model::VectorClock has(std::size_t device) { return ask(device, std::make_unique<ports::TakeDigest>()).has; }
    // Each change of its own in a frame of its own.
    std::vector<model::SyncFrame> frames_of(std::size_t count) {
        std::vector<model::SyncFrame> frames;
        model::VectorClock known = has(1);
        for (std::size_t i = 0; i < count; ++i) {
            create_task(0, "n" + std::to_string(i), "task");
            pass_on(0, base::milliseconds(200));
            auto frame = give(known);
            EXPECT_TRUE(frame);
            if (!frame) break;
            EXPECT_TRUE(known.raise(frame->host, frame->through).ok());
            frames.push_back(std::move(*frame));
        }
        return frames;
    }
    std::size_t bytes_of_next_message(std::size_t history) {
        const auto wake = claim(0, "coach");
        EXPECT_TRUE(wake);
        for (std::size_t i = 0; i < history; ++i) say(0, *wake, "one of many");
        pass_on(0, base::milliseconds(200));
        meet();
        part();
        say(0, *wake, "the next one");
        pass_on(0, base::milliseconds(200));
        const auto frame = give(has(1));
        EXPECT_TRUE(frame);
        end(0, *wake);
        return frame ? codec::sync_message_text(*frame).size() : 0;
    }
};

TEST_F(DevicesTelling, a_gap_is_noticed_and_backfilled) {
    make(2);
    meet();
    part();
    const auto frames = frames_of(3);
    ASSERT_EQ(frames.size(), 3U);
    take(frames[0]);
    const model::SyncAck gap = take(frames[2]);
    ASSERT_EQ(gap.missing.size(), 1U);
    EXPECT_EQ(gap.missing[0].from, frames[1].after + 1);
    EXPECT_EQ(gap.missing[0].to, frames[1].through);
    EXPECT_TRUE(look(1).tasks.contains("n2")) << "what came is taken all the same";
    const auto again = give(has(1), gap.missing);
    ASSERT_TRUE(again);
    const model::SyncAck full = take(*again);
    EXPECT_TRUE(full.missing.empty());
    EXPECT_EQ(has(1), has(0));
    meet();
    expect_all_alike();
}

TEST_F(DevicesTelling, in_any_order_and_twice_is_the_same) {
    make(2);
    meet();
    part();
    const auto frames = frames_of(3);
    for (const std::size_t i : {2U, 0U, 2U, 1U, 0U, 1U}) take(frames[i]);
    EXPECT_EQ(has(1), has(0));
    expect_all_alike();
    const std::string before = digest(1);
    for (const model::SyncFrame& frame : frames) take(frame);
    EXPECT_EQ(digest(1), before);
}

TEST_F(DevicesTelling, what_one_relays_is_what_its_author_told) {
    make(2);
    devices_.push_back(std::make_unique<DeviceNode>(DeviceNode::Options{7, 2, {}, DeviceNode::fair_weather(7), {}},
                                                    SeededRandom(200), clock_));
    ASSERT_TRUE(on(2).start());
    pair(1, 2);
    create_agent(0, "coach");
    create_task(0, "t", "x");
    create_task(2, "u", "y");
    meet();
    EXPECT_TRUE(look(2).tasks.contains("t")) << "over the one in between";
    EXPECT_TRUE(look(0).tasks.contains("u"));
    expect_all_alike();
}

TEST_F(DevicesTelling, what_is_nowhere_any_more_is_confirmed_by_its_author_over_the_one_in_between) {
    make(2);
    devices_.push_back(std::make_unique<DeviceNode>(DeviceNode::Options{7, 2, {}, DeviceNode::fair_weather(7), {}},
                                                    SeededRandom(200), clock_));
    ASSERT_TRUE(on(2).start());
    create_agent(0, "coach");
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    pass(base::seconds(2));  // in whichever place of the order it is
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    end(0, *wake);
    meet();
    for (std::size_t i = 0; i < 2; ++i) {
        store::SqlStore& store = on(i).machine().store();
        ASSERT_TRUE(store.begin().ok());
        EXPECT_GT(*store.sync().drop_plain(model::run_claim_kind, on(i).now() + base::days(1), 10), 0U);
        EXPECT_EQ(store.commit().outcome, ports::CommitOutcome::committed);
    }
    pair(1, 2);
    meet();
    EXPECT_EQ(has(2), has(0));
    EXPECT_GT(links_.back()->tally().confirmed, 0U);
    EXPECT_GT(links_.front()->tally().confirmed, 0U) << "the one in between has asked the author";
}

TEST_F(DevicesTelling, what_a_message_costs_does_not_depend_on_those_before_it) {
    make(2);
    create_agent(0, "coach");
    wake_now(0, "coach", "a");
    const std::size_t few = bytes_of_next_message(3);
    wake_now(0, "coach", "b");
    const std::size_t many = bytes_of_next_message(300);
    EXPECT_LT(few, 4'000U);
    EXPECT_NEAR(static_cast<double>(many), static_cast<double>(few), 100.0) << "but for the digits of numbers";
}

TEST_F(DevicesTelling, large_records_are_told_in_as_many_messages_as_it_takes) {
    make(2);
    create_agent(0, "coach");
    meet();
    wake_now(0, "coach", "a");
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    for (int i = 0; i < 50; ++i) say(0, *wake, std::string(250'000, 'x'));
    pass_on(0, base::milliseconds(200));
    std::size_t bytes = 0;
    for (const model::SyncFrame& page : pages()) {
        const std::size_t one = codec::sync_message_text(page).size();
        EXPECT_LT(one, 5'000'000U);
        bytes += one;
    }
    EXPECT_GT(bytes, 12'500'000U);
    meet();  // each message was read by the other, who takes none of more than 8 MiB
    expect_all_alike();
}

TEST_F(DevicesTelling, pages_of_a_store_that_is_another_by_now_begin_anew) {
    make(2);
    create_agent(0, "coach");
    for (int i = 0; i < 600; ++i) create_task(0, "t" + std::to_string(i), std::string(900, 'x'));
    pass_on(0, base::seconds(1));
    const std::string cursor = pages().front().next_cursor;
    ASSERT_FALSE(cursor.empty());
    std::string json = *base::parse_base64(cursor);
    json.replace(json.find("\"host\":\"") + 8, 4, "feed");
    for (const auto& [given, is_known] : {std::pair(cursor, true), {base::base64(json), false}}) {
        auto command = std::make_unique<ports::GiveChanges>();
        command->peer_id = on(1).peer_id();
        command->whole_cursor = given;
        const auto page = ask(0, std::move(command)).frame;
        ASSERT_TRUE(page);
        EXPECT_EQ(page->cursor, is_known ? given : "");
    }
}

TEST_F(DevicesTelling, the_whole_closes_gaps) {
    make(2);
    meet();
    part();
    const auto frames = frames_of(3);
    model::SyncFrame gone = frames[0];
    gone.entries.clear();
    gone.batches.clear();
    gone.gone = {{gone.host, gone.after + 1, gone.through}};
    EXPECT_FALSE(take(gone).confirm.empty());
    for (const model::SyncFrame& page : pages()) take(page);
    EXPECT_TRUE(take(gone).confirm.empty());
    EXPECT_EQ(has(1), has(0));
    meet();
    expect_all_alike();
}

TEST_F(DevicesTelling, whoever_knows_more_of_a_device_than_itself_speaks_of_a_past_that_it_lost) {
    make(2);
    create_task(0, "t", "x");
    meet();
    auto hello = std::make_unique<ports::SayHello>();
    hello->peer_id = on(0).peer_id();
    model::SyncHello theirs = ask(1, std::move(hello));
    const auto note = [&](const model::SyncHello& said) {
        auto command = std::make_unique<ports::NotePeer>();
        command->peer_id = on(1).peer_id();
        command->hello = said;
        const auto noted = try_on(0, std::move(command));
        return noted.ok() ? std::string() : noted.error().reason;
    };
    EXPECT_EQ(note(theirs), "");
    const std::string host = has(0).counters().begin()->first == theirs.host ? has(0).counters().rbegin()->first
                                                                             : has(0).counters().begin()->first;
    ASSERT_TRUE(theirs.has.raise(host, 1000).ok());
    EXPECT_EQ(note(theirs), "lost_past");
}

TEST_F(DevicesTelling, what_was_written_by_one_who_did_not_know_of_an_erasure_stays_where_the_log_does_not_tell) {
    make(3);
    create_task(0, "old", "x");
    meet();
    part();
    erase(2, "ada");
    create_task(0, "new", "y");
    pass(base::seconds(1));
    for (const model::SyncFrame& page : pages()) take(page);
    EXPECT_TRUE(look(1).tasks.contains("new"));
    meet();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(look(i).tasks.contains("new")) << i;
        EXPECT_FALSE(look(i).tasks.contains("old")) << i;
    }
    expect_all_alike();
}

TEST_F(DevicesTelling, shuffled_doubled_lost_and_late_all_end_alike) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 6U, 7U}) {
        const Complaints wrong = DevicesWorld(seed, false).run(120);
        EXPECT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong.front();
    }
}

TEST_F(DevicesTelling, a_frame_that_loses_a_record_on_the_way_is_found) {
    bool was_found = false;
    for (std::uint64_t seed = 1; seed < 9 && !was_found; ++seed) {
        DevicesWorld world(seed, false);
        world.spoil([left = 20](model::SyncMessage& message) mutable {
            auto* const frame = std::get_if<model::SyncFrame>(&message);
            if (frame == nullptr || frame->entries.empty() || --left != 0) return;
            // The change is told, and its record is another one's.
            frame->entries.back().record.body = frame->entries.front().record.body;
            frame->entries.back().record.knowledge = frame->entries.front().record.knowledge;
        });
        was_found = !world.run(120).empty();
    }
    EXPECT_TRUE(was_found);
}

}  // namespace
}  // namespace belfry::sim
