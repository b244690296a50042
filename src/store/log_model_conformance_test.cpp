#include <algorithm>
#include <deque>

#include "store/test_world.hpp"

// Random histories of one log beside a model that is nothing but lists: whatever was done, both read the same.
namespace belfry::store::testing {
namespace {

constexpr model::StreamId streams_max = 6;

struct ModelEntry {
    model::StreamId stream = 0;
    model::Sequence sequence = 0;
    std::string user;
    std::string body;
};

struct ModelBlock {
    base::Timestamp committed_at;
    std::int64_t bytes = 0;
    std::vector<ModelEntry> entries;
};

struct ModelStream {
    model::Sequence head = 0;
    model::Sequence floor = 0;
};

class ModelLog {
public:
    std::map<model::StreamId, ModelStream> streams;
    std::map<model::RetentionClass, std::deque<ModelBlock>> classes;

    std::uint64_t drop(model::RetentionClass retention, base::Timestamp older_than, std::int64_t bytes_kept,
                       std::size_t limit) {
        auto& blocks = classes[retention];
        std::int64_t held = 0;
        for (const ModelBlock& block : blocks) held += block.bytes;
        std::uint64_t dropped = 0;
        while (blocks.size() > 1 && dropped < limit &&
               (blocks.front().committed_at < older_than || held > bytes_kept)) {
            for (const ModelEntry& entry : blocks.front().entries) streams[entry.stream].floor = entry.sequence;
            held -= blocks.front().bytes;
            blocks.pop_front();
            ++dropped;
        }
        return dropped;
    }

    void erase(const std::string& user) {
        for (const auto retention : {model::RetentionClass::events, model::RetentionClass::delivery}) {
            for (ModelBlock& block : classes[retention]) {
                for (ModelEntry& entry : block.entries) {
                    if (entry.user == user) entry.body = entry.user = "";
                }
            }
        }
    }

    std::vector<Seen> read(model::StreamId stream, model::Sequence after) {
        std::vector<Seen> seen;
        for (const auto& [retention, blocks] : classes) {
            for (const ModelBlock& block : blocks) {
                for (const ModelEntry& entry : block.entries) {
                    if (entry.stream == stream && entry.sequence > after) seen.push_back({entry.sequence, entry.body});
                }
            }
        }
        return seen;
    }
};

class History {
public:
    History(StoreWorld& world, unsigned seed) : world_(world), dice_(seed), lag_{dice_() % 6, 2000 + dice_() % 4000} {}

    void live(int steps) {
        reopen();
        for (model::StreamId id = 1; id <= streams_max; ++id) model_.streams[id] = {};
        scribe_->begin();
        for (model::StreamId id = 1; id <= streams_max; ++id) {
            scribe_->add_stream(id, "s" + std::to_string(id), retention_of(id));
        }
        scribe_->commit();
        for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            now_ = now_ + base::seconds(1);
            take_a_step();
        }
        reopen();
        for (model::StreamId id = 1; id <= streams_max; ++id) compare(id, 0, 1 << 20);
    }

private:
    static model::RetentionClass retention_of(model::StreamId id) {
        if (id == streams_max) return model::RetentionClass::audit;
        return id == streams_max - 1 ? model::RetentionClass::delivery : model::RetentionClass::events;
    }
    std::uint64_t upto(std::uint64_t most) { return dice_() % (most + 1); }

    void take_a_step() {
        const auto dice = upto(99);
        if (dice < 45) write(true);
        else if (dice < 57) write(false);
        else if (dice < 64) drop();
        else if (dice < 69) erase();
        else if (dice < 74) reopen();
        else compare(static_cast<model::StreamId>(1 + upto(streams_max - 1)), upto(40), upto(600));
    }

    // One transaction, which may also drop before it appends, and which may not be meant.
    void write(bool meant) {
        scribe_->begin();
        ModelLog after = model_;
        if (upto(9) == 0) drop_in(after);
        std::map<model::RetentionClass, ModelBlock> blocks;
        for (auto count = upto(5); count > 0; --count) {
            const auto stream = static_cast<model::StreamId>(1 + upto(streams_max - 1));
            ModelEntry entry{stream, 0, "u" + std::to_string(upto(2)), std::string(upto(200), 'x') + "#"};
            entry.body += std::to_string(upto(1000));
            entry.sequence = scribe_->append(stream, entry.body, {model::Severity::info, "a.b", entry.user, "s"});
            after.streams[stream].head = entry.sequence;
            blocks[retention_of(stream)].entries.push_back(std::move(entry));
        }
        if (!meant && upto(1) == 0) return scribe_->rollback();
        for (const model::SharedBlock& sealed : scribe_->seal(now_)) {
            ModelBlock& block = blocks[sealed->retention];
            block.committed_at = now_;
            block.bytes = static_cast<std::int64_t>(sealed->bytes.size());
            after.classes[sealed->retention].push_back(std::move(block));
        }
        if (!meant) return scribe_->rollback();
        scribe_->commit(now_);
        model_ = std::move(after);
    }

