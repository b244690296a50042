#include "store/journal_row.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "model/agent.hpp"
#include "model/journal_fields.hpp"

namespace belfry::store {
namespace {

using model::FieldRule;
using model::IntegerRule;
using model::JournalKind;
using model::JournalRecord;
using model::PlanBlock;
using model::TextRule;

constexpr std::array<const char*, 9> common_columns{
    "number", "user_id", "id", "category_id", "revision", "created_at", "updated_at", "deleted_at", "extension_json"};

void append_blocks(model::JsonWriter& writer, const std::vector<PlanBlock>& blocks) {
    writer.begin_array();
    for (const PlanBlock& block : blocks) {
        writer.begin_object().field("id", block.id).field("category_id", block.category_id);
        writer.field("start_at", block.start_at.us).field("end_at", block.end_at.us);
        writer.field("note", block.note).field("task_id", block.task_id).end_object();
    }
    writer.end_array();
}

std::vector<PlanBlock> blocks_of(model::JsonView json) {
    const auto text = [](model::JsonView block, std::string_view name) {
        const auto member = block.member(name);
        return member ? member->as_text() : std::string();
    };
    const auto time = [](model::JsonView block, std::string_view name) {
        base::Timestamp found;
        const auto member = block.member(name);
        if (member) std::from_chars(member->text.data(), member->text.data() + member->text.size(), found.us);
        return found;
    };
    std::vector<PlanBlock> blocks;
    model::JsonWalker walker(json);
    while (const auto one = walker.next()) {
        blocks.push_back({text(*one, "id"), text(*one, "category_id"), time(*one, "start_at"), time(*one, "end_at"),
                          text(*one, "note"), text(*one, "task_id")});
    }
    return blocks;
}

// Names the columns of a kind's own fields.
struct ColumnNames {
    std::vector<std::string>& names;

    void text(const char* name, auto, const TextRule&) { names.emplace_back(name); }
    void date(const char* name, auto, const FieldRule&) { names.emplace_back(name); }
    void choice(const char* name, auto, const auto&, const FieldRule&) { names.emplace_back(name); }
    void integer(const char* name, auto, const IntegerRule&) { names.emplace_back(name); }
    void flag(const char* name, auto) { names.emplace_back(name); }
    void time(const char* name, auto) { names.emplace_back(name); }
    void reference(const char* name, auto, JournalKind, const FieldRule&) { names.emplace_back(name); }
    void references(const char* name, auto, JournalKind) { names.push_back(std::string(name) + "_json"); }
    void blocks(const char* name, auto) { names.push_back(std::string(name) + "_json"); }
};

Param maybe(const std::optional<std::int64_t>& value) {
    return value ? number(*value) : Param{};
}

// Adds the parameters of a body.
template <class T>
struct FieldBinder {
    const T& body;
    std::vector<Param>& params;
    std::deque<std::string>& made;

    void text(const char*, std::string T::* member, const TextRule&) { params.push_back(bytes(body.*member)); }
    void date(const char*, std::string T::* member, const FieldRule&) { params.push_back(bytes(body.*member)); }
    template <class Enum>
    void choice(const char*, Enum T::* member, const auto&, const FieldRule&) {
        params.push_back(store::choice(body.*member));
    }
    void integer(const char*, std::int64_t T::* member, const IntegerRule&) { params.push_back(number(body.*member)); }
    void integer(const char*, std::optional<std::int64_t> T::* member, const IntegerRule&) {
        params.push_back(maybe(body.*member));
    }
    void flag(const char*, bool T::* member) { params.push_back(store::choice(body.*member)); }
    void time(const char*, base::Timestamp T::* member) { params.push_back(number(body.*member)); }
    void time(const char*, std::optional<base::Timestamp> T::* member) { params.push_back(store::maybe(body.*member)); }
    void reference(const char*, std::string T::* member, JournalKind, const FieldRule&) {
        params.push_back(bytes(body.*member));
    }
    void references(const char*, std::vector<std::string> T::* member, JournalKind) {
        model::JsonWriter writer(made.emplace_back());
        model::append_text_list(writer, body.*member);
        params.push_back(bytes(made.back()));
    }
    void blocks(const char*, std::vector<PlanBlock> T::* member) {
        model::JsonWriter writer(made.emplace_back());
        append_blocks(writer, body.*member);
        params.push_back(bytes(made.back()));
    }
};

// Reads a body from its columns.
template <class T>
struct FieldReader {
    T& body;
    RowReader& row;

