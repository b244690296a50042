#include "store/sqlite_copy.hpp"

#include <memory>
#include <sqlite3.h>

namespace belfry::store {
namespace {

struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

base::Result<Handle> open(const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    Handle handle(raw);
    if (opened != SQLITE_OK) return base::error(base::Code::io, path + ": " + sqlite3_errstr(opened));
    sqlite3_busy_timeout(raw, 5000);
    return handle;
}

}  // namespace

base::Result<void> copy_database(const std::string& from, const std::string& to) {
    TRY_ASSIGN(const Handle source, open(from, SQLITE_OPEN_READONLY));
    TRY_ASSIGN(const Handle target, open(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    sqlite3_backup* copy = sqlite3_backup_init(target.get(), "main", source.get(), "main");
    if (copy == nullptr) return base::error(base::Code::io, to + ": " + sqlite3_errmsg(target.get()));
    const int done = sqlite3_backup_step(copy, -1);
    sqlite3_backup_finish(copy);
    if (done != SQLITE_DONE) return base::error(base::Code::io, from + ": " + sqlite3_errstr(done));
    return {};
}

}  // namespace belfry::store
