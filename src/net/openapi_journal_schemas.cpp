#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/journal_fields.hpp"
#include "model/raw_json.hpp"
#include "net/openapi.hpp"

namespace belfry::net {
namespace {

using model::JournalKind;
using model::JsonWriter;

std::string_view schema_name(std::type_identity<model::EntryType>) {
    return "EntryType";
}
std::string_view schema_name(std::type_identity<model::TaskStatus>) {
    return "TaskStatus";
}
std::string_view schema_name(std::type_identity<model::TaskPriority>) {
    return "TaskPriority";
}
std::string_view schema_name(std::type_identity<model::RatingTarget>) {
    return "RatingTarget";
}

// What a schema is of: a record as it is shown, a new one, or a change.
enum class Form { record, input, patch };

// Writes the properties of one kind, and remembers which of them must be there.
template <class T>
class PropertyWriter {
public:
    PropertyWriter(JsonWriter& writer, Form form) : writer_(writer), form_(form) {}

    std::vector<std::string_view> required;

    void text(std::string_view name, std::string T::*, const model::TextRule& rule) {
        begin(name, rule.required, "string");
        if (form_ != Form::record) {
            if (rule.required) writer_.field("minLength", 1LL);
            writer_.field("maxLength", static_cast<long long>(rule.bytes_max));
        }
        end(rule.fixed);
    }
    void date(std::string_view name, std::string T::*, const model::FieldRule& rule) {
        begin(name, rule.required, "string");
        writer_.field("format", "date");
        end(rule.fixed);
    }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::*, const std::array<std::string_view, count>&,
                const model::FieldRule& rule) {
        note(name, rule.required);
        const std::string reference =
            R"({"$ref":"#/components/schemas/)" + std::string(schema_name(std::type_identity<Enum>{})) + "\"}";
        if (!rule.fixed || form_ != Form::patch) {
            writer_.name(name).raw(reference);
            return;
        }
        writer_.name(name).begin_object().name("allOf").begin_array().raw(reference).end_array();
        writer_.field("description", stays).end_object();
    }
    void integer(std::string_view name, std::int64_t T::*, const model::IntegerRule& rule) {
        begin(name, true, "integer", rule.required);
        bounds(rule);
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::*, const model::IntegerRule& rule) {
        begin(name, false, "integer", rule.required);
        bounds(rule);
    }
    void flag(std::string_view name, bool T::*) {
        begin(name, true, "boolean", false);
        end(false);
    }
    void time(std::string_view name, base::Timestamp T::*) {
        note(name, false);
        writer_.name(name).raw(R"({"$ref":"#/components/schemas/Time"})");
    }
    void time(std::string_view name, std::optional<base::Timestamp> T::*) {
        note(name, false);
        writer_.name(name).raw(R"({"$ref":"#/components/schemas/MaybeTime"})");
    }
    void reference(std::string_view name, std::string T::*, JournalKind kind, const model::FieldRule& rule) {
        const bool is_record = form_ == Form::record;
        begin(name, rule.required && !is_record, "string", rule.required);
        if (!is_record) {
            writer_.field("minLength", 1LL);
            writer_.field("maxLength", static_cast<long long>(base::limits::journal_id_bytes_max));
        }
        writer_.field("description",
                      "The id of one of the " + std::string(model::journal_kind_plural(kind)) +
                          (is_record ? "; null where there is none, or the caller may not see it." : "."));
        end(false);
    }
    void references(std::string_view name, std::vector<std::string> T::*, JournalKind kind) {
        begin(name, form_ == Form::record, "array", false);
        writer_.field("maxItems", static_cast<long long>(base::limits::journal_list_max));
        writer_.name("uniqueItems")
            .boolean(true)
            .name("items")
            .raw(R"({"type":"string","minLength":1,"maxLength":200})");
        writer_.field("description", "Ids of " + std::string(model::journal_kind_plural(kind)) + ".");
        end(false);
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::*) {
        begin(name, form_ == Form::record, "array", false);
        writer_.field("maxItems", static_cast<long long>(base::limits::journal_blocks_max));
        writer_.name("items").raw(form_ == Form::record ? R"({"$ref":"#/components/schemas/PlanBlock"})"
                                                        : R"({"$ref":"#/components/schemas/PlanBlockInput"})");
        end(false);
    }

private:
    static constexpr const char* stays = "Stays as it was made.";

    void note(std::string_view name, bool is_required) {
        if (form_ == Form::record || (form_ == Form::input && is_required)) required.push_back(name);
    }
    void begin(std::string_view name, bool is_required, std::string_view type) {
        begin(name, is_required, type, is_required);
    }
    // `is_there`: it is never null.
    void begin(std::string_view name, bool is_there, std::string_view type, bool is_required) {
        note(name, is_required);
        writer_.name(name).begin_object().name("type");
        if (is_there) writer_.text(type);
        else writer_.begin_array().text(type).text("null").end_array();
    }
    void bounds(const model::IntegerRule& rule) {
        writer_.field("minimum", static_cast<long long>(rule.min)).field("maximum", static_cast<long long>(rule.max));
        end(false);
    }
    void end(bool is_fixed) {
        if (is_fixed && form_ == Form::patch) writer_.field("description", stays);
        writer_.end_object();
    }

    JsonWriter& writer_;
    Form form_;
};

// `time_entry` as JournalTimeEntry.
std::string type_name(JournalKind kind) {
    std::string out = "Journal";
    bool begins = true;
    for (const char c : model::journal_kind_name(kind)) {
        if (c != '_') out += begins ? static_cast<char>(c - 'a' + 'A') : c;
        begins = c == '_';
    }
    return out;
}

constexpr std::string_view extension_schema =
    R"({"type":"object","description":"Members whose names have a namespace, such as `acme.colour`; 8 KB at the most."})";
constexpr std::array<std::string_view, 9> frame_names{
    "kind", "id", "user_id", "category_id", "revision", "created_at", "updated_at", "deleted_at", "extension"};

void append_frame(JsonWriter& writer, JournalKind kind) {
    writer.name("kind").begin_object().field("const", model::journal_kind_name(kind)).end_object();
    writer.name("id").raw(R"({"type":"string"})").name("user_id").raw(R"({"type":"string"})");
    writer.name("category_id")
        .raw(R"({"type":"string","description":"Every record has one; of a category its own id."})");
    writer.name("revision").raw(R"({"type":"integer","minimum":1,"description":"Rises by one with each change."})");
    writer.name("created_at").raw(R"({"$ref":"#/components/schemas/Time"})");
    writer.name("updated_at").raw(R"({"$ref":"#/components/schemas/Time"})");
    writer.name("deleted_at").raw(R"({"$ref":"#/components/schemas/MaybeTime"})");
    writer.name("extension").raw(extension_schema);
}

void append_wish_frame(JsonWriter& writer, Form form) {
    if (form == Form::input) {
        writer.name("id").begin_object().name("type").begin_array().text("string").text("null").end_array();
        writer.field("maxLength", static_cast<long long>(base::limits::journal_new_id_bytes_max))
            .field(
                "description",
                "Given by Belfry where it is left out; of a day plan and a rating it follows from what they are of.");
        writer.end_object();
    } else {
        writer.name("revision")
            .raw(R"({"type":["integer","null"],"minimum":1,"description":"Only if the record still has this one."})");
    }
    writer.name("category_id")
        .raw(
            R"({"type":["string","null"],"maxLength":200,"description":"Where none is given: that of what it belongs to, else `general`."})");
    writer.name("extension").raw(extension_schema);
}

void append_schema(JsonWriter& writer, JournalKind kind, Form form) {
    const char* const suffix = form == Form::record ? "" : form == Form::input ? "Input" : "Patch";
    writer.name(type_name(kind) + suffix).begin_object().field("type", "object");
    if (form != Form::record) writer.name("additionalProperties").boolean(false);
    writer.name("properties").begin_object();
    if (form == Form::record) append_frame(writer, kind);
    else append_wish_frame(writer, form);
    const std::vector<std::string_view> required = model::with_kind(kind, [&]<class T>(std::type_identity<T> type) {
        PropertyWriter<T> properties(writer, form);
        model::describe(properties, type);
        return properties.required;
    });
    writer.end_object().name("required").begin_array();
    if (form == Form::record) {
        for (const std::string_view name : frame_names) writer.text(name);
    }
    for (const std::string_view name : required) writer.text(name);
    writer.end_array().end_object();
}

void append_list(JsonWriter& writer, const std::string& name, const std::string& item) {
    writer.name(name + "List").begin_object().field("type", "object");
    writer.name("required").raw(R"(["data","next","has_more"])").name("properties").begin_object();
    writer.name("data").begin_object().field("type", "array").name("items").raw(item).end_object();
    writer.name("next").raw(R"({"$ref":"#/components/schemas/MaybeText"})");
    writer.name("has_more")
        .raw(
            R"({"type":"boolean","description":"A short page may have more behind it: the search has looked at enough for once."})");
    writer.end_object().end_object();
}

template <std::size_t count>
void append_choice(JsonWriter& writer, std::string_view name, const std::array<std::string_view, count>& names) {
    writer.name(name).begin_object().field("type", "string").name("enum").begin_array();
    for (const std::string_view one : names) writer.text(one);
    writer.end_array().end_object();
}

void append_kinds(JsonWriter& writer) {
    std::array<std::string_view, model::journal_kind_count> names;
    std::string any = R"({"oneOf":[)";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto kind = static_cast<JournalKind>(i);
        names[i] = model::journal_kind_name(kind);
        any += (i > 0 ? "," : "") + (R"({"$ref":"#/components/schemas/)" + type_name(kind) + "\"}");
        for (const Form form : {Form::record, Form::input, Form::patch}) append_schema(writer, kind, form);
        append_list(writer, type_name(kind), R"({"$ref":"#/components/schemas/)" + type_name(kind) + "\"}");
    }
    append_choice(writer, "JournalKind", names);
    writer.name("JournalRecord").raw(any + "]}");
    append_list(writer, "Journal", R"({"$ref":"#/components/schemas/JournalRecord"})");
}

constexpr std::string_view others = R"json(,
"PlanBlock":{"type":"object","required":["id","category_id","start_at","end_at","note","task_id"],"properties":{
  "id":{"type":"string"},"category_id":{"type":"string"},"start_at":{"$ref":"#/components/schemas/Time"},
  "end_at":{"$ref":"#/components/schemas/Time"},"note":{"$ref":"#/components/schemas/MaybeText"},
  "task_id":{"$ref":"#/components/schemas/MaybeText"}}},
"PlanBlockInput":{"type":"object","additionalProperties":false,"required":["start_at","end_at"],"properties":{
  "id":{"type":["string","null"],"maxLength":200},"category_id":{"type":["string","null"],"maxLength":200},
  "start_at":{"$ref":"#/components/schemas/Time"},"end_at":{"$ref":"#/components/schemas/Time"},
  "note":{"type":["string","null"],"maxLength":1000},"task_id":{"type":["string","null"],"maxLength":200}}},
"JournalLink":{"type":"object","required":["kind","user_id","relation","from_id","to_id","metadata","hidden","revision",
  "created_at","updated_at","deleted_at"],"properties":{
  "kind":{"const":"link"},"user_id":{"type":"string"},
  "relation":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,63}$"},"from_id":{"type":"string"},"to_id":{"type":"string"},
  "metadata":{"type":"object"},"hidden":{"type":"boolean"},"revision":{"type":"integer","minimum":1},
  "created_at":{"$ref":"#/components/schemas/Time"},"updated_at":{"$ref":"#/components/schemas/Time"},
  "deleted_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"JournalLinkInput":{"type":"object","additionalProperties":false,"properties":{
  "metadata":{"type":["object","null"],"description":"4 KB at the most."},"hidden":{"type":"boolean","default":false}}},
"JournalLines":{"type":"string","description":"A record or a link a line, as an export has them."},
"JournalImported":{"type":"object","required":["taken","unchanged","conflicts"],"properties":{
  "taken":{"type":"integer","minimum":0},"unchanged":{"type":"integer","minimum":0,"description":"Were there, as they are."},
  "conflicts":{"type":"array","items":{"type":"object","required":["line","id","message"],"properties":{
  "line":{"type":"integer","minimum":1},"id":{"type":"string"},"message":{"type":"string"}}}}}},
"JournalOverview":{"type":"object","required":["enabled","holds_anything","running"],"properties":{
  "enabled":{"type":"boolean"},"holds_anything":{"type":"boolean"},
  "running":{"description":"The time entry that has no end.","anyOf":[{"$ref":"#/components/schemas/JournalTimeEntry"},{"type":"null"}]}}})json";

std::string make_schemas() {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    append_choice(writer, "EntryType", model::entry_type_names);
    append_choice(writer, "TaskStatus", model::task_status_names);
    append_choice(writer, "TaskPriority", model::task_priority_names);
    append_choice(writer, "RatingTarget", model::rating_target_names);
    append_kinds(writer);
    append_list(writer, "JournalLink", R"({"$ref":"#/components/schemas/JournalLink"})");
    out.erase(0, 1);  // members of an object that is somebody else's
    out += others;
    return out;
}

}  // namespace

const std::string& openapi_journal_schemas() {
    static const std::string schemas = make_schemas();
    return schemas;
}

}  // namespace belfry::net