    void drop() {
        scribe_->begin();
        ModelLog after = model_;
        drop_in(after);
        if (upto(3) == 0) return scribe_->rollback();
        scribe_->commit(now_);
        model_ = std::move(after);
    }

    void drop_in(ModelLog& log) {
        const auto retention = retention_of(static_cast<model::StreamId>(streams_max - upto(3)));
        const base::Timestamp older_than = now_ - base::seconds(static_cast<std::int64_t>(upto(60)));
        const auto bytes_kept = static_cast<std::int64_t>(upto(20'000));
        const std::size_t limit = 1 + upto(20);
        const auto dropped = scribe_->log().drop(retention, older_than, bytes_kept, limit);
        ASSERT_OK(dropped);
        const std::map<model::StreamId, ModelStream> before = log.streams;
        ASSERT_EQ(dropped->blocks, log.drop(retention, older_than, bytes_kept, limit));
        for (const model::StreamInfo& told : dropped->floors) EXPECT_EQ(told.floor, log.streams.at(told.id).floor);
        for (const auto& [id, stream] : log.streams) {
            const bool moved = stream.floor != before.at(id).floor;
            EXPECT_EQ(moved, std::ranges::count(dropped->floors, id, &model::StreamInfo::id) == 1);
        }
    }

    void erase() {
        const std::string user = "u" + std::to_string(upto(2));
        model::Position next = upto(3) == 0 ? 1 : 0;
        for (bool finished = false; !finished;) {
            scribe_->begin();
            const auto erased = scribe_->log().erase_user(user, next, 1 + upto(30));
            ASSERT_OK(erased);
            scribe_->commit(now_);
            next = erased->next;
            finished = erased->finished;
        }
        model_.erase(user);
    }

    void reopen() {
        scribe_.reset();
        reading_.reset();
        scribe_ = std::make_unique<Scribe>(world_, lag_);
        scribe_->open();
        reading_ = world_.reading();
        for (const auto& [id, stream] : model_.streams) {
            if (stream.head > 0) {
                EXPECT_EQ(scribe_->head(id), stream.head);
            }
        }
    }

    void compare(model::StreamId stream, model::Sequence after, std::size_t bytes_max) {
        EXPECT_EQ(read_all(*reading_, stream, after, bytes_max), model_.read(stream, after)) << "stream " << stream;
        const auto page = reading_->blocks(stream, after, bytes_max);
        ASSERT_OK(page);
        EXPECT_EQ(page->floor, model_.streams[stream].floor);
        EXPECT_EQ(page->head, model_.streams[stream].head);
        const auto streams = reading_->streams();
        ASSERT_OK(streams);
        for (const model::StreamInfo& info : *streams) EXPECT_EQ(info.head, model_.streams[info.id].head);
    }

    StoreWorld& world_;
    std::mt19937 dice_;
    IndexLag lag_;
    std::unique_ptr<Scribe> scribe_;
    std::unique_ptr<ports::Reading> reading_;
    ModelLog model_;
    base::Timestamp now_ = at_second(1000);
};

class LogModel : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(LogModel);

// BELFRY_TEST_SEED=N repeats one history; BELFRY_TEST_ROUNDS=N lives more of them.
TEST_P(LogModel, reads_the_same_after_any_history) {
    const char* wanted = std::getenv("BELFRY_TEST_SEED");
    const char* rounds = std::getenv("BELFRY_TEST_ROUNDS");
    const unsigned first = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 1;
    const unsigned count = wanted != nullptr ? 1 : rounds != nullptr ? static_cast<unsigned>(std::atoi(rounds)) : 8;
    for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed) {
        SCOPED_TRACE("BELFRY_TEST_SEED=" + std::to_string(seed));
        StoreWorld fresh(GetParam());
        History(fresh, seed).live(250);
    }
}

}  // namespace
}  // namespace belfry::store::testing
