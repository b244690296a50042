#include "store/sqlite_database.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "store/sqlite_buffer.hpp"
#include "store/sqlite_wal.hpp"
#include "store/word_index.hpp"

namespace belfry::store {

const Dialect sqlite_dialect{"sqlite",
                             "INTEGER",
                             "BLOB",
                             "STRICT",
                             "STRICT, WITHOUT ROWID",
                             "",
                             sqlite_word_index,
                             "CAST(lower(substr(hex(?), 1, 8) || '-' || substr(hex(?), 9, 4) || '-' || "
                             "substr(hex(?), 13, 4) || '-' || substr(hex(?), 17, 4) || '-' || "
                             "substr(hex(?), 21)) AS BLOB)"};

namespace {

using base::Code;

struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, Closer>;

// A prepared statement with the place of each `$n`: SQLite numbers named parameters by their first appearance.
struct Prepared {
    std::unique_ptr<sqlite3_stmt, Closer> statement;
    std::array<int, params_max> places{};
};

class SqliteRow final : public Row {
public:
    explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
    [[nodiscard]] bool is_null(int column) const override {
        return sqlite3_column_type(statement_, column) == SQLITE_NULL;
    }
    [[nodiscard]] std::int64_t number(int column) const override { return sqlite3_column_int64(statement_, column); }
    [[nodiscard]] std::string_view bytes(int column) const override {
        const void* data = sqlite3_column_blob(statement_, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        return {static_cast<const char*>(data), size};
    }

private:
    sqlite3_stmt* statement_;
};

std::int64_t file_bytes(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_size) : 0;
}

// A copy of a file is another file, made at another time.
std::string place_of(const std::string& path) {
    struct statx info = {};
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0) return {};
    std::string place = std::to_string(info.stx_ino);
    if ((info.stx_mask & STATX_BTIME) != 0) {
        place += ':' + std::to_string(info.stx_btime.tv_sec) + ':' + std::to_string(info.stx_btime.tv_nsec);
    }
    return place;
}

class SqliteDatabase final : public Database {
public:
    SqliteDatabase(std::unique_ptr<SqliteBuffer> buffer, Handle handle, SqliteOptions options)
        : buffer_(std::move(buffer)), handle_(std::move(handle)), options_(std::move(options)) {
        if (options_.on_wal_pages) sqlite3_wal_hook(handle_.get(), &SqliteDatabase::wal_hook, this);
    }

    [[nodiscard]] const Dialect& dialect() const override { return sqlite_dialect; }
    [[nodiscard]] std::string place() override { return place_of(options_.path); }
    [[nodiscard]] bool is_lost() const override { return options_.read_only && has_failed_; }

    base::Result<std::int64_t> run(const Sql& sql, std::span<const Param> params, const RowSink& sink) override {
        TRY_ASSIGN(Prepared* const prepared, prepare(sql));
        TRY(step_through(*prepared, params, sink));
        return sqlite3_changes64(handle_.get());
    }

    base::Result<void> run_many(const Sql& sql, std::span<const std::vector<Param>> sets,
                                const RowSink& sink) override {
        TRY_ASSIGN(Prepared* const prepared, prepare(sql));
        for (const std::vector<Param>& params : sets) TRY(step_through(*prepared, params, sink));
        return {};
    }

    base::Result<void> script(const std::string& text) override {
        return check(sqlite3_exec(handle_.get(), text.c_str(), nullptr, nullptr, nullptr), "run a script");
    }

    base::Result<void> begin_write() override { return exec(begin_write_sql); }
    base::Result<void> begin_read() override { return exec(begin_read_sql); }

    ports::CommitResult commit() override {
        auto committed = exec(commit_sql);
        if (committed.ok()) return {ports::CommitOutcome::committed, {}};
        const int code = sqlite3_errcode(handle_.get()) & 0xFF;
        base::Error why = std::move(committed).error();
        if (code == SQLITE_BUSY) {
            rollback();
            return {ports::CommitOutcome::rolled_back, std::move(why)};
        }
        // The frames may or may not have reached the log: only a reopened database can tell.
        return {ports::CommitOutcome::unknown, std::move(why)};
    }

    void rollback() override {
        if (sqlite3_get_autocommit(handle_.get()) == 0) (void)exec(rollback_sql);
    }

