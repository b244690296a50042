#include "model/sync.hpp"

#include <algorithm>

#include "base/sync_limits.hpp"
#include "model/number.hpp"
#include "model/value.hpp"
#include "model/value_json.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;

void append_stamp(JsonWriter& writer, const Stamp& stamp) {
    writer.number(static_cast<long long>(stamp.version));
    writer.text(stamp.host);
    writer.number(static_cast<long long>(stamp.counter));
}

void append_stamp_value(JsonWriter& writer, const Stamp& stamp) {
    writer.begin_array();
    append_stamp(writer, stamp);
    writer.end_array();
}

bool read_number(std::optional<JsonView> json, std::uint64_t& number) {
    if (!json || json->kind() != JsonKind::number) return false;
    const Value value = number_value(json->text);
    if (value.kind() != Value::Kind::integer || value.as_integer() < 0) return false;
    number = static_cast<std::uint64_t>(value.as_integer());
    return true;
}

bool read_stamp(JsonWalker& parts, Stamp& stamp) {
    if (!read_number(parts.next(), stamp.version)) return false;
    const auto host = parts.next();
    if (!host || host->kind() != JsonKind::string) return false;
    stamp.host = host->as_text();
    return read_number(parts.next(), stamp.counter) && is_stamp(stamp);
}

std::string name_of(std::string_view raw_name) {
    // The name stands between its quotes.
    return JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
}

bool read_stamps(JsonView json, RecordKnowledge& knowledge) {
    if (json.kind() != JsonKind::object) return false;
    JsonWalker fields(json);
    std::string_view raw_name;
    while (const auto field = fields.next(&raw_name)) {
        Stamp stamp;
        if (field->kind() != JsonKind::array) return false;
        JsonWalker parts(*field);
        if (!read_stamp(parts, stamp) || parts.next()) return false;
        knowledge.stamps[name_of(raw_name)] = std::move(stamp);
        if (knowledge.stamps.size() > limits::sync_fields_max) return false;
    }
    return true;
}

bool read_values(JsonView json, std::vector<ConcurrentValue>& values) {
    if (json.kind() != JsonKind::array) return false;
    JsonWalker list(json);
    while (const auto item = list.next()) {
        if (item->kind() != JsonKind::array || values.size() == limits::sync_concurrent_max) return false;
        ConcurrentValue value;
        JsonWalker parts(*item);
        if (!read_stamp(parts, value.stamp)) return false;
        const auto json_value = parts.next();
        if (!json_value || parts.next()) return false;
        value.value = RawJson::trusted(std::string(json_value->text));
        values.push_back(std::move(value));
    }
    return !values.empty();
}

bool read_concurrent(JsonView json, RecordKnowledge& knowledge) {
    if (json.kind() != JsonKind::object) return false;
    JsonWalker fields(json);
    std::string_view raw_name;
    while (const auto field = fields.next(&raw_name)) {
        std::vector<ConcurrentValue> values;
        if (!read_values(*field, values)) return false;
        knowledge.concurrent[name_of(raw_name)] = std::move(values);
        if (knowledge.concurrent.size() > limits::sync_fields_max) return false;
    }
    return true;
}

}  // namespace

bool is_stamp(const Stamp& stamp) {
    if (stamp.version > VectorClock::counter_max || stamp.counter > VectorClock::counter_max) return false;
    return stamp.version == 0 ? stamp.host.empty() : is_host_name(stamp.host) && stamp.counter > 0;
}

std::uint64_t RecordKnowledge::next_version() const {
    std::uint64_t greatest = 0;
    for (const auto& [name, stamp] : stamps) greatest = std::max(greatest, stamp.version);
    for (const auto& [name, values] : concurrent) {
        for (const ConcurrentValue& value : values) greatest = std::max(greatest, value.stamp.version);
    }
    return std::min(greatest + 1, VectorClock::counter_max);
}

void append_knowledge(JsonWriter& writer, const RecordKnowledge& knowledge) {
    writer.begin_object();
    if (!knowledge.stamps.empty()) {
        writer.name("s").begin_object();
        for (const auto& [name, stamp] : knowledge.stamps) {
            writer.name(name);
            append_stamp_value(writer, stamp);
        }
        writer.end_object();
    }
    if (!knowledge.concurrent.empty()) {
        writer.name("c").begin_object();
        for (const auto& [name, values] : knowledge.concurrent) {
            writer.name(name).begin_array();
            for (const ConcurrentValue& value : values) {
                writer.begin_array();
                append_stamp(writer, value.stamp);
                writer.raw(value.value.bytes()).end_array();
            }
            writer.end_array();
        }
        writer.end_object();
    }
    writer.end_object();
}

bool read_knowledge(JsonView json, RecordKnowledge& knowledge) {
    knowledge.stamps.clear();
    knowledge.concurrent.clear();
    if (json.kind() != JsonKind::object) return false;
    const auto stamps = json.member("s");
    const auto concurrent = json.member("c");
    return (!stamps || read_stamps(*stamps, knowledge)) && (!concurrent || read_concurrent(*concurrent, knowledge));
}

void append_merge_note(JsonWriter& writer, const MergeNote& note) {
    const auto side = [&writer](std::string_view name, const Stamp& stamp, std::string_view value) {
        writer.name(name).begin_object();
        writer.field("host", stamp.host).field("counter", static_cast<long long>(stamp.counter));
        writer.field("version", static_cast<long long>(stamp.version)).field("value", value).end_object();
    };
    writer.begin_object().field("number", static_cast<long long>(note.number));
    writer.field("at", base::format_timestamp(note.at));
    writer.field("kind", note.kind).field("id", note.id).field("user_id", note.user_id);
    writer.field("field", note.field).field("rule", note.rule);
    side("kept", note.kept, note.kept_value);
    side("lost", note.lost, note.lost_value);
    writer.end_object();
}

}  // namespace belfry::model
