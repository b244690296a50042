#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ports/commands/journal.hpp"
#include "sim/journal_look.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// Keeps a journal of its own from what was asked and answered, and compares it with the store after each step. Whatever
// became of a command: each revision of a record is one line in the log of changes with the right tokens, and there is
// no line without one; a tombstone stays as it is; terms are those of the records; the id of a batch is made of its
// changes in any order.
class JournalWitness {
public:
    // What became of a command of a group, each in its turn.
    void heard(const ports::Command& command, base::Timestamp now);
    // Nobody knows what became of it.
    void unheard(const ports::Command& command);

    void compare(const JournalLook& look);
    Complaints drain() { return std::exchange(complaints_, {}); }

    [[nodiscard]] const JournalLook& seen() const { return seen_; }
    struct Sums {
        std::uint64_t made = 0;
        std::uint64_t changed = 0;
        std::uint64_t deleted = 0;
        std::uint64_t followed = 0;  // went or were moved with another
        std::uint64_t linked = 0;
        std::uint64_t imported = 0;
        std::uint64_t refused = 0;
        std::uint64_t stale = 0;
        std::uint64_t out_of_scope = 0;
        std::uint64_t by_agent = 0;
        std::uint64_t batches = 0;
    };
    [[nodiscard]] const Sums& sums() const { return sums_; }

private:
    using Key = JournalLook::Key;
    // Whose, of which kind, its id, and by whom.
    using Line = std::tuple<std::string, std::string, std::string, std::string>;
    struct By {
        bool is_agent = false;
        base::Timestamp now;
    };

    void complain(std::string what) { complaints_.push_back(std::move(what)); }
    void heard(const ports::CreateRecord& command, const By& by);
    void heard(const ports::ChangeRecord& command, const By& by);
    void heard(const ports::DeleteRecord& command, const By& by);
    void heard(const ports::PutLink& command, const By& by);
    void heard(const ports::DeleteLink& command, const By& by);
    void heard(const ports::ImportJournal& command, const By& by);
    void refused(const base::Error& why);
    void note_revisions(const ports::ImportJournal& command);

    // The record that a command was taken for; null after a complaint.
    model::JournalRecord* find_live(const std::string& user, const std::string& id,
                                    const std::optional<std::int64_t>& revision);
    void put(const model::JournalRecord& record, const By& by);
    void put(const model::Link& link, const By& by);
    model::JournalRecord whole_of(const model::JournalRecord& answered, const model::JournalRecord& before,
                                  const model::JournalWish* wish, const By& by);
    void need_general(const model::JournalRecord& of, const By& by);
    // What is there for an agent, and what of it.
    [[nodiscard]] std::set<std::string> seen_names(const std::string& user, const model::JournalBody& body) const;
    [[nodiscard]] bool sees(const By& by, const model::JournalRecord& record) const;
    [[nodiscard]] model::JournalRecord shown_to(const By& by, model::JournalRecord record) const;
    enum class Along { moved, deleted };
    [[nodiscard]] std::vector<Key> followers(const model::JournalRecord& of, Along along, const By& by) const;
    void check_scope(const By& by, const std::string& category);
    void check_scope(const By& by, const model::JournalRecord& before, const model::JournalRecord& after);
    void check_running(const std::string& user);

    void compare_changes(const JournalLook& look);
    void compare_record(const model::JournalRecord& record, const std::vector<const model::Change*>& lines);
    void compare_link(const model::Link& link, const std::vector<const model::Change*>& lines);
    void compare_terms(const JournalLook& look);
    void compare_batches(const JournalLook& look);
    void compare_model(const JournalLook& look);

    JournalLook seen_;   // as the store was
    JournalLook model_;  // as it has to be; records and links only
    std::multiset<Line> expected_;
    std::map<Key, std::set<std::int64_t>> imported_;  // revisions that records may begin with
    std::map<ports::LinkName, std::set<std::int64_t>> imported_links_;
    std::set<std::string> batches_;
    std::int64_t last_change_ = 0;
    bool is_certain_ = true;
    Complaints complaints_;
    Sums sums_;
};

}  // namespace belfry::sim
