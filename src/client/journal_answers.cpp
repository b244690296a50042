#include "client/journal_answers.hpp"

#include "client/fields.hpp"
#include "model/journal_fields.hpp"
#include "model/record_json.hpp"

namespace belfry::client {
namespace {

std::optional<base::Timestamp> time_of(const Fields& fields, std::string_view name) {
    return base::parse_timestamp(fields.text(name));
}

model::PlanBlock block_of(model::JsonView view) {
    const Fields fields(view);
    model::PlanBlock block;
    block.id = fields.text("id");
    block.category_id = fields.text("category_id");
    block.start_at = time_of(fields, "start_at").value_or(base::Timestamp{});
    block.end_at = time_of(fields, "end_at").value_or(base::Timestamp{});
    block.note = fields.text("note");
    block.task_id = fields.text("task_id");
    return block;
}

// Takes the fields of one body from an answer.
template <class T>
class FieldTaker {
public:
    FieldTaker(const Fields& fields, T& body) : fields_(fields), body_(body) {}

    void text(std::string_view name, std::string T::* member, const model::TextRule&) { take_text(name, member); }
    void date(std::string_view name, std::string T::* member, const model::FieldRule&) { take_text(name, member); }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const model::FieldRule&) {
        body_.*member = model::parse_choice<Enum>(names, fields_.text(name)).value_or(body_.*member);
    }
    void integer(std::string_view name, std::int64_t T::* member, const model::IntegerRule&) {
        body_.*member = fields_.number(name);
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const model::IntegerRule&) {
        const auto value = fields_.member(name);
        if (value && value->kind() == model::JsonKind::number) body_.*member = fields_.number(name);
    }
    void flag(std::string_view name, bool T::* member) { body_.*member = fields_.flag(name).value_or(false); }
    void time(std::string_view name, base::Timestamp T::* member) {
        body_.*member = time_of(fields_, name).value_or(base::Timestamp{});
    }
    void time(std::string_view name, std::optional<base::Timestamp> T::* member) {
        body_.*member = time_of(fields_, name);
    }
    void reference(std::string_view name, std::string T::* member, model::JournalKind, const model::FieldRule&) {
        take_text(name, member);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, model::JournalKind) {
        body_.*member = fields_.texts(name);
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        fields_.each(name, [&](model::JsonView element) { (body_.*member).push_back(block_of(element)); });
    }

private:
    void take_text(std::string_view name, std::string T::* member) { body_.*member = fields_.text(name); }

    const Fields& fields_;
    T& body_;
};

}  // namespace

base::Result<RecordNow> record_of(model::JsonView view) {
    const Fields fields(view);
    const auto kind = model::parse_journal_kind(fields.text("kind"));
    if (!kind) return strange("it has a record of an unknown kind");
    RecordNow now;
    model::JournalRecord& record = now.record;
    record.id = fields.text("id");
    record.user_id = fields.text("user_id");
    record.category_id = fields.text("category_id");
    record.revision = fields.number("revision");
    record.created_at = time_of(fields, "created_at").value_or(base::Timestamp{});
    record.updated_at = time_of(fields, "updated_at").value_or(base::Timestamp{});
    record.deleted_at = time_of(fields, "deleted_at");
    record.extension = fields.object("extension");
    record.body = model::empty_body(*kind);
    std::visit(
        [&fields]<class T>(T& body) {
            FieldTaker<T> taker(fields, body);
            model::describe(taker, std::type_identity<T>{});
        },
        record.body);
    now.json = model::RawJson::trusted(std::string(view.text));
    return now;
}

LinkNow journal_link_of(model::JsonView view) {
    const Fields fields(view);
    LinkNow now;
    model::Link& link = now.link;
    link.user_id = fields.text("user_id");
    link.relation = fields.text("relation");
    link.from_id = fields.text("from_id");
    link.to_id = fields.text("to_id");
    link.metadata = fields.object("metadata");
    link.hidden = fields.flag("hidden").value_or(false);
    link.revision = fields.number("revision");
    link.created_at = time_of(fields, "created_at").value_or(base::Timestamp{});
    link.updated_at = time_of(fields, "updated_at").value_or(base::Timestamp{});
    link.deleted_at = time_of(fields, "deleted_at");
    now.json = model::RawJson::trusted(std::string(view.text));
    return now;
}

base::Result<RecordNow> read_record(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "kind"));
    return record_of(json.view());
}

base::Result<LinkNow> read_journal_link(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "relation"));
    return journal_link_of(json.view());
}

base::Result<Imported> read_imported(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "taken"));
    const Fields fields(json.view());
    Imported imported{fields.number("taken"), fields.number("unchanged"), {}, {}};
    fields.each("conflicts", [&imported](model::JsonView element) {
        const Fields conflict(element);
        imported.conflicts.push_back({conflict.number("line"), conflict.text("id"), conflict.text("message")});
    });
    return imported;
}

base::Result<JournalNow> read_journal(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "enabled"));
    const Fields fields(json.view());
    JournalNow now;
    now.holds_anything = fields.flag("holds_anything").value_or(false);
    const auto running = fields.member("running");
    if (running && running->kind() == model::JsonKind::object) {
        TRY_ASSIGN(now.running, record_of(*running));
    }
    now.json = std::move(json);
    return now;
}

}  // namespace belfry::client
