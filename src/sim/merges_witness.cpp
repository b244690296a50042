#include "sim/merges_witness.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "model/change_log.hpp"
#include "model/journal.hpp"

namespace belfry::sim {
namespace {

using model::SyncRecord;
using rules::FieldRule;

bool is_greater_number(std::string_view a, std::string_view b) {
    std::int64_t number_a = 0;
    std::int64_t number_b = 0;
    std::from_chars(a.data(), a.data() + a.size(), number_a);
    std::from_chars(b.data(), b.data() + b.size(), number_b);
    return number_a > number_b;
}

int lifecycle_rank(std::string_view value) {
    static constexpr std::array<std::string_view, 4> rising{R"("created")", R"("active")", R"("dormant")",
                                                            R"("destroyed")"};
    return static_cast<int>(std::ranges::find(rising, value) - rising.begin());
}

// Whether a rule that looks at values prefers the first.
bool is_preferred(FieldRule rule, std::string_view a, std::string_view b) {
    if (a == "null" || b == "null") return b == "null" && a != "null";
    if (rule == FieldRule::concurrent_lifecycle) return lifecycle_rank(a) > lifecycle_rank(b);
    if (rule == FieldRule::least || rule == FieldRule::concurrent_least) return is_greater_number(b, a);
    return a.front() == '"' ? a > b : is_greater_number(a, b);
}

std::string joined_counters(const std::vector<std::string>& values) {
    std::map<std::string, std::uint64_t> counters;
    bool is_any = false;
    for (const std::string& value : values) {
        if (value == "null") continue;
        is_any = true;
        const auto clock = model::VectorClock::parse({value});
        for (const auto& [name, number] : clock->counters()) {
            counters[name] = std::max(counters[name], number);
        }
    }
    if (!is_any) return "null";
    std::string json = "{";
    for (const auto& [name, number] : counters) {
        json += (json.size() > 1 ? ",\"" : "\"") + name + "\":" + std::to_string(number);
    }
    return json + "}";
}

}  // namespace

const MergedKind& any_merged_kind(SeededRandom& random) {
    static const std::vector<std::string_view> numbers{"null", "5", "40", "300", "7", "1763276400000000"};
    static const std::vector<std::string_view> texts{"null", R"("a")", R"("b")", R"({"x":[1,2]})", R"("\"ä\"")"};
    static const std::vector<std::string_view> maps{"null", "{}", R"({"a":4,"b":1})", R"({"a":2,"c":9})",
                                                    R"({"b":30})"};
    static const std::vector<std::string_view> lives{R"("created")", R"("active")", R"("dormant")", R"("destroyed")"};
    static const std::vector<std::string_view> times{"5", "40", "1763276400000000"};
    static const std::vector<std::string_view> ids{
        "[]",           R"(["a"])",         R"(["b"])",     R"(["a","b"])",         R"(["b","a"])",
        R"(["c","a"])", R"(["a","c","d"])", R"(["d","b"])", R"(["e","d","c","b"])",
    };
    static const std::vector<std::string_view> blocks{
        "[]",
        R"([{"id":"x","start_at":5}])",
        R"([{"id":"x","note":"later","start_at":9}])",
        R"([{"id":"y","start_at":1},{"id":"x","start_at":5}])",
        R"([{"id":"x","start_at":5},{"id":"z","start_at":5}])",
        R"([{"id":"z","start_at":5},{"id":"x","start_at":5}])",
        R"([{"id":"z","start_at":7},{"id":"y","start_at":8}])",
        R"([{"id":"w","start_at":2},{"id":"y","start_at":8}])",
    };
    static const std::array<MergedKind, 9> kinds{{
        {"day_plan", {{"blocks", blocks}, {"created_at", times}, {"note", texts}, {"pinned_task_ids", ids}}},
        {"task", {{"created_at", times}, {"deleted_at", numbers}, {"label_ids", ids}, {"title", texts}}},
        {model::agent_state_kind,
         {{"destroyed_at", numbers},
          {"last_wake_at", numbers},
          {"lifecycle", lives},
          {"next_wake_at", numbers},
          {"processed", maps},
          {"sleep_until", numbers},
          {"slot.preference.tea", texts},
          {"slot.primary_goal", texts}}},
        {"task",
         {{"category_id", texts},
          {"created_at", numbers},
          {"deleted_at", numbers},
          {"status", texts},
          {"text", texts},
          {"title", texts}}},
        {model::link_kind,
         {{"created_at", numbers},
          {"deleted_at", numbers},
          {"hidden", texts},
          {"metadata", texts},
          {"relation", texts}}},
        {model::run_claim_kind,
         {{"agent_id", texts}, {"beat", numbers}, {"host", texts}, {"state", {R"("claimed")", R"("done")"}}}},
        {model::read_mark_kind, {{"acted_at", numbers}, {"dismissed_at", numbers}, {"seen_at", numbers}}},
        {model::agent_timer_kind,
         {{"agent_id", texts}, {"deleted_at", numbers}, {"last_scheduled_at", numbers}, {"schedule", texts}}},
        {model::agent_message_kind, {{"content", texts}, {"forgotten", {"null", "null", "null", "true"}}}},
    }};
    return kinds[random.below(kinds.size())];
}

std::string any_merged_body(const MergedKind& kind, const model::RawJson& before, SeededRandom& random) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    for (const MergedKind::Field& field : kind.fields) {
        const auto was = before.member(field.name);
        const bool is_new = !was || random.percent(35);
        writer.name(field.name).raw(is_new ? field.values[random.below(field.values.size())] : was->text);
    }
    writer.end_object();
    return body;
}

