#include <limits>

#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

constexpr auto events = model::RetentionClass::events;
constexpr auto audit = model::RetentionClass::audit;
constexpr std::int64_t any_size = std::numeric_limits<std::int64_t>::max();

class Log : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(Log);

std::vector<Seen> numbered(model::Sequence first, model::Sequence last, const std::string& word) {
    std::vector<Seen> seen;
    for (model::Sequence i = first; i <= last; ++i) seen.push_back({i, word + std::to_string(i)});
    return seen;
}

void write_numbered(Scribe& scribe, model::StreamId stream, int count, const std::string& word,
                    base::Timestamp now = at_second(1)) {
    for (int i = 0; i < count; ++i) scribe.write(stream, word + std::to_string(scribe.head(stream) + 1), now);
}

TEST_P(Log, gives_back_what_was_sealed_with_its_facets) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    model::Facets facets{model::Severity::error, "tool.call.failure", "ada", "s-1"};
    scribe.append(1, R"({"a":1})", facets);
    const auto sealed = scribe.seal(at_second(7));
    ASSERT_EQ(sealed.size(), 1U);
    ASSERT_EQ(scribe.store().commit().outcome, ports::CommitOutcome::committed);

    const auto reading = world().reading();
    const auto page = reading->blocks(1, 0, 1000);
    ASSERT_OK(page);
    ASSERT_EQ(page->blocks.size(), 1U);
    const model::Block& block = *page->blocks[0];
    EXPECT_EQ(block.first_position, sealed[0]->first_position);
    EXPECT_EQ(block.committed_at, at_second(7));
    EXPECT_EQ(block.retention, events);
    EXPECT_EQ(block.bytes, sealed[0]->bytes);
    ASSERT_EQ(block.entries.size(), 1U);
    EXPECT_EQ(block.entries[0].facets.severity, model::Severity::error);
    EXPECT_EQ(block.entries[0].facets.type, "tool.call.failure");
    EXPECT_EQ(block.entries[0].facets.user_id, "ada");
    EXPECT_EQ(block.entries[0].facets.session_id, "s-1");
    EXPECT_EQ(page->head, 1U);
    EXPECT_EQ(page->floor, 0U);
    EXPECT_FALSE(page->more);
}

TEST_P(Log, keeps_the_classes_of_one_commit_in_blocks_of_their_own) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.append(1, "e1");
    scribe.append(2, "a1");
    scribe.append(1, "e2");
    scribe.commit();
    scribe.write(2, "a2");
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 1), (std::vector<Seen>{{1, "e1"}, {2, "e2"}}));
    EXPECT_EQ(read_all(*reading, 2), (std::vector<Seen>{{1, "a1"}, {2, "a2"}}));
    EXPECT_EQ(scribe.next_position(), 5U);
    Scribe again(world());
    scribe.store().close();
    again.open();
    EXPECT_EQ(again.next_position(), 5U);
}

TEST_P(Log, holds_any_byte_in_a_body) {
    std::string every;
    for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
    const std::string broken_utf8 = "\xff\xfe\xc0\x80 \xed\xa0\x80";
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.append(1, every, {model::Severity::info, broken_utf8, std::string_view("a\0b", 3), "\x80"});
    scribe.append(1, broken_utf8);
    scribe.append(1, "");
    scribe.commit();
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 1), (std::vector<Seen>{{1, every}, {2, broken_utf8}, {3, ""}}));
    const auto page = reading->blocks(1, 0, 1000);
    EXPECT_EQ(page->blocks.at(0)->entries.at(0).facets.user_id, std::string_view("a\0b", 3));
}

TEST_P(Log, holds_bodies_of_a_megabyte) {
    SeededRandom random(1);
    Scribe scribe(world());
    scribe.open_with_streams();
    std::vector<Seen> written;
    for (model::Sequence i = 1; i <= 5; ++i) {
        written.push_back({i, random.bytes((1 << 20) + i)});
        scribe.write(1, written.back().body);
    }
    EXPECT_EQ(read_all(*world().reading(), 1), written);
}

