#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/memory.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/folds_look.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// A message as whoever said it meant it.
struct Said {
    enum class Meaning : std::uint8_t { nothing, goal, decision, loop, closing, question, answer };
    base::Uuid id;
    std::string agent_id;
    std::string thread_id;
    std::string content;
    std::string word;  // by which it is found
    Meaning meaning = Meaning::nothing;
    std::string item;  // what is aimed at, decided, open or closed
    std::int64_t tokens = 0;
    std::int64_t position = 0;  // once it is known
    base::Timestamp created_at;
};

// Remembers what agents said, what was taken away and what was answered to those who fold, and compares the store with
// it: history is whole, every summary stands for its span and every pointer for what it points to, and what was said to
// matter is told as long as it holds.
class FoldsWitness {
public:
    struct Sums {
        std::uint64_t messages = 0;
        std::uint64_t forgotten = 0;
        std::uint64_t summaries = 0;  // at the end
        std::uint64_t deepest = 0;
        std::uint64_t lies = 0;             // summaries that tell nothing of their span, at the end
        std::uint64_t contexts = 0;         // that were compared
        std::uint64_t harmless = 0;         // failures after which all was as before
        std::uint64_t waiting_threads = 0;  // other threads that wait for a summary at a claim, at the most
    };

    // What is being said, before anybody has heard an answer: whole, or not at all.
    void speaks(const std::vector<Said>& batch) { perhaps_said_.push_back(batch); }
    void heard(const ports::AppendAgentMessages& command);
    // It was refused for certain.
    void not_said(const base::Uuid& first);

    // What is to be taken away. Nobody may be in doubt of anything else then.
    void forgets(const ports::ForgetMemory& command);
    void heard(const ports::ForgetMemory& command);
    void not_forgotten() { perhaps_forgotten_.reset(); }

    // A job was handed out; `now` is when.
    void granted(const ports::FoldGrant& grant, const FoldsLook& look);
    // Words that somebody is about to offer as the summary of a job. Lies are such as check_memory_summary lets pass.
    enum class Kind : std::uint8_t { by_rules, by_model, lie };
    void offers(const model::FoldJob& job, const model::MemorySummary& summary, Kind kind);
    void heard(const ports::FinishFold& command, const model::FoldJob& claimed, base::Timestamp now);
    // Nobody has heard what became of it.
    void perhaps_finished(const base::Uuid& job) { finished_.insert(job); }
    void restarted(const base::Uuid& job) { restarted_.insert(job); }
    // A keeper has returned a job at a stop: its attempt does not count, and the next one has the same number.
    void returned(const base::Uuid& job, std::int64_t attempt) { attempts_[job] = attempt - 1; }

    // Whatever comes now leaves what is remembered as it is.
    void expects_no_change(FoldsLook look) { unchanged_ = std::move(look); }

    // At any moment between two steps; settles what nobody has heard of.
    base::Result<void> compare(store::SqlStore& store);
    [[nodiscard]] bool is_in_doubt() const {
        return !perhaps_said_.empty() || perhaps_forgotten_.has_value() || unchanged_.has_value();
    }
    // What an agent was told at a claim, just now.
    base::Result<void> compare_context(store::SqlStore& store, const ports::WakeGrant& grant, base::Timestamp now);
    // That words find what was said, and nothing that was taken away; one of each, chosen by a number.
    base::Result<void> compare_recall(store::SqlStore& store, std::uint64_t chosen);
    // When whoever folds has nothing left to do.
    base::Result<void> compare_end(store::SqlStore& store);

    [[nodiscard]] const std::map<base::Uuid, Said>& said() const { return said_; }
    void know_agents(std::vector<std::string> ids) { agents_ = std::move(ids); }
    [[nodiscard]] const std::vector<std::string>& agents() const { return agents_; }
    [[nodiscard]] Sums sums() const { return sums_; }
    Complaints drain() { return std::exchange(complaints_, {}); }

private:
    using Messages = std::vector<model::AgentMessage>;
    void complain(std::string what) { complaints_.push_back(std::move(what)); }
    void adopt(Said said, const model::AgentMessage& message);
    void let_go(const std::set<base::Uuid>& ids);

    void settle(const FoldsLook& look);
    void compare_history(const FoldsLook& look);
    void compare_chain(const std::string& thread_id, const Messages& chain);
    void compare_rows(const FoldsLook& look);
    void compare_row(const FoldsLook& look, const model::AgentThread& row);
    void compare_agents(const FoldsLook& look);
    void compare_places(const FoldsLook& look);
    void compare_spans(const FoldsLook& look, const model::SummaryPlace& place);
    void compare_words(const FoldsLook& look, const model::SummaryPlace& place, const model::AgentMessage& message);
    void compare_coverage(const FoldsLook& look);
    void compare_overlaps(const FoldsLook& look);
    void compare_jobs(const FoldsLook& look);
    void compare_frontier(const FoldsLook& look);

    // Which raw messages a summary tells of, by what it was made of.
    void add_seen(const FoldsLook& look, const model::SummaryPlace& place, std::set<base::Uuid>& seen) const;
    struct Open {
        std::set<std::string> goals;
        std::set<std::string> decisions;
        std::set<std::string> loops;
    };
    // What is still aimed at, decided and open by what was said in these, in the order of their coming.
    [[nodiscard]] Open open_of(const std::set<base::Uuid>& seen) const;
    void compare_list(const std::vector<model::MemoryItem>& told, const std::set<std::string>& open,
                      const ports::WakeGrant& grant, model::MemoryMark mark);
    // Returns how many messages are too many to be read.
    std::size_t add_waiting_elsewhere(const FoldsLook& look, const ports::WakeGrant& grant, base::Timestamp now,
                                      std::set<base::Uuid>& seen);
    void compare_messages(const ports::WakeGrant& grant, const Messages& newest, std::int64_t summarized_through);
    void compare_budget(const ports::WakeGrant& grant);

    [[nodiscard]] bool is_lie(const base::Uuid& summary, const std::string& content) const;

    std::vector<std::string> agents_;
    std::map<base::Uuid, Said> said_;  // that is there
    std::map<std::string, std::int64_t> ever_;
    std::map<std::string, base::Timestamp> last_at_;  // of a thread
    std::vector<std::vector<Said>> perhaps_said_;
    std::optional<std::set<base::Uuid>> perhaps_forgotten_;
    std::map<base::Uuid, Said> forgotten_;
    std::set<std::string> forgetful_;  // agents of which something was taken away
    std::optional<FoldsLook> unchanged_;
    std::map<base::Uuid, std::set<std::string>> lies_;      // contents, by the summary
    std::map<base::Uuid, std::set<std::string>> by_model_;  // likewise
    std::map<base::Uuid, std::int64_t> attempts_;           // of a job: the last one that was handed out
    std::set<base::Uuid> finished_;                         // jobs that may be done
    std::set<base::Uuid> restarted_;
    Complaints complaints_;
    Sums sums_;
};

}  // namespace belfry::sim
