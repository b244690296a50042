#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "ports/random.hpp"
#include "store/open_store.hpp"
#include "store/postgres_database.hpp"
#include "store/sql_store.hpp"
#include "store/sqlite_database.hpp"

// What the store's tests share: a place of their own in either database, and a writer that gives positions and
// sequences as the engine would. Only tests include it.
namespace belfry::store::testing {

class SeededRandom final : public ports::Random {
public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t next() override { return engine_(); }

private:
    std::mt19937_64 engine_;
};

template <class T>
std::string why(const base::Result<T>& result) {
    return result.ok() ? "" : std::string(base::code_name(result.error().code)) + ": " + result.error().message;
}
#define EXPECT_OK(expression)                              \
    do {                                                   \
        const auto& belfry_seen = (expression);            \
        EXPECT_TRUE(belfry_seen.ok()) << why(belfry_seen); \
    } while (false)
#define ASSERT_OK(expression)                              \
    do {                                                   \
        const auto& belfry_seen = (expression);            \
        ASSERT_TRUE(belfry_seen.ok()) << why(belfry_seen); \
    } while (false)

inline const char* backend_name(Backend backend) {
    return backend == Backend::sqlite ? "sqlite" : "postgres";
}

// The test server, started by tests/with_postgres.py.
inline std::string postgres_url() {
    const char* url = std::getenv("BELFRY_TEST_POSTGRES");
    return url != nullptr ? url : "";
}

// A folder that goes with its owner.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "belfry-store-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

// A fresh ledger: a file of its own, or a schema of its own.
class StoreWorld {
public:
    explicit StoreWorld(Backend backend) {
        location_.backend = backend;
        location_.sqlite_path = folder_.file("belfry.sqlite");
        if (backend == Backend::sqlite) return;
        static int count = 0;
        schema_ = "test_" + std::to_string(getpid()) + "_" + std::to_string(++count);
        location_.postgres_url = postgres_url() + "?options=-csearch_path%3D" + schema_;
    }
    ~StoreWorld() {
        if (schema_.empty()) return;
        auto database = server();
        if (database) EXPECT_OK(database->script("DROP SCHEMA IF EXISTS " + schema_ + " CASCADE"));
    }
    StoreWorld(const StoreWorld&) = delete;
    StoreWorld& operator=(const StoreWorld&) = delete;

    [[nodiscard]] const StoreLocation& location() const { return location_; }
    [[nodiscard]] const std::string& schema() const { return schema_; }

    // A small lag makes the index cross its bounds after a few commits.
    std::unique_ptr<SqlStore> store(IndexLag lag = {}) {
        SqlStoreOptions options = writer_options(location_, {});
        options.index_lag = lag;
        return std::make_unique<SqlStore>(std::move(options), random_);
    }

    std::unique_ptr<ports::Reading> reading() {
        auto reading = open_reading(location_);
        EXPECT_OK(reading);
        return reading.ok() ? std::move(*reading) : nullptr;
    }

    // A second connection to the same place that takes no lock, for looking and meddling.
    std::unique_ptr<Database> beside() {
        if (!schema_.empty()) return server(location_.postgres_url);
        SqliteOptions options;
        options.path = location_.sqlite_path;
        auto database = open_sqlite(std::move(options));
        EXPECT_OK(database);
        return database.ok() ? std::move(*database) : nullptr;
    }

private:
    static std::unique_ptr<Database> server(const std::string& url = postgres_url() +
                                                                     "?options=-csearch_path%3Dpg_catalog") {
        PostgresOptions options;
        options.url = url;
        options.read_only = true;
        auto database = open_postgres(std::move(options));
        EXPECT_OK(database);
        if (!database.ok()) return nullptr;
        EXPECT_OK((*database)->script("SET default_transaction_read_only = off"));
        return std::move(*database);
    }

    TemporaryFolder folder_;
    StoreLocation location_;
    std::string schema_;
    SeededRandom random_{42};
};

// One suite for both databases. Without a server the tests fail: half a conformance suite proves nothing.
class StoreSuite : public ::testing::TestWithParam<Backend> {
protected:
    void SetUp() override {
        if (GetParam() == Backend::postgres) {
            const std::string url = postgres_url();
            if (url == "skip") GTEST_SKIP() << "BELFRY_TEST_POSTGRES=skip";
            ASSERT_FALSE(url.empty()) << "run the tests through tests/with_postgres.py, which starts a server";
        }
        world_ = std::make_unique<StoreWorld>(GetParam());
    }
    StoreWorld& world() { return *world_; }

private:
    std::unique_ptr<StoreWorld> world_;
};
#define BELFRY_ON_BOTH_DATABASES(suite)                                                        \
    INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::Values(Backend::sqlite, Backend::postgres), \
                             [](const auto& param) { return backend_name(param.param); })

