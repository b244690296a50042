#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "store/database.hpp"

// What the writing and the reading side of the log share: a table a retention class, and the index.
//
// The entries of a commit are one row (a block) under the log's position, whatever streams they belong to: one write
// for a whole group, at the end of one tree. Which blocks hold a stream is written lazily: `stream_index` has rows of
// (stream, first sequence) with a list of blocks, up to a position that `log_classes` remembers; what lies behind that
// position is found by reading the directories of the blocks themselves, never more than a bounded number of them.
namespace belfry::store {

struct ClassStatements {
    model::RetentionClass retention;
    Sql insert_block;
    Sql last_block;      // → first_position, entry_count, committed_at
    Sql directories;     // after $1 → first_position, byte_count, directory
    Sql block;           // at $1 → first_position, committed_at, body
    Sql blocks_from;     // from $1, at most $2 → the same
    Sql sizes_from;      // from $1, at most $2 → first_position, byte_count
    Sql oldest;          // at most $1 → first_position, committed_at, byte_count, directory
    Sql delete_through;  // up to $1
    Sql rewrite_block;   // $1 position, $2 body
    Sql time_from;       // of the first block from $1 on → first_position, committed_at
};

const ClassStatements& statements_of(model::RetentionClass retention);
inline constexpr std::array<model::RetentionClass, 4> retention_classes{
    model::RetentionClass::events, model::RetentionClass::audit, model::RetentionClass::delivery,
    model::RetentionClass::runs};
// Whose entries an erasure empties. The audit's say what was done, and by whom.
inline constexpr std::array<model::RetentionClass, 3> erased_classes{
    model::RetentionClass::events, model::RetentionClass::delivery, model::RetentionClass::runs};

// One block as the index lists it.
struct BlockPlace {
    model::Position position = 0;
    model::Sequence first = 0;
    std::uint64_t count = 0;
};
std::string write_places(const std::vector<BlockPlace>& places);
base::Result<std::vector<BlockPlace>> read_places(std::string_view bytes);

base::Result<std::vector<model::StreamInfo>> read_streams(Database& database);

// How far the index of a class reaches, and how many bytes lie in the blocks up to there.
struct IndexMark {
    model::Position indexed_to = 0;
    std::int64_t bytes = 0;
};
base::Result<IndexMark> read_mark(Database& database, model::RetentionClass retention);

// A row of (first_position, committed_at, body), decoded.
base::Result<model::SharedBlock> decode_block_row(const Row& row, model::RetentionClass retention);

}  // namespace belfry::store
