#include "engine/sync_notes.hpp"

#include <algorithm>
#include <map>

#include "base/sync_limits.hpp"
#include "engine/agent_tombstone.hpp"
#include "rules/agent_tombstone.hpp"
#include "rules/merge_notes.hpp"

namespace belfry::engine {
namespace {

using model::MergeNote;
using Names = std::vector<std::pair<std::string, std::string>>;  // kind and id

base::Result<std::vector<MergeNote>> notes_of(const std::set<std::pair<std::string, std::string>>& records,
                                              Unit& unit) {
    ports::SyncTable& table = unit.store.sync();
    TRY_ASSIGN(const std::int64_t last, table.last_note());
    if (last == 0 || records.empty()) return std::vector<MergeNote>{};
    return table.notes_of(Names(records.begin(), records.end()));
}

}  // namespace

base::Result<void> keep_notes(std::vector<MergeNote> notes, Unit& unit) {
    if (notes.empty()) return {};
    std::set<std::pair<std::string, std::string>> records;
    for (const MergeNote& note : notes) records.emplace(note.kind, note.id);
    TRY_ASSIGN(std::vector<MergeNote> known, notes_of(records, unit));
    ports::SyncTable& table = unit.store.sync();
    TRY_ASSIGN(std::int64_t number, table.last_note());
    std::vector<MergeNote> added;
    for (MergeNote& note : notes) {
        const bool is_known =
            std::ranges::any_of(known, [&note](const MergeNote& one) { return rules::is_same_loss(one, note); });
        if (is_known) continue;
        note.number = ++number;
        if (note.at == base::Timestamp{}) note.at = unit.now;
        known.push_back(note);
        added.push_back(std::move(note));
    }
    if (added.empty()) return {};
    TRY(table.add_notes(added));
    const auto kept = static_cast<std::int64_t>(base::limits::merge_notes_kept);
    return number > kept ? table.drop_notes(number - kept) : base::Result<void>{};
}

base::Result<void> tell_notes(model::SyncFrame& frame, Unit& unit) {
    std::set<std::pair<std::string, std::string>> records;
    for (const model::SyncEntry& entry : frame.entries) records.emplace(entry.record.kind, entry.record.id);
    TRY_ASSIGN(const std::vector<MergeNote> notes, notes_of(records, unit));
    if (notes.empty()) return {};
    std::map<RecordKey, std::vector<MergeNote>> by_record;
    for (const MergeNote& note : notes) by_record[key_of({note.kind, note.id, note.user_id})].push_back(note);
    const std::size_t count = frame.entries.size();
    for (std::size_t i = 0; i < count; ++i) {
        const model::SyncRecord& record = frame.entries[i].record;
        if (rules::is_agent_tombstone(record)) continue;
        const auto found = by_record.find(key_of({record.kind, record.id, record.user_id}));
        if (found == by_record.end()) continue;
        model::SyncRecord told = rules::notes_record(record, found->second);
        frame.entries.push_back({std::move(told), {}});
    }
    return {};
}

// Notes stand in the frame of their record: those of a record that was not taken are not, either. The tombstone of an
// agent is taken, and the notes beside it tell what the agent was.
base::Result<void> take_notes(const model::SyncFrame& frame, const std::set<RecordKey>& nobodys, AgentBook& agents,
                              Unit& unit) {
    std::vector<MergeNote> all;
    for (const model::SyncEntry& entry : frame.entries) {
        if (entry.record.kind != rules::merge_notes_kind || nobodys.contains(key_of(name_of(entry.record)))) continue;
        TRY_ASSIGN(std::vector<MergeNote> notes, rules::read_notes_record(entry.record));
        std::ranges::move(notes, std::back_inserter(all));
    }
    std::set<std::string> ids;
    const auto is_of_agent = [](const MergeNote& note) {
        return note.kind == model::agent_kind || note.kind == model::agent_state_kind;
    };
    for (const MergeNote& note : all) {
        if (is_of_agent(note)) ids.insert(note.id);
    }
    TRY_ASSIGN(const std::set<std::string> buried, buried_agents(ids, agents, unit));
    std::erase_if(all, [&](const MergeNote& note) {
        return nobodys.contains(key_of({note.kind, note.id, note.user_id})) ||
               (is_of_agent(note) && buried.contains(note.id));
    });
    return keep_notes(std::move(all), unit);
}

}  // namespace belfry::engine
