#include "store/sql_reading.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "codec/block.hpp"
#include "store/find_event.hpp"
#include "store/log_layout.hpp"
#include "store/open_figures.hpp"
#include "store/outbox_table.hpp"
#include "store/schema.hpp"
#include "store/snapshot.hpp"
#include "store/token_table.hpp"
#include "store/tool_table.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_stream{"SELECT retention, floor, head FROM streams WHERE stream_id = $1"};
constexpr Sql select_index{
    "SELECT blocks, last_sequence FROM stream_index WHERE stream_id = $1 AND first_sequence <= $2 "
    "ORDER BY first_sequence DESC LIMIT 1"};
constexpr Sql select_ledger{"SELECT commit_no, epoch FROM ledger WHERE id = 1"};
constexpr Sql count_index{"SELECT count(*) FROM stream_index"};

// Where the entries of one stream after a sequence lie.
class StreamPlaces {
public:
    StreamPlaces(Database& database, model::StreamId stream, model::RetentionClass retention)
        : database_(database), stream_(stream), retention_(retention) {}

    // The places listed by the index row that covers `after` + 1; empty where the index ends before it.
    base::Result<std::vector<BlockPlace>> indexed(model::Sequence after) {
        std::string list;
        model::Sequence last = 0;
        TRY(database_.run(select_index, {number(std::uint64_t{stream_}), number(after + 1)}, [&](const Row& row) {
            list = row.bytes(0);
            last = static_cast<model::Sequence>(row.number(1));
        }));
        if (last <= after) return std::vector<BlockPlace>{};
        TRY_ASSIGN(std::vector<BlockPlace> places, read_places(list));
        std::erase_if(places, [&](const BlockPlace& place) { return place.first + place.count - 1 <= after; });
        return places;
    }

    // The places that the index does not list yet.
    base::Result<std::vector<BlockPlace>> unindexed(model::Sequence after) {
        TRY_ASSIGN(const IndexMark mark, read_mark(database_, retention_));
        std::vector<BlockPlace> places;
        std::optional<base::Error> damaged;
        TRY(database_.run(statements_of(retention_).directories, {number(mark.indexed_to)}, [&](const Row& row) {
            auto shares = codec::read_directory(row.bytes(2));
            if (!shares.ok()) {
                damaged = shares.error();
                return;
            }
            for (const codec::BlockShare& share : *shares) {
                if (share.stream != stream_) continue;
                head_ = std::max(head_, share.first + share.count - 1);
                if (share.first + share.count - 1 > after) {
                    places.push_back({static_cast<model::Position>(row.number(0)), share.first, share.count});
                }
            }
        }));
        if (damaged) return *damaged;
        return places;
    }

    [[nodiscard]] model::Sequence head() const { return head_; }

private:
    Database& database_;
    model::StreamId stream_;
    model::RetentionClass retention_;
    model::Sequence head_ = 0;
};

base::Result<void> read_tail_heads(Database& database, model::RetentionClass retention,
                                   std::unordered_map<model::StreamId, model::Sequence>& heads) {
    TRY_ASSIGN(const IndexMark mark, read_mark(database, retention));
    std::optional<base::Error> damaged;
    TRY(database.run(statements_of(retention).directories, {number(mark.indexed_to)}, [&](const Row& row) {
        auto shares = codec::read_directory(row.bytes(2));
        if (!shares.ok()) {
            damaged = shares.error();
            return;
        }
        for (const codec::BlockShare& share : *shares) {
            heads[share.stream] = std::max(heads[share.stream], share.first + share.count - 1);
        }
    }));
    if (damaged) return *damaged;
    return {};
}

base::Result<void> load_places(Database& database, const ClassStatements& sql, const std::vector<BlockPlace>& places,
                               std::size_t bytes_max, std::size_t& bytes, ports::BlockPage& page) {
    for (const BlockPlace& place : places) {
        if (!page.blocks.empty() && bytes >= bytes_max) {
            page.more = true;
            return {};
        }
        std::optional<base::Error> damaged;
        TRY(database.run(sql.block, {number(place.position)}, [&](const Row& row) {
            auto block = decode_block_row(row, sql.retention);
            if (!block.ok()) {
                damaged = block.error();
                return;
            }
            bytes += (*block)->bytes.size();
            page.blocks.push_back(std::move(*block));
        }));
        if (damaged) return *damaged;
    }
    return {};
}

}  // namespace

