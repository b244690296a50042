#include "store/notification_world_test.hpp"

// What the log's third class shares with the others, and how an event is found in the first.
namespace belfry::store::testing {
namespace {

constexpr model::RetentionClass delivery = model::RetentionClass::delivery;
constexpr std::int64_t any_size = std::int64_t{1} << 40;

class LogClasses : public StoreSuite {
protected:
    void open(Scribe& scribe) {
        scribe.open_with_streams();
        scribe.begin();
        scribe.add_stream(3, "inbox:ada", delivery);
        scribe.commit();
    }
};
BELFRY_ON_BOTH_DATABASES(LogClasses);

TEST_P(LogClasses, lie_in_blocks_of_their_own_and_share_the_positions) {
    {
        Scribe scribe(world(), {2, 1 << 20});
        open(scribe);
        scribe.begin();
        scribe.append(3, "d1");
        scribe.append(1, "e1");
        scribe.append(2, "a1");
        const auto blocks = scribe.seal(at_second(1));
        ASSERT_EQ(blocks.size(), 3U);
        EXPECT_EQ(blocks[0]->first_position, 1U);
        EXPECT_EQ(blocks[2]->first_position, 3U);
        EXPECT_EQ(blocks[2]->retention, delivery);
        scribe.rollback();
        for (int i = 1; i <= 5; ++i) {
            scribe.begin();
            scribe.append(1, "e" + std::to_string(i));
            scribe.append(3, "d" + std::to_string(i));
            scribe.commit();
        }
        scribe.write(3, "d6");
    }
    Scribe again(world(), {2, 1 << 20});
    again.open();
    EXPECT_EQ(again.next_position(), 12U) << "the newest block is one of the delivery";
    EXPECT_EQ(again.head(3), 6U);
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 3, 3), (std::vector<Seen>{{4, "d4"}, {5, "d5"}, {6, "d6"}}));
    EXPECT_EQ(read_all(*reading, 1).size(), 5U);
    const auto streams = reading->streams();
    ASSERT_EQ(streams->size(), 3U);
    EXPECT_EQ(streams->at(2).retention, delivery);
    EXPECT_EQ(streams->at(2).head, 6U);
}

TEST_P(LogClasses, are_dropped_each_for_itself) {
    Scribe scribe(world(), {1, 1 << 20});
    open(scribe);
    for (int i = 1; i <= 4; ++i) {
        scribe.write(1, "e", at_second(i));
        scribe.write(2, "a", at_second(i));
        scribe.write(3, "d", at_second(i));
    }
    scribe.begin();
    const auto dropped = scribe.log().drop(delivery, at_second(3), any_size, 100);
    ASSERT_OK(dropped);
    EXPECT_EQ(dropped->blocks, 2U);
    ASSERT_EQ(dropped->floors.size(), 1U);
    EXPECT_EQ(dropped->floors[0].id, 3U);
    EXPECT_EQ(dropped->floors[0].floor, 2U);
    scribe.commit();
    EXPECT_EQ(read_all(*world().reading(), 3), (std::vector<Seen>{{3, "d"}, {4, "d"}}));
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 4U);
    EXPECT_EQ(read_all(*world().reading(), 2).size(), 4U);
}

TEST_P(LogClasses, of_events_and_of_the_delivery_are_erased_in_one_go_along_the_positions) {
    for (const std::size_t limit : {1U, 2U, 3U, 100U}) {
        StoreWorld fresh(GetParam());
        Scribe scribe(fresh, {2, 1 << 20});
        open(scribe);
        for (int i = 1; i <= 4; ++i) {
            scribe.begin();
            scribe.append(1, "ada's", {model::Severity::error, "a.b", "ada", "s1"});
            scribe.append(2, "ada's", {model::Severity::error, "a.b", "ada", "s1"});
            scribe.append(3, "ada's", {model::Severity::error, "notification", "ada", "s1"});
            if (i % 2 == 0) scribe.append(3, "bob's", {model::Severity::error, "notification", "bob", "s2"});
            scribe.commit();
        }
        scribe.write(3, "nobody's");
        model::Position next = 0;
        std::uint64_t entries = 0;
        int slices = 0;
        for (bool finished = false; !finished && slices < 50; ++slices) {
            scribe.begin();
            const auto erased = scribe.log().erase_user("ada", next, limit);
            ASSERT_OK(erased);
            scribe.commit();
            EXPECT_TRUE(erased->next > next || erased->finished);
            next = erased->next;
            entries += erased->entries;
            finished = erased->finished;
        }
        EXPECT_EQ(entries, 8U) << "limit " << limit;
        EXPECT_EQ(next, scribe.next_position());
        for (const Seen& seen : read_all(*fresh.reading(), 1)) EXPECT_EQ(seen.body, "");
        for (const Seen& seen : read_all(*fresh.reading(), 2)) EXPECT_EQ(seen.body, "ada's") << "the audit stays";
        const auto inbox = read_all(*fresh.reading(), 3);
        ASSERT_EQ(inbox.size(), 7U);
        for (const Seen& seen : inbox) EXPECT_NE(seen.body, "ada's");
        EXPECT_EQ(inbox.back().body, "nobody's");
    }
}

