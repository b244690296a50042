#include "store/log_table.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/assert.hpp"

namespace belfry::store {
namespace {

// Of the memory that a block was built in: a little more than a group of commands needs.
constexpr std::size_t open_bytes_kept = 4 * base::limits::group_bytes_max;

constexpr Sql upsert_stream{
    "INSERT INTO streams (stream_id, name, owner, retention, head, floor) VALUES ($1, $2, $3, $4, $5, $6) "
    "ON CONFLICT (stream_id) DO UPDATE SET name = excluded.name, owner = excluded.owner, floor = excluded.floor"};
constexpr Sql update_head{"UPDATE streams SET head = $2 WHERE stream_id = $1"};
constexpr Sql update_floor{"UPDATE streams SET floor = $2 WHERE stream_id = $1 AND floor < $2"};
// A stream that was removed meanwhile gets no more of it.
constexpr Sql insert_index{
    "INSERT INTO stream_index (stream_id, first_sequence, last_sequence, blocks) "
    "SELECT stream_id, $2, $3, $4 FROM streams WHERE stream_id = $1"};
constexpr Sql drop_index{"DELETE FROM stream_index WHERE stream_id = $1 AND last_sequence <= $2"};
constexpr Sql select_last_stream{
    "SELECT last_stream, (SELECT coalesce(max(stream_id), 0) FROM streams) FROM ledger WHERE id = 1"};
constexpr Sql raise_last_stream{"UPDATE ledger SET last_stream = $1 WHERE id = 1 AND last_stream < $1"};
constexpr Sql delete_stream{"DELETE FROM streams WHERE stream_id = $1"};
constexpr Sql delete_index{"DELETE FROM stream_index WHERE stream_id = $1"};
constexpr Sql insert_clock_step{"INSERT INTO clock_steps (first_position) VALUES ($1)"};
constexpr Sql delete_clock_steps{"DELETE FROM clock_steps WHERE first_position <= $1"};
constexpr Sql upsert_mark{
    "INSERT INTO log_classes (retention, indexed_to, indexed_bytes) VALUES ($1, $2, $3) "
    "ON CONFLICT (retention) DO UPDATE SET indexed_to = excluded.indexed_to, indexed_bytes = excluded.indexed_bytes"};

Param class_number(model::RetentionClass retention) {
    return number(static_cast<std::int64_t>(retention));
}

}  // namespace

SqlLogTable::Class& SqlLogTable::class_of(model::RetentionClass retention) {
    return *std::ranges::find(classes_, retention, &Class::retention);
}

base::Result<void> SqlLogTable::catch_up(Class& log, std::unordered_map<model::StreamId, model::Sequence>& heads) {
    log = Class(log.retention);
    TRY_ASSIGN(log.mark, read_mark(database_, log.retention));
    std::optional<base::Error> damaged;
    TRY(database_.run(statements_of(log.retention).directories, {number(log.mark.indexed_to)}, [&](const Row& row) {
        auto shares = codec::read_directory(row.bytes(2));
        if (!shares.ok()) {
            damaged = shares.error();
            return;
        }
        for (const codec::BlockShare& share : *shares) {
            heads[share.stream] = std::max(heads[share.stream], share.first + share.count - 1);
        }
        log.unindexed.push_back({static_cast<model::Position>(row.number(0)), row.number(1), std::move(*shares)});
        log.unindexed_bytes += row.number(1);
    }));
    if (damaged) return *damaged;
    log.committed_unindexed = log.unindexed.size();
    TRY(database_.run(statements_of(log.retention).last_block, {},
                      [&](const Row& row) { log.last_time = base::Timestamp{row.number(2)}; }));
    log.committed_time = log.last_time;
    return {};
}

base::Result<std::vector<model::StreamInfo>> SqlLogTable::load_streams() {
    std::unordered_map<model::StreamId, model::Sequence> heads;
    for (Class& log : classes_) TRY(catch_up(log, heads));
    TRY_ASSIGN(std::vector<model::StreamInfo> streams, read_streams(database_));
    for (model::StreamInfo& stream : streams) stream.head = std::max(stream.head, heads[stream.id]);
    return streams;
}

base::Result<model::Position> SqlLogTable::next_position() {
    model::Position next = 1;
    for (const model::RetentionClass retention : retention_classes) {
        TRY(database_.run(statements_of(retention).last_block, {}, [&](const Row& row) {
            next = std::max(next, static_cast<model::Position>(row.number(0) + row.number(1)));
        }));
    }
    return next;
}

base::Result<void> SqlLogTable::put_stream(const model::StreamInfo& stream) {
    TRY(database_.run(upsert_stream, {number(std::uint64_t{stream.id}), bytes(stream.name), bytes(stream.owner),
                                      class_number(stream.retention), number(stream.head), number(stream.floor)}));
    return {};
}

base::Result<model::StreamId> SqlLogTable::last_stream() {
    std::int64_t last = 0;
    TRY(database_.run(select_last_stream, {}, [&](const Row& row) { last = std::max(row.number(0), row.number(1)); }));
    return static_cast<model::StreamId>(last);
}

base::Result<void> SqlLogTable::remove_streams(std::span<const model::StreamId> streams) {
    if (streams.empty()) return {};
    std::vector<std::vector<Param>> sets;
    sets.reserve(streams.size());
    for (const model::StreamId stream : streams) sets.push_back({number(std::uint64_t{stream})});
    TRY(database_.run_many(delete_stream, sets, {}));
    TRY(database_.run_many(delete_index, sets, {}));
    TRY(database_.run(raise_last_stream, {number(std::uint64_t{*std::ranges::max_element(streams)})}));
    return {};
}

void SqlLogTable::append(model::RetentionClass retention, model::StreamId stream, model::Sequence sequence,
                         const model::Facets& facets, std::string_view body) {
    Class& log = class_of(retention);
    codec::append_block_entry(log.open_bytes, stream, sequence, facets, body);
    ++log.open_count;
    const bool as_before = log.open_share < log.open_shares.size() && log.open_shares[log.open_share].stream == stream;
    if (!as_before) {
        const auto found = std::ranges::find(log.open_shares, stream, &codec::BlockShare::stream);
        log.open_share = static_cast<std::size_t>(found - log.open_shares.begin());
        if (found == log.open_shares.end()) log.open_shares.push_back({stream, sequence, 0});
    }
    codec::BlockShare& share = log.open_shares[log.open_share];
    ASSERT(share.first + share.count == sequence);
    ++share.count;
}

void SqlLogTable::forget_open(Class& log) {
    log.open_bytes.clear();
    if (log.open_bytes.capacity() > open_bytes_kept) log.open_bytes.shrink_to_fit();
    log.open_shares.clear();
    log.open_count = 0;
}

base::Result<model::SharedBlock> SqlLogTable::write_block(Class& log, model::Position first, base::Timestamp now) {
    codec::seal_block(log.open_bytes);
    TRY_ASSIGN(const std::shared_ptr<model::Block> block, codec::read_block(std::string(log.open_bytes)));
    block->first_position = first;
    block->retention = log.retention;
    block->committed_at = now;
    const auto size = static_cast<std::int64_t>(block->bytes.size());
    const std::string directory = codec::write_directory(log.open_shares);
    TRY(database_.run(
        statements_of(log.retention).insert_block,
        {number(first), number(log.open_count), number(now.us), number(size), bytes(directory), bytes(block->bytes)}));
    // Events are found by the time in their ids, as long as the times of blocks grow.
    const bool is_step_back = log.retention == model::RetentionClass::events && now < log.last_time;
    if (is_step_back) TRY(database_.run(insert_clock_step, {number(first)}));
    log.last_time = now;
    log.unindexed.push_back({first, size, std::move(log.open_shares)});
    log.unindexed_bytes += size;
    forget_open(log);
    return model::SharedBlock(block);
}

base::Result<std::vector<model::SharedBlock>> SqlLogTable::seal(model::Position first, base::Timestamp now) {
    std::vector<model::SharedBlock> blocks;
    for (Class& log : classes_) {
        if (log.open_count == 0) continue;
        TRY_ASSIGN(model::SharedBlock block, write_block(log, first, now));
        first += block->entries.size();
        blocks.push_back(std::move(block));
        const bool far_behind =
            log.unindexed.size() > lag_.blocks_max || log.unindexed_bytes > static_cast<std::int64_t>(lag_.bytes_max);
        if (far_behind) TRY(write_index(log));
    }
    return blocks;
}

base::Result<void> SqlLogTable::write_index(Class& log) {
    std::map<model::StreamId, std::vector<BlockPlace>> by_stream;
    std::int64_t added = 0;
    for (const Unindexed& block : log.unindexed) {
        for (const codec::BlockShare& share : block.shares) {
            by_stream[share.stream].push_back({block.position, share.first, share.count});
        }
        added += block.bytes;
    }
    std::vector<std::string> lists;  // of all streams, because a thousand runs may have written since
    std::vector<std::vector<Param>> rows;
    std::vector<std::vector<Param>> heads;
    lists.reserve(by_stream.size());
    for (const auto& [stream, places] : by_stream) {
        const model::Sequence last = places.back().first + places.back().count - 1;
        const std::string& list = lists.emplace_back(write_places(places));
        rows.push_back({number(std::uint64_t{stream}), number(places.front().first), number(last), bytes(list)});
        heads.push_back({number(std::uint64_t{stream}), number(last)});
    }
    TRY(database_.run_many(insert_index, rows, {}));
    TRY(database_.run_many(update_head, heads, {}));
    if (!log.index_written) {
        log.saved_unindexed = log.unindexed;
        log.saved_mark = log.mark;
        log.index_written = true;
    }
    log.mark = {log.unindexed.back().position, log.mark.bytes + added};
    log.unindexed.clear();
    log.unindexed_bytes = 0;
    TRY(database_.run(upsert_mark, {class_number(log.retention), number(log.mark.indexed_to), number(log.mark.bytes)}));
    return {};
}

// The newest block stays whatever its age: the next position is counted from it.
base::Result<std::vector<SqlLogTable::Oldest>> SqlLogTable::may_go(const Class& log, base::Timestamp older_than,
                                                                   std::int64_t bytes_kept, std::size_t limit) {
    const ClassStatements& sql = statements_of(log.retention);
    model::Position newest = 0;
    TRY(database_.run(sql.last_block, {},
                      [&](const Row& row) { newest = static_cast<model::Position>(row.number(0)); }));
    std::vector<Oldest> going;
    std::optional<base::Error> damaged;
    std::int64_t held = log.mark.bytes + log.unindexed_bytes;
    bool stopped = false;
    TRY(database_.run(sql.oldest, {number(std::uint64_t{limit})}, [&](const Row& row) {
        const auto position = static_cast<model::Position>(row.number(0));
        const bool old_enough = row.number(1) < older_than.us || held > bytes_kept;
        stopped = stopped || !old_enough || position == newest;
        if (stopped) return;
        auto shares = codec::read_directory(row.bytes(3));
        if (!shares.ok()) damaged = shares.error();
        else going.push_back({position, row.number(2), std::move(*shares)});
        held -= row.number(2);
    }));
    if (damaged) return *damaged;
    return going;
}

base::Result<ports::LogTable::Dropped> SqlLogTable::drop(model::RetentionClass retention, base::Timestamp older_than,
                                                         std::int64_t bytes_kept, std::size_t limit) {
    Class& log = class_of(retention);
    TRY_ASSIGN(const std::vector<Oldest> going, may_go(log, older_than, bytes_kept, limit));
    Dropped dropped;
    if (going.empty()) {
        if (retention == model::RetentionClass::events && gives_back_) TRY(give_back(dropped));
        return dropped;
    }
    // Where little is written the tail behind the index may be old too. Heads are kept by the index, so it comes first.
    if (going.back().position > log.mark.indexed_to) TRY(write_index(log));

    std::map<model::StreamId, model::Sequence> floors;
    for (const Oldest& block : going) {
        ++dropped.blocks;
        dropped.bytes += static_cast<std::uint64_t>(block.bytes);
        for (const codec::BlockShare& share : block.shares) floors[share.stream] = share.first + share.count - 1;
    }
    // What retention lets go of is much, and its pages are not written once more for it.
    TRY(database_.overwrite_deleted(false));
    const auto deleted = database_.run(statements_of(retention).delete_through, {number(going.back().position)});
    TRY(database_.overwrite_deleted(true));
    if (!deleted.ok()) return deleted.error();
    if (retention == model::RetentionClass::events) {
        TRY(database_.run(delete_clock_steps, {number(going.back().position)}));
    }
    std::vector<std::vector<Param>> rows;
    for (const auto& [stream, floor] : floors) {
        rows.push_back({number(std::uint64_t{stream}), number(floor)});
        model::StreamInfo info;
        info.id = stream;
        info.floor = floor;
        dropped.floors.push_back(info);
    }
    TRY(database_.run_many(update_floor, rows, {}));
    TRY(database_.run_many(drop_index, rows, {}));
    if (!log.index_written) {
        log.saved_unindexed = log.unindexed;
        log.saved_mark = log.mark;
        log.index_written = true;
    }
    log.mark.bytes -= static_cast<std::int64_t>(dropped.bytes);
    TRY(database_.run(upsert_mark, {class_number(retention), number(log.mark.indexed_to), number(log.mark.bytes)}));
    dropped.more = going.size() == limit;
    TRY(give_back(dropped));
    return dropped;
}

// Only ever after a drop, never after an erasure alone: pages that move leave their bytes behind, and an erasure is
// to leave none.
base::Result<void> SqlLogTable::give_back(Dropped& dropped) {
    TRY_ASSIGN(gives_back_, database_.return_space(base::limits::returned_pages_max));
    dropped.more = dropped.more || gives_back_;
    return {};
}

// Large blocks make a slice of fewer: all of it is in memory at once, and every other commit waits for it.
base::Result<SqlLogTable::Slice> SqlLogTable::slice_to_erase(model::Position from, std::size_t limit) {
    Slice slice;
    slice.is_last = true;
    for (const model::RetentionClass retention : erased_classes) {
        std::size_t seen = 0;
        TRY(database_.run(
            statements_of(retention).sizes_from, {number(from), number(std::uint64_t{limit})}, [&](const Row& row) {
                ++seen;
                slice.blocks.push_back({static_cast<model::Position>(row.number(0)), row.number(1), retention});
            }));
        slice.is_last = slice.is_last && seen < limit;
    }
    std::ranges::sort(slice.blocks, {}, &Slice::Block::position);
    std::size_t taken = 0;
    std::int64_t bytes = 0;
    while (taken < slice.blocks.size() && taken < limit) {
        bytes += slice.blocks[taken].bytes;
        if (taken > 0 && bytes > base::limits::erase_slice_bytes) break;
        ++taken;
    }
    slice.is_last = slice.is_last && taken == slice.blocks.size();
    slice.blocks.resize(taken);
    return slice;
}

base::Result<std::vector<model::SharedBlock>> SqlLogTable::read_slice(const Slice& slice) {
    std::vector<model::SharedBlock> blocks;
    std::optional<base::Error> damaged;
    for (const model::RetentionClass retention : erased_classes) {
        std::vector<std::vector<Param>> sets;
        for (const Slice::Block& block : slice.blocks) {
            if (block.retention == retention) sets.push_back({number(block.position)});
        }
        TRY(database_.run_many(statements_of(retention).block, sets, [&](const Row& row) {
            auto block = decode_block_row(row, retention);
            if (block.ok()) blocks.push_back(std::move(*block));
            else damaged = block.error();
        }));
    }
    if (damaged) return *damaged;
    return blocks;
}

base::Result<ports::LogTable::Erased> SqlLogTable::erase_user(std::string_view user_id, model::Position from,
                                                              std::size_t limit) {
    Erased erased;
    erased.next = from;
    TRY_ASSIGN(const Slice slice, slice_to_erase(from, limit));
    TRY_ASSIGN(std::vector<model::SharedBlock> blocks, read_slice(slice));
    for (const model::SharedBlock& block : blocks) {
        erased.next = std::max(erased.next, block->first_position + block->entries.size());
    }
    std::erase_if(blocks, [&](const model::SharedBlock& block) {
        return std::ranges::none_of(block->entries,
                                    [&](const model::LogEntry& entry) { return entry.facets.user_id == user_id; });
    });

    TRY(rewrite_without(user_id, blocks, erased.entries));
    erased.finished = slice.is_last;
    if (!erased.finished) return erased;
    // Entries of this transaction that Belfry made of earlier events. An event of this transaction is later than the
    // request for the erasure.
    for (const model::RetentionClass retention : erased_classes) {
        if (retention == model::RetentionClass::events) continue;
        TRY_ASSIGN(const std::uint64_t emptied, codec::erase_entries(class_of(retention).open_bytes, user_id));
        erased.entries += emptied;
    }
    return erased;
}

base::Result<void> SqlLogTable::rewrite_without(std::string_view user_id, const std::vector<model::SharedBlock>& blocks,
                                                std::uint64_t& erased) {
    for (const model::SharedBlock& block : blocks) {
        std::string rewritten = block->bytes;
        TRY_ASSIGN(const std::uint64_t emptied, codec::erase_user(rewritten, user_id));
        erased += emptied;
        TRY(database_.run(statements_of(block->retention).rewrite_block,
                          {number(block->first_position), bytes(rewritten)}));
    }
    return {};
}

void SqlLogTable::committed() {
    for (Class& log : classes_) {
        log.committed_unindexed = log.unindexed.size();
        log.committed_time = log.last_time;
        log.saved_unindexed.clear();
        log.index_written = false;
    }
}

void SqlLogTable::rolled_back() {
    gives_back_ = false;
    for (Class& log : classes_) {
        if (log.index_written) {
            log.unindexed = std::move(log.saved_unindexed);
            log.mark = log.saved_mark;
        }
        log.unindexed.resize(log.committed_unindexed);
        log.last_time = log.committed_time;
        log.unindexed_bytes = 0;
        for (const Unindexed& block : log.unindexed) log.unindexed_bytes += block.bytes;
        log.saved_unindexed.clear();
        log.index_written = false;
        forget_open(log);
    }
}

}  // namespace belfry::store
