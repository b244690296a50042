#include "store/log_layout.hpp"

#include "base/assert.hpp"
#include "codec/block.hpp"

namespace belfry::store {
namespace {

#define BELFRY_LOG_STATEMENTS(table)                                                                               \
    {"INSERT INTO " table                                                                                          \
     " (first_position, entry_count, committed_at, byte_count, directory, body) VALUES ($1, $2, $3, $4, $5, $6)"}, \
        {"SELECT first_position, entry_count, committed_at FROM " table " ORDER BY first_position DESC LIMIT 1"},  \
        {"SELECT first_position, byte_count, directory FROM " table                                                \
         " WHERE first_position > $1 ORDER BY first_position"},                                                    \
        {"SELECT first_position, committed_at, body FROM " table " WHERE first_position = $1"},                    \
        {"SELECT first_position, committed_at, body FROM " table                                                   \
         " WHERE first_position >= $1 ORDER BY first_position LIMIT $2"},                                          \
        {"SELECT first_position, byte_count FROM " table                                                           \
         " WHERE first_position >= $1 ORDER BY first_position LIMIT $2"},                                          \
        {"SELECT first_position, committed_at, byte_count, directory FROM " table                                  \
         " ORDER BY first_position LIMIT $1"},                                                                     \
        {"DELETE FROM " table " WHERE first_position <= $1"},                                                      \
        {"UPDATE " table " SET body = $2 WHERE first_position = $1"},                                              \
        {"SELECT first_position, committed_at FROM " table                                                         \
         " WHERE first_position >= $1 ORDER BY first_position LIMIT 1"}

const ClassStatements events_statements{model::RetentionClass::events, BELFRY_LOG_STATEMENTS("log_events")};
const ClassStatements audit_statements{model::RetentionClass::audit, BELFRY_LOG_STATEMENTS("log_audit")};
const ClassStatements delivery_statements{model::RetentionClass::delivery, BELFRY_LOG_STATEMENTS("log_delivery")};
const ClassStatements runs_statements{model::RetentionClass::runs, BELFRY_LOG_STATEMENTS("log_runs")};

constexpr Sql select_streams{"SELECT stream_id, name, owner, retention, head, floor FROM streams ORDER BY stream_id"};
constexpr Sql select_mark{"SELECT indexed_to, indexed_bytes FROM log_classes WHERE retention = $1"};

}  // namespace

const ClassStatements& statements_of(model::RetentionClass retention) {
    switch (retention) {
        case model::RetentionClass::events: return events_statements;
        case model::RetentionClass::audit: return audit_statements;
        case model::RetentionClass::delivery: return delivery_statements;
        case model::RetentionClass::runs: break;
    }
    return runs_statements;
}

std::string write_places(const std::vector<BlockPlace>& places) {
    std::string out;
    model::Position before = 0;
    for (const BlockPlace& place : places) {
        codec::append_varint(out, place.position - before);
        codec::append_varint(out, place.count);
        before = place.position;
    }
    if (!places.empty()) codec::append_varint(out, places.front().first);
    return out;
}

base::Result<std::vector<BlockPlace>> read_places(std::string_view bytes) {
    const base::Error broken = base::error(base::Code::malformed, "the log's index is damaged");
    std::vector<std::uint64_t> numbers;
    while (!bytes.empty()) {
        if (!codec::take_varint(bytes, numbers.emplace_back())) return broken;
    }
    if (numbers.size() % 2 == 0) return broken;
    std::vector<BlockPlace> places;
    model::Position position = 0;
    model::Sequence sequence = numbers.back();
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        position += numbers[i];
        places.push_back({position, sequence, numbers[i + 1]});
        sequence += numbers[i + 1];
    }
    return places;
}

base::Result<std::vector<model::StreamInfo>> read_streams(Database& database) {
    std::vector<model::StreamInfo> streams;
    TRY(database.run(select_streams, {}, [&](const Row& row) {
        model::StreamInfo stream;
        stream.id = static_cast<model::StreamId>(row.number(0));
        stream.name = row.bytes(1);
        stream.owner = row.bytes(2);
        stream.retention = static_cast<model::RetentionClass>(row.number(3));
        stream.head = static_cast<model::Sequence>(row.number(4));
        stream.floor = static_cast<model::Sequence>(row.number(5));
        streams.push_back(std::move(stream));
    }));
    return streams;
}

base::Result<IndexMark> read_mark(Database& database, model::RetentionClass retention) {
    IndexMark mark;
    TRY(database.run(select_mark, {number(static_cast<std::int64_t>(retention))}, [&](const Row& row) {
        mark.indexed_to = static_cast<model::Position>(row.number(0));
        mark.bytes = row.number(1);
    }));
    return mark;
}

base::Result<model::SharedBlock> decode_block_row(const Row& row, model::RetentionClass retention) {
    TRY_ASSIGN(const std::shared_ptr<model::Block> block, codec::read_block(std::string(row.bytes(2))));
    block->first_position = static_cast<model::Position>(row.number(0));
    block->committed_at = base::Timestamp{row.number(1)};
    block->retention = retention;
    return model::SharedBlock(block);
}

}  // namespace belfry::store
