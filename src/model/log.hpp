#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/severity.hpp"

// The one log. Everything that somebody follows is a stream of immutable entries; every entry has a position in the
// log, given in the commit, and a sequence inside its stream, 1, 2, 3 … without a gap. The entries of one commit lie
// together in a block.
namespace belfry::model {

using Position = std::uint64_t;
using Sequence = std::uint64_t;
using StreamId = std::uint32_t;

// How long entries stay, and so which blocks they lie in: space returns by dropping whole blocks of one class.
enum class RetentionClass : std::uint8_t { events = 1, audit = 2, delivery = 3, runs = 4 };

// What a filter may look at without reading the body.
struct Facets {
    Severity severity = Severity::info;
    std::string_view type;
    std::string_view user_id;
    std::string_view session_id;
};

// One entry; its views point into the block that holds it.
struct LogEntry {
    StreamId stream = 0;
    Sequence sequence = 0;
    Facets facets;
    std::string_view body;  // one line of JSON; empty where it was erased
};

// All entries of one retention class in one commit. Immutable and shared once it is made.
struct Block {
    Position first_position = 0;  // entry i has first_position + i
    RetentionClass retention = RetentionClass::events;
    base::Timestamp committed_at;
    std::string bytes;  // as stored; codec/block knows the layout
    std::vector<LogEntry> entries;

    Block() = default;
    Block(const Block&) = delete;  // the entries point into `bytes`
    Block& operator=(const Block&) = delete;
};

using SharedBlock = std::shared_ptr<const Block>;

// A stream as the log knows it.
struct StreamInfo {
    StreamId id = 0;
    std::string name;
    std::string owner;  // the user whose it is; empty: the house's own
    RetentionClass retention = RetentionClass::events;
    Sequence head = 0;   // the last sequence given
    Sequence floor = 0;  // entries up to here are gone
};

// Which entries a reader wants. Empty fields do not narrow.
struct StreamFilter {
    std::vector<std::string> type_patterns;
    std::optional<Severity> severity_min;
    std::string user_id;
    std::string session_id;
    std::string agent_id;                        // of a run's or a tree's stream: the agent that an event came from
    std::vector<std::string> about_agents = {};  // of `agent:<user>`: only entries about one of these agents

    [[nodiscard]] bool is_empty() const {
        return type_patterns.empty() && !severity_min && user_id.empty() && session_id.empty() && agent_id.empty() &&
               about_agents.empty();
    }
};

}  // namespace belfry::model