TEST_P(Log, interleaves_many_streams_and_gives_each_back_whole) {
    Scribe scribe(world(), {7, 1 << 20});
    scribe.open();
    scribe.begin();
    for (model::StreamId id = 1; id <= 40; ++id) scribe.add_stream(id, "s" + std::to_string(id), events);
    scribe.commit();
    std::map<model::StreamId, std::vector<Seen>> written;
    std::mt19937 dice(3);
    for (int commit = 0; commit < 60; ++commit) {
        scribe.begin();
        for (int i = 0; i < 20; ++i) {
            const auto id = static_cast<model::StreamId>(dice() % 40 + 1);
            const std::string body = "c" + std::to_string(commit) + "-" + std::to_string(i);
            written[id].push_back({scribe.append(id, body), body});
        }
        scribe.commit();
    }
    const auto reading = world().reading();
    for (const auto& [id, entries] : written) EXPECT_EQ(read_all(*reading, id), entries) << "stream " << id;
    const auto streams = reading->streams();
    ASSERT_OK(streams);
    ASSERT_EQ(streams->size(), 40U);
    for (const model::StreamInfo& stream : *streams) EXPECT_EQ(stream.head, written[stream.id].size());
}

TEST_P(Log, reads_from_any_sequence_across_index_and_tail) {
    Scribe scribe(world(), {4, 1 << 20});
    scribe.open_with_streams();
    write_numbered(scribe, 1, 23, "b");
    const auto reading = world().reading();
    for (model::Sequence after = 0; after <= 24; ++after) {
        for (const std::size_t bytes_max : {std::size_t{1}, std::size_t{60}, std::size_t{1} << 20}) {
            EXPECT_EQ(read_all(*reading, 1, after, bytes_max), numbered(after + 1, 23, "b"))
                << "after " << after << ", " << bytes_max << " bytes";
        }
    }
}

TEST_P(Log, gives_at_least_one_block_whatever_the_bytes) {
    Scribe scribe(world(), {2, 1 << 20});
    scribe.open_with_streams();
    write_numbered(scribe, 1, 5, "b");
    const auto reading = world().reading();
    for (const model::Sequence after : {0U, 3U}) {
        const auto page = reading->blocks(1, after, 0);
        ASSERT_OK(page);
        EXPECT_EQ(page->blocks.size(), 1U);
        EXPECT_TRUE(page->more);
    }
}

TEST_P(Log, crosses_the_index_bound_in_bytes_too) {
    Scribe scribe(world(), {1000, 3000});
    scribe.open_with_streams();
    std::vector<Seen> written;
    for (model::Sequence i = 1; i <= 12; ++i) {
        written.push_back({i, std::string(700, static_cast<char>('a' + i))});
        scribe.write(1, written.back().body);
    }
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 1), written);
    const auto figures = reading->figures();
    ASSERT_OK(figures);
    EXPECT_EQ(figures->index_rows, 2U);
}

TEST_P(Log, crosses_the_index_bounds_of_the_house) {
    Scribe scribe(world());
    scribe.open_with_streams();
    const int blocks = static_cast<int>(base::limits::index_blocks_lag_max) + 40;
    write_numbered(scribe, 1, blocks, "b");
    const auto reading = world().reading();
    EXPECT_EQ(reading->figures()->index_rows, 1U);
    EXPECT_EQ(read_all(*reading, 1), numbered(1, static_cast<model::Sequence>(blocks), "b"));
}

TEST_P(Log, goes_on_after_reopening_with_a_tail_behind_the_index) {
    for (const int before : {3, 5, 6, 11}) {
        StoreWorld fresh(GetParam());
        {
            Scribe scribe(fresh, {4, 1 << 20});
            scribe.open_with_streams();
            write_numbered(scribe, 1, before, "b");
        }
        Scribe scribe(fresh, {4, 1 << 20});
        scribe.open();
        EXPECT_EQ(scribe.head(1), static_cast<model::Sequence>(before));
        EXPECT_EQ(scribe.next_position(), static_cast<model::Position>(before) + 1);
        write_numbered(scribe, 1, 9, "b");
        EXPECT_EQ(read_all(*fresh.reading(), 1), numbered(1, static_cast<model::Sequence>(before) + 9, "b"));
    }
}

