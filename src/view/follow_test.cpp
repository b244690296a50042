#include "view/follow.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "view/reading_test.hpp"

namespace belfry::view {
namespace {

constexpr model::StreamId events = 1;

// A block of `count` entries from `first` on; their types alternate, and every body tells its sequence.
model::SharedBlock block(model::Sequence first, std::size_t count, std::size_t body_bytes = 20,
                         model::StreamId stream = events) {
    auto made = std::make_shared<model::Block>();
    made->first_position = first;
    std::vector<std::string> bodies;
    for (std::size_t i = 0; i < count; ++i) {
        std::string body = std::to_string(first + i);
        body.resize(std::max(body.size(), body_bytes), ' ');
        made->bytes += body;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t size = std::max(std::to_string(first + i).size(), body_bytes);
        model::LogEntry entry;
        entry.stream = stream;
        entry.sequence = first + i;
        entry.facets.type = (first + i) % 2 == 0 ? "even.one" : "odd.one";
        entry.body = std::string_view(made->bytes).substr(at, size);
        made->entries.push_back(entry);
        at += size;
    }
    return made;
}

class StoreOfBlocks final : public TestStore {
public:
    std::vector<model::SharedBlock> kept;
    model::Sequence floor = 0;

    base::Result<ports::BlockPage> blocks(model::StreamId, model::Sequence after, std::size_t) override {
        ports::BlockPage page;
        page.floor = floor;
        for (const model::SharedBlock& block : kept) {
            if (block->entries.back().sequence > after && page.blocks.size() < 2) page.blocks.push_back(block);
        }
        return page;
    }
};

class FollowTest : public ::testing::Test {
protected:
    void SetUp() override { follow.adopt({stream(0, 0)}); }

    static model::StreamInfo stream(model::Sequence head, model::Sequence floor) {
        model::StreamInfo info;
        info.id = events;
        info.name = "events";
        info.head = head;
        info.floor = floor;
        return info;
    }
    std::unique_ptr<ports::Cursor> open(ports::StartAt start, model::Sequence after = 0,
                                        model::StreamFilter filter = {}) {
        ports::OpenStream request;
        request.principal = model::house_principal();
        request.stream = "events";
        request.filter = std::move(filter);
        request.start = start;
        request.after = after;
        auto opened = follow.open(request);
        EXPECT_TRUE(opened.ok());
        return std::move(*opened);
    }
    // Reads as a connection does, fetching where it must, until the head; what came, and gaps as negative numbers.
    std::vector<long> drain(ports::Cursor& cursor) {
        std::vector<long> seen;
        ports::StreamBatch batch;
        for (int round = 0; round < 1000; ++round) {
            const ports::ReadState state = follow.read(cursor, 64, 5, batch);
            if (batch.gap) seen.push_back(-static_cast<long>(batch.gap->to));
            for (const ports::BlockSlice& slice : batch.slices) {
                for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
                    seen.push_back(std::stol(std::string(slice.block->entries[i].body)));
                }
            }
            if (state == ports::ReadState::at_head) return seen;
            if (state == ports::ReadState::behind) {
                follow.fetch(cursor, [](base::Result<void> done) { EXPECT_TRUE(done.ok()); });
                beside.do_reads();
                beside.answer();
            }
        }
        ADD_FAILURE() << "it never reached the head";
        return seen;
    }

