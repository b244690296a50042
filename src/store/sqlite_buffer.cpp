#include "store/sqlite_buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <sqlite3.h>

#include "base/assert.hpp"

namespace belfry::store {
namespace {

constexpr std::size_t pending_bytes_max = 4 << 20;
constexpr std::size_t write_bytes_max = 64 << 10;  // SQLite's own file system counts a write in 17 bits

// A log file as SQLite sees it; the real file lies right behind it in the same piece of memory.
struct LogFile {
    sqlite3_file head;  // must be first
    std::string* pending;
    sqlite3_int64 pending_at;
};

LogFile& self(sqlite3_file* file) {
    return *reinterpret_cast<LogFile*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<LogFile*>(file) + 1);
}

int hand_on(sqlite3_file* file) {
    LogFile& log = self(file);
    int code = SQLITE_OK;
    for (std::size_t at = 0; at < log.pending->size() && code == SQLITE_OK; at += write_bytes_max) {
        const std::size_t size = std::min(write_bytes_max, log.pending->size() - at);
        code = real(file)->pMethods->xWrite(real(file), log.pending->data() + at, static_cast<int>(size),
                                            log.pending_at + static_cast<sqlite3_int64>(at));
    }
    log.pending->clear();
    return code;
}

int close(sqlite3_file* file) {
    const int handed = hand_on(file);
    delete self(file).pending;
    const int closed = real(file)->pMethods->xClose(real(file));
    return handed != SQLITE_OK ? handed : closed;
}

int read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    const LogFile& log = self(file);
    const sqlite3_int64 pending_end = log.pending_at + static_cast<sqlite3_int64>(log.pending->size());
    if (!log.pending->empty() && offset < pending_end && offset + amount > log.pending_at) {
        if (const int code = hand_on(file); code != SQLITE_OK) return code;
    }
    return real(file)->pMethods->xRead(real(file), into, amount, offset);
}

int write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    LogFile& log = self(file);
    const sqlite3_int64 pending_end = log.pending_at + static_cast<sqlite3_int64>(log.pending->size());
    const bool follows = !log.pending->empty() && offset == pending_end && log.pending->size() < pending_bytes_max;
    if (!follows) {
        if (const int code = hand_on(file); code != SQLITE_OK) return code;
        log.pending_at = offset;
    }
    log.pending->append(static_cast<const char*>(from), static_cast<std::size_t>(amount));
    return SQLITE_OK;
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const int handed = hand_on(file);
    return handed != SQLITE_OK ? handed : real(file)->pMethods->xTruncate(real(file), size);
}

int sync(sqlite3_file* file, int flags) {
    const int handed = hand_on(file);
    return handed != SQLITE_OK ? handed : real(file)->pMethods->xSync(real(file), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    const int handed = hand_on(file);
    return handed != SQLITE_OK ? handed : real(file)->pMethods->xFileSize(real(file), size);
}

int lock(sqlite3_file* file, int level) {
    return real(file)->pMethods->xLock(real(file), level);
}
int unlock(sqlite3_file* file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}
int check_reserved(sqlite3_file* file, int* out) {
    return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int control(sqlite3_file* file, int op, void* arg) {
    return real(file)->pMethods->xFileControl(real(file), op, arg);
}
int sector_size(sqlite3_file* file) {
    return real(file)->pMethods->xSectorSize(real(file));
}
int characteristics(sqlite3_file* file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

constexpr sqlite3_io_methods log_methods{
    1,       close,          read,    write,       truncate,        sync,    file_size, lock,
    unlock,  check_reserved, control, sector_size, characteristics, nullptr, nullptr,   nullptr,
    nullptr, nullptr,        nullptr};

sqlite3_vfs& base_of(sqlite3_vfs* vfs) {
    return *static_cast<sqlite3_vfs*>(vfs->pAppData);
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    sqlite3_vfs& base = base_of(vfs);
    if ((flags & SQLITE_OPEN_WAL) == 0) return base.xOpen(&base, name, file, flags, out_flags);
    LogFile& log = self(file);
    std::memset(real(file), 0, static_cast<std::size_t>(base.szOsFile));
    log.head.pMethods = nullptr;
    const int code = base.xOpen(&base, name, real(file), flags, out_flags);
    if (code != SQLITE_OK) return code;
    log.pending = new std::string;
    log.pending_at = 0;
    log.head.pMethods = &log_methods;
    return SQLITE_OK;
}

}  // namespace

struct SqliteBuffer::Impl {
    std::string name;
    sqlite3_vfs vfs{};
};

SqliteBuffer::SqliteBuffer(const std::string& base_name) : impl_(std::make_unique<Impl>()) {
    sqlite3_vfs* base = sqlite3_vfs_find(base_name.empty() ? nullptr : base_name.c_str());
    ASSERT(base != nullptr);
    impl_->name = "belfry-buffer-" + std::to_string(reinterpret_cast<std::uintptr_t>(impl_.get()));
    impl_->vfs = *base;
    impl_->vfs.szOsFile = static_cast<int>(sizeof(LogFile)) + base->szOsFile;
    impl_->vfs.pNext = nullptr;
    impl_->vfs.zName = impl_->name.c_str();
    impl_->vfs.pAppData = base;
    impl_->vfs.xOpen = open;
    // What a file system is asked besides opening needs its own data, so it is asked of the one below.
    impl_->vfs.xDelete = [](sqlite3_vfs* vfs, const char* path, int sync_folder) {
        return base_of(vfs).xDelete(&base_of(vfs), path, sync_folder);
    };
    impl_->vfs.xAccess = [](sqlite3_vfs* vfs, const char* path, int flags, int* out) {
        return base_of(vfs).xAccess(&base_of(vfs), path, flags, out);
    };
    impl_->vfs.xFullPathname = [](sqlite3_vfs* vfs, const char* path, int size, char* out) {
        return base_of(vfs).xFullPathname(&base_of(vfs), path, size, out);
    };
    impl_->vfs.xRandomness = [](sqlite3_vfs* vfs, int size, char* out) {
        return base_of(vfs).xRandomness(&base_of(vfs), size, out);
    };
    impl_->vfs.xSleep = [](sqlite3_vfs* vfs, int us) { return base_of(vfs).xSleep(&base_of(vfs), us); };
    impl_->vfs.xCurrentTime = [](sqlite3_vfs* vfs, double* out) {
        return base_of(vfs).xCurrentTime(&base_of(vfs), out);
    };
    impl_->vfs.xGetLastError = [](sqlite3_vfs* vfs, int size, char* out) {
        return base_of(vfs).xGetLastError != nullptr ? base_of(vfs).xGetLastError(&base_of(vfs), size, out) : 0;
    };
    impl_->vfs.iVersion = 1;
    sqlite3_vfs_register(&impl_->vfs, 0);
}

SqliteBuffer::~SqliteBuffer() {
    sqlite3_vfs_unregister(&impl_->vfs);
}

const std::string& SqliteBuffer::name() const {
    return impl_->name;
}

}  // namespace belfry::store
