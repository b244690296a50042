#include <algorithm>
#include <charconv>
#include <set>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "rules/merge_lists.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::ConcurrentValue;
using model::JsonKind;
using model::JsonView;
using model::RecordKnowledge;
using model::Stamp;
using model::SyncRecord;

base::Error refused(std::string field, std::string message) {
    return base::error(Code::invalid, std::move(message), std::move(field));
}

bool is_id(std::string_view text) {
    return !text.empty() && text.size() <= limits::scope_id_bytes_max && !base::has_harmful(text);
}

bool is_whole_number(std::string_view value) {
    std::int64_t number = 0;
    const auto [at, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    return failed == std::errc{} && at == value.data() + value.size() && value != "-0";
}

// Sorted by name, as the join writes it.
bool are_counters(JsonView value) {
    if (value.kind() != JsonKind::object) return false;
    std::deque<std::string> names;
    model::JsonWalker walker(value);
    std::string_view raw_name;
    std::string last;
    while (const auto member = walker.next(&raw_name)) {
        const std::string name = JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
        if (name <= last || !is_whole_number(member->text) || member->text.front() == '-') return false;
        last = name;
    }
    return true;
}

// Whether the rule has an order for it.
bool fits(FieldRule rule, std::string_view value) {
    using enum FieldRule;
    const JsonView json{value};
    const JsonKind kind = json.kind();
    if (rule == elements) return kind == JsonKind::array;
    if (rule == latest || rule == first || kind == JsonKind::null) return true;
    if (rule == counters) return are_counters(json);
    if (rule == concurrent_lifecycle) return kind == JsonKind::string;
    if (rule == greatest && kind == JsonKind::string) return true;
    return kind == JsonKind::number && is_whole_number(value);
}

base::Result<void> check_stamp(const Stamp& stamp, const RecordKnowledge& knowledge, const std::string& field) {
    if (!model::is_stamp(stamp)) return refused(field, "has a stamp that is none");
    if (!knows(knowledge.clock, stamp)) return refused(field, "has a stamp that the record's clock does not know");
    return {};
}

std::string_view list_of(std::string_view element_name) {
    return element_name.substr(0, element_name.find('/'));
}

base::Result<void> check_concurrent(const SyncRecord& record, const KnownField& field, FieldRule rule) {
    const std::string name(field.name);
    const bool is_element = rule == FieldRule::elements;
    if (!is_concurrent(rule) && !is_element) return refused(name, "can have one value only");
    const std::vector<ConcurrentValue>& values = *field.concurrent;
    if (values.size() < 2 || values.size() > limits::sync_concurrent_max) {
        return refused(name, "has too few or too many concurrent values");
    }
    const ConcurrentValue* shown = nullptr;
    for (const ConcurrentValue& value : values) {
        TRY(check_stamp(value.stamp, record.knowledge, name));
        const bool is_value = is_element ? element_name(list_of(name), element_id(value.value.view())) == name
                                         : fits(rule, value.value.bytes());
        if (!is_value) return refused(name, "has a value that its rule has no order for");
        // Of an element the last one is shown: they stand in the order of their stamps.
        const bool is_shown =
            shown == nullptr || is_element || order_by(rule, value.value.bytes(), shown->value.bytes()) >= 0;
        if (is_shown) shown = &value;
    }
    for (auto at = values.begin() + 1; at != values.end(); ++at) {
        const bool is_twice = std::any_of(values.begin(), at, [&at](const ConcurrentValue& earlier) {
            return earlier.stamp.host == at->stamp.host;  // whoever writes replaces what he wrote before
        });
        if (is_twice || at[-1].stamp >= at->stamp) return refused(name, "has concurrent values in no order");
    }
    if (shown->value.bytes() != *field.value || shown->stamp != *field.stamp) {
        return refused(name, "does not have the value that its rule decides for");
    }
    return {};
}

// The order as it was written, where the list stands in another one.
base::Result<void> check_order(const KnownField& field, const KnownList& list) {
    const std::string name(field.name);
    std::vector<std::string> shown;
    model::JsonWalker walker(JsonView{*field.value});
    while (const auto element = walker.next()) shown.push_back(element_id(*element));
    if (field.concurrent != nullptr) {
        const std::vector<ConcurrentValue>& values = *field.concurrent;
        if (values.size() != 1 || values.front().stamp != *field.stamp) return refused(name, "has one order only");
        const std::set<std::string_view> ids(list.order().begin(), list.order().end());
        const bool is_order = values.front().value.bytes() == ids_json(list.order()) &&
                              ids.size() == list.order().size() && ids.size() <= limits::sync_fields_max;
        if (!is_order || list.order() == shown) return refused(name, "has an order that is none");
    }
    if (arranged(list.order(), list.elements()) != shown) return refused(name, "does not stand in its order");
    return {};
}

// What all fields of a record are checked by.
struct Ages {
    Stamp age;       // list_age
    Stamp creation;  // creation_of
};

base::Result<void> check_list(const SyncRecord& record, const KnownField& field, const Ages& ages) {
    const std::string name(field.name);
    std::set<std::string> ids;
    model::JsonWalker walker(JsonView{*field.value});
    while (const auto element = walker.next()) {
        std::string id = element_id(*element);
        if (!is_id(id)) return refused(name, "has an element without an id");
        if (!ids.insert(std::move(id)).second) return refused(name, "has an element twice");
    }
    if (ids.size() > limits::sync_fields_max) return base::error(Code::too_large, "has too many elements", name);
    const std::string begin = element_name(name, "");
    const auto is_there = [&](const std::string& element) { return ids.contains(element.substr(begin.size())); };
    const RecordKnowledge& knowledge = record.knowledge;
    for (auto at = knowledge.stamps.lower_bound(begin); at != knowledge.stamps.end() && at->first.starts_with(begin);
         ++at) {
        if (!is_there(at->first)) return refused(name, "has a stamp of an element that is not in the list");
        TRY(check_stamp(at->second, knowledge, name));
    }
    if (KnownList(record, field, ages.age, ages.creation).has_lost()) {
        return refused(name, "has an element of a creation that was lost");
    }
    const KnownList list(record, field, ages.age);
    for (auto at = knowledge.concurrent.lower_bound(begin);
         at != knowledge.concurrent.end() && at->first.starts_with(begin); ++at) {
        if (!is_there(at->first)) return refused(name, "has values of an element that is not in the list");
        const ListElement& element = list.elements().find(at->first.substr(begin.size()))->second;
        const KnownField known{at->first, element.value, &element.stamp, &element.concurrent};
        TRY(check_concurrent(record, known, FieldRule::elements));
    }
    return check_order(field, list);
}

base::Result<void> check_field(const SyncRecord& record, const KnownField& field, const Ages& ages) {
    const std::string name(field.name);
    if (name.empty()) return refused("body", "has a field without a name");
    if (name == creation_name && has_one_creation(record.kind)) {
        const bool is_creation = !field.value && field.concurrent == nullptr && field.stamp->version == 1;
        if (!is_creation) return refused(name, "has a stamp that is no creation's");
        return check_stamp(*field.stamp, record.knowledge, name);
    }
    if (!field.value) return refused(name, "has a stamp and is not in the body");
    const FieldRule rule = field_rule(record.kind, field.name);
    if (!fits(rule, *field.value)) return refused(name, "has a value that its rule has no order for");
    TRY(check_stamp(*field.stamp, record.knowledge, name));
    if (rule == FieldRule::elements) return check_list(record, field, ages);
    return field.concurrent == nullptr ? base::Result<void>{} : check_concurrent(record, field, rule);
}

// Whose counters are told by a clock, which is more than numbers by any name.
base::Result<void> check_erasure(JsonView body) {
    const auto clock = body.member("clock");
    if (!clock || clock->kind() == JsonKind::null) return {};
    if (auto read = model::VectorClock::parse(*clock); !read.ok()) return refused("clock", read.error().message);
    return {};
}

bool has_sorted_members(JsonView body, std::size_t& count) {
    model::JsonWalker walker(body);
    std::string_view raw_name;
    std::string last;
    while (walker.next(&raw_name)) {
        std::string name = JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
        if (count++ > 0 && name <= last) return false;
        last = std::move(name);
    }
    return true;
}

}  // namespace

