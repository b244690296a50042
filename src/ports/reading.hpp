#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/tool.hpp"
#include "ports/store.hpp"

namespace belfry::ports {

// Blocks of one stream, oldest first. A page of a long history; the caller picks the entries that it wants.
struct BlockPage {
    std::vector<model::SharedBlock> blocks;  // each holds at least one entry of the stream above `after`
    model::Sequence floor = 0;               // entries up to here are gone
    model::Sequence head = 0;                // the last one at the time of reading
    bool more = false;
};

struct FoundEvent {
    model::Sequence sequence = 0;
    base::Timestamp committed_at;
    std::string json;
};

// Behind which obligation a list of those that were given up goes on. It may be gone by then, or not given up any more.
struct GivenUpPlace {
    base::Timestamp finished_at;
    base::Uuid id;
};

struct StoreFigures {
    std::uint64_t commit_number = 0;
    std::uint64_t epoch = 0;
    std::uint64_t index_rows = 0;
    std::int64_t file_bytes = 0;
    std::int64_t wal_bytes = 0;
    std::int64_t schema_version = 0;
    std::string backend;  // sqlite, postgres
    std::string location;
};

// What has not ended, counted along indexes that hold nothing else.
struct OpenFigures {
    std::array<std::uint64_t, 4> notifications{};  // pending, dispatched, locked, escalated
    std::array<std::uint64_t, 2> runs{};           // pending, running
    std::uint64_t batches = 0;
    std::uint64_t batch_rows = 0;
    std::uint64_t obligations = 0;
    std::uint64_t interactions = 0;
};

// Reads beside the engine, each reader on a connection of its own; never blocks the writer. Not for several threads at
// once.
class Reading {
public:
    virtual ~Reading() = default;

    // The blocks with entries of `stream` after `after`, up to `bytes_max` of them but at least one.
    virtual base::Result<BlockPage> blocks(model::StreamId stream, model::Sequence after, std::size_t bytes_max) = 0;
    virtual base::Result<std::vector<model::StreamInfo>> streams() = 0;
    virtual base::Result<std::optional<Obligation>> obligation(const base::Uuid& id) = 0;
    // Those of a kind that were given up, with the reason, the latest first.
    virtual base::Result<std::vector<Obligation>> given_up(std::string_view kind,
                                                           const std::optional<GivenUpPlace>& after,
                                                           std::size_t limit) = 0;
    // For a node that only reads: the access tokens as the writer left them.
    virtual base::Result<std::vector<model::AccessToken>> tokens() = 0;
    virtual base::Result<StoreFigures> figures() = 0;
    virtual base::Result<OpenFigures> open_figures() = 0;
    // An event by its id, as its line in the log; looked for around the time that the id tells.
    virtual base::Result<std::optional<FoundEvent>> event(const model::EventId& id) = 0;
    virtual base::Result<std::optional<model::ToolInfo>> tool(std::string_view name) = 0;
    // By name, after this one.
    virtual base::Result<std::vector<model::ToolInfo>> tools(std::string_view after, std::size_t limit) = 0;
    virtual NotificationReading& notifications() = 0;
    virtual SessionReading& sessions() = 0;
    virtual InteractionReading& interactions() = 0;
    virtual RunReading& runs() = 0;
    virtual AgentReading& agents() = 0;
    virtual TimerReading& timers() = 0;
    virtual AgentMessageReading& agent_messages() = 0;
    virtual MemoryReading& memory() = 0;
    virtual JournalReading& journal() = 0;
    virtual ChangeSetReading& change_sets() = 0;
    // Whether the connection is still of use; after a failure it is better made anew.
    [[nodiscard]] virtual bool is_sound() const { return true; }
    virtual OutsideCallReading& outside_calls() = 0;
    virtual SyncReading& sync() = 0;
    virtual ContextReading& context_values() = 0;
};

}  // namespace belfry::ports
