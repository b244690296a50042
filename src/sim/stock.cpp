#include "sim/stock.hpp"

#include <limits>
#include <memory>
#include <optional>

#include "sim/borrowed_database.hpp"
#include "store/log_layout.hpp"
#include "store/outbox_table.hpp"
#include "store/sql_reading.hpp"

namespace belfry::sim {
namespace {

using store::Row;
using store::Sql;

constexpr Sql select_obligations{"SELECT obligation_id FROM outbox ORDER BY obligation_id"};
constexpr Sql quick_check{"PRAGMA quick_check"};
constexpr Sql sum_events{"SELECT coalesce(sum(byte_count), 0) FROM log_events"};
constexpr Sql sum_indexed_events{"SELECT coalesce(sum(byte_count), 0) FROM log_events WHERE first_position <= $1"};
constexpr Sql sum_indexed_audit{"SELECT coalesce(sum(byte_count), 0) FROM log_audit WHERE first_position <= $1"};
constexpr Sql sum_indexed_delivery{"SELECT coalesce(sum(byte_count), 0) FROM log_delivery WHERE first_position <= $1"};
constexpr Sql sum_indexed_runs{"SELECT coalesce(sum(byte_count), 0) FROM log_runs WHERE first_position <= $1"};

const Sql& sum_indexed(model::RetentionClass retention) {
    switch (retention) {
        case model::RetentionClass::events: return sum_indexed_events;
        case model::RetentionClass::audit: return sum_indexed_audit;
        case model::RetentionClass::delivery: return sum_indexed_delivery;
        case model::RetentionClass::runs: break;
    }
    return sum_indexed_runs;
}

base::Result<std::vector<model::SharedBlock>> read_blocks(store::Database& database, model::RetentionClass retention) {
    std::vector<model::SharedBlock> blocks;
    std::optional<base::Error> damaged;
    TRY(database.run(store::statements_of(retention).blocks_from,
                     {store::number(std::int64_t{0}), store::number(std::numeric_limits<std::int64_t>::max())},
                     [&](const Row& row) {
                         auto block = store::decode_block_row(row, retention);
                         if (block.ok()) blocks.push_back(std::move(*block));
                         else damaged = block.error();
                     }));
    if (damaged) return *damaged;
    return blocks;
}

base::Result<void> check_sums(store::Database& database, Stock& stock) {
    TRY(database.run(quick_check, {}, [&](const Row& row) {
        const std::string said(row.bytes(0));
        if (said != "ok") stock.complaints.push_back("quick_check: " + said);
    }));
    TRY(database.run(sum_events, {}, [&](const Row& row) { stock.events_bytes = row.number(0); }));
    for (const model::RetentionClass retention : store::retention_classes) {
        TRY_ASSIGN(const store::IndexMark mark, store::read_mark(database, retention));
        TRY(database.run(sum_indexed(retention), {store::number(mark.indexed_to)}, [&](const Row& row) {
            if (row.number(0) == mark.bytes) return;
            stock.complaints.push_back("the indexed blocks have " + std::to_string(row.number(0)) +
                                       " bytes, the mark says " + std::to_string(mark.bytes));
        }));
    }
    return {};
}

base::Result<void> page_through(ports::Reading& reading, const model::StreamInfo& stream, std::size_t page_bytes,
                                Stock& stock) {
    Stock::Paged paged;
    paged.stream = stream.id;
    model::Sequence after = 0;
    bool more = true;
    while (more) {
        TRY_ASSIGN(const ports::BlockPage page, reading.blocks(stream.id, after, page_bytes));
        paged.head = page.head;
        paged.floor = page.floor;
        const model::Sequence from = std::max(after, page.floor);
        for (const model::SharedBlock& block : page.blocks) {
            for (const model::LogEntry& entry : block->entries) {
                if (entry.stream != stream.id || entry.sequence <= from) continue;
                paged.sequences.push_back(entry.sequence);
                paged.bodies.emplace_back(entry.body);
                after = entry.sequence;
            }
        }
        more = page.more && !page.blocks.empty();
    }
    stock.paged.push_back(std::move(paged));
    return {};
}

}  // namespace

base::Result<Stock> take_stock(store::SqlStore& store, std::size_t page_bytes) {
    Stock stock;
    store::Database& database = store.database();
    TRY_ASSIGN(stock.events, read_blocks(database, model::RetentionClass::events));
    TRY_ASSIGN(stock.audit, read_blocks(database, model::RetentionClass::audit));
    TRY_ASSIGN(stock.delivery, read_blocks(database, model::RetentionClass::delivery));
    TRY_ASSIGN(stock.tokens, store.tokens().load());
    std::vector<base::Uuid> ids;
    TRY(database.run(select_obligations, {}, [&](const Row& row) {
        base::Uuid& id = ids.emplace_back();
        const std::string_view bytes = row.bytes(0);
        for (std::size_t i = 0; i < id.bytes.size() && i < bytes.size(); ++i) {
            id.bytes[i] = static_cast<std::uint8_t>(bytes[i]);
        }
    }));
    store::SqlReading reading(std::make_unique<BorrowedDatabase>(database), "simulated");
    for (const base::Uuid& id : ids) {
        TRY_ASSIGN(const std::optional<ports::Obligation> obligation, reading.obligation(id));
        if (obligation) stock.obligations.push_back(*obligation);
        else stock.complaints.push_back("an obligation cannot be found by its id");
    }
    TRY_ASSIGN(stock.streams, reading.streams());
    for (const model::StreamInfo& stream : stock.streams) TRY(page_through(reading, stream, page_bytes, stock));
    TRY(check_sums(database, stock));
    TRY(take_stock_of_notifications(store, reading, stock));
    return stock;
}

}  // namespace belfry::sim