TEST_P(Log, forgets_what_was_rolled_back_also_when_it_wrote_the_index) {
    Scribe scribe(world(), {3, 1 << 20});
    scribe.open_with_streams();
    write_numbered(scribe, 1, 3, "b");
    for (int round = 0; round < 3; ++round) {
        scribe.begin();
        scribe.append(1, "never");
        scribe.seal(at_second(1));
        scribe.rollback();
    }
    scribe.begin();
    scribe.append(1, "never sealed");
    scribe.rollback();
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(1, 3, "b"));
    write_numbered(scribe, 1, 6, "b");
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(1, 9, "b"));
}

TEST_P(Log, drops_what_is_older_and_tells_the_floors) {
    Scribe scribe(world(), {2, 1 << 20});
    scribe.open_with_streams();
    for (int second = 1; second <= 10; ++second) write_numbered(scribe, 1, 1, "b", at_second(second));
    scribe.begin();
    const auto dropped = scribe.log().drop(events, at_second(5), any_size, 100);
    ASSERT_OK(dropped);
    scribe.commit();
    EXPECT_EQ(dropped->blocks, 4U);
    ASSERT_EQ(dropped->floors.size(), 1U);
    EXPECT_EQ(dropped->floors[0].id, 1U);
    EXPECT_EQ(dropped->floors[0].floor, 4U);
    EXPECT_FALSE(dropped->more);
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 1), numbered(5, 10, "b"));
    EXPECT_EQ(reading->blocks(1, 0, 10)->floor, 4U);
    EXPECT_EQ(reading->streams()->at(0).floor, 4U);
}

TEST_P(Log, drops_in_slices_and_says_that_there_is_more) {
    Scribe scribe(world(), {2, 1 << 20});
    scribe.open_with_streams();
    write_numbered(scribe, 1, 9, "b");
    std::uint64_t blocks = 0;
    for (bool more = true; more;) {
        scribe.begin();
        const auto dropped = scribe.log().drop(events, at_second(100), any_size, 3);
        ASSERT_OK(dropped);
        scribe.commit();
        EXPECT_LE(dropped->blocks, 3U);
        blocks += dropped->blocks;
        more = dropped->more;
    }
    EXPECT_EQ(blocks, 8U);
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(9, 9, "b"));
}

TEST_P(Log, gives_the_room_of_what_it_dropped_back_in_slices) {
    if (GetParam() != Backend::sqlite) GTEST_SKIP() << "PostgreSQL has a vacuum of its own";
    Scribe scribe(world());
    scribe.open_with_streams();
    for (int i = 0; i < 8; ++i) scribe.write(1, std::string(1 << 20, 'x'));
    static constexpr Sql count{"PRAGMA page_count"};
    const auto pages = [&] {
        std::int64_t counted = 0;
        EXPECT_OK(world().beside()->run(count, {}, [&](const Row& row) { counted = row.number(0); }));
        return counted;
    };
    std::int64_t before = pages();
    EXPECT_GT(before, 2000);
    for (bool more = true; more;) {
        scribe.begin();
        const auto dropped = scribe.log().drop(events, at_second(100), any_size, 100);
        ASSERT_OK(dropped);
        scribe.commit();
        const std::int64_t now = pages();
        EXPECT_LT(now, before);
        EXPECT_GE(now, before - base::limits::returned_pages_max - 2) << "and the map of pages";
        before = now;
        more = dropped->more;
    }
    EXPECT_LT(before, 600) << "a block of 1 MB and little else";
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 1U);
}

