#include "rules/merge_record.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "rules/key_maker.hpp"
#include "rules/memory_text.hpp"
#include "rules/merge_fields.hpp"
#include "rules/merge_lists.hpp"
#include "rules/message_host.hpp"

namespace belfry::rules {
namespace {

using model::JsonView;
using model::MergeNote;
using model::RawJson;
using model::RecordKnowledge;
using model::Stamp;
using model::SyncRecord;

constexpr std::size_t note_value_bytes = 200;
const Stamp no_stamp;

bool is_not_there(const SyncRecord& record) {
    return record.knowledge.clock.empty() && record.body.bytes() == "{}";
}

bool is_forgotten(JsonView body) {
    const auto forgotten = body.member("forgotten");
    return forgotten && forgotten->text == "true";
}

// True if the first of two bodies of what is said once is kept. The messages of an operation that two devices carried
// out follow the records that it wrote: a success wins over a failure, and the greater host wins.
bool is_kept(JsonView a, JsonView b) {
    if (const bool forgotten = is_forgotten(a); forgotten != is_forgotten(b)) return forgotten;
    if (const auto order = order_by_host(a, b); order != 0) return order > 0;
    return a.text <= b.text;
}

const std::string& joined_user(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    return std::min(a, b);
}

MergeNote note_of(const SyncRecord& record, const KnownField& kept, const KnownField& lost, FieldRule rule) {
    MergeNote note;
    note.kind = record.kind;
    note.id = record.id;
    note.user_id = record.user_id;
    note.field = kept.name;
    note.rule = field_rule_name(rule);
    note.kept = *kept.stamp;
    note.lost = *lost.stamp;
    note.kept_value = clipped(kept.value.value_or("null"), note_value_bytes);
    note.lost_value = clipped(lost.value.value_or("null"), note_value_bytes);
    return note;
}

// Merges two lists of fields into a record that has the joined clock already.
class FieldMerge {
public:
    FieldMerge(const SyncRecord& ours, const SyncRecord& theirs, Merged& merged)
        : ours_(ours), theirs_(theirs), merged_(merged) {
        body_.reserve(std::max(ours.body.bytes().size(), theirs.body.bytes().size()) + 64);
        writer_.begin_object();
    }

    void run() {
        const FieldList ours(ours_);
        const FieldList theirs(theirs_);
        our_age_ = list_age(ours);
        their_age_ = list_age(theirs);
        creation_ = std::max(creation_of(ours_.kind, ours), creation_of(theirs_.kind, theirs));
        auto mine = ours.fields().begin();
        auto other = theirs.fields().begin();
        while (mine != ours.fields().end() || other != theirs.fields().end()) {
            const bool has_mine =
                mine != ours.fields().end() && (other == theirs.fields().end() || mine->name <= other->name);
            const bool has_other =
                other != theirs.fields().end() && (mine == ours.fields().end() || other->name <= mine->name);
            const KnownField nobodys{has_mine ? mine->name : other->name, std::nullopt, &no_stamp, nullptr};
            join(has_mine ? *mine : nobodys, has_other ? *other : nobodys);
            if (has_mine) ++mine;
            if (has_other) ++other;
        }
        writer_.end_object();
        merged_.record.body = RawJson::trusted(std::move(body_));
        if (creation_ != created_) merged_.record.knowledge.stamps[std::string(creation_name)] = creation_;
    }

private:
    void join(const KnownField& mine, const KnownField& other) {
        const FieldRule rule = field_rule(ours_.kind, mine.name);
        if (rule == FieldRule::elements) return join_list(mine, other);
        JoinedField joined = join_fields(rule, mine, ours_.knowledge.clock, other, theirs_.knowledge.clock);
        const auto shown = joined.shown();
        RecordKnowledge& knowledge = merged_.record.knowledge;
        const auto last = knowledge.stamps.end();
        if (*joined.stamp != no_stamp) knowledge.stamps.emplace_hint(last, mine.name, *joined.stamp);
        if (shown) writer_.name(mine.name).raw(*shown);
        const bool is_created = mine.name == "created_at" && shown && *shown != "null" && joined.stamp->version == 1;
        if (is_created && has_one_creation(ours_.kind)) created_ = *joined.stamp;
        if (!joined.concurrent.empty()) knowledge.concurrent.emplace(mine.name, std::move(joined.concurrent));
        if (shown && rule != FieldRule::counters && mine.value != other.value) note(mine, other, *shown, rule);
    }

