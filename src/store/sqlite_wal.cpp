#include "store/sqlite_wal.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sqlite3.h>
#include <vector>

namespace belfry::store {
namespace {

using base::Code;

constexpr sqlite3_int64 piece_bytes = 64 << 10;  // SQLite's own file system counts a write in 17 bits

struct NameFree {
    void operator()(const char* name) const { sqlite3_free_filename(name); }
};

base::Error failed(const std::string& path, const char* doing, int code) {
    return base::error(
        Code::io, std::string("cannot ") + doing + " the write-ahead log of " + path + ": " + sqlite3_errstr(code));
}

// A file as SQLite's file systems open it: room that the caller gives, closed through its methods. As one who might
// have made it, because the first sync of such a one saves the log's name too.
class WalFile {
public:
    WalFile(sqlite3_vfs& vfs, const char* name)
        : room_(static_cast<std::size_t>(vfs.szOsFile) / sizeof(std::max_align_t) + 1) {
        int out = 0;
        code_ = vfs.xOpen(&vfs, name, file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, &out);
    }
    ~WalFile() {
        if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
    }
    WalFile(const WalFile&) = delete;
    WalFile& operator=(const WalFile&) = delete;

    [[nodiscard]] int opened() const { return code_; }
    sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(room_.data()); }

private:
    std::vector<std::max_align_t> room_;  // aligned for whatever the file system keeps in it
    int code_ = SQLITE_OK;
};

base::Result<void> write_over(WalFile& wal, sqlite3_int64 size, const std::string& path) {
    const sqlite3_io_methods& io = *wal.file()->pMethods;
    std::vector<char> piece(static_cast<std::size_t>(std::min(size, piece_bytes)));
    for (sqlite3_int64 at = 0; at < size; at += piece_bytes) {
        const auto amount = static_cast<int>(std::min(size - at, piece_bytes));
        if (const int code = io.xRead(wal.file(), piece.data(), amount, at); code != SQLITE_OK) {
            return failed(path, "read", code);
        }
        if (const int code = io.xWrite(wal.file(), piece.data(), amount, at); code != SQLITE_OK) {
            return failed(path, "rewrite", code);
        }
    }
    if (const int code = io.xSync(wal.file(), SQLITE_SYNC_NORMAL); code != SQLITE_OK) return failed(path, "sync", code);
    return {};
}

}  // namespace

base::Result<void> renew_wal(const std::string& path, const std::string& vfs_name) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(vfs_name.empty() ? nullptr : vfs_name.c_str());
    if (vfs == nullptr) return base::error(Code::io, "there is no file system " + vfs_name);
    std::string full(static_cast<std::size_t>(vfs->mxPathname) + 1, '\0');
    if (const int code = vfs->xFullPathname(vfs, path.c_str(), vfs->mxPathname, full.data()); code != SQLITE_OK) {
        // A path through a symbolic link is told by another code of success.
        if ((code & 0xFF) != SQLITE_OK) return failed(path, "find", code);
    }
    full.resize(full.find('\0'));
    const std::unique_ptr<const char, NameFree> name(
        sqlite3_create_filename(full.c_str(), (full + "-journal").c_str(), (full + "-wal").c_str(), 0, nullptr));
    if (!name) return base::error(Code::io, "no memory for a file's name");
    const char* wal_name = sqlite3_filename_wal(name.get());
    int is_there = 0;
    if (const int code = vfs->xAccess(vfs, wal_name, SQLITE_ACCESS_EXISTS, &is_there); code != SQLITE_OK) {
        return failed(path, "look for", code);
    }
    if (is_there == 0) return {};
    WalFile wal(*vfs, wal_name);
    if (wal.opened() != SQLITE_OK) return failed(path, "open", wal.opened());
    sqlite3_int64 size = 0;
    const int code = wal.file()->pMethods->xFileSize(wal.file(), &size);
    if (code != SQLITE_OK) return failed(path, "measure", code);
    return write_over(wal, size, path);
}

}  // namespace belfry::store
