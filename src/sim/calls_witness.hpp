#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/wake.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/tools.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// Remembers what was answered to calls of tools, and compares the store with it: each call is there once, with one
// result, and the journal is what doing each of them once makes of it.
class CallsWitness {
public:
    struct Sums {
        std::uint64_t calls = 0;      // that are recorded at the end
        std::uint64_t succeeded = 0;  // of them
        std::uint64_t refused = 0;
        std::uint64_t repeats = 0;    // answers that told what had been done before
        std::uint64_t mutations = 0;  // revisions of records and links that agents made
    };

    void called(const std::string& operation, const ports::CalledTool& reply);
    void planned(const ports::StoredPlan& reply);

    // At any moment between two steps.
    base::Result<void> compare(store::SqlStore& store, const model::Wake& wake);
    // When all is done: of these operations, and of those of the stored plans, none is missing.
    base::Result<void> compare_end(store::SqlStore& store, const model::Wake& wake,
                                   const std::vector<std::string>& operations);

    Complaints drain() { return std::exchange(complaints_, {}); }
    [[nodiscard]] const Sums& sums() const { return sums_; }

private:
    struct Pair {
        model::AgentMessage action;
        model::AgentMessage result;
    };
    // In the order in which they were done.
    base::Result<std::vector<Pair>> recorded(store::SqlStore& store, const std::string& thread_id);
    base::Result<void> compare_journal(store::SqlStore& store, const class ExpectedJournal& expected);
    void compare_changes(const struct JournalLook& look, const ExpectedJournal& expected);
    void compare_answers(const std::vector<Pair>& pairs);
    void complain(std::string what) { complaints_.push_back(std::move(what)); }

    struct Answer {
        base::Uuid result_id;
        std::string content;
        bool was_new = false;
    };
    std::map<std::string, Answer> answers_;                             // by their operation
    std::map<std::int64_t, std::vector<model::PlannedAction>> rounds_;  // as they were first heard
    Complaints complaints_;
    Sums sums_;
};

}  // namespace belfry::sim
