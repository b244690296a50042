#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "ports/store.hpp"

namespace belfry::store {

// One statement of the one set of SQL: parameters are `$1`, `$2`, … in both databases. A statement is a constant with
// its own address, by which a connection finds it prepared.
struct Sql {
    const char* text;
};

// One whose text is made when the program runs, once: it stays where it is, as the others do.
class MadeSql {
public:
    explicit MadeSql(std::string text) : text_(std::move(text)), sql_{text_.c_str()} {}
    MadeSql(const MadeSql&) = delete;
    MadeSql& operator=(const MadeSql&) = delete;
    operator const Sql&() const { return sql_; }  // NOLINT: implicit on purpose

private:
    std::string text_;
    Sql sql_;
};

// Only two kinds of column exist: integers of 64 bits, and bytes. Text of producers may hold anything, so it is bytes.
struct Bytes {
    std::string_view view;
};
using Param = std::variant<std::monostate, std::int64_t, Bytes>;
inline constexpr std::size_t params_max = 160;  // of one statement

inline Param number(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
inline Param number(std::int64_t value) {
    return value;
}
inline Param bytes(std::string_view value) {
    return Bytes{value};
}

// A row while it is being read; views are valid until the sink returns.
class Row {
public:
    virtual ~Row() = default;
    [[nodiscard]] virtual bool is_null(int column) const = 0;
    [[nodiscard]] virtual std::int64_t number(int column) const = 0;
    [[nodiscard]] virtual std::string_view bytes(int column) const = 0;
};
using RowSink = std::function<void(const Row&)>;

class WordIndex;

// What differs between the two beside the driver. Everything else is the same SQL.
struct Dialect {
    std::string_view name;            // sqlite, postgres
    std::string_view integer_type;    // INTEGER, BIGINT
    std::string_view bytes_type;      // BLOB, BYTEA
    std::string_view table_suffix;    // STRICT, nothing
    std::string_view keyed_suffix;    // for tables that are their own key: STRICT, WITHOUT ROWID
    std::string_view take_your_time;  // for the statements of this transaction, which may go through whole tables
    const WordIndex& (*words)();      // the index of words that it has
    std::string_view uuid_text;       // the bytes of a UUID's text, `?` for the column that has its sixteen bytes
};

// A connection: prepare, bind, step, transaction. For one thread at a time.
class Database {
public:
    virtual ~Database() = default;

    [[nodiscard]] virtual const Dialect& dialect() const = 0;
    // Whether it is better made anew: a session that is gone, a reader that something has failed for. A writer of a
    // file has no such state.
    [[nodiscard]] virtual bool is_lost() const { return false; }
    // What tells it from a copy of itself; another text in each copy. Empty: nothing does.
    [[nodiscard]] virtual std::string place() { return {}; }

    // Runs one statement; returns the number of rows that it changed.
    virtual base::Result<std::int64_t> run(const Sql& sql, std::span<const Param> params, const RowSink& sink) = 0;
    // Runs one statement once for each set of parameters, in one go where the driver can.
    virtual base::Result<void> run_many(const Sql& sql, std::span<const std::vector<Param>> sets,
                                        const RowSink& sink) = 0;
    // Several statements without parameters, for migrations.
    virtual base::Result<void> script(const std::string& text) = 0;

    virtual base::Result<void> begin_write() = 0;
    virtual base::Result<void> begin_read() = 0;
    virtual ports::CommitResult commit() = 0;
    virtual void rollback() = 0;

    // Whether what is deleted from now on is to be overwritten on the disk too. It is, until told otherwise: what a
    // person's events left behind in pages that were free then would outlive an erasure.
    virtual base::Result<void> overwrite_deleted(bool on) = 0;
    // In a transaction: gives up to `pages` free pages back to the file system, where so many are free that they are
    // not better kept for what comes next. Tells whether there are more.
    virtual base::Result<bool> return_space(std::int64_t pages) = 0;
    // Bytes of the database and of its write-ahead log, as far as they can be told.
    virtual base::Result<std::pair<std::int64_t, std::int64_t>> sizes() = 0;

    base::Result<std::int64_t> run(const Sql& sql, std::initializer_list<Param> params, const RowSink& sink = {}) {
        return run(sql, std::span<const Param>(params.begin(), params.size()), sink);
    }
};

}  // namespace belfry::store