inline base::Timestamp at_second(std::int64_t second) {
    return base::Timestamp{second * 1'000'000};
}

// The writer as the engine is one: gives the sequences, counts the positions, and forgets both on a rollback.
class Scribe {
public:
    Scribe(StoreWorld& world, IndexLag lag) : store_(world.store(lag)) {}
    explicit Scribe(StoreWorld& world) : Scribe(world, IndexLag{}) {}

    SqlStore& store() { return *store_; }
    ports::LogTable& log() { return store_->log(); }

    void open() {
        ASSERT_OK(store_->open());
        ASSERT_OK(store_->begin());
        auto streams = store_->log().load_streams();
        ASSERT_OK(streams);
        auto next = store_->log().next_position();
        ASSERT_OK(next);
        store_->rollback();
        heads_.clear();
        for (const model::StreamInfo& stream : *streams) heads_[stream.id] = stream.head;
        retention_.clear();
        for (const model::StreamInfo& stream : *streams) retention_[stream.id] = stream.retention;
        next_ = *next;
        pending_ = {};
    }

    void begin() { ASSERT_OK(store_->begin()); }

    void add_stream(model::StreamId id, std::string name, model::RetentionClass retention) {
        model::StreamInfo info;
        info.id = id;
        info.name = std::move(name);
        info.retention = retention;
        ASSERT_OK(store_->log().put_stream(info));
        retention_[id] = retention;
        heads_.try_emplace(id, 0);
    }

    model::Sequence append(model::StreamId stream, std::string_view body, const model::Facets& facets = {}) {
        const model::Sequence sequence = heads_[stream] + ++pending_[stream];
        store_->log().append(retention_[stream], stream, sequence, facets, body);
        return sequence;
    }

    std::vector<model::SharedBlock> seal(base::Timestamp now) {
        auto blocks = store_->log().seal(next_, now);
        EXPECT_OK(blocks);
        return blocks.ok() ? *blocks : std::vector<model::SharedBlock>{};
    }

    void commit(base::Timestamp now = at_second(1)) {
        seal(now);
        const ports::CommitResult result = store_->commit();
        ASSERT_EQ(result.outcome, ports::CommitOutcome::committed) << result.error.message;
        for (const auto& [stream, count] : pending_) {
            heads_[stream] += count;
            next_ += count;
        }
        pending_.clear();
    }

    void rollback() {
        store_->rollback();
        pending_.clear();
    }

    // One commit with one entry.
    void write(model::StreamId stream, std::string_view body, base::Timestamp now = at_second(1)) {
        begin();
        append(stream, body);
        commit(now);
    }

    // Opens, and adds stream 1 of the events and stream 2 of the audit.
    void open_with_streams() {
        open();
        begin();
        add_stream(1, "events", model::RetentionClass::events);
        add_stream(2, "audit", model::RetentionClass::audit);
        commit();
    }

    [[nodiscard]] model::Sequence head(model::StreamId stream) const { return heads_.at(stream); }
    [[nodiscard]] model::Position next_position() const { return next_; }

private:
    std::unique_ptr<SqlStore> store_;
    std::map<model::StreamId, model::Sequence> heads_;
    std::map<model::StreamId, model::RetentionClass> retention_;
    std::map<model::StreamId, std::uint64_t> pending_;
    model::Position next_ = 1;
};

struct Seen {
    model::Sequence sequence = 0;
    std::string body;
    auto operator<=>(const Seen&) const = default;
};
inline void PrintTo(const Seen& seen, std::ostream* out) {
    *out << seen.sequence << ":" << (seen.body.size() > 40 ? std::to_string(seen.body.size()) + " bytes" : seen.body);
}

// Everything of a stream after `after`, page by page.
inline std::vector<Seen> read_all(ports::Reading& reading, model::StreamId stream, model::Sequence after = 0,
                                  std::size_t bytes_max = 1 << 20) {
    std::vector<Seen> seen;
    for (;;) {
        auto page = reading.blocks(stream, after, bytes_max);
        EXPECT_OK(page);
        if (!page.ok()) return seen;
        EXPECT_TRUE(!page->blocks.empty() || !page->more) << "a page with more to come has at least one block";
        const model::Sequence before = after;
        after = std::max(after, page->floor);
        for (const model::SharedBlock& block : page->blocks) {
            for (const model::LogEntry& entry : block->entries) {
                if (entry.stream != stream || entry.sequence <= after) continue;
                seen.push_back({entry.sequence, std::string(entry.body)});
                after = entry.sequence;
            }
        }
        if (!page->more || after == before) {
            EXPECT_EQ(page->more, false) << "a page that leads nowhere";
            return seen;
        }
    }
}

}  // namespace belfry::store::testing