    base::Result<void> overwrite_deleted(bool on) override {
        return script(on ? "PRAGMA secure_delete = ON" : "PRAGMA secure_delete = FAST");
    }

    base::Result<bool> return_space(std::int64_t pages) override {
        TRY_ASSIGN(const bool has_room, has_much_room());
        if (!has_room) return false;
        TRY(script("PRAGMA incremental_vacuum(" + std::to_string(pages) + ")"));
        return has_much_room();
    }

    base::Result<std::pair<std::int64_t, std::int64_t>> sizes() override {
        return std::pair{file_bytes(options_.path), file_bytes(options_.path + "-wal")};
    }

private:
    static constexpr Sql begin_write_sql{"BEGIN IMMEDIATE"};
    static constexpr Sql begin_read_sql{"BEGIN"};
    static constexpr Sql commit_sql{"COMMIT"};
    static constexpr Sql rollback_sql{"ROLLBACK"};

    static constexpr Sql free_pages_sql{"PRAGMA freelist_count"};
    static constexpr Sql all_pages_sql{"PRAGMA page_count"};

    // Retention frees as much as is written, day by day: those pages are used again, and moving others to cut them off
    // would double the writing. A quarter of the file is more than that.
    base::Result<bool> has_much_room() {
        std::int64_t free = 0;
        std::int64_t all = 0;
        TRY(run(free_pages_sql, {}, [&](const Row& row) { free = row.number(0); }));
        TRY(run(all_pages_sql, {}, [&](const Row& row) { all = row.number(0); }));
        return free > all / 4;
    }

    static int wal_hook(void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteDatabase*>(self)->options_.on_wal_pages(pages);
        return SQLITE_OK;
    }

    base::Result<void> exec(const Sql& sql) {
        TRY_ASSIGN(Prepared* const prepared, prepare(sql));
        return step_through(*prepared, {}, {});
    }

    base::Result<void> check(int code, const char* doing) {
        if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return {};
        has_failed_ = true;
        return base::error(Code::io, std::string("sqlite could not ") + doing + ": " + sqlite3_errmsg(handle_.get()),
                           {}, (code & 0xFF) == SQLITE_FULL ? ports::no_room : "");
    }

    base::Result<Prepared*> prepare(const Sql& sql) {
        auto [at, is_new] = prepared_.try_emplace(&sql);
        if (!is_new && at->second.statement) return &at->second;
        sqlite3_stmt* statement = nullptr;
        TRY(check(sqlite3_prepare_v3(handle_.get(), sql.text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr),
                  "prepare a statement"));
        at->second.statement.reset(statement);
        for (std::size_t i = 0; i < at->second.places.size(); ++i) {
            const std::string name = "$" + std::to_string(i + 1);
            at->second.places[i] = sqlite3_bind_parameter_index(statement, name.c_str());
        }
        return &at->second;
    }

    base::Result<void> bind(const Prepared& prepared, std::span<const Param> params) {
        sqlite3_stmt* statement = prepared.statement.get();
        for (std::size_t i = 0; i < params.size(); ++i) {
            const int place = prepared.places.at(i);
            int code = SQLITE_OK;
            if (const auto* number = std::get_if<std::int64_t>(&params[i])) {
                code = sqlite3_bind_int64(statement, place, *number);
            } else if (const auto* blob = std::get_if<Bytes>(&params[i])) {
                const char* data = blob->view.data() != nullptr ? blob->view.data() : "";
                code = sqlite3_bind_blob64(statement, place, data, blob->view.size(), SQLITE_STATIC);
            } else {
                code = sqlite3_bind_null(statement, place);
            }
            TRY(check(code, "bind a parameter"));
        }
        return {};
    }

    base::Result<void> step_through(const Prepared& prepared, std::span<const Param> params, const RowSink& sink) {
        sqlite3_stmt* statement = prepared.statement.get();
        TRY(bind(prepared, params));
        int code = sqlite3_step(statement);
        while (code == SQLITE_ROW) {
            if (sink) sink(SqliteRow(statement));
            code = sqlite3_step(statement);
        }
        auto stepped = check(code, "run a statement");
        sqlite3_reset(statement);
        return stepped;
    }

