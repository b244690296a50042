#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "codec/block.hpp"
#include "ports/store.hpp"
#include "store/log_layout.hpp"

namespace belfry::store {

// How far the index may be behind before a transaction catches it up.
struct IndexLag {
    std::size_t blocks_max = base::limits::index_blocks_lag_max;
    std::size_t bytes_max = base::limits::index_bytes_lag_max;
};

// The log's writing side. Keeps, per class, what the index does not yet hold; that memory follows the commit.
class SqlLogTable final : public ports::LogTable {
public:
    SqlLogTable(Database& database, IndexLag lag) : database_(database), lag_(lag) {}

    base::Result<std::vector<model::StreamInfo>> load_streams() override;
    base::Result<model::Position> next_position() override;
    base::Result<model::StreamId> last_stream() override;
    base::Result<void> put_stream(const model::StreamInfo& stream) override;
    base::Result<void> remove_streams(std::span<const model::StreamId> streams) override;
    void append(model::RetentionClass retention, model::StreamId stream, model::Sequence sequence,
                const model::Facets& facets, std::string_view body) override;
    base::Result<std::vector<model::SharedBlock>> seal(model::Position first, base::Timestamp now) override;
    base::Result<Dropped> drop(model::RetentionClass retention, base::Timestamp older_than, std::int64_t bytes_kept,
                               std::size_t limit) override;
    base::Result<Erased> erase_user(std::string_view user_id, model::Position from, std::size_t limit) override;

    void committed();
    void rolled_back();

private:
    // A block that the index does not list yet.
    struct Unindexed {
        model::Position position = 0;
        std::int64_t bytes = 0;
        std::vector<codec::BlockShare> shares;
    };
    // A block that may be dropped.
    struct Oldest {
        model::Position position = 0;
        std::int64_t bytes = 0;
        std::vector<codec::BlockShare> shares;
    };
    struct Class {
        explicit Class(model::RetentionClass which) : retention(which) {}
        model::RetentionClass retention;
        // The block under construction, in memory that is kept from commit to commit: a block is handed out as a copy
        // of its own size.
        std::string open_bytes;
        std::vector<codec::BlockShare> open_shares;
        std::uint64_t open_count = 0;
        std::size_t open_share = 0;  // where the last entry was counted: the next one is often of the same stream
        // Behind the index: committed, then those of this transaction.
        std::vector<Unindexed> unindexed;
        std::size_t committed_unindexed = 0;
        std::int64_t unindexed_bytes = 0;
        IndexMark mark;
        base::Timestamp last_time;  // of the newest block
        base::Timestamp committed_time;
        // As they were when the transaction began.
        std::vector<Unindexed> saved_unindexed;
        IndexMark saved_mark;
        bool index_written = false;
    };

    Class& class_of(model::RetentionClass retention);
    static void forget_open(Class& log);
    base::Result<void> catch_up(Class& log, std::unordered_map<model::StreamId, model::Sequence>& heads);
    base::Result<model::SharedBlock> write_block(Class& log, model::Position first, base::Timestamp now);
    base::Result<void> write_index(Class& log);
    base::Result<std::vector<Oldest>> may_go(const Class& log, base::Timestamp older_than, std::int64_t bytes_kept,
                                             std::size_t limit);
    base::Result<void> give_back(Dropped& dropped);
    // How many blocks a slice of an erasure takes: at most `limit`, and no more bytes than its limit but for the first.
    struct Slice {
        struct Block {
            model::Position position = 0;
            std::int64_t bytes = 0;
            model::RetentionClass retention = model::RetentionClass::events;
        };
        std::vector<Block> blocks;  // by position
        bool is_last = false;       // nothing lies behind it
    };
    base::Result<Slice> slice_to_erase(model::Position from, std::size_t limit);
    base::Result<std::vector<model::SharedBlock>> read_slice(const Slice& slice);
    // Writes these blocks anew with the entries of this user emptied; counts them.
    base::Result<void> rewrite_without(std::string_view user_id, const std::vector<model::SharedBlock>& blocks,
                                       std::uint64_t& erased);

    Database& database_;
    bool gives_back_ = false;  // after a drop, as long as much of the file is free
    IndexLag lag_;
    std::array<Class, 4> classes_{Class(retention_classes[0]), Class(retention_classes[1]), Class(retention_classes[2]),
                                  Class(retention_classes[3])};
};

}  // namespace belfry::store
