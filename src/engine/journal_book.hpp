#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/journal.hpp"
#include "rules/tool_preview.hpp"

namespace belfry::engine {

// The records and links of the journal that one transaction touches: read when they are needed, in bulk where that is
// known beforehand, and written together. Each change of one is noted in the log of changes. Nothing is kept beyond the
// transaction but the number of the last record.
class JournalBook {
public:
    explicit JournalBook(ChangeLog& log) : log_(log) {}

    // Reads those that are not here yet in one go.
    base::Result<void> load(const std::string& user_id, std::span<const std::string> ids, Unit& unit);
    base::Result<void> load_links(std::span<const ports::LinkName> names, Unit& unit);

    // A record or link as this transaction sees it, tombstones too, or null. Valid until `clear`.
    base::Result<const model::JournalRecord*> find(const std::string& user_id, const std::string& id, Unit& unit);
    base::Result<const model::Link*> find_link(const ports::LinkName& name, Unit& unit);

    // Ids of the newest records that have this term, as this transaction sees them.
    base::Result<std::vector<std::string>> with_term(const std::string& user_id, std::string_view term,
                                                     std::size_t limit, Unit& unit);

    // How many links a record has, as this transaction sees them: limits::links_per_record_max at the most.
    base::Result<std::size_t> link_count(const std::string& user_id, const std::string& id, Unit& unit);

    // A record that is new here, as it is: it is given its number only.
    base::Result<const model::JournalRecord*> add(model::JournalRecord record, const model::ChangeOrigin& by,
                                                  Unit& unit);
    // A record that is here is like this from now on: it gets its next revision and the time.
    const model::JournalRecord& change(model::JournalRecord record, const model::ChangeOrigin& by, Unit& unit);
    // One that is new, or another than before. Its revision is the caller's.
    const model::Link& put_link(model::Link link, const model::ChangeOrigin& by);

    // As other devices know it by now, which is no change of ours; it may be new here.
    base::Result<void> put_synced(model::JournalRecord record, Unit& unit);
    void put_synced(model::Link link);

    // What is changed from here on can be undone. What was changed before is written first.
    base::Result<void> begin_trial(Unit& unit);
    base::Result<void> keep_trial(Unit& unit);
    base::Result<void> undo_trial(Unit& unit);
    // What the trial has changed of this person's, each record and link once, in the order of their names.
    base::Result<std::vector<rules::TrialChange>> trial_changes(const std::string& user_id, Unit& unit);
    [[nodiscard]] std::size_t changes_noted() const { return log_.noted().size(); }
    [[nodiscard]] std::span<const NewChange> changes_since(std::size_t first) const {
        return log_.noted().subspan(first);
    }

    base::Result<void> flush(Unit& unit);
    void clear();
    // Nothing of this transaction has happened.
    void dropped();

private:
    using Key = std::pair<std::string, std::string>;  // whose, and its id
    struct Entry {
        std::optional<model::JournalRecord> record;  // nothing: looked for, not there
        std::optional<model::JournalRecord> stored;  // as the store has it
        bool touched = false;
    };
    struct LinkEntry {
        std::optional<model::Link> link;
        bool touched = false;
    };
    void note(const model::JournalRecord* before, const model::JournalRecord& after, const model::ChangeOrigin& by);

    base::Result<std::int64_t> next_number(Unit& unit);
    void place(model::Link link);
    void count_link(const Key& end, std::ptrdiff_t more);

    ChangeLog& log_;
    std::map<Key, Entry> records_;
    std::map<ports::LinkName, LinkEntry> links_;
    std::map<Key, std::size_t> link_counts_;  // of records that were asked about
    std::optional<std::int64_t> last_number_;

    struct Trial {
        std::size_t changes = 0;       // that were noted before it
        std::int64_t last_number = 0;  // before it
    };
    std::optional<Trial> trial_;
};

// The name of a record, or of a link, among the clocks of all people's.
[[nodiscard]] std::string clock_id(const std::string& user_id, const std::string& id);

// The name of a link in the store.
[[nodiscard]] ports::LinkName name_of(const model::Link& link);

}  // namespace belfry::engine
