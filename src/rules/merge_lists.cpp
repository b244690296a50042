#include "rules/merge_lists.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "model/journal.hpp"

namespace belfry::rules {
namespace {

using model::ConcurrentValue;
using model::JsonKind;
using model::JsonView;
using model::RawJson;
using model::RecordKnowledge;
using model::Stamp;

constexpr char between = '/';
constexpr char kept_mark = '=';
constexpr char removed_mark = '-';

std::vector<std::pair<std::string, std::string_view>> elements_in(std::string_view json) {
    std::vector<std::pair<std::string, std::string_view>> elements;
    if (JsonView{json}.kind() != JsonKind::array) return elements;
    model::JsonWalker walker(JsonView{json});
    while (const auto element = walker.next()) elements.emplace_back(element_id(*element), element->text);
    return elements;
}

std::int64_t start_of(std::string_view element) {
    std::int64_t start = 0;
    if (JsonView{element}.kind() != JsonKind::object) return start;
    if (const auto at = JsonView{element}.member("start_at")) {
        std::from_chars(at->text.data(), at->text.data() + at->text.size(), start);
    }
    return start;
}

// Elements of a time without stamps are as old as their record, whichever list they stood in.
Stamp aged(const Stamp& stamp, const Stamp& age) {
    return stamp.version == 0 ? age : stamp;
}

bool is_of_lost_creation(const Stamp& stamp, const Stamp& creation) {
    return stamp.version == 1 && stamp < creation;
}

// Whether the order that was lost can be seen in the list all the same.
bool is_respected(const std::vector<std::string>& lost, const std::vector<std::string>& shown) {
    auto from = shown.begin();
    for (const std::string& id : lost) {
        if (std::ranges::find(shown, id) == shown.end()) continue;
        from = std::find(from, shown.end(), id);
        if (from == shown.end()) return false;
    }
    return true;
}

class ListJoin {
public:
    ListJoin(std::string_view name, const ListSide& mine, const ListSide& other, RecordKnowledge& knowledge,
             const Differ& differ)
        : name_(name), mine_(mine), other_(other), knowledge_(knowledge), differ_(differ) {}

    std::string run() {
        const bool is_mine = order_is_mine();
        const KnownList& kept = is_mine ? mine_.list : other_.list;
        stamp_ = kept.stamp();
        join_all();
        const std::vector<std::string> ids = arranged(kept.order(), joined_);
        if (ids != kept.order()) {
            knowledge_.concurrent[std::string(name_)] = {{stamp_, RawJson::trusted(ids_json(kept.order()))}};
        }
        if (stamp_ != Stamp{}) knowledge_.stamps[std::string(name_)] = stamp_;
        const KnownList& lost = (is_mine ? other_ : mine_).list;
        if (lost.has_lost() || !is_respected(lost.order(), ids)) tell_order(ids_json(kept.order()));
        std::string json = "[";
        for (const std::string& id : ids) {
            if (json.size() > 1) json += ',';
            json += joined_.find(id)->second.value;
        }
        return json + ']';
    }

private:
    [[nodiscard]] bool order_is_mine() const {
        const auto key = [](const KnownList& list) {
            return std::tuple(list.stamp(), list.is_there(), ids_json(list.order()));
        };
        return key(mine_.list) >= key(other_.list);
    }

    void join_all() {
        std::set<std::string_view> ids;
        for (const auto& [id, element] : mine_.list.elements()) ids.insert(id);
        for (const auto& [id, element] : other_.list.elements()) ids.insert(id);
        for (const std::string_view id : ids) join(id);
    }

    void join(std::string_view id) {
        const std::string name = element_name(name_, id);
        const KnownField mine = field_of(mine_.list, id, name);
        const KnownField other = field_of(other_.list, id, name);
        JoinedField joined = join_fields(FieldRule::elements, mine, mine_.known, other, other_.known);
        if (!joined.value) return;  // one side has removed all that the other has
        joined_.emplace(id, ListElement{*joined.value, *joined.stamp, {}});
        if (*joined.stamp != stamp_) knowledge_.stamps[name] = *joined.stamp;
        if (!joined.concurrent.empty()) knowledge_.concurrent[name] = std::move(joined.concurrent);
        if (mine.value && other.value && *mine.value != *other.value) differ_(mine, other, *joined.value);
    }

