#include "model/journal_json.hpp"

#include "model/journal_fields.hpp"
#include "model/record_json.hpp"

namespace belfry::model {
namespace {

void append_block(JsonWriter& writer, const PlanBlock& block) {
    writer.begin_object().field("id", block.id).field("category_id", block.category_id);
    writer.field("start_at", base::format_timestamp(block.start_at));
    writer.field("end_at", base::format_timestamp(block.end_at));
    append_text(writer, "note", block.note);
    append_text(writer, "task_id", block.task_id);
    writer.end_object();
}

// Writes the fields of one body.
template <class T>
class FieldWriter {
public:
    FieldWriter(JsonWriter& writer, const T& body) : writer_(writer), body_(body) {}

    void text(std::string_view name, std::string T::* member, const TextRule&) {
        append_text(writer_, name, body_.*member);
    }
    void date(std::string_view name, std::string T::* member, const FieldRule&) {
        append_text(writer_, name, body_.*member);
    }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const FieldRule&) {
        writer_.field(name, names[static_cast<std::size_t>(body_.*member)]);
    }
    void integer(std::string_view name, std::int64_t T::* member, const IntegerRule&) {
        writer_.field(name, static_cast<long long>(body_.*member));
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const IntegerRule&) {
        writer_.name(name);
        body_.*member ? writer_.number(*(body_.*member)) : writer_.null();
    }
    void flag(std::string_view name, bool T::* member) { writer_.name(name).boolean(body_.*member); }
    void time(std::string_view name, base::Timestamp T::* member) {
        writer_.field(name, base::format_timestamp(body_.*member));
    }
    void time(std::string_view name, std::optional<base::Timestamp> T::* member) {
        append_time(writer_, name, body_.*member);
    }
    void reference(std::string_view name, std::string T::* member, JournalKind, const FieldRule&) {
        append_text(writer_, name, body_.*member);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, JournalKind) {
        writer_.name(name).begin_array();
        for (const std::string& id : body_.*member) writer_.text(id);
        writer_.end_array();
    }
    void blocks(std::string_view name, std::vector<PlanBlock> T::* member) {
        writer_.name(name).begin_array();
        for (const PlanBlock& block : body_.*member) append_block(writer_, block);
        writer_.end_array();
    }

private:
    JsonWriter& writer_;
    const T& body_;
};

}  // namespace

void append_record(JsonWriter& writer, const JournalRecord& record) {
    writer.begin_object().field("kind", journal_kind_name(record.kind())).field("id", record.id);
    writer.field("user_id", record.user_id).field("category_id", record.category_id);
    writer.field("revision", record.revision);
    writer.field("created_at", base::format_timestamp(record.created_at));
    writer.field("updated_at", base::format_timestamp(record.updated_at));
    append_time(writer, "deleted_at", record.deleted_at);
    std::visit(
        [&writer]<class T>(const T& body) {
            FieldWriter<T> fields(writer, body);
            describe(fields, std::type_identity<T>{});
        },
        record.body);
    writer.name("extension").raw(record.extension.bytes());
    writer.end_object();
}

void append_link(JsonWriter& writer, const Link& link) {
    writer.begin_object().field("kind", link_kind).field("user_id", link.user_id).field("relation", link.relation);
    writer.field("from_id", link.from_id).field("to_id", link.to_id).name("metadata").raw(link.metadata.bytes());
    writer.name("hidden").boolean(link.hidden).field("revision", link.revision);
    writer.field("created_at", base::format_timestamp(link.created_at));
    writer.field("updated_at", base::format_timestamp(link.updated_at));
    append_time(writer, "deleted_at", link.deleted_at);
    writer.end_object();
}

}  // namespace belfry::model
