#include "engine/journal_book.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/assert.hpp"
#include "base/journal_limits.hpp"
#include "rules/journal_terms.hpp"
#include "rules/journal_tokens.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

using ports::JournalTerm;

std::set<JournalTerm> terms_of(const std::optional<model::JournalRecord>& record) {
    std::set<JournalTerm> terms;
    if (!record) return terms;
    for (std::string& term : rules::terms_of(*record)) {
        terms.insert({record->user_id, std::move(term), record->number, record->category_id, record->kind()});
    }
    return terms;
}

// Each term stands under its record once, whatever the category beside it.
bool has_term(const std::set<JournalTerm>& terms, const JournalTerm& wanted) {
    JournalTerm first = wanted;
    first.category_id.clear();
    first.kind = {};
    const auto at = terms.lower_bound(first);
    return at != terms.end() && at->term == wanted.term && at->number == wanted.number;
}

}  // namespace

// Clocks of records lie in one table for all people.
std::string clock_id(const std::string& user_id, const std::string& id) {
    return user_id + '\n' + id;
}

ports::LinkName name_of(const model::Link& link) {
    return {link.user_id, link.relation, link.from_id, link.to_id};
}

base::Result<void> JournalBook::load(const std::string& user_id, std::span<const std::string> ids, Unit& unit) {
    std::vector<std::string> missing;
    for (const std::string& id : ids) {
        if (records_.try_emplace({user_id, id}).second) missing.push_back(id);
    }
    if (missing.empty()) return {};
    auto found = unit.store.journal().find(user_id, missing);
    if (!found.ok()) {
        for (const std::string& id : missing) records_.erase({user_id, id});
        return std::move(found).error();
    }
    for (model::JournalRecord& record : *found) {
        Entry& entry = records_.at({user_id, record.id});
        entry.stored = record;
        entry.record = std::move(record);
    }
    return {};
}

base::Result<void> JournalBook::load_links(std::span<const ports::LinkName> names, Unit& unit) {
    std::vector<ports::LinkName> missing;
    for (const ports::LinkName& name : names) {
        if (links_.try_emplace(name).second) missing.push_back(name);
    }
    if (missing.empty()) return {};
    auto found = unit.store.journal().find_links(missing);
    if (!found.ok()) {
        for (const ports::LinkName& name : missing) links_.erase(name);
        return std::move(found).error();
    }
    for (model::Link& link : *found) links_.at(name_of(link)).link = std::move(link);
    return {};
}

base::Result<const model::JournalRecord*> JournalBook::find(const std::string& user_id, const std::string& id,
                                                            Unit& unit) {
    TRY(load(user_id, std::span(&id, 1), unit));
    const Entry& entry = records_.at({user_id, id});
    return entry.record ? &*entry.record : nullptr;
}

base::Result<const model::Link*> JournalBook::find_link(const ports::LinkName& name, Unit& unit) {
    TRY(load_links(std::span(&name, 1), unit));
    const LinkEntry& entry = links_.at(name);
    return entry.link ? &*entry.link : nullptr;
}

base::Result<std::vector<std::string>> JournalBook::with_term(const std::string& user_id, std::string_view term,
                                                              std::size_t limit, Unit& unit) {
    TRY(flush(unit));
    return unit.store.journal().with_term(user_id, term, limit);
}

base::Result<std::size_t> JournalBook::link_count(const std::string& user_id, const std::string& id, Unit& unit) {
    const auto known = link_counts_.find({user_id, id});
    if (known != link_counts_.end()) return known->second;
    TRY(flush(unit));
    TRY_ASSIGN(const std::vector<model::Link> there,
               unit.store.journal().links_of(user_id, std::span(&id, 1), base::limits::links_per_record_max));
    link_counts_[{user_id, id}] = there.size();
    return there.size();
}

void JournalBook::count_link(const Key& end, std::ptrdiff_t more) {
    const auto known = link_counts_.find(end);
    if (known == link_counts_.end()) return;
    // With as many as there may be, how many there are is not known.
    if (known->second >= base::limits::links_per_record_max) link_counts_.erase(known);
    else known->second = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(known->second) + more);
}

void JournalBook::note(const model::JournalRecord* before, const model::JournalRecord& after,
                       const model::ChangeOrigin& by) {
    const std::string kind(model::journal_kind_name(after.kind()));
    const model::RawJson was = before != nullptr ? rules::journal_body(*before) : model::RawJson();
    log_.note({kind, after.id, after.user_id, by, rules::change_tokens(before, after), false,
               clock_id(after.user_id, after.id),
               rules::written_fields(kind, was.view(), rules::journal_body(after).view())});
}

base::Result<std::int64_t> JournalBook::next_number(Unit& unit) {
    if (!last_number_) {
        TRY_ASSIGN(last_number_, unit.store.journal().last_number());
    }
    return ++*last_number_;
}

base::Result<const model::JournalRecord*> JournalBook::add(model::JournalRecord record, const model::ChangeOrigin& by,
                                                           Unit& unit) {
    TRY_ASSIGN(record.number, next_number(unit));
    Entry& entry = records_[{record.user_id, record.id}];
    ASSERT(!entry.record);
    note(nullptr, record, by);
    entry.record = std::move(record);
    entry.touched = true;
    return &*entry.record;
}