    static KnownField field_of(const KnownList& list, std::string_view id, std::string_view name) {
        static const Stamp nobodys;
        const auto at = list.elements().find(id);
        if (at == list.elements().end()) return {name, std::nullopt, &nobodys, nullptr};
        const ListElement& element = at->second;
        return {name, element.value, &element.stamp, element.concurrent.empty() ? nullptr : &element.concurrent};
    }

    // The order of what is sorted by its start is nobody's to choose.
    void tell_order(const std::string& shown) {
        const bool is_sorted = std::ranges::any_of(
            joined_, [](const auto& one) { return JsonView{one.second.value}.kind() == JsonKind::object; });
        if (is_sorted) return;
        const std::string mine = ids_json(mine_.list.order());
        const std::string other = ids_json(other_.list.order());
        if (mine == other) return;
        differ_({name_, mine, &mine_.list.stamp(), nullptr}, {name_, other, &other_.list.stamp(), nullptr}, shown);
    }

    std::string_view name_;
    const ListSide& mine_;
    const ListSide& other_;
    RecordKnowledge& knowledge_;
    const Differ& differ_;
    Stamp stamp_;
    ListElements joined_;
};

}  // namespace

bool is_element_name(std::string_view kind, std::string_view name) {
    const std::size_t at = name.find(between);
    return at != std::string_view::npos && field_rule(kind, name.substr(0, at)) == FieldRule::elements;
}

std::string element_name(std::string_view list, std::string_view id) {
    return std::string(list) + between + std::string(id);
}

std::string element_id(JsonView element) {
    if (element.kind() == JsonKind::string) return element.as_text();
    if (element.kind() != JsonKind::object) return {};
    const auto id = element.member("id");
    return id && id->kind() == JsonKind::string ? id->as_text() : std::string();
}

Stamp list_age(const FieldList& list) {
    const auto& fields = list.fields();
    const auto at = std::ranges::lower_bound(fields, std::string_view("created_at"), {}, &KnownField::name);
    const bool is_old = at != fields.end() && at->name == "created_at" && !at->is_none() && at->stamp->version == 0;
    return is_old ? *at->stamp : Stamp{};
}

bool has_one_creation(std::string_view kind) {
    return kind == model::journal_kind_name(model::JournalKind::task);
}

Stamp creation_of(std::string_view kind, const FieldList& list) {
    Stamp creation;
    if (!has_one_creation(kind)) return creation;
    for (const KnownField& field : list.fields()) {
        const bool is_given = field.name == "created_at" && !field.is_none() && field.stamp->version == 1;
        if (is_given || field.name == creation_name) creation = std::max(creation, *field.stamp);
    }
    return creation;
}

KnownList::KnownList(const model::SyncRecord& record, const KnownField& field, const Stamp& age, const Stamp& creation)
    : stamp_(*field.stamp), is_there_(field.value.has_value()) {
    const RecordKnowledge& knowledge = record.knowledge;
    for (auto& [id, value] : elements_in(field.value.value_or("[]"))) {
        const std::string name = element_name(field.name, id);
        const auto own = knowledge.stamps.find(name);
        order_.push_back(id);
        const auto values = knowledge.concurrent.find(name);
        if (values == knowledge.concurrent.end()) {
            const Stamp stamp = aged(own == knowledge.stamps.end() ? stamp_ : own->second, age);
            if (is_of_lost_creation(stamp, creation)) has_lost_ = true;
            else elements_.insert_or_assign(std::move(id), ListElement{value, stamp, {}});
            continue;
        }
        ListElement element;
        for (const ConcurrentValue& one : values->second) {
            const Stamp stamp = aged(one.stamp, age);
            if (is_of_lost_creation(stamp, creation)) {
                has_lost_ = true;
                continue;
            }
            element.value = one.value.bytes();  // the last one is shown
            element.stamp = stamp;
            element.concurrent.push_back({stamp, one.value});
        }
        if (element.concurrent.empty()) continue;
        if (element.concurrent.size() == 1) element.concurrent.clear();
        elements_.insert_or_assign(std::move(id), std::move(element));
    }
    if (field.concurrent == nullptr || field.concurrent->size() != 1) return;
    order_.clear();
    for (auto& [id, value] : elements_in(field.concurrent->front().value.bytes())) order_.push_back(std::move(id));
}

std::vector<std::string> arranged(const std::vector<std::string>& order, const ListElements& elements) {
    std::vector<std::string> ids;
    std::set<std::string_view> placed;
    for (const std::string& id : order) {
        if (elements.contains(id) && placed.insert(id).second) ids.push_back(id);
    }
    std::multimap<Stamp, std::string_view> others;
    for (const auto& [id, element] : elements) {
        if (!placed.contains(id)) others.emplace(element.stamp, id);
    }
    for (const auto& [stamp, id] : others) ids.emplace_back(id);
    std::multimap<std::int64_t, std::string*> by_start;
    for (std::string& id : ids) by_start.emplace(start_of(elements.find(id)->second.value), &id);
    std::vector<std::string> sorted;
    for (const auto& [start, id] : by_start) sorted.push_back(std::move(*id));
    return sorted;
}

std::string ids_json(const std::vector<std::string>& ids) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_array();
    for (const std::string& id : ids) writer.text(id);
    writer.end_array();
    return json;
}