TEST_P(Log, never_drops_the_newest_block_so_that_no_position_is_given_twice) {
    for (const std::size_t lag : {0U, 1U, 100U}) {
        StoreWorld fresh(GetParam());
        model::Position next = 0;
        {
            Scribe scribe(fresh, {lag, 1 << 20});
            scribe.open_with_streams();
            write_numbered(scribe, 1, 6, "b");
            scribe.begin();
            ASSERT_OK(scribe.log().drop(events, at_second(1000), 0, 100));
            scribe.commit();
            next = scribe.next_position();
        }
        Scribe scribe(fresh, {lag, 1 << 20});
        scribe.open();
        EXPECT_EQ(scribe.next_position(), next) << "lag " << lag;
        write_numbered(scribe, 1, 1, "b");
        EXPECT_EQ(read_all(*fresh.reading(), 1), numbered(6, 7, "b")) << "lag " << lag;
    }
}

TEST_P(Log, drops_old_entries_that_the_index_does_not_list_yet) {
    Scribe scribe(world());
    scribe.open_with_streams();
    for (int second = 1; second <= 5; ++second) write_numbered(scribe, 1, 1, "b", at_second(second));
    scribe.begin();
    const auto dropped = scribe.log().drop(events, at_second(4), any_size, 100);
    ASSERT_OK(dropped);
    EXPECT_EQ(dropped->blocks, 3U);
    scribe.rollback();
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(1, 5, "b"));
    scribe.begin();
    ASSERT_OK(scribe.log().drop(events, at_second(4), any_size, 100));
    scribe.append(1, "b6");
    scribe.commit();
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(4, 6, "b"));
}

TEST_P(Log, drops_by_size_until_the_class_is_small_enough) {
    Scribe scribe(world(), {2, 1 << 20});
    scribe.open_with_streams();
    std::int64_t size = 0;
    for (int i = 0; i < 10; ++i) {
        scribe.begin();
        scribe.append(1, std::string(100, 'x'));
        size = static_cast<std::int64_t>(scribe.seal(at_second(1)).at(0)->bytes.size());
        scribe.commit();
    }
    scribe.begin();
    const auto dropped = scribe.log().drop(events, at_second(0), size * 4, 100);
    ASSERT_OK(dropped);
    scribe.commit();
    EXPECT_EQ(dropped->blocks, 6U);
    EXPECT_EQ(dropped->bytes, static_cast<std::uint64_t>(size * 6));
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 4U);
    scribe.begin();
    EXPECT_EQ(scribe.log().drop(events, at_second(0), size * 4, 100)->blocks, 0U);
    scribe.rollback();
}

TEST_P(Log, drops_one_class_and_leaves_the_other) {
    Scribe scribe(world(), {1, 1 << 20});
    scribe.open_with_streams();
    for (int i = 0; i < 4; ++i) {
        write_numbered(scribe, 1, 1, "b");
        write_numbered(scribe, 2, 1, "a");
    }
    scribe.begin();
    ASSERT_OK(scribe.log().drop(audit, at_second(100), any_size, 100));
    scribe.commit();
    EXPECT_EQ(read_all(*world().reading(), 1), numbered(1, 4, "b"));
    EXPECT_EQ(read_all(*world().reading(), 2), numbered(4, 4, "a"));
}

TEST_P(Log, keeps_a_streams_head_when_all_its_entries_are_gone) {
    {
        Scribe scribe(world());
        scribe.open();
        scribe.begin();
        scribe.add_stream(1, "events", events);
        scribe.add_stream(7, "quiet", events);
        scribe.commit();
        write_numbered(scribe, 7, 3, "q");
        write_numbered(scribe, 1, 2, "b");
        scribe.begin();
        ASSERT_OK(scribe.log().drop(events, at_second(100), any_size, 100));
        scribe.commit();
    }
    Scribe scribe(world());
    scribe.open();
    EXPECT_EQ(scribe.head(7), 3U);
    const auto page = world().reading()->blocks(7, 0, 100);
    ASSERT_OK(page);
    EXPECT_EQ(page->floor, 3U);
    EXPECT_EQ(page->head, 3U);
    EXPECT_TRUE(page->blocks.empty());
    write_numbered(scribe, 7, 1, "q");
    EXPECT_EQ(read_all(*world().reading(), 7), numbered(4, 4, "q"));
}

