#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal.hpp"
#include "store/row_reader.hpp"

// Records of the journal as rows. Which columns the table of a kind has beside those of every record is told by the
// description of its fields (model/journal_fields.hpp), and the statements are made from that, once.
namespace belfry::store {

[[nodiscard]] std::string journal_table_name(model::JournalKind kind);
[[nodiscard]] std::vector<std::string> journal_columns(model::JournalKind kind);

// The statements of one kind.
struct JournalStatements {
    explicit JournalStatements(model::JournalKind kind);

    std::string table;
    MadeSql find;   // $1 the number
    MadeSql put;    // the parameters of journal_params
    MadeSql erase;  // $1 the user, $2 of how many entries of the directory
    MadeSql last;   // the largest number
    model::JournalRecord (*read)(RowReader&);
};

[[nodiscard]] const JournalStatements& journal_statements(model::JournalKind kind);

// In the order of the columns. They point into the record and into `made`, to which what had to be made is added.
[[nodiscard]] std::vector<Param> journal_params(const model::JournalRecord& record, std::deque<std::string>& made);

// Where a record lies.
struct JournalAddress {
    model::JournalKind kind = model::JournalKind::task;
    std::int64_t number = 0;
};
// The records that lie there, in any order: one query a kind.
base::Result<std::vector<model::JournalRecord>> read_records(Database& database,
                                                             const std::vector<JournalAddress>& addresses);

}  // namespace belfry::store