std::string line_of(const base::Uuid& id, int number) {
    return R"({"id":")" + base::format_uuid(id) + R"(","n":)" + std::to_string(number) + "}";
}

TEST_P(LogClasses, give_an_event_back_by_its_id) {
    Scribe scribe(world(), {3, 1 << 20});
    open(scribe);
    std::vector<base::Uuid> ids;
    // Commits of one to three events, some in the same millisecond, some far apart, with other classes between them.
    base::Timestamp now = at_second(1'700'000'000);
    for (int commit = 0; commit < 60; ++commit) {
        now.us += commit % 3 == 0 ? 100 : commit % 7 == 0 ? 3'600'000'000 : 1500;
        scribe.begin();
        for (int i = 0; i <= commit % 3; ++i) {
            ids.push_back(base::make_uuid7(now, ids.size(), ids.size()));
            scribe.append(1, line_of(ids.back(), static_cast<int>(ids.size())));
        }
        if (commit % 4 == 0) scribe.append(3, line_of(ids.back(), 0));
        scribe.commit(now);
    }
    const auto reading = world().reading();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto found = reading->event({ids[i]});
        ASSERT_OK(found);
        ASSERT_TRUE(found->has_value()) << i;
        EXPECT_EQ((*found)->sequence, i + 1);
        EXPECT_EQ((*found)->json, line_of(ids[i], static_cast<int>(i) + 1));
    }
    EXPECT_EQ((*reading->event({ids.back()}))->committed_at, now);
    for (const base::Timestamp never : {at_second(1), at_second(1'700'000'000), now, at_second(1'800'000'000)}) {
        EXPECT_FALSE(reading->event({base::make_uuid7(never, 77, 77)})->has_value());
    }
}

TEST_P(LogClasses, give_an_event_back_by_its_id_though_the_clock_was_set_back) {
    std::vector<base::Uuid> ids;
    base::Timestamp now = at_second(1'700'000'000);
    const auto write = [&](Scribe& scribe) {
        ids.push_back(base::make_uuid7(now, ids.size(), ids.size()));
        scribe.write(1, line_of(ids.back(), static_cast<int>(ids.size())), now);
    };
    {
        Scribe scribe(world(), {3, 1 << 20});
        open(scribe);
        for (int commit = 0; commit < 120; ++commit) {
            now.us += 1'500'000;
            if (commit % 40 == 25) now.us -= 60'000'000;
            if (commit % 40 == 30) {  // what is rolled back is no step
                scribe.begin();
                scribe.append(1, line_of(ids.back(), 0));
                scribe.rollback();
            }
            write(scribe);
        }
    }
    // The clock is set back while the daemon is down.
    now.us -= 3'600'000'000;
    Scribe scribe(world(), {3, 1 << 20});
    scribe.open();
    for (int commit = 0; commit < 20; ++commit, now.us += 1'500'000) write(scribe);
    const auto reading = world().reading();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto found = reading->event({ids[i]});
        ASSERT_OK(found);
        ASSERT_TRUE(found->has_value()) << i;
        EXPECT_EQ((*found)->sequence, i + 1);
    }
    EXPECT_FALSE(reading->event({base::make_uuid7(now, 777, 777)})->has_value());
}

TEST_P(LogClasses, know_no_event_that_is_only_spoken_of_was_dropped_or_was_erased) {
    Scribe scribe(world(), {1, 1 << 20});
    open(scribe);
    const auto reading = world().reading();
    const auto id = [](std::int64_t second) { return base::make_uuid7(at_second(second), 1, 1); };
    EXPECT_FALSE(reading->event({id(1)})->has_value()) << "an empty log";
    scribe.begin();
    scribe.append(1, R"({"id":")" + base::format_uuid(id(20)) + R"(","of":")" + base::format_uuid(id(10)) + R"("})");
    scribe.commit(at_second(10));
    EXPECT_FALSE(reading->event({id(10)})->has_value());
    scribe.begin();
    scribe.append(1, line_of(id(30), 1), {model::Severity::info, "a.b", "ada", ""});
    scribe.commit(at_second(30));
    scribe.write(1, line_of(id(40), 2), at_second(40));
    EXPECT_TRUE(reading->event({id(30)})->has_value());
    scribe.begin();
    ASSERT_OK(scribe.log().erase_user("ada", 0, 100));
    scribe.commit(at_second(40));
    EXPECT_FALSE(reading->event({id(30)})->has_value());
    EXPECT_TRUE(reading->event({id(40)})->has_value());
}

}  // namespace
}  // namespace belfry::store::testing
