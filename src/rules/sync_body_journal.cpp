#include <algorithm>

#include "model/journal_fields.hpp"
#include "rules/body_fields.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::rules {
namespace {

using model::FieldRule;
using model::IntegerRule;
using model::JournalKind;
using model::TextRule;

void append_block(model::JsonWriter& writer, const model::PlanBlock& block) {
    writer.begin_object().field("category_id", block.category_id).field("end_at", block.end_at.us);
    writer.field("id", block.id).field("note", block.note).field("start_at", block.start_at.us);
    writer.field("task_id", block.task_id).end_object();
}

base::Result<model::PlanBlock> block_of(model::JsonView json) {
    if (json.kind() != model::JsonKind::object) {
        return base::error(base::Code::invalid, "must be a list of objects", "blocks");
    }
    BodyReader reader(json, "blocks.");
    model::PlanBlock block;
    block.category_id = reader.text("category_id");
    block.end_at = reader.time("end_at");
    block.id = reader.text("id");
    block.note = reader.text("note");
    block.start_at = reader.time("start_at");
    block.task_id = reader.text("task_id");
    TRY(reader.done());
    return block;
}

template <class T>
class FieldWriter {
public:
    FieldWriter(BodyWriter& body, const T& from) : body_(body), from_(from) {}

    void text(std::string_view name, std::string T::* member, const TextRule&) { body_.text(name, from_.*member); }
    void date(std::string_view name, std::string T::* member, const FieldRule&) { body_.text(name, from_.*member); }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const FieldRule&) {
        body_.text(name, names[static_cast<std::size_t>(from_.*member)]);
    }
    template <class Member>
    void integer(std::string_view name, Member T::* member, const IntegerRule&) {
        body_.number(name, from_.*member);
    }
    void flag(std::string_view name, bool T::* member) { body_.flag(name, from_.*member); }
    template <class Member>
    void time(std::string_view name, Member T::* member) {
        body_.time(name, from_.*member);
    }
    void reference(std::string_view name, std::string T::* member, JournalKind, const FieldRule&) {
        body_.text(name, from_.*member);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, JournalKind) {
        body_.texts(name, from_.*member);
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        body_.value(name, [&](model::JsonWriter& writer) {
            writer.begin_array();
            for (const model::PlanBlock& block : from_.*member) append_block(writer, block);
            writer.end_array();
        });
    }

private:
    BodyWriter& body_;
    const T& from_;
};

template <class T>
class FieldReader {
public:
    FieldReader(BodyReader& body, T& to) : body_(body), to_(to) {}

    void text(std::string_view name, std::string T::* member, const TextRule&) { to_.*member = body_.text(name); }
    void date(std::string_view name, std::string T::* member, const FieldRule&) { to_.*member = body_.text(name); }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const FieldRule&) {
        const auto at = std::ranges::find(names, body_.text(name));
        if (at == names.end()) body_.fault(name, "is none of those that there are");
        else to_.*member = static_cast<Enum>(at - names.begin());
    }
    void integer(std::string_view name, std::int64_t T::* member, const IntegerRule&) {
        to_.*member = body_.number(name);
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const IntegerRule&) {
        to_.*member = body_.maybe_number(name);
    }
    void flag(std::string_view name, bool T::* member) { to_.*member = body_.flag(name); }
    void time(std::string_view name, base::Timestamp T::* member) { to_.*member = body_.time(name); }
    void time(std::string_view name, std::optional<base::Timestamp> T::* member) {
        to_.*member = body_.maybe_time(name);
    }
    void reference(std::string_view name, std::string T::* member, JournalKind, const FieldRule&) {
        to_.*member = body_.text(name);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, JournalKind) {
        to_.*member = body_.texts(name);
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        std::vector<model::PlanBlock>& blocks = to_.*member;
        blocks.clear();
        const auto list = body_.value(name);
        if (!list) return;
        if (list->kind() != model::JsonKind::array) return body_.fault(name, "must be a list");
        model::JsonWalker walker(*list);
        while (const auto one = walker.next()) {
            auto block = block_of(*one);
            if (block.ok()) blocks.push_back(std::move(*block));
            else body_.fault(block.error().field, block.error().message);
        }
    }

private:
    BodyReader& body_;
    T& to_;
};

}  // namespace

model::RawJson journal_body(const model::JournalRecord& record) {
    BodyWriter body;
    std::visit(
        [&body]<class T>(const T& from) {
            FieldWriter<T> fields(body, from);
            model::describe(fields, std::type_identity<T>{});
        },
        record.body);
    body.text("category_id", record.category_id);
    body.raw("extension", record.extension.bytes());
    body.time("created_at", record.created_at);
    body.time("deleted_at", record.deleted_at);
    return body.take();
}

base::Result<void> read_journal_body(model::JsonView json, model::JournalRecord& record) {
    BodyReader body(json);
    std::visit(
        [&body]<class T>(T& to) {
            FieldReader<T> fields(body, to);
            model::describe(fields, std::type_identity<T>{});
        },
        record.body);
    record.category_id = body.text("category_id");
    record.extension = body.object("extension");
    record.created_at = body.time("created_at");
    record.deleted_at = body.maybe_time("deleted_at");
    return body.done();
}

model::RawJson link_body(const model::Link& link) {
    BodyWriter body;
    body.text("relation", link.relation);
    body.text("from_id", link.from_id);
    body.text("to_id", link.to_id);
    body.raw("metadata", link.metadata.bytes());
    body.flag("hidden", link.hidden);
    body.time("created_at", link.created_at);
    body.time("deleted_at", link.deleted_at);
    return body.take();
}

base::Result<void> read_link_body(model::JsonView json, model::Link& link) {
    BodyReader body(json);
    link.relation = body.text("relation");
    link.from_id = body.text("from_id");
    link.to_id = body.text("to_id");
    link.metadata = body.object("metadata");
    link.hidden = body.flag("hidden");
    link.created_at = body.time("created_at");
    link.deleted_at = body.maybe_time("deleted_at");
    if (link.relation.empty() || link.from_id.empty() || link.to_id.empty()) {
        body.fault("relation", "connects nothing");
    }
    return body.done();
}

}  // namespace belfry::rules
