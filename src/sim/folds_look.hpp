#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/memory.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

// All that the store holds of what agents remember, at one moment.
struct FoldsLook {
    std::map<std::string, model::AgentRecord> agents;
    std::map<std::string, std::vector<model::AgentMessage>> threads;  // with summaries, by position
    std::map<std::string, model::AgentThread> rows;                   // by the thread
    std::map<base::Uuid, model::SummaryPlace> places;
    std::vector<model::FoldJob> jobs;

    // Raw messages of a thread from one position up to another, the oldest first.
    [[nodiscard]] std::vector<model::AgentMessage> span(const std::string& thread_id, std::int64_t from,
                                                        std::int64_t through) const;
    [[nodiscard]] std::vector<model::AgentMessage> raw(const std::string& thread_id) const;
    [[nodiscard]] const model::AgentMessage* message(const std::string& thread_id, const base::Uuid& id) const;
    // What was folded into a summary, by position.
    [[nodiscard]] std::vector<model::SummaryPlace> below(const base::Uuid& id) const;
    // What rules say of this summary's span as it is now.
    [[nodiscard]] std::string by_rules(const model::SummaryPlace& place) const;
    // Whether what is remembered is the same there; the work of folding may be another.
    [[nodiscard]] bool is_same_memory(const FoldsLook& other) const;
};

base::Result<FoldsLook> look_at_folds(store::SqlStore& store, const std::vector<std::string>& agents);

[[nodiscard]] std::string content_of(const model::MemorySummary& summary);

}  // namespace belfry::sim
