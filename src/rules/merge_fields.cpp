#include "rules/merge_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "rules/merge_lists.hpp"

namespace belfry::rules {
namespace {

using model::ConcurrentValue;
using model::JsonKind;
using model::JsonView;
using model::Stamp;
using model::VectorClock;

const Stamp no_stamp;

// Null is the least there is, then whole numbers by their value, then all else by its bytes.
struct Rank {
    int kind = 0;
    std::int64_t number = 0;

    auto operator<=>(const Rank&) const = default;
};

Rank rank_of(std::string_view value) {
    if (value == "null") return {};
    std::int64_t number = 0;
    const auto [at, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_whole = failed == std::errc{} && at == value.data() + value.size();
    return is_whole ? Rank{1, number} : Rank{2, 0};
}

Rank lifecycle_rank(std::string_view value) {
    static constexpr std::array<std::string_view, 4> rising{R"("created")", R"("active")", R"("dormant")",
                                                            R"("destroyed")"};
    if (value == "null") return {};
    const auto at = std::ranges::find(rising, value);
    // A word that this version does not know is weaker than those it does.
    return at == rising.end() ? Rank{1, 0} : Rank{2, at - rising.begin()};
}

bool is_falling(FieldRule rule) {
    return rule == FieldRule::least || rule == FieldRule::concurrent_least || rule == FieldRule::first;
}

// Which of two fields is kept, for rules that keep one of them: a total order, so its greatest is a join.
std::strong_ordering order_fields(FieldRule rule, const KnownField& a, const KnownField& b) {
    if (rule == FieldRule::latest) {
        if (const auto order = *a.stamp <=> *b.stamp; order != 0) return order;
    } else {
        if (a.is_none() != b.is_none()) return a.is_none() ? std::strong_ordering::less : std::strong_ordering::greater;
        if (rule == FieldRule::first) {
            // Of a time without stamps, the one that has seen more knows the first as well.
            const bool is_old = a.stamp->version == 0 && b.stamp->version == 0;
            const auto order = is_old ? *a.stamp <=> *b.stamp : *b.stamp <=> *a.stamp;
            if (order != 0) return order;
        }
    }
    if (const auto order = a.value.has_value() <=> b.value.has_value(); order != 0) return order;
    if (a.value && b.value) {
        if (const auto order = order_by(rule, *a.value, *b.value); order != 0) return order;
    }
    return *a.stamp <=> *b.stamp;
}

// One of the values that a field has, with the write that it comes from.
struct Element {
    const Stamp* stamp;
    std::string_view value;

    // Of a time without stamps there is one write.
    [[nodiscard]] bool is_same_write(const Element& other) const {
        if (stamp->version == 0 || other.stamp->version == 0) return stamp->version == other.stamp->version;
        return stamp->host == other.stamp->host && stamp->counter == other.stamp->counter;
    }
};
using Elements = std::vector<Element>;

Elements elements_of(const KnownField& field) {
    Elements elements;
    if (field.concurrent != nullptr) {
        for (const ConcurrentValue& value : *field.concurrent) elements.push_back({&value.stamp, value.value.bytes()});
    } else if (field.value || *field.stamp != no_stamp) {
        elements.push_back({field.stamp, field.value.value_or("null")});
    }
    return elements;
}

// Of each write a side has its value, or knows of it and has replaced it, or does not know of it. What both have stays,
// what one has and the other has replaced goes, what one has and the other does not know of stays: for each write the
// greater of unknown < here < replaced, so this is a join whatever the two sides are.
Elements join_elements(FieldRule rule, const Elements& a, const KnownWrites& known_a, const Elements& b,
                       const KnownWrites& known_b) {
    Elements kept;
    for (const Element& mine : a) {
        const auto same =
            std::ranges::find_if(b, [&mine](const Element& theirs) { return mine.is_same_write(theirs); });
        if (same == b.end()) {
            if (!known_b.includes(*mine.stamp)) kept.push_back(mine);
            continue;
        }
        // One write with two values is nobody's doing; still, all must keep the same.
        const auto by_stamp = *mine.stamp <=> *same->stamp;
        const auto order = by_stamp != 0 ? by_stamp : order_by(rule, mine.value, same->value);
        kept.push_back(order >= 0 ? mine : *same);
    }
    for (const Element& theirs : b) {
        const bool in_both =
            std::ranges::any_of(a, [&theirs](const Element& mine) { return mine.is_same_write(theirs); });
        if (!in_both && !known_a.includes(*theirs.stamp)) kept.push_back(theirs);
    }
    std::ranges::sort(kept, [](const Element& x, const Element& y) { return *x.stamp < *y.stamp; });
    return kept;
}

JoinedField join_concurrent(FieldRule rule, const KnownField& a, const KnownWrites& known_a, const KnownField& b,
                            const KnownWrites& known_b) {
    const Elements kept = join_elements(rule, elements_of(a), known_a, elements_of(b), known_b);
    JoinedField joined;
    joined.stamp = &no_stamp;
    if (kept.empty()) return joined;
    const Element& shown = *std::ranges::max_element(kept, [rule](const Element& x, const Element& y) {
        const auto order = order_by(rule, x.value, y.value);
        // Of an element of a list the latest is shown, whatever it says.
        if (rule == FieldRule::elements) return *x.stamp != *y.stamp ? *x.stamp < *y.stamp : order < 0;
        return order != 0 ? order < 0 : *x.stamp < *y.stamp;
    });
    joined.value = shown.value;
    joined.stamp = shown.stamp;
    if (kept.size() == 1) return joined;
    for (const Element& element : kept) {
        joined.concurrent.push_back({*element.stamp, model::RawJson::trusted(std::string(element.value))});
    }
    return joined;
}

using Counters = std::map<std::string, std::uint64_t>;

void add_counters(Counters& counters, std::string_view object) {
    model::JsonWalker members(JsonView{object});
    std::string_view raw_name;
    while (const auto member = members.next(&raw_name)) {
        std::uint64_t number = 0;
        std::from_chars(member->text.data(), member->text.data() + member->text.size(), number);
        std::uint64_t& mine = counters[JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text()];
        mine = std::max(mine, number);
    }
}

std::string joined_counters(std::string_view a, std::string_view b) {
    Counters counters;
    add_counters(counters, a);
    add_counters(counters, b);
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    for (const auto& [name, number] : counters) writer.field(name, static_cast<long long>(number));
    writer.end_object();
    return json;
}

JoinedField join_counters(const KnownField& a, const KnownField& b) {
    // What is no object counts less than what is one.
    const auto rank = [](const KnownField& field) {
        if (!field.value) return 0;
        if (field.is_none()) return 1;
        return JsonView{*field.value}.kind() == JsonKind::object ? 3 : 2;
    };
    JoinedField joined;
    joined.stamp = std::max(a.stamp, b.stamp, [](const Stamp* x, const Stamp* y) { return *x < *y; });
    if (rank(a) != rank(b)) joined.value = rank(a) > rank(b) ? a.value : b.value;
    else if (rank(a) == 3 && *a.value != *b.value) joined.made = joined_counters(*a.value, *b.value);
    else joined.value = std::max(a.value, b.value);
    return joined;
}

}  // namespace

std::strong_ordering order_by(FieldRule rule, std::string_view a, std::string_view b) {
    if (a == b) return std::strong_ordering::equal;
    if (rule == FieldRule::latest || rule == FieldRule::elements) return a <=> b;
    if (rule == FieldRule::concurrent_lifecycle) {
        const auto order = lifecycle_rank(a) <=> lifecycle_rank(b);
        return order != 0 ? order : a <=> b;
    }
    const Rank rank_a = rank_of(a);
    const Rank rank_b = rank_of(b);
    // Null is none, whichever way the rule goes.
    if ((rank_a.kind == 0) != (rank_b.kind == 0)) {
        return rank_a.kind == 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    auto order = rank_a <=> rank_b;
    if (order == 0) order = a <=> b;
    return is_falling(rule) ? 0 <=> order : order;
}

bool knows(const VectorClock& clock, const Stamp& stamp) {
    return stamp.version == 0 || clock.includes(stamp.host, stamp.counter);
}

Stamp old_stamp(const VectorClock& clock) {
    std::uint64_t changes = 0;
    for (const auto& [host, counter] : clock.counters()) {
        changes = std::min(VectorClock::counter_max, changes + counter);
    }
    return {0, "", changes};
}

JoinedField join_fields(FieldRule rule, const KnownField& a, const KnownWrites& known_a, const KnownField& b,
                        const KnownWrites& known_b) {
    if (is_concurrent(rule) || rule == FieldRule::elements) return join_concurrent(rule, a, known_a, b, known_b);
    if (rule == FieldRule::counters) return join_counters(a, b);
    const KnownField& kept = order_fields(rule, a, b) < 0 ? b : a;
    return {kept.value, std::nullopt, kept.stamp, {}};
}

std::vector<BodyMember> members_of(JsonView body, std::deque<std::string>& names) {
    std::vector<BodyMember> members;
    if (body.kind() != JsonKind::object) return members;
    model::JsonWalker walker(body);
    std::string_view name;
    bool is_sorted = true;
    while (const auto value = walker.next(&name)) {
        if (name.find('\\') != std::string_view::npos) {
            name = names.emplace_back(JsonView{{name.data() - 1, name.size() + 2}}.as_text());
        }
        is_sorted = is_sorted && (members.empty() || members.back().name < name);
        members.push_back({name, value->text});
    }
    if (is_sorted) return members;
    std::map<std::string_view, std::string_view> by_name;
    for (const BodyMember& member : members) by_name.insert_or_assign(member.name, member.value);
    members.clear();
    for (const auto& [sorted_name, value] : by_name) members.push_back({sorted_name, value});
    return members;
}

FieldList::FieldList(const model::SyncRecord& record) {
    const model::RecordKnowledge& knowledge = record.knowledge;
    const auto named = knowledge.stamps.find(std::string_view());
    if (named != knowledge.stamps.end()) rest_ = named->second;
    else if (knowledge.stamps.empty()) rest_ = old_stamp(knowledge.clock);
    for (const BodyMember& member : members_of(record.body.view(), names_)) {
        fields_.push_back({member.name, member.value, &rest_, nullptr});
    }
    add_stamps(record);
}

void FieldList::add_stamps(const model::SyncRecord& record) {
    const model::RecordKnowledge& knowledge = record.knowledge;
    const std::size_t in_body = fields_.size();
    // A field that has a stamp and no value is one all the same.
    const auto field = [this, in_body](std::size_t& at, std::string_view name) -> KnownField& {
        while (at < in_body && fields_[at].name < name) ++at;
        if (at < in_body && fields_[at].name == name) return fields_[at];
        const auto added = std::find_if(fields_.begin() + static_cast<std::ptrdiff_t>(in_body), fields_.end(),
                                        [name](const KnownField& known) { return known.name == name; });
        if (added != fields_.end()) return *added;
        return fields_.emplace_back(KnownField{name, std::nullopt, &rest_, nullptr});
    };
    std::size_t at = 0;
    for (const auto& [name, stamp] : knowledge.stamps) {
        if (!name.empty() && !is_element_name(record.kind, name)) field(at, name).stamp = &stamp;
    }
    at = 0;
    for (const auto& [name, values] : knowledge.concurrent) {
        if (!is_element_name(record.kind, name)) field(at, name).concurrent = &values;
    }
    if (fields_.size() > in_body) std::ranges::sort(fields_, {}, &KnownField::name);
}

}  // namespace belfry::rules