std::string join_lists(std::string_view name, const ListSide& mine, const ListSide& other, RecordKnowledge& knowledge,
                       const Differ& differ) {
    return ListJoin(name, mine, other, knowledge, differ).run();
}

void add_element_names(std::string_view list, std::string_view before, std::string_view after,
                       std::vector<std::string>& names) {
    std::map<std::string, std::string_view> old;
    for (auto& [id, value] : elements_in(before)) old.emplace(std::move(id), value);
    for (const auto& [id, value] : elements_in(after)) {
        const auto was = old.find(id);
        const bool stays = was != old.end() && was->second == value;
        names.push_back((stays ? std::string(1, kept_mark) : std::string()) + element_name(list, id));
        if (was != old.end()) old.erase(was);
    }
    for (const auto& [id, value] : old) names.push_back(removed_mark + element_name(list, id));
}

void keep_element_stamps(RecordKnowledge& knowledge, std::string_view kind, const std::vector<std::string>& names) {
    for (const std::string& marked : names) {
        if (!marked.starts_with(kept_mark)) continue;
        const std::string_view name = std::string_view(marked).substr(1);
        if (!is_element_name(kind, name) || knowledge.stamps.contains(name)) continue;
        auto had = knowledge.stamps.find(name.substr(0, name.find(between)));
        if (had == knowledge.stamps.end()) had = knowledge.stamps.find(std::string_view());
        const Stamp stamp = had == knowledge.stamps.end() ? Stamp{} : had->second;
        knowledge.stamps.emplace(name, stamp);
    }
}

bool note_element(RecordKnowledge& knowledge, std::string_view kind, std::string_view name) {
    const bool is_kept = name.starts_with(kept_mark);
    if (is_kept || name.starts_with(removed_mark)) name.remove_prefix(1);
    if (!is_element_name(kind, name)) return false;
    if (is_kept) return true;
    // One that was written has the stamp of its list, which was written with it.
    if (const auto stamp = knowledge.stamps.find(name); stamp != knowledge.stamps.end()) knowledge.stamps.erase(stamp);
    if (const auto values = knowledge.concurrent.find(name); values != knowledge.concurrent.end()) {
        knowledge.concurrent.erase(values);
    }
    return true;
}

}  // namespace belfry::rules
