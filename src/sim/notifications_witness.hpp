#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/events_witness.hpp"
#include "sim/stock.hpp"
#include "sim/wants.hpp"

namespace belfry::sim {

// Remembers which events were wanted by whom, and says where the store does not have each of them once: in a row that
// waits, in a notification, or among those that gave way in a full queue. Of repeats only the first is named in the
// store, so they are counted by subscriber, user and dedupe key. Besides:
// - no event begins two rows of one subscriber; a repeat waits only where something that left began its window;
// - what a notification is made of never changes, and nothing of one that has ended; none is lost but to retention and
//   erasures.
class NotificationsWitness {
public:
    // Retention lets go of what ended longer ago than this.
    explicit NotificationsWitness(base::Duration kept) : kept_(kept) {}

    void hold(std::shared_ptr<const model::Catalogue> catalogue);
    void took(const std::vector<EventsWitness::Taken>& entries, const Wants& wants);
    // The same of entries that were only found in the store: what became of them together with an erasure is not known.
    void found(const std::vector<EventsWitness::Taken>& entries, const Wants& wants);
    // Rows of this user may have been removed, and where `is_whole`, all that he had are gone.
    void erased(const std::string& user, bool is_whole);
    void compare(const Stock& stock, base::Timestamp now, Complaints& complaints);
    // Time has passed all windows: nothing may wait any more.
    static void expect_rest(const Stock& stock, Complaints& complaints);

private:
    // What is counted together: subscriber, user, dedupe key.
    using Pile = std::tuple<std::string, std::string, std::string>;
    struct Wanted {
        std::int64_t least = 0;
        std::int64_t most = 0;
    };
    using Counts = std::map<Pile, std::int64_t>;
    struct Known {
        model::Notification row;
        bool is_gone = false;
    };

    void wish(const EventsWitness::Taken& entry, const Wants& wants, bool is_certain);
    [[nodiscard]] bool may_be_erased(const std::string& user) const;
    static Pile pile_of(const std::string& subscriber, const std::string& user, const std::string& key);
    void compare_row(const model::Notification& row, Complaints& complaints);
    void let_go(const std::set<base::Uuid>& stored, base::Timestamp now, Complaints& complaints);
    void note_gone(Known& known, base::Timestamp now, Complaints& complaints);
    void count(const Stock& stock, Counts& counts, Complaints& complaints) const;
    void weigh(const Counts& counts, Complaints& complaints);
    void compare_repeats(const Stock& stock, base::Timestamp now, Complaints& complaints) const;
    // Events that gave way without ever having been written.
    [[nodiscard]] std::int64_t never_written() const;

    base::Duration kept_;
    std::map<std::string, base::Duration> steady_windows_;  // of subscribers that do not change
    std::map<Pile, Wanted> wanted_;
    Counts dropped_;  // by retention
    std::map<base::Uuid, Known> known_;
    std::vector<model::EventId> ids_;  // of all entries, by sequence
    std::set<std::string> erased_;     // since the last comparison, perhaps in part
    bool has_erased_ = false;
    std::int64_t settled_ = 0;  // of what was never written
};

}  // namespace belfry::sim