    void text(const char*, std::string T::* member, const TextRule&) { body.*member = row.text(); }
    void date(const char*, std::string T::* member, const FieldRule&) { body.*member = row.text(); }
    template <class Enum, std::size_t count>
    void choice(const char*, Enum T::* member, const std::array<std::string_view, count>&, const FieldRule&) {
        body.*member = row.choice(static_cast<Enum>(count - 1));
    }
    void integer(const char*, std::int64_t T::* member, const IntegerRule&) { body.*member = row.number(); }
    void integer(const char*, std::optional<std::int64_t> T::* member, const IntegerRule&) {
        body.*member = row.maybe_number();
    }
    void flag(const char*, bool T::* member) { body.*member = row.flag(); }
    void time(const char*, base::Timestamp T::* member) { body.*member = row.time(); }
    void time(const char*, std::optional<base::Timestamp> T::* member) { body.*member = row.maybe_time(); }
    void reference(const char*, std::string T::* member, JournalKind, const FieldRule&) { body.*member = row.text(); }
    void references(const char*, std::vector<std::string> T::* member, JournalKind) {
        body.*member = model::text_list_of({row.bytes()});
    }
    void blocks(const char*, std::vector<PlanBlock> T::* member) { body.*member = blocks_of({row.bytes()}); }
};

using Read = JournalRecord (*)(RowReader&);

template <class T>
JournalRecord read_record(RowReader& row) {
    JournalRecord record;
    record.number = row.number();
    record.user_id = row.text();
    record.id = row.text();
    record.category_id = row.text();
    record.revision = row.number();
    record.created_at = row.time();
    record.updated_at = row.time();
    record.deleted_at = row.maybe_time();
    record.extension = row.json();
    FieldReader<T> fields{record.body.emplace<T>(), row};
    model::describe(fields, std::type_identity<T>{});
    return record;
}

Read reader_of(JournalKind kind) {
    return model::with_kind(kind, [](auto type) -> Read { return &read_record<typename decltype(type)::type>; });
}

std::string find_text(JournalKind kind) {
    std::string text = "SELECT ";
    for (const std::string& column : journal_columns(kind)) text += (text.size() > 7 ? ", " : "") + column;
    return text + " FROM " + journal_table_name(kind) + " WHERE number = $1";
}

// Whose it is, under which id and since when stays.
std::string put_text(JournalKind kind) {
    std::string names;
    std::string values;
    std::string changes;
    int place = 0;
    for (const std::string& column : journal_columns(kind)) {
        names += (place > 0 ? ", " : "") + column;
        values += (place > 0 ? ", $" : "$") + std::to_string(place + 1);
        ++place;
        if (column == "number" || column == "user_id" || column == "id") continue;
        changes += (changes.empty() ? "" : ", ") + column + " = excluded." + column;
    }
    return "INSERT INTO " + journal_table_name(kind) + " (" + names + ") VALUES (" + values +
           ") ON CONFLICT (number) DO UPDATE SET " + changes;
}

std::string erase_text(JournalKind kind) {
    return "DELETE FROM " + journal_table_name(kind) +
           " WHERE number IN (SELECT number FROM journal_directory WHERE user_id = $1 ORDER BY id LIMIT $2)";
}

std::string last_text(JournalKind kind) {
    return "SELECT coalesce(max(number), 0) FROM " + journal_table_name(kind);
}

template <std::size_t... kinds>
std::array<JournalStatements, sizeof...(kinds)> make_statements(std::index_sequence<kinds...>) {
    return {JournalStatements(static_cast<JournalKind>(kinds))...};
}

}  // namespace

std::string journal_table_name(JournalKind kind) {
    return "journal_" + std::string(model::journal_kind_plural(kind));
}

std::vector<std::string> journal_columns(JournalKind kind) {
    std::vector<std::string> names(common_columns.begin(), common_columns.end());
    ColumnNames visit{names};
    model::with_kind(kind, [&visit](auto type) { model::describe(visit, type); });
    return names;
}

JournalStatements::JournalStatements(JournalKind kind)
    : table(journal_table_name(kind)),
      find(find_text(kind)),
      put(put_text(kind)),
      erase(erase_text(kind)),
      last(last_text(kind)),
      read(reader_of(kind)) {}

const JournalStatements& journal_statements(JournalKind kind) {
    static const auto all = make_statements(std::make_index_sequence<model::journal_kind_count>{});
    return all[static_cast<std::size_t>(kind)];
}

std::vector<Param> journal_params(const JournalRecord& record, std::deque<std::string>& made) {
    std::vector<Param> params{
        number(record.number),     bytes(record.user_id),           bytes(record.id),
        bytes(record.category_id), number(record.revision),         number(record.created_at),
        number(record.updated_at), store::maybe(record.deleted_at), bytes(record.extension.bytes())};
    std::visit(
        [&]<class T>(const T& body) {
            FieldBinder<T> fields{body, params, made};
            model::describe(fields, std::type_identity<T>{});
        },
        record.body);
    return params;
}

base::Result<std::vector<JournalRecord>> read_records(Database& database,
                                                      const std::vector<JournalAddress>& addresses) {
    std::array<std::vector<std::vector<Param>>, model::journal_kind_count> sets;
    for (const JournalAddress& one : addresses)
        sets[static_cast<std::size_t>(one.kind)].push_back({number(one.number)});
    std::vector<JournalRecord> records;
    for (std::size_t kind = 0; kind < sets.size(); ++kind) {
        if (sets[kind].empty()) continue;
        const JournalStatements& statements = journal_statements(static_cast<JournalKind>(kind));
        TRY_ASSIGN(std::vector<JournalRecord> some,
                   select_many(database, statements.table, statements.find, sets[kind], statements.read));
        std::ranges::move(some, std::back_inserter(records));
    }
    return records;
}

}  // namespace belfry::store
