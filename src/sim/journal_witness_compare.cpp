#include <algorithm>

#include "rules/journal_terms.hpp"
#include "rules/journal_tokens.hpp"
#include "rules/wake_key.hpp"
#include "sim/journal_witness.hpp"

namespace belfry::sim {
namespace {

using model::JournalRecord;
using Lines = std::vector<const model::Change*>;

bool is_of_journal(const model::Change& change) {
    return change.unit.kind == model::link_kind || model::parse_journal_kind(change.unit.kind).has_value();
}

}  // namespace

void JournalWitness::compare(const JournalLook& look) {
    compare_changes(look);
    compare_terms(look);
    compare_batches(look);
    compare_model(look);
    seen_ = look;
    model_.records = look.records;
    model_.links = look.links;
    expected_.clear();
    is_certain_ = true;
}

void JournalWitness::compare_changes(const JournalLook& look) {
    std::map<std::tuple<std::string, std::string, std::string>, Lines> lines;  // user, kind, id
    std::multiset<Line> there;
    for (const model::Change& change : look.changes) {
        if (change.number <= last_change_) continue;
        last_change_ = change.number;
        if (!is_of_journal(change)) continue;
        lines[{change.user_id, change.unit.kind, change.unit.id}].push_back(&change);
        there.insert({change.user_id, change.unit.kind, change.unit.id, model::origin_text(change.origin)});
    }
    const auto take = [&](const std::string& user, std::string_view kind, const std::string& id) {
        const auto at = lines.find({user, std::string(kind), id});
        if (at == lines.end()) return Lines{};
        Lines some = std::move(at->second);
        lines.erase(at);
        return some;
    };
    for (const auto& [key, record] : look.records) {
        compare_record(record, take(record.user_id, model::journal_kind_name(record.kind()), record.id));
    }
    for (const auto& [name, link] : look.links) {
        compare_link(link,
                     take(link.user_id, model::link_kind, rules::link_key(link.relation, link.from_id, link.to_id)));
    }
    if (!lines.empty()) complain("a change is there of what is not: " + std::get<2>(lines.begin()->first));
    if (!is_certain_ || there == expected_) return;
    const auto text = [](const Line& line) {
        return std::get<1>(line) + ' ' + std::get<2>(line) + " of " + std::get<0>(line) + " by " + std::get<3>(line);
    };
    for (const Line& line : there) {
        if (there.count(line) > expected_.count(line)) complain("a change is there that nobody made: " + text(line));
    }
    for (const Line& line : expected_) {
        if (there.count(line) < expected_.count(line)) complain("a change is not there: " + text(line));
    }
}

void JournalWitness::compare_record(const JournalRecord& record, const Lines& lines) {
    const auto at = seen_.records.find({record.user_id, record.id});
    const JournalRecord* const before = at == seen_.records.end() ? nullptr : &at->second;
    const auto count = static_cast<std::int64_t>(lines.size());
    if (before != nullptr) {
        if (record.revision - before->revision != count) {
            complain(record.id + " went from revision " + std::to_string(before->revision) + " to " +
                     std::to_string(record.revision) + " with " + std::to_string(count) + " changes");
        }
        if (count == 0 && record != *before) complain(record.id + " is different without a change");
        if (before->deleted_at && record != *before) complain(record.id + " is different, and was deleted");
        const bool is_same = record.kind() == before->kind() && record.number == before->number &&
                             record.created_at == before->created_at;
        if (!is_same) complain(record.id + " is another record");
    } else {
        const std::int64_t first = record.revision - count + 1;
        const auto imported = imported_.find({record.user_id, record.id});
        const bool may_be = imported != imported_.end() && imported->second.contains(first);
        if (first != 1 && !may_be) complain(record.id + " begins with revision " + std::to_string(first));
    }
    if (count == 1 && lines.front()->tokens != rules::change_tokens(before, record)) {
        complain("the change of " + record.id + " has other tokens");
    }
}

void JournalWitness::compare_link(const model::Link& link, const Lines& lines) {
    const ports::LinkName name{link.user_id, link.relation, link.from_id, link.to_id};
    const auto before = seen_.links.find(name);
    const auto count = static_cast<std::int64_t>(lines.size());
    const std::string text = link.relation + " from " + link.from_id + " to " + link.to_id;
    if (before != seen_.links.end()) {
        if (link.revision - before->second.revision != count) complain(text + " has other revisions than changes");
        if (count == 0 && link != before->second) complain(text + " is different without a change");
        if (before->second.deleted_at && link != before->second) complain(text + " is different, and was deleted");
    } else {
        const std::int64_t first = link.revision - count + 1;
        const auto imported = imported_links_.find(name);
        const bool may_be = imported != imported_links_.end() && imported->second.contains(first);
        if (first != 1 && !may_be) complain(text + " begins with revision " + std::to_string(first));
    }
    for (const model::Change* const line : lines) {
        if (line->tokens != rules::change_tokens(link)) complain("the change of " + text + " has other tokens");
    }
}

void JournalWitness::compare_terms(const JournalLook& look) {
    std::set<ports::JournalTerm> wanted;
    std::set<std::int64_t> numbers;
    for (const auto& [key, record] : look.records) {
        if (!numbers.insert(record.number).second) complain("two records have the number of " + record.id);
        for (std::string& term : rules::terms_of(record)) {
            wanted.insert({record.user_id, std::move(term), record.number, record.category_id, record.kind()});
        }
    }
    for (const ports::JournalTerm& term : wanted) {
        if (!look.terms.contains(term)) return complain("a record is not found by its term " + term.term);
    }
    if (look.terms.size() != wanted.size()) complain("there are terms of no record");
}

void JournalWitness::compare_batches(const JournalLook& look) {
    std::map<std::string, std::vector<model::ChangeUnit>> fresh;
    for (const model::Change& change : look.changes) {
        if (!change.batch_id.empty() && !batches_.contains(change.batch_id)) {
            fresh[change.batch_id].push_back(change.unit);
        }
    }
    for (auto& [id, units] : fresh) {
        std::ranges::reverse(units);
        if (rules::batch_id(units) != id) complain("a batch has another id than its changes make");
        ++sums_.batches;
        batches_.insert(id);
    }
}

void JournalWitness::compare_model(const JournalLook& look) {
    for (const auto& [key, record] : seen_.records) {
        if (!look.records.contains(key)) complain(key.second + " has vanished");
    }
    if (!is_certain_) return;
    if (look.records.size() != model_.records.size()) complain("there are more records, or fewer, than were made");
    for (const auto& [key, record] : look.records) {
        const auto at = model_.records.find(key);
        if (at == model_.records.end()) continue;
        JournalRecord wanted = at->second;
        wanted.number = record.number;
        if (wanted != record) return complain(key.second + " is not as it was made and changed");
    }
    if (look.links != model_.links) complain("links are not as they were made and changed");
}

}  // namespace belfry::sim