    void join_list(const KnownField& mine, const KnownField& other) {
        const KnownList ours(ours_, mine, our_age_, creation_);
        const KnownList theirs(theirs_, other, their_age_, creation_);
        const auto differ = [this](const KnownField& a, const KnownField& b, std::string_view shown) {
            note(a, b, shown, FieldRule::elements);
        };
        const std::string list =
            join_lists(mine.name, {ours, {ours_.knowledge.clock, our_age_.counter}},
                       {theirs, {theirs_.knowledge.clock, their_age_.counter}}, merged_.record.knowledge, differ);
        writer_.name(mine.name).raw(list);
    }

    // Only where neither writer knew of the other is there anything to tell.
    void note(const KnownField& mine, const KnownField& other, std::string_view shown, FieldRule rule) {
        if (knows(theirs_.knowledge.clock, *mine.stamp) || knows(ours_.knowledge.clock, *other.stamp)) return;
        const bool is_mine = mine.value == shown;
        merged_.notes.push_back(note_of(merged_.record, is_mine ? mine : other, is_mine ? other : mine, rule));
    }

    const SyncRecord& ours_;
    const SyncRecord& theirs_;
    Merged& merged_;
    Stamp our_age_;
    Stamp their_age_;
    Stamp creation_;  // the greatest that either side knows of
    Stamp created_;   // the creation that `created_at` of the merged record names
    std::string body_;
    model::JsonWriter writer_{body_};
};

}  // namespace

Merged merge_records(const SyncRecord& ours, const SyncRecord& theirs) {
    ASSERT(ours.kind == theirs.kind && ours.id == theirs.id);
    if (is_not_there(ours) || is_not_there(theirs)) {
        Merged merged{is_not_there(ours) ? theirs : ours, false, false, {}};
        merged.record.user_id = joined_user(ours.user_id, theirs.user_id);
        spell_stamps(merged.record);
        merged.differs_from_ours = merged.record != ours;
        merged.differs_from_theirs = merged.record != theirs;
        return merged;
    }
    Merged merged;
    SyncRecord& record = merged.record;
    record.knowledge.clock = ours.knowledge.clock;
    if (!record.knowledge.clock.merge(theirs.knowledge.clock).ok()) return {ours, false, true, {}};
    record.kind = ours.kind;
    record.id = ours.id;
    record.user_id = joined_user(ours.user_id, theirs.user_id);
    if (is_said_once(ours.kind)) {
        record.body = is_kept(ours.body.view(), theirs.body.view()) ? ours.body : theirs.body;
        merged.differs_from_ours = record.body != ours.body || record.user_id != ours.user_id;
        merged.differs_from_theirs = record.body != theirs.body || record.user_id != theirs.user_id;
        return merged;
    }
    FieldMerge(ours, theirs, merged).run();
    merged.differs_from_ours = record != ours;
    merged.differs_from_theirs = record != theirs;
    return merged;
}

void spell_stamps(SyncRecord& record) {
    if (is_said_once(record.kind)) return;
    RecordKnowledge spelled;
    const FieldList list(record);
    const Stamp age = list_age(list);
    for (const KnownField& field : list.fields()) {
        if (field_rule(record.kind, field.name) == FieldRule::elements) {
            const KnownList known(record, field, age);
            const ListSide side{known, {record.knowledge.clock, age.counter}};
            (void)join_lists(field.name, side, side, spelled, [](const auto&...) {});
            continue;
        }
        if (*field.stamp != no_stamp) spelled.stamps.emplace(field.name, *field.stamp);
        if (field.concurrent != nullptr) spelled.concurrent.emplace(field.name, *field.concurrent);
    }
    record.knowledge.stamps = std::move(spelled.stamps);
    record.knowledge.concurrent = std::move(spelled.concurrent);
}

void note_write(RecordKnowledge& knowledge, std::string_view kind, const std::vector<std::string>& fields,
                const std::string& host, std::uint64_t counter) {
    if (!is_said_once(kind) && !fields.empty()) {
        const Stamp stamp{knowledge.next_version(), host, counter};
        // From now on it has stamps; what is not written stays as old as it was.
        if (knowledge.stamps.empty() && !knowledge.clock.empty()) knowledge.stamps[""] = old_stamp(knowledge.clock);
        keep_element_stamps(knowledge, kind, fields);
        for (const std::string& field : fields) {
            if (note_element(knowledge, kind, field)) continue;
            knowledge.stamps[field] = stamp;
            knowledge.concurrent.erase(field);
        }
    }
    // A clock without room for this host: the write is not told, and stays here.
    (void)knowledge.clock.raise(host, counter);
}

RawJson settled_body(std::string_view kind, JsonView before, JsonView after) {
    if (is_said_once(kind)) {
        const bool is_first = before.text == "{}";
        const bool is_over = is_forgotten(after) && !is_forgotten(before);
        return RawJson::trusted(std::string(is_first || is_over ? after.text : before.text));
    }
    std::deque<std::string> names;
    const std::vector<BodyMember> old = members_of(before, names);
    std::vector<BodyMember> fields = members_of(after, names);
    std::deque<std::string> made;
    for (const BodyMember& was : old) {
        const FieldRule rule = field_rule(kind, was.name);
        if (!only_grows(rule)) continue;
        auto now = std::ranges::lower_bound(fields, was.name, {}, &BodyMember::name);
        if (now == fields.end() || now->name != was.name) now = fields.insert(now, {was.name, "null"});
        // As if it came from somewhere else, and later.
        const Stamp later{1, "", 0};
        const model::VectorClock unknown;
        const JoinedField joined = join_fields(rule, {was.name, was.value, &no_stamp, nullptr}, unknown,
                                               {was.name, now->value, &later, nullptr}, unknown);
        now->value = joined.made ? std::string_view(made.emplace_back(*joined.made)) : *joined.value;
    }
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    for (const BodyMember& field : fields) writer.name(field.name).raw(field.value);
    writer.end_object();
    return RawJson::trusted(std::move(body));
}

std::vector<std::string> write_record(SyncRecord& record, JsonView body, const std::string& host,
                                      std::uint64_t counter) {
    RawJson settled = settled_body(record.kind, record.body.view(), body);
    std::vector<std::string> fields = written_fields(record.kind, record.body.view(), settled.view());
    note_write(record.knowledge, record.kind, fields, host, counter);
    record.body = std::move(settled);
    return fields;
}

std::vector<std::string> changed_fields(JsonView before, JsonView after) {
    std::deque<std::string> names;
    const std::vector<BodyMember> old = members_of(before, names);
    const std::vector<BodyMember> now = members_of(after, names);
    std::vector<std::string> changed;
    auto a = old.begin();
    auto b = now.begin();
    while (a != old.end() || b != now.end()) {
        if (b == now.end() || (a != old.end() && a->name < b->name)) {
            changed.emplace_back((a++)->name);
        } else if (a == old.end() || b->name < a->name) {
            changed.emplace_back((b++)->name);
        } else {
            if (a->value != b->value) changed.emplace_back(a->name);
            ++a, ++b;
        }
    }
    return changed;
}

std::vector<std::string> written_fields(std::string_view kind, JsonView before, JsonView after) {
    std::vector<std::string> names;
    for (std::string& field : changed_fields(before, after)) {
        if (field_rule(kind, field) == FieldRule::elements) {
            const auto was = before.member(field);
            const auto now = after.member(field);
            add_element_names(field, was ? was->text : "[]", now ? now->text : "[]", names);
        }
        names.push_back(std::move(field));
    }
    return names;
}

std::string record_digest(const SyncRecord& record) {
    KeyMaker maker("sync record 1");
    maker.add(record.kind).add(record.id).add(record.user_id);
    if (!is_said_once(record.kind)) {
        SyncRecord spelled = record;
        spell_stamps(spelled);
        std::string knowledge;
        model::JsonWriter writer(knowledge);
        append_knowledge(writer, spelled.knowledge);
        maker.add(record.knowledge.clock.to_json()).add(knowledge);
    }
    const base::Sha256 hash = maker.add(record.body.bytes()).hash();
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace belfry::rules