    std::unique_ptr<SqliteBuffer> buffer_;  // outlives the connection
    Handle handle_;
    SqliteOptions options_;
    std::unordered_map<const Sql*, Prepared> prepared_;
    bool has_failed_ = false;
};

base::Result<void> run_pragmas(sqlite3* handle, const std::string& path, const std::string& pragmas) {
    char* message = nullptr;
    if (sqlite3_exec(handle, pragmas.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return {};
    const std::string why = message != nullptr ? message : "unknown error";
    sqlite3_free(message);
    return base::error(Code::io, "cannot set up the database " + path + ": " + why);
}

// PostgreSQL's name for it. SQLite's own `||` makes text of bytes.
void join_bytes(sqlite3_context* context, int, sqlite3_value** values) {
    std::string joined;
    for (const int i : {0, 1}) {
        const auto* data = static_cast<const char*>(sqlite3_value_blob(values[i]));
        if (data != nullptr) joined.append(data, static_cast<std::size_t>(sqlite3_value_bytes(values[i])));
    }
    sqlite3_result_blob64(context, joined.data(), joined.size(), SQLITE_TRANSIENT);
}

bool is_empty(sqlite3* handle) {
    std::int64_t pages = -1;  // where it cannot be told it is not empty
    const auto take = [](void* out, int, char** values, char**) {
        *static_cast<std::int64_t*>(out) = std::atoll(values[0]);
        return 0;
    };
    sqlite3_exec(handle, "PRAGMA page_count", take, &pages, nullptr);
    return pages == 0;
}

base::Result<void> set_up(sqlite3* handle, const SqliteOptions& options) {
    std::string pragmas = "PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;";
    if (options.exclusive) pragmas += "PRAGMA locking_mode = EXCLUSIVE;";
    // Without it a row that is erased where it lies could still be read where it lay before.
    if (!options.read_only) pragmas += "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON;";
    TRY(run_pragmas(handle, options.path, pragmas));
    if (options.read_only) return {};
    if (sqlite3_create_function_v2(handle, "byteacat", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, &join_bytes,
                                   nullptr, nullptr, nullptr) != SQLITE_OK) {
        return base::error(Code::io, "cannot set up the database " + options.path + ": " + sqlite3_errmsg(handle));
    }
    // On a database that is there this would be a write, also into one that is too new to be touched.
    if (is_empty(handle)) TRY(run_pragmas(handle, options.path, "PRAGMA auto_vacuum = INCREMENTAL"));
    // Sixteen megabytes hold the ends of the indexes of notifications of some hundred busy sessions; with four, writing
    // them took more than twice as long. What is not used is not taken.
    return run_pragmas(handle, options.path,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000");
}

// SQLite counts the memory of all its connections under one lock, with every piece that it takes and gives back. Nobody
// asks for that count. It can be chosen only before its first use.
void leave_memory_uncounted() {
    static const int chosen = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)chosen;
}

// What the system said, where it was the system that refused: "Permission denied" tells more than SQLite's own words.
base::Error not_opened(sqlite3* handle, int code, const std::string& path) {
    const int number = handle != nullptr ? sqlite3_system_errno(handle) : 0;
    const bool is_the_systems = number != 0 && (code & 0xFF) == SQLITE_CANTOPEN;
    const std::string why = is_the_systems      ? std::generic_category().message(number)
                            : handle != nullptr ? sqlite3_errmsg(handle)
                                                : sqlite3_errstr(code);
    return base::error(Code::io, "cannot open the database " + path + ": " + why);
}

}  // namespace

base::Result<std::unique_ptr<Database>> open_sqlite(SqliteOptions options) {
    leave_memory_uncounted();
    if (!options.read_only) TRY(renew_wal(options.path, options.vfs));
    sqlite3* raw = nullptr;
    const int flags = (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    auto buffer = std::make_unique<SqliteBuffer>(options.vfs);
    const int code = sqlite3_open_v2(options.path.c_str(), &raw, flags, buffer->name().c_str());
    Handle handle(raw);
    if (code != SQLITE_OK) return not_opened(raw, code, options.path);
    TRY(set_up(handle.get(), options));
    return std::unique_ptr<Database>(
        std::make_unique<SqliteDatabase>(std::move(buffer), std::move(handle), std::move(options)));
}

}  // namespace belfry::store