base::Result<void> check_sync_record(const SyncRecord& record) {
    if (!is_sync_kind(record.kind)) return refused("kind", "is not known: " + record.kind.substr(0, 40));
    if (!is_id(record.id)) return refused("id", "must have 1 to 200 bytes and no invisible characters");
    if (!is_id(record.user_id)) return refused("user_id", "must have 1 to 200 bytes and no invisible characters");
    if (record.body.view().kind() != JsonKind::object) return refused("body", "must be an object");
    if (record.body.bytes().size() > limits::sync_record_bytes_max) {
        return base::error(Code::too_large, "a record has at most 4 MiB", "body");
    }
    std::size_t count = 0;
    if (!has_sorted_members(record.body.view(), count)) return refused("body", "must have its members sorted");
    const RecordKnowledge& knowledge = record.knowledge;
    if (is_said_once(record.kind)) {
        if (knowledge.stamps.empty() && knowledge.concurrent.empty()) return {};
        return refused("knowledge", "is said once and has no stamps");
    }
    if (std::max({count, knowledge.stamps.size(), knowledge.concurrent.size()}) > limits::sync_fields_max) {
        return base::error(Code::too_large, "a record has at most 2000 fields", "body");
    }
    if (const auto rest = knowledge.stamps.find(""); rest != knowledge.stamps.end()) {
        TRY(check_stamp(rest->second, knowledge, "knowledge"));
    }
    for (const auto& [name, stamp] : knowledge.stamps) {
        if (!is_element_name(record.kind, name) || record.body.member(list_of(name))) continue;
        return refused(std::string(list_of(name)), "has a stamp and is not in the body");
    }
    const FieldList list(record);
    const Ages ages{list_age(list), creation_of(record.kind, list)};
    for (const KnownField& field : list.fields()) TRY(check_field(record, field, ages));
    return record.kind == model::erasure_kind ? check_erasure(record.body.view()) : base::Result<void>{};
}

}  // namespace belfry::rules