    ports::Metrics metrics;
    StoreOfBlocks store;
    LaterBeside beside{store};
    Follow follow{beside, metrics};
};

TEST_F(FollowTest, gives_a_live_reader_only_what_is_new) {
    follow.publish({block(1, 3)});
    const auto cursor = open(ports::StartAt::live);
    EXPECT_TRUE(drain(*cursor).empty());
    follow.publish({block(4, 2)});
    EXPECT_EQ(drain(*cursor), (std::vector<long>{4, 5}));
    EXPECT_EQ(cursor->at(), 5U);
}

TEST_F(FollowTest, goes_on_after_a_position_across_blocks) {
    follow.publish({block(1, 7)});
    follow.publish({block(8, 4)});
    const auto cursor = open(ports::StartAt::after, 5);
    EXPECT_EQ(drain(*cursor), (std::vector<long>{6, 7, 8, 9, 10, 11}));
}

TEST_F(FollowTest, refuses_a_position_beyond_the_head) {
    ports::OpenStream request;
    request.principal = model::house_principal();
    request.stream = "events";
    request.start = ports::StartAt::after;
    request.after = 1;
    EXPECT_EQ(follow.open(request).error().field, "after");
    request.stream = "nothing";
    EXPECT_EQ(follow.open(request).error().code, base::Code::not_found);
}

TEST_F(FollowTest, moves_a_filtered_reader_past_what_it_does_not_want) {
    follow.publish({block(1, 7)});
    model::StreamFilter filter;
    filter.type_patterns = {"even.*"};
    const auto cursor = open(ports::StartAt::beginning, 0, filter);
    EXPECT_EQ(drain(*cursor), (std::vector<long>{2, 4, 6}));
    EXPECT_EQ(cursor->at(), 7U) << "a later reader goes on behind all that was looked at";
}

TEST_F(FollowTest, reads_from_the_store_what_memory_does_not_hold) {
    for (model::Sequence first = 1; first <= 40; first += 4) store.kept.push_back(block(first, 4));
    follow.adopt({stream(40, 0)});
    follow.publish({block(41, 2)});
    const auto cursor = open(ports::StartAt::beginning);
    std::vector<long> all;
    for (long i = 1; i <= 42; ++i) all.push_back(i);
    EXPECT_EQ(drain(*cursor), all);
}

TEST_F(FollowTest, keeps_a_bounded_tail) {
    const std::size_t large = base::limits::tail_bytes_max / 4;
    for (model::Sequence first = 1; first <= 12; ++first) {
        store.kept.push_back(block(first, 1, large));
        follow.publish({store.kept.back()});
    }
    const auto cursor = open(ports::StartAt::beginning);
    ports::StreamBatch batch;
    EXPECT_EQ(follow.read(*cursor, 1, 1, batch), ports::ReadState::behind);
    EXPECT_EQ(drain(*cursor).size(), 12U);
}

TEST_F(FollowTest, tells_a_reader_what_retention_took) {
    follow.publish({block(1, 10)});
    const auto cursor = open(ports::StartAt::after, 2);
    follow.raise_floors({stream(0, 6)});
    EXPECT_EQ(drain(*cursor), (std::vector<long>{-6, 7, 8, 9, 10}));
}

TEST_F(FollowTest, closes_the_hole_that_an_unknown_commit_left) {
    follow.publish({block(1, 3)});
    const auto cursor = open(ports::StartAt::live);
    store.kept.push_back(block(4, 2));  // committed, never published
    follow.adopt({stream(5, 0)});
    follow.publish({block(6, 1)});
    EXPECT_EQ(drain(*cursor), (std::vector<long>{4, 5, 6}));
}

TEST_F(FollowTest, never_shows_what_was_read_before_an_erasure) {
    store.kept.push_back(block(1, 4));
    follow.adopt({stream(4, 0)});
    const auto cursor = open(ports::StartAt::beginning);
    ports::StreamBatch batch;
    ASSERT_EQ(follow.read(*cursor, 64, 1, batch), ports::ReadState::behind);
    follow.fetch(*cursor, [](const base::Result<void>&) {});
    beside.do_reads();
    follow.forget();  // the erasure commits while the answer is on its way
    beside.answer();
    EXPECT_EQ(follow.read(*cursor, 64, 1, batch), ports::ReadState::behind) << "it has to ask again";

    follow.fetch(*cursor, [](const base::Result<void>&) {});
    beside.do_reads();
    beside.answer();
    EXPECT_EQ(follow.read(*cursor, 1, 1, batch), ports::ReadState::entries);
    follow.forget();  // and while the rest waits to be read
    EXPECT_EQ(follow.read(*cursor, 64, 1, batch), ports::ReadState::behind);
}

TEST_F(FollowTest, answers_a_fetch_whose_reader_has_gone) {
    store.kept.push_back(block(1, 4));
    follow.adopt({stream(4, 0)});
    auto cursor = open(ports::StartAt::beginning);
    base::Code code = base::Code::internal;
    follow.fetch(*cursor, [&](const base::Result<void>& done) { code = done.error().code; });
    cursor.reset();
    beside.do_reads();
    beside.answer();
    EXPECT_EQ(code, base::Code::timeout);
}

TEST_F(FollowTest, tells_listeners_which_streams_moved) {
    std::vector<model::StreamId> told;
    follow.set_listener([&](const std::vector<model::StreamId>& streams) { told = streams; });
    follow.publish({block(1, 1)});
    EXPECT_EQ(told, (std::vector<model::StreamId>{events}));
    told.clear();
    follow.advance({stream(1, 0)});
    EXPECT_TRUE(told.empty());
    follow.advance({stream(9, 0)});
    EXPECT_EQ(told, (std::vector<model::StreamId>{events}));
}

TEST_F(FollowTest, lists_streams_by_pages_or_one_by_its_name) {
    std::vector<model::StreamInfo> all;
    for (model::StreamId id = 2; id <= 6; ++id) {
        model::StreamInfo& info = all.emplace_back();
        info.id = id;
        info.owner = id % 2 == 0 ? "ada" : "bob";
        info.name = "inbox:" + info.owner + std::to_string(id);
        info.retention = model::RetentionClass::delivery;
    }
    follow.add(all);
    const auto ids = [&](const model::Principal& who, const ports::Streams::Question& question) {
        std::vector<model::StreamId> found;
        const auto page = follow.list(who, question);
        for (const model::StreamInfo& info : *page) found.push_back(info.id);
        return found;
    };
    using Ids = std::vector<model::StreamId>;
    const model::Principal house = model::house_principal();
    EXPECT_EQ(ids(house, {0, 4, ""}), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(ids(house, {4, 4, ""}), (Ids{5, 6}));
    EXPECT_EQ(ids(house, {0, 4, "inbox:bob5"}), (Ids{5}));
    EXPECT_EQ(ids(house, {0, 4, "inbox:carl"}), (Ids{0})) << "a user has a stream before its first entry";
    EXPECT_EQ(ids(house, {0, 4, "carl"}), (Ids{}));
    model::Principal ada;
    ada.role = model::Role::user;
    ada.user_id = "ada";
    const Ids hers = ids(ada, {1, 2, ""});
    EXPECT_EQ(hers, (Ids{2, 4})) << "a page is full of what one may follow";
    EXPECT_EQ(ids(ada, {4, 2, ""}), (Ids{6}));
    EXPECT_EQ(ids(ada, {0, 9, "inbox:bob5"}), (Ids{}));
    EXPECT_EQ(ids(ada, {0, 9, "inbox:bob"}), (Ids{}));
}

class EarlyFollower : public FollowTest {
protected:
    static model::StreamInfo stream_of_ada(model::StreamId id, model::Sequence head = 0) {
        model::StreamInfo info;
        info.id = id;
        info.name = "agent:ada";
        info.owner = "ada";
        info.retention = model::RetentionClass::delivery;
        info.head = head;
        return info;
    }
    base::Result<std::unique_ptr<ports::Cursor>> try_open(const std::string& name, model::Sequence after = 0,
                                                          const model::Principal& who = model::house_principal()) {
        ports::OpenStream request;
        request.principal = who;
        request.stream = name;
        request.start = ports::StartAt::after;
        request.after = after;
        return follow.open(request);
    }
    static model::SharedBlock block_of(model::StreamId id, model::Sequence first, std::size_t count) {
        return block(first, count, 20, id);
    }
};

TEST_F(EarlyFollower, gets_the_first_entry_of_its_stream_and_is_told) {
    std::vector<model::StreamId> told;
    follow.set_listener([&](const std::vector<model::StreamId>& streams) { told = streams; });
    const auto first = std::move(try_open("agent:ada")).value();
    const auto second = std::move(try_open("agent:ada")).value();
    EXPECT_EQ(first->stream(), second->stream());
    EXPECT_TRUE(drain(*first).empty());
    follow.add({stream_of_ada(2)});
    follow.publish({block_of(2, 1, 2)});
    EXPECT_NE(std::ranges::find(told, first->stream()), told.end());
    EXPECT_EQ(drain(*first), (std::vector<long>{1, 2}));
    EXPECT_EQ(drain(*second), (std::vector<long>{1, 2}));
    const auto late = std::move(try_open("agent:ada")).value();
    EXPECT_EQ(late->stream(), 2U);
    told.clear();
    follow.remove({2});
    EXPECT_NE(std::ranges::find(told, first->stream()), told.end());
    ports::StreamBatch batch;
    EXPECT_EQ(follow.read(*first, 64, 5, batch), ports::ReadState::gone);
}

TEST_F(EarlyFollower, hears_of_entries_that_another_node_wrote_and_of_a_store_that_was_opened_again) {
    std::vector<model::StreamId> told;
    follow.set_listener([&](const std::vector<model::StreamId>& streams) { told = streams; });
    const auto cursor = std::move(try_open("agent:ada")).value();
    store.kept = {block_of(2, 1, 1)};
    follow.advance({stream(0, 0), stream_of_ada(2, 1)});
    EXPECT_NE(std::ranges::find(told, cursor->stream()), told.end());
    EXPECT_EQ(drain(*cursor), (std::vector<long>{1}));
    told.clear();
    follow.adopt({stream(0, 0), stream_of_ada(2, 1)});
    EXPECT_NE(std::ranges::find(told, cursor->stream()), told.end());
}

TEST_F(EarlyFollower, has_no_stream_of_another_kind_no_place_beyond_its_head_and_no_foreign_one) {
    for (const std::string& name : {std::string("agent:"), "agent:" + std::string(201, 'u'), std::string("agent:\xff"),
                                    std::string("nothing"), std::string("session:s"), std::string("run:1")}) {
        EXPECT_EQ(try_open(name).error().code, base::Code::not_found) << name;
    }
    EXPECT_TRUE(try_open("agent:" + std::string(200, 'u')).ok());
    EXPECT_EQ(try_open("agent:ada", 1).error().field, "after");
    model::Principal bob;
    bob.role = model::Role::user;
    bob.user_id = "bob";
    EXPECT_EQ(try_open("agent:ada", 0, bob).error().code, base::Code::forbidden);
    EXPECT_TRUE(try_open("agent:bob", 0, bob).ok());
}

TEST_F(EarlyFollower, that_has_gone_leaves_nothing_behind) {
    const auto kept = std::move(try_open("agent:ada")).value();
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(try_open("agent:user" + std::to_string(i)).ok());
    follow.add({stream_of_ada(2)});
    follow.publish({block_of(2, 1, 1)});
    EXPECT_EQ(drain(*kept), (std::vector<long>{1}));
}

}  // namespace
}  // namespace belfry::view