void MergesWitness::was(const SyncRecord& record) {
    (void)clock_.merge(record.knowledge.clock);
    std::uint64_t changes = 0;
    for (const auto& [host, counter] : record.knowledge.clock.counters()) changes += counter;
    for (const MergedKind::Field& field : kind_.fields) {
        if (rules::field_rule(kind_.name, field.name) == FieldRule::elements) {
            lists_[std::string(field.name)].push_back(
                {{0, "", changes}, "[]", std::string(record.body.member(field.name)->text), {}});
            continue;
        }
        writes_[std::string(field.name)].push_back(
            {{0, "", changes}, std::string(record.body.member(field.name)->text), {}});
    }
}

void MergesWitness::wrote(const SyncRecord& before, const SyncRecord& after, const std::vector<std::string>& fields,
                          const std::string& host, std::uint64_t counter) {
    const model::VectorClock& known = before.knowledge.clock;
    (void)clock_.raise(host, counter);
    if (rules::is_said_once(kind_.name)) bodies_.push_back(after.body.bytes());
    else {
        for (const std::string& field : fields) {
            const auto value = after.body.member(field);
            if (!value) continue;  // an element of a list, which says so itself
            if (rules::field_rule(kind_.name, field) == FieldRule::elements) {
                const auto was = before.body.member(field);
                lists_[field].push_back({after.knowledge.stamps.at(field), std::string(was ? was->text : "[]"),
                                         std::string(value->text), known});
                continue;
            }
            writes_[field].push_back(
                {after.knowledge.stamps.at(field), std::string(after.body.member(field)->text), known});
            const bool is_creation = field == "created_at" && value->text != "null" && kind_.name == "task";
            const model::Stamp& stamp = after.knowledge.stamps.at(field);
            if (is_creation && stamp.version == 1) creation_ = std::max(creation_, stamp);
        }
    }
}

std::string MergesWitness::expected(std::string_view field, const Writes& writes) const {
    const FieldRule rule = rules::field_rule(kind_.name, field);
    const auto greatest_stamp = [](const Write& a, const Write& b) {
        // Records of old that have seen as much, and say something else: the greater text.
        return a.stamp != b.stamp ? a.stamp < b.stamp : a.value < b.value;
    };
    if (rule == FieldRule::latest) return std::ranges::max_element(writes, greatest_stamp)->value;
    if (rule == FieldRule::counters) {
        std::vector<std::string> values;
        for (const Write& write : writes) values.push_back(write.value);
        return joined_counters(values);
    }
    if (rule == FieldRule::first) {
        const Write* first = nullptr;
        for (const Write& write : writes) {
            if (write.value == "null") continue;
            const bool is_old = first != nullptr && write.stamp.version == 0 && first->stamp.version == 0;
            const bool is_earlier =
                first == nullptr || (is_old ? write.stamp > first->stamp : write.stamp < first->stamp);
            if (is_earlier) first = &write;
        }
        return first == nullptr ? "null" : first->value;
    }
    const bool is_concurrent = rule != FieldRule::least && rule != FieldRule::greatest;
    const auto is_replaced = [&writes](const Write& write) {
        return std::ranges::any_of(writes, [&write](const Write& other) {
            if (write.stamp.version == 0) return other.stamp > write.stamp;
            return other.known.includes(write.stamp.host, write.stamp.counter);
        });
    };
    std::optional<std::string> kept;
    for (const Write& write : writes) {
        if (is_concurrent && is_replaced(write)) continue;
        if (!kept || is_preferred(rule, write.value, *kept)) kept = write.value;
    }
    return kept.value_or("nothing at all");
}