const model::JournalRecord& JournalBook::change(model::JournalRecord record, const model::ChangeOrigin& by,
                                                Unit& unit) {
    Entry& entry = records_.at({record.user_id, record.id});
    record.revision = entry.record->revision + 1;
    record.updated_at = unit.now;
    note(&*entry.record, record, by);
    entry.record = std::move(record);
    entry.touched = true;
    return *entry.record;
}

base::Result<void> JournalBook::put_synced(model::JournalRecord record, Unit& unit) {
    TRY_ASSIGN(const model::JournalRecord* const there, find(record.user_id, record.id, unit));
    if (there != nullptr) {
        record.number = there->number;
        record.revision = there->revision + 1;
    } else {
        TRY_ASSIGN(record.number, next_number(unit));
        record.revision = 1;
    }
    record.updated_at = unit.now;
    Entry& entry = records_[{record.user_id, record.id}];
    entry.record = std::move(record);
    entry.touched = true;
    return {};
}

const model::Link& JournalBook::put_link(model::Link link, const model::ChangeOrigin& by) {
    const std::string key = rules::link_key(link.relation, link.from_id, link.to_id);
    const ports::LinkName name = name_of(link);
    const LinkEntry& before = links_[name];
    log_.note({std::string(model::link_kind), key, link.user_id, by, rules::change_tokens(link), false,
               clock_id(link.user_id, key),
               rules::changed_fields((before.link ? rules::link_body(*before.link) : model::RawJson()).view(),
                                     rules::link_body(link).view())});
    place(std::move(link));
    return *links_.at(name).link;
}

void JournalBook::put_synced(model::Link link) {
    place(std::move(link));
}

void JournalBook::place(model::Link link) {
    LinkEntry& entry = links_[name_of(link)];
    const bool was_there = entry.link && !entry.link->deleted_at;
    const std::ptrdiff_t more = (link.deleted_at ? 0 : 1) - (was_there ? 1 : 0);
    for (const std::string& id : {link.from_id, link.to_id}) count_link({link.user_id, id}, more);
    entry.link = std::move(link);
    entry.touched = true;
}

base::Result<void> JournalBook::flush(Unit& unit) {
    std::vector<model::JournalRecord> records;
    std::vector<JournalTerm> added;
    std::vector<JournalTerm> removed;
    for (auto& [key, entry] : records_) {
        if (!std::exchange(entry.touched, false)) continue;
        const std::set<JournalTerm> before = terms_of(entry.stored);
        const std::set<JournalTerm> after = terms_of(entry.record);
        for (const JournalTerm& term : after) {
            if (!before.contains(term)) added.push_back(term);
        }
        for (const JournalTerm& term : before) {
            if (!has_term(after, term)) removed.push_back(term);
        }
        records.push_back(*entry.record);
        entry.stored = entry.record;
    }
    std::vector<model::Link> links;
    for (auto& [name, entry] : links_) {
        if (std::exchange(entry.touched, false)) links.push_back(*entry.link);
    }
    ports::JournalTable& table = unit.store.journal();
    if (!records.empty()) TRY(table.put(records));
    if (!removed.empty()) TRY(table.remove_terms(removed));
    if (!added.empty()) TRY(table.add_terms(added));
    if (!links.empty()) TRY(table.put_links(links));
    return {};
}

base::Result<void> JournalBook::begin_trial(Unit& unit) {
    ASSERT(!trial_);
    if (!last_number_) {
        TRY_ASSIGN(last_number_, unit.store.journal().last_number());
    }
    TRY(flush(unit));
    TRY(unit.store.begin_trial());
    trial_ = Trial{changes_noted(), *last_number_};
    return {};
}

base::Result<std::vector<rules::TrialChange>> JournalBook::trial_changes(const std::string& user_id, Unit& unit) {
    ASSERT(trial_.has_value());
    std::set<std::pair<std::string, std::string>> names;
    for (const NewChange& change : changes_since(trial_->changes)) {
        if (change.user_id == user_id) names.emplace(change.kind, change.id);
    }
    std::vector<rules::TrialChange> changes;
    std::vector<rules::TrialChange> made;
    for (const auto& [kind, id] : names) {
        if (kind == model::link_kind) {
            made.push_back({rules::TrialChange::What::made, kind, id, 0, {}});
            continue;
        }
        TRY_ASSIGN(const model::JournalRecord* const record, find(user_id, id, unit));
        ASSERT(record != nullptr);
        const bool is_new = record->number > trial_->last_number;
        (is_new ? made : changes).push_back(rules::trial_change_of(*record, is_new));
    }
    // The ids of what is made are others each time.
    std::ranges::sort(made, {}, [](const rules::TrialChange& one) { return std::tie(one.kind, one.title); });
    changes.insert(changes.end(), made.begin(), made.end());
    return changes;
}

base::Result<void> JournalBook::keep_trial(Unit& unit) {
    ASSERT(trial_.has_value());
    trial_.reset();
    return unit.store.keep_trial();
}

base::Result<void> JournalBook::undo_trial(Unit& unit) {
    ASSERT(trial_.has_value());
    const Trial before = *std::exchange(trial_, std::nullopt);
    clear();
    last_number_ = before.last_number;
    log_.forget_since(before.changes);
    return unit.store.undo_trial();
}

void JournalBook::clear() {
    trial_.reset();
    records_.clear();
    links_.clear();
    link_counts_.clear();
}

void JournalBook::dropped() {
    clear();
    last_number_.reset();
}

}  // namespace belfry::engine
