#include <gtest/gtest.h>
#include <list>

#include "view/follow.hpp"
#include "view/reading_test.hpp"

namespace belfry::view {
namespace {

struct Said {
    model::StreamId stream;
    model::Sequence sequence;
    std::string type = "a.b";
    std::string agent = {};
};

model::SharedBlock block(const std::vector<Said>& said) {
    static std::list<std::string> texts;  // for as long as the program runs
    auto made = std::make_shared<model::Block>();
    for (const Said& one : said) {
        model::LogEntry entry;
        entry.stream = one.stream;
        entry.sequence = one.sequence;
        entry.facets.type = texts.emplace_back(one.type);
        entry.facets.user_id = "ada";
        entry.body = texts.emplace_back(one.agent.empty() ? R"({"source":null})"
                                                          : R"({"id":"x","source":{"agent_id":")" + one.agent + "\"}}");
        made->entries.push_back(entry);
    }
    made->bytes = std::string(said.size(), 'x');
    return made;
}

class FollowRuns : public ::testing::Test {
protected:
    void SetUp() override {
        follow.set_listener([this](const std::vector<model::StreamId>& streams) { told = streams; });
        follow.add({stream(5, "run:1"), stream(6, "run:2"), stream(7, "tree:1")});
    }
    static model::StreamInfo stream(model::StreamId id, const std::string& name) {
        model::StreamInfo info;
        info.id = id;
        info.name = name;
        info.owner = "ada";
        info.retention = model::RetentionClass::runs;
        return info;
    }
    std::unique_ptr<ports::Cursor> open(const std::string& name, model::Sequence after = 0,
                                        const std::string& agent = {}) {
        ports::OpenStream request;
        request.principal = model::house_principal();
        request.stream = name;
        request.filter.agent_id = agent;
        request.start = ports::StartAt::after;
        request.after = after;
        auto opened = follow.open(request);
        EXPECT_TRUE(opened.ok());
        return std::move(*opened);
    }
    struct Got {
        std::vector<model::Sequence> sequences;
        std::optional<ports::Gap> gap;
        bool ended = false;
    };
    Got read(ports::Cursor& cursor) {
        Got got;
        ports::StreamBatch batch;
        while (follow.read(cursor, 1 << 20, 100, batch) == ports::ReadState::entries) {
            if (batch.gap) got.gap = batch.gap;
            got.ended = got.ended || batch.ended;
            for (const ports::BlockSlice& slice : batch.slices) {
                for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
                    got.sequences.push_back(slice.block->entries[i].sequence);
                }
            }
        }
        return got;
    }
    using Sequences = std::vector<model::Sequence>;

    TestStore store;
    LaterBeside beside{store};
    ports::Metrics metrics;
    Follow follow{beside, metrics, 4};
    std::vector<model::StreamId> told;
};

TEST_F(FollowRuns, keeps_apart_what_came_in_one_block) {
    const auto first = open("run:1");
    const auto second = open("run:2");
    follow.publish({block({{5, 1}, {6, 1}, {5, 2}, {5, 3}, {6, 2}})});
    EXPECT_EQ(read(*first).sequences, (Sequences{1, 2, 3}));
    EXPECT_EQ(read(*second).sequences, (Sequences{1, 2}));
    EXPECT_EQ(follow.head("run:1"), 3U);
    EXPECT_EQ(follow.head("run:9"), 0U);
}

TEST_F(FollowRuns, knows_the_entry_that_ends_a_stream) {
    const auto cursor = open("run:1");
    follow.publish({block({{5, 1}, {7, 1}})});
    EXPECT_FALSE(read(*cursor).ended);
    follow.publish({block({{5, 2, "lifecycle.failed"}, {7, 2, "lifecycle.failed"}})});
    EXPECT_TRUE(read(*cursor).ended);
    const auto tree = open("tree:1");
    EXPECT_FALSE(read(*tree).ended);
    follow.publish({block({{7, 3, "tree.closed"}})});
    EXPECT_TRUE(read(*tree).ended);
    EXPECT_TRUE(read(*open("run:1", 1, "nobody")).ended) << "whether it passes the filter or not";
}

TEST_F(FollowRuns, lets_only_one_agent_pass) {
    follow.publish({block({{5, 1}, {5, 2, "a.b", "w1"}, {5, 3, "a.b", "w2"}, {5, 4, "a.b", "w1"}})});
    EXPECT_EQ(read(*open("run:1", 0, "w1")).sequences, (Sequences{2, 4}));
    EXPECT_EQ(read(*open("run:1", 0, "w")).sequences, (Sequences{}));
}

TEST_F(FollowRuns, has_a_floor_that_follows_the_head) {
    follow.publish({block({{5, 1}, {5, 2}, {5, 3}, {5, 4}, {5, 5}, {5, 6}, {5, 7}})});
    const Got got = read(*open("run:1"));
    EXPECT_EQ(got.gap->from, 1U);
    EXPECT_EQ(got.gap->to, 3U);
    EXPECT_EQ(got.sequences, (Sequences{4, 5, 6, 7}));
    EXPECT_FALSE(read(*open("run:1", 3)).gap);
}

TEST_F(FollowRuns, tells_readers_of_a_stream_that_is_gone) {
    const auto cursor = open("run:1");
    follow.publish({block({{5, 1}})});
    told.clear();
    follow.remove({5});
    EXPECT_EQ(told, (std::vector<model::StreamId>{5}));
    ports::StreamBatch batch;
    EXPECT_EQ(follow.read(*cursor, 1 << 20, 100, batch), ports::ReadState::gone);
    ports::OpenStream request;
    request.principal = model::house_principal();
    request.stream = "run:1";
    EXPECT_EQ(follow.open(request).error().code, base::Code::not_found);
    follow.publish({block({{5, 2}, {6, 1}})});
    EXPECT_EQ(read(*open("run:2")).sequences, (Sequences{1}));
}

TEST_F(FollowRuns, are_not_among_the_streams_of_the_house) {
    EXPECT_TRUE(follow.streams().empty());
    EXPECT_TRUE(follow.list(model::house_principal(), {0, 10, ""})->empty());
}

}  // namespace
}  // namespace belfry::view