// Each element is what those have made of it who wrote it last, none of whom knew of another. It is gone where all its
// writes were known to somebody who changed or removed it. The order is that of the latest list; what it does not have
// follows by age. Of several creations of a task only the greatest counts.
std::string MergesWitness::expected_list(const ListWrites& writes) const {
    struct Element {
        std::string value;
        model::Stamp stamp;
    };
    const auto elements_of = [](const std::string& list) {
        std::vector<std::pair<std::string, std::string>> elements;
        model::JsonWalker walker(model::JsonView{list});
        while (const auto one = walker.next()) {
            const auto id = one->kind() == model::JsonKind::object ? one->member("id") : one;
            elements.emplace_back(id->as_text(), std::string(one->text));
        }
        return elements;
    };
    const auto later = [](const ListWrite& a, const ListWrite& b) { return a.stamp < b.stamp; };
    const ListWrite& last = *std::ranges::max_element(writes, later);
    std::uint64_t age = 0;  // of records of old only the one that has seen most counts
    for (const ListWrite& write : writes) age = std::max(age, write.stamp.version == 0 ? write.stamp.counter : 0);
    std::multimap<std::string, Element> written;
    std::multimap<std::string, const model::VectorClock*> touched;
    for (const ListWrite& write : writes) {
        if (write.stamp.version == 0 && write.stamp.counter < age) continue;
        auto before = elements_of(write.before);
        for (auto& [id, value] : elements_of(write.after)) {
            const auto was = std::ranges::find(before, id, [](const auto& one) { return one.first; });
            const bool stays = was != before.end() && was->second == value;
            if (was != before.end()) before.erase(was);
            if (stays) continue;
            written.emplace(id, Element{value, write.stamp});
            if (write.stamp.version > 0) touched.emplace(id, &write.known);
        }
        for (const auto& [id, value] : before) touched.emplace(id, &write.known);
    }
    std::map<std::string, Element> alive;
    for (const auto& [id, element] : written) {
        const model::Stamp& stamp = element.stamp;
        if (stamp.version == 1 && stamp < creation_) continue;
        const auto [from, to] = touched.equal_range(id);
        const bool is_replaced = std::any_of(from, to, [&](const auto& one) {
            return stamp.version == 0 ? one.second->counter_of("of old") >= age
                                      : one.second->includes(stamp.host, stamp.counter);
        });
        if (is_replaced) continue;
        const auto there = alive.try_emplace(id, element);
        if (!there.second && there.first->second.stamp < stamp) there.first->second = element;
    }
    std::vector<Element> ordered;
    for (const auto& [id, value] : elements_of(last.after)) {
        if (const auto at = alive.find(id); at != alive.end()) ordered.push_back(alive.extract(at).mapped());
    }
    std::multimap<model::Stamp, const Element*> others;
    for (const auto& [id, element] : alive) others.emplace(element.stamp, &element);
    for (const auto& [stamp, element] : others) ordered.push_back(*element);
    std::multimap<long long, std::string> by_start;
    for (const Element& element : ordered) {
        const model::JsonView value{element.value};
        const bool has_start = value.kind() == model::JsonKind::object;
        by_start.emplace(has_start ? std::stoll(std::string(value.member("start_at")->text)) : 0, element.value);
    }
    std::string json = "[";
    for (const auto& [start, value] : by_start) json += (json.size() > 1 ? "," : "") + value;
    return json + "]";
}

std::string MergesWitness::expected_once() const {
    const auto forgotten = [](const std::string& body) { return model::JsonView{body}.member("forgotten")->text; };
    std::string kept;
    for (const std::string& body : bodies_) {
        const bool is_stronger = kept.empty() || (forgotten(body) == "true" && forgotten(kept) != "true");
        const bool is_weaker = !kept.empty() && forgotten(body) != "true" && forgotten(kept) == "true";
        if (is_stronger || (!is_weaker && body < kept)) kept = body;
    }
    return kept;
}

std::string MergesWitness::judge(const SyncRecord& record) const {
    if (rules::is_said_once(kind_.name)) {
        return record.body.bytes() == expected_once() ? "" : record.body.bytes() + " and not " + expected_once();
    }
    if (record.knowledge.clock != clock_) return "the clock is " + record.knowledge.clock.to_json();
    std::map<std::string, std::string, std::less<>> wanted_of;
    for (const auto& [field, writes] : writes_) wanted_of[field] = expected(field, writes);
    for (const auto& [field, writes] : lists_) wanted_of[field] = expected_list(writes);
    for (const auto& [field, wanted] : wanted_of) {
        const auto value = record.body.member(field);
        if (!value || value->text != wanted) {
            return field + " is " + (value ? std::string(value->text) : "not there") + " and not " + wanted;
        }
    }
    return {};
}

}  // namespace belfry::sim