base::Result<ports::BlockPage> SqlReading::blocks(model::StreamId stream, model::Sequence after,
                                                  std::size_t bytes_max) {
    const Snapshot snapshot(*database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    ports::BlockPage page;
    std::optional<model::RetentionClass> retention;
    TRY(database_->run(select_stream, {number(std::uint64_t{stream})}, [&](const Row& row) {
        retention = static_cast<model::RetentionClass>(row.number(0));
        page.floor = static_cast<model::Sequence>(row.number(1));
        page.head = static_cast<model::Sequence>(row.number(2));
    }));
    if (!retention) return base::error(base::Code::not_found, "no such stream");

    const ClassStatements& sql = statements_of(*retention);
    StreamPlaces places(*database_, stream, *retention);
    const model::Sequence indexed_head = page.head;
    model::Sequence at = std::max(after, page.floor);
    std::size_t bytes = 0;
    while (at < indexed_head && !page.more) {
        TRY_ASSIGN(const std::vector<BlockPlace> listed, places.indexed(at));
        if (listed.empty()) break;
        TRY(load_places(*database_, sql, listed, bytes_max, bytes, page));
        at = listed.back().first + listed.back().count - 1;
    }
    TRY_ASSIGN(const std::vector<BlockPlace> rest, places.unindexed(at));
    page.head = std::max(page.head, places.head());
    if (!page.more) TRY(load_places(*database_, sql, rest, bytes_max, bytes, page));
    return page;
}

base::Result<std::vector<model::StreamInfo>> SqlReading::streams() {
    const Snapshot snapshot(*database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    TRY_ASSIGN(std::vector<model::StreamInfo> streams, read_streams(*database_));
    // One look at the tail of each class for all its streams, however many they are.
    std::unordered_map<model::StreamId, model::Sequence> heads;
    for (const model::RetentionClass retention : retention_classes) TRY(read_tail_heads(*database_, retention, heads));
    for (model::StreamInfo& stream : streams) stream.head = std::max(stream.head, heads[stream.id]);
    return streams;
}

base::Result<std::optional<ports::Obligation>> SqlReading::obligation(const base::Uuid& id) {
    return find_obligation(*database_, id);
}

base::Result<std::vector<ports::Obligation>> SqlReading::given_up(std::string_view kind,
                                                                  const std::optional<ports::GivenUpPlace>& after,
                                                                  std::size_t limit) {
    return find_given_up(*database_, kind, after, limit);
}

base::Result<std::vector<model::AccessToken>> SqlReading::tokens() {
    return SqlTokenTable(*database_).load();
}

base::Result<std::optional<ports::FoundEvent>> SqlReading::event(const model::EventId& id) {
    const Snapshot snapshot(*database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    return find_event(*database_, id);
}

base::Result<std::optional<model::ToolInfo>> SqlReading::tool(std::string_view name) {
    return SqlToolTable(*database_).find(name);
}

base::Result<std::vector<model::ToolInfo>> SqlReading::tools(std::string_view after, std::size_t limit) {
    return SqlToolTable(*database_).list(after, limit);
}

base::Result<ports::StoreFigures> SqlReading::figures() {
    ports::StoreFigures figures;
    TRY(database_->run(select_ledger, {}, [&](const Row& row) {
        figures.commit_number = static_cast<std::uint64_t>(row.number(0));
        figures.epoch = static_cast<std::uint64_t>(row.number(1));
    }));
    TRY(database_->run(count_index, {},
                       [&](const Row& row) { figures.index_rows = static_cast<std::uint64_t>(row.number(0)); }));
    TRY_ASSIGN(figures.schema_version, schema_version(*database_));
    TRY_ASSIGN(const auto sizes, database_->sizes());
    figures.file_bytes = sizes.first;
    figures.wal_bytes = sizes.second;
    figures.backend = database_->dialect().name;
    figures.location = location_;
    return figures;
}

base::Result<ports::OpenFigures> SqlReading::open_figures() {
    return count_open(*database_);
}

}  // namespace belfry::store
