#include "store/sqlite_copy.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace belfry::store {
namespace {

using base::Code;

// The writer waits for nobody here, but a step holds a read lock and the disk: small steps let others in between.
constexpr int pages_a_step = 1024;
constexpr int busy_wait_ms = 5000;
constexpr int busy_steps_max = 100;

struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using Handle = std::unique_ptr<sqlite3, Closer>;

base::Error failed(const std::string& what, const std::string& path, const char* why) {
    return base::error(Code::io, "cannot " + what + " " + path + ": " + why);
}

base::Result<Handle> open_file(const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Handle handle(raw);
    if (code != SQLITE_OK) return failed("open", path, sqlite3_errstr(code));
    sqlite3_busy_timeout(raw, busy_wait_ms);
    return handle;
}

// In one read transaction of the source, so that commits in between do not make the copy begin again.
base::Result<void> copy_pages(sqlite3* source, sqlite3* target, const std::string& to) {
    sqlite3_backup* backup = sqlite3_backup_init(target, "main", source, "main");
    if (backup == nullptr) return failed("copy to", to, sqlite3_errmsg(target));
    int code = SQLITE_OK;
    for (int busy = 0; busy < busy_steps_max;) {
        code = sqlite3_backup_step(backup, pages_a_step);
        if (code == SQLITE_BUSY || code == SQLITE_LOCKED) ++busy;
        else if (code != SQLITE_OK) break;
    }
    const int finished = sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) return failed("copy to", to, sqlite3_errstr(code));
    if (finished != SQLITE_OK) return failed("copy to", to, sqlite3_errstr(finished));
    return {};
}

base::Result<std::string> first_text(sqlite3* handle, const char* sql) {
    std::string text;
    const auto take = [](void* out, int, char** values, char**) {
        auto& into = *static_cast<std::string*>(out);
        if (into.empty() && values[0] != nullptr) into = values[0];
        return 0;
    };
    if (sqlite3_exec(handle, sql, take, &text, nullptr) != SQLITE_OK) {
        return base::error(Code::malformed, sqlite3_errmsg(handle));
    }
    return text;
}

// Both may go on from here: what the copy changes must not be taken for what the original changes. It gets another name
// when it is first used.
base::Result<void> take_name(sqlite3* copy, const std::string& to) {
    const auto table = first_text(copy, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'this_host'");
    if (!table.ok() || table->empty()) return {};  // of an older version; or damaged, which is looked for next
    if (sqlite3_exec(copy, "UPDATE this_host SET incarnation = x''", nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return failed("finish", to, sqlite3_errmsg(copy));
}

base::Result<void> copy_into(const std::string& from, const std::string& to) {
    TRY_ASSIGN(const Handle source, open_file(from, SQLITE_OPEN_READONLY));
    if (sqlite3_exec(source.get(), "BEGIN; SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
        return failed("read", from, sqlite3_errmsg(source.get()));
    }
    TRY_ASSIGN(const Handle target, open_file(to, SQLITE_OPEN_READWRITE));
    TRY(copy_pages(source.get(), target.get(), to));
    // The copied header says WAL; a single file without companions is easier to keep and to move. The next who opens it
    // for writing says WAL again.
    if (sqlite3_exec(target.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) != SQLITE_OK) {
        return failed("finish", to, sqlite3_errmsg(target.get()));
    }
    return take_name(target.get(), to);
}

base::Result<void> sync_path(const std::string& path, int flags) {
    const int file = open(path.c_str(), flags | O_CLOEXEC);
    if (file < 0) return failed("open", path, std::strerror(errno));
    const int synced = fsync(file);
    const int why = errno;
    close(file);
    if (synced != 0) return failed("sync", path, std::strerror(why));
    return {};
}

base::Result<void> look_for_damage(const std::string& path) {
    TRY_ASSIGN(const Handle handle, open_file(path, SQLITE_OPEN_READONLY));
    const auto verdict = first_text(handle.get(), "PRAGMA integrity_check(1)");
    if (verdict.ok() && *verdict == "ok") return {};
    return base::error(Code::malformed, path + " is damaged: " + (verdict.ok() ? *verdict : verdict.error().message));
}

// Where the file system knows no links (vfat, exFAT, many shares): an empty file that is made only where there is none
// keeps the name for the copy.
base::Result<void> give_reserved_name(const std::string& partial, const std::string& to) {
    const int file = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        return errno == EEXIST ? base::error(Code::conflict, to + " exists already")
                               : failed("name the copy", to, std::strerror(errno));
    }
    close(file);
    if (rename(partial.c_str(), to.c_str()) == 0) return {};
    const int why = errno;
    unlink(to.c_str());
    return failed("name the copy", to, std::strerror(why));
}

base::Result<void> give_name(const std::string& partial, const std::string& to, Existing existing) {
    if (existing == Existing::replaced) {
        if (rename(partial.c_str(), to.c_str()) != 0) return failed("name the copy", to, std::strerror(errno));
        return {};
    }
    // Unlike rename, link does not replace what came to be there meanwhile.
    if (link(partial.c_str(), to.c_str()) == 0) {
        unlink(partial.c_str());
        return {};
    }
    if (errno == EEXIST) return base::error(Code::conflict, to + " exists already");
    const bool has_no_links = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
    return has_no_links ? give_reserved_name(partial, to) : failed("name the copy", to, std::strerror(errno));
}

base::Result<void> fill(const std::string& from, const std::string& partial, const std::string& to, Existing existing) {
    TRY(copy_into(from, partial));
    TRY(look_for_damage(partial));
    TRY(sync_path(partial, O_RDONLY));
    TRY(give_name(partial, to, existing));
    const std::string folder = std::filesystem::path(to).parent_path().string();
    return sync_path(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace

base::Result<void> copy_database(const std::string& from, const std::string& to, Existing existing) {
    if (access(from.c_str(), F_OK) != 0) return base::error(Code::not_found, "there is no database " + from);
    if (existing == Existing::refused && access(to.c_str(), F_OK) == 0) {
        return base::error(Code::conflict, to + " exists already");
    }
    const std::string partial = to + ".partial";
    unlink(partial.c_str());
    const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return failed("create", partial, std::strerror(errno));
    close(file);
    auto filled = fill(from, partial, to, existing);
    if (!filled.ok()) {
        unlink(partial.c_str());
        unlink((partial + "-journal").c_str());
    }
    return filled;
}

base::Result<std::int64_t> last_commit_in(const std::string& path) {
    TRY_ASSIGN(const Handle handle, open_file(path, SQLITE_OPEN_READONLY));
    TRY_ASSIGN(const std::string number, first_text(handle.get(), "SELECT commit_no FROM ledger WHERE id = 1"));
    return std::atoll(number.c_str());
}

}  // namespace belfry::store
