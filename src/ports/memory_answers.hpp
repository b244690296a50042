#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/memory.hpp"

// What is asked about an agent's memory, and what is told of it.
namespace belfry::ports {

struct RecallQuestion {
    std::string agent_id;
    std::string query;
    std::string thread_id;  // empty: of all
    std::optional<model::AgentMessageKind> kind;
    std::size_t limit = 0;
};

// A summary with where it stands.
struct PlacedSummary {
    model::SummaryPlace place;
    model::RecalledSummary summary;
    base::Timestamp created_at;
};

struct SummaryQuestion {
    std::string agent_id;
    base::Uuid id;
    std::int64_t after = 0;  // the `next` of the page before
    std::size_t limit = 0;
};
// A summary with a page of what it was made of: raw messages, or the summaries that it has folded; the oldest first.
struct OpenedSummary {
    PlacedSummary summary;
    std::vector<model::AgentMessage> span;
    std::int64_t next = 0;  // 0: that was the end
};

struct AgentExportQuestion {
    std::string agent_id;
    std::int64_t after = 0;  // the `next` of the page before; 0: the agent itself comes first
    std::size_t limit = 0;
};
struct AgentExportPage {
    std::optional<model::AgentRecord> agent;    // of the first page
    std::vector<model::AgentMessage> messages;  // in the order of their coming, with their whole content
    std::int64_t next = 0;                      // 0: that was the end
};

}  // namespace belfry::ports
