#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/log.hpp"
#include "ports/store.hpp"

namespace belfry::engine {

// The streams and their heads, in memory. Numbers given inside a transaction count only once it is committed.
class StreamBook {
public:
    // Reads all streams, and creates those that are always there.
    base::Result<void> rebuild(ports::Store& store);

    // Appends an entry to a stream of this book and returns its sequence.
    model::Sequence append(ports::Store& store, model::StreamId stream, const model::Facets& facets,
                           std::string_view body);
    // The stream of this name, made where there is none.
    base::Result<model::StreamId> named(ports::Store& store, std::string_view name, std::string_view owner,
                                        model::RetentionClass retention);
    // The stream of this name is this person's from now on. Where there is none, nothing.
    base::Result<void> give(ports::Store& store, const std::string& name, const std::string& owner);
    // A stream whose person was erased goes on without his name, and belongs to nobody. Where there is none, nothing.
    base::Result<void> disown(ports::Store& store, const std::string& name);
    // Streams that are followed as a session, of this person, so many at the most.
    [[nodiscard]] std::vector<std::string> sessions_of(std::string_view owner, std::size_t limit) const;
    // The stream of this name, where there is one.
    [[nodiscard]] std::optional<model::StreamId> find(std::string_view name) const;
    // Takes streams away for good; their names and numbers are not to be used again in this transaction.
    base::Result<void> remove(ports::Store& store, const std::vector<model::StreamId>& streams);
    // The last sequence of it that was given, in this transaction too.
    [[nodiscard]] model::Sequence head(model::StreamId stream) const;
    // Writes what was appended; the blocks are to be published after the commit.
    base::Result<std::vector<model::SharedBlock>> seal(ports::Store& store, base::Timestamp now);
    void raise_floors(const std::vector<model::StreamInfo>& floors);

    // The streams that this transaction has made, given away or disowned are told, and those that it has removed.
    void committed(std::vector<model::StreamInfo>& made, std::vector<model::StreamId>& removed);
    void dropped();

    [[nodiscard]] std::vector<model::StreamInfo> all() const;

    static constexpr model::StreamId events = 1;
    static constexpr model::StreamId audit = 2;

private:
    struct Entry {
        model::StreamInfo info;
        model::Sequence pending_head = 0;
    };
    std::unordered_map<model::StreamId, Entry> streams_;
    std::unordered_map<std::string, model::StreamId> by_name_;
    std::vector<model::StreamId> made_;
    std::vector<model::StreamInfo> renamed_;  // or given away in this transaction, as they were before
    std::vector<model::StreamId> removed_;    // still there until the commit
    model::StreamId next_id_ = 1;
    std::vector<model::StreamId> touched_;
    model::Position next_position_ = 1;
    std::uint64_t pending_entries_ = 0;
};

}  // namespace belfry::engine