TEST_P(Log, erases_a_user_and_nobody_else) {
    Scribe scribe(world(), {2, 1 << 20});
    scribe.open_with_streams();
    for (int i = 1; i <= 6; ++i) {
        scribe.begin();
        scribe.append(1, "ada's", {model::Severity::error, "a.b", "ada", "s1"});
        scribe.append(1, "bob's", {model::Severity::error, "a.b", "bob", "s2"});
        scribe.commit();
    }
    scribe.write(1, "nobody's");
    model::Position next = 0;
    std::uint64_t entries = 0;
    for (bool finished = false; !finished;) {
        scribe.begin();
        const auto erased = scribe.log().erase_user("ada", next, 2);
        ASSERT_OK(erased);
        scribe.commit();
        next = erased->next;
        entries += erased->entries;
        finished = erased->finished;
    }
    EXPECT_EQ(entries, 6U);
    EXPECT_EQ(next, scribe.next_position());
    const auto seen = read_all(*world().reading(), 1);
    ASSERT_EQ(seen.size(), 13U);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(seen[i].body, i % 2 == 0 ? "" : "bob's");
    EXPECT_EQ(seen[12].body, "nobody's");
    const auto page = world().reading()->blocks(1, 0, 1);
    EXPECT_EQ(page->blocks.at(0)->entries.at(0).facets.user_id, "");
    EXPECT_EQ(page->blocks.at(0)->entries.at(1).facets.user_id, "bob");
    scribe.begin();
    EXPECT_EQ(scribe.log().erase_user("ada", 0, 100)->entries, 0U);
    scribe.rollback();
}

TEST_P(Log, erases_what_its_transaction_has_appended_but_for_events) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.add_stream(3, "inbox:ada", model::RetentionClass::delivery);
    scribe.commit();
    const auto facets_of = [](std::string_view user) {
        return model::Facets{model::Severity::error, "a.b", user, "s1"};
    };
    scribe.begin();
    scribe.append(1, "an event", facets_of("ada"));
    scribe.append(3, "ada's", facets_of("ada"));
    scribe.append(3, "bob's", facets_of("bob"));
    const auto erased = scribe.log().erase_user("ada", 0, 100);
    ASSERT_OK(erased);
    scribe.commit();
    EXPECT_TRUE(erased->finished);
    EXPECT_EQ(erased->entries, 1U);
    EXPECT_EQ(read_all(*world().reading(), 1).at(0).body, "an event");
    const auto inbox = read_all(*world().reading(), 3);
    ASSERT_EQ(inbox.size(), 2U);
    EXPECT_EQ(inbox[0].body, "");
    EXPECT_EQ(inbox[1].body, "bob's");
}

TEST_P(Log, erases_large_blocks_in_slices_of_bounded_bytes) {
    Scribe scribe(world());
    scribe.open_with_streams();
    const auto megabytes = [&](std::size_t count) {
        scribe.begin();
        scribe.append(1, std::string(count << 20, 'x'), {model::Severity::error, "a.b", "ada", "s1"});
        scribe.commit();
    };
    megabytes(5);
    for (int i = 0; i < 4; ++i) {
        scribe.begin();
        scribe.append(1, std::string(900'000, 'y'), {model::Severity::error, "a.b", "ada", "s1"});
        scribe.commit();
    }
    megabytes(3);
    model::Position next = 0;
    std::vector<std::uint64_t> slices;
    for (bool finished = false; !finished && slices.size() < 10;) {
        scribe.begin();
        const auto erased = scribe.log().erase_user("ada", next, 100);
        ASSERT_OK(erased);
        scribe.commit();
        next = erased->next;
        slices.push_back(erased->entries);
        finished = erased->finished;
    }
    EXPECT_EQ(slices, (std::vector<std::uint64_t>{1, 2, 2, 1}));
    EXPECT_EQ(next, scribe.next_position());
    for (const auto& entry : read_all(*world().reading(), 1)) EXPECT_EQ(entry.body, "");
}

TEST_P(Log, refuses_a_stream_that_it_does_not_know) {
    Scribe scribe(world());
    scribe.open_with_streams();
    const auto page = world().reading()->blocks(99, 0, 100);
    ASSERT_FALSE(page.ok());
    EXPECT_EQ(page.error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::store::testing
