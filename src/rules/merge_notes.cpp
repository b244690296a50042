#include "rules/merge_notes.hpp"

#include <tuple>

#include "base/characters.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "rules/body_fields.hpp"
#include "rules/key_maker.hpp"
#include "rules/merge_record.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::JsonKind;
using model::JsonView;
using model::MergeNote;
using model::Stamp;
using model::SyncRecord;

constexpr std::size_t value_bytes_max = 256;  // a value is shortened before
constexpr std::size_t name_bytes_max = 400;   // of a field: a list and the id of an element

base::Error wrong(std::string_view field, const char* why) {
    return base::error(base::Code::invalid, why, std::string(field));
}

std::string id_of(const SyncRecord& record) {
    const base::Sha256 hash = KeyMaker("merge notes 1").add(record.kind).add(record.user_id).add(record.id).hash();
    return base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

void append_stamp(model::JsonWriter& writer, std::string_view name, const Stamp& stamp) {
    writer.name(name).begin_array().number(static_cast<long long>(stamp.version)).text(stamp.host);
    writer.number(static_cast<long long>(stamp.counter)).end_array();
}

bool read_stamp(BodyReader& body, std::string_view name, Stamp& stamp) {
    const auto list = body.value(name);
    if (!list || list->kind() != JsonKind::array) return false;
    // As an object whose members the reader knows how to read.
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    model::JsonWalker parts(*list);
    for (const std::string_view part : {"v", "h", "c"}) {
        const auto value = parts.next();
        if (!value) return false;
        writer.name(part).raw(value->text);
    }
    writer.end_object();
    BodyReader read(JsonView{json});
    const std::int64_t version = read.number("v");
    const std::int64_t counter = read.number("c");
    stamp.host = read.text("h");
    if (parts.next() || version < 0 || counter < 0 || !read.done().ok()) return false;
    stamp.version = static_cast<std::uint64_t>(version);
    stamp.counter = static_cast<std::uint64_t>(counter);
    return model::is_stamp(stamp);
}

base::Result<MergeNote> read_note(JsonView json) {
    if (json.kind() != JsonKind::object) return wrong("notes", "must be objects");
    BodyReader body(json, "notes.");
    MergeNote note;
    note.at = body.time("at");
    note.field = body.text("field");
    note.rule = body.text("rule");
    note.kept_value = body.text("kept_value");
    note.lost_value = body.text("lost_value");
    if (!read_stamp(body, "kept", note.kept) || !read_stamp(body, "lost", note.lost)) {
        return wrong("notes.kept", "must have the stamps of two writes");
    }
    if (note.field.empty() || note.rule.empty()) return wrong("notes.field", "must have a field and a rule");
    if (std::max(note.field.size(), note.rule.size()) > name_bytes_max ||
        std::max(note.kept_value.size(), note.lost_value.size()) > value_bytes_max) {
        return wrong("notes.field", "has more than a note holds");
    }
    TRY(body.done());
    return note;
}

}  // namespace

SyncRecord notes_record(const SyncRecord& record, const std::vector<MergeNote>& notes) {
    SyncRecord told{std::string(merge_notes_kind), id_of(record), record.user_id, {}, {}};
    told.knowledge.clock = record.knowledge.clock;
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("id", record.id).field("kind", record.kind).name("notes").begin_array();
    for (const MergeNote& note : notes) {
        writer.begin_object().field("at", static_cast<long long>(note.at.us)).field("field", note.field);
        append_stamp(writer, "kept", note.kept);
        writer.field("kept_value", note.kept_value);
        append_stamp(writer, "lost", note.lost);
        writer.field("lost_value", note.lost_value).field("rule", note.rule).end_object();
    }
    writer.end_array().end_object();
    told.body = model::RawJson::trusted(std::move(body));
    return told;
}

base::Result<std::vector<MergeNote>> read_notes_record(const SyncRecord& told) {
    if (told.body.bytes().size() > limits::sync_record_bytes_max) {
        return base::error(base::Code::too_large, "a record has at most 4 MiB", "body");
    }
    BodyReader body(told.body.view());
    SyncRecord record{body.text("kind"), body.text("id"), told.user_id, {}, {}};
    const auto is_id = [](const std::string& id) {
        return !id.empty() && id.size() <= limits::scope_id_bytes_max && !base::has_harmful(id);
    };
    if (!is_id(told.user_id)) return wrong("user_id", "must have 1 to 200 bytes and no invisible characters");
    if (!is_sync_kind(record.kind)) return wrong("kind", "is not known");
    if (!is_id(record.id) || told.id != id_of(record)) return wrong("id", "is not that of the notes of a record");
    const auto list = body.value("notes");
    if (!list || list->kind() != JsonKind::array) return wrong("notes", "must be a list");
    std::vector<MergeNote> notes;
    model::JsonWalker walker(*list);
    while (const auto one = walker.next()) {
        if (notes.size() == limits::merge_notes_kept) return wrong("notes", "has more notes than a device keeps");
        TRY_ASSIGN(MergeNote note, read_note(*one));
        note.kind = record.kind;
        note.id = record.id;
        note.user_id = record.user_id;
        notes.push_back(std::move(note));
    }
    TRY(body.done());
    return notes;
}

bool is_same_loss(const MergeNote& a, const MergeNote& b) {
    return std::tie(a.kind, a.id, a.user_id, a.field, a.lost) == std::tie(b.kind, b.id, b.user_id, b.field, b.lost);
}

}  // namespace belfry::rules
