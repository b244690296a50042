#include "sim/vfs.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <sqlite3.h>

#include "base/assert.hpp"

namespace belfry::sim {

struct Vfs::Inside {
    std::string name;
    Disk& disk;
    const MadeUpClock& clock;
    SeededRandom random;
    sqlite3_vfs registered{};
};

namespace {

// SQLite gives the room for it and calls through its first member.
struct OpenFile {
    sqlite3_file base{};
    Disk* disk = nullptr;
    Disk::FileRef file;
    std::string name;
    bool sync_directory = false;  // as the system's VFS does at the first sync of a new journal or log
    bool delete_on_close = false;
};
static_assert(std::is_standard_layout_v<sqlite3_file>);

OpenFile& of(sqlite3_file* file) {
    return *reinterpret_cast<OpenFile*>(file);
}

int close_file(sqlite3_file* file) {
    OpenFile& open = of(file);
    if (open.delete_on_close && !open.name.empty()) (void)open.disk->remove(open.name);
    open.~OpenFile();
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
    const std::span<char> room(static_cast<char*>(out), static_cast<std::size_t>(amount));
    std::size_t got = 0;
    if (of(file).disk->read(*of(file).file, static_cast<std::uint64_t>(offset), room, got) != DiskResult::ok) {
        return SQLITE_IOERR_READ;
    }
    if (got == room.size()) return SQLITE_OK;
    std::ranges::fill(room.subspan(got), '\0');
    return SQLITE_IOERR_SHORT_READ;
}

// As the system's own file system of SQLite: it counts a write in 17 bits, and a larger one fails in strange ways.
constexpr int write_bytes_max = 0x1FFFF;

int write_file(sqlite3_file* file, const void* bytes, int amount, sqlite3_int64 offset) {
    ASSERT(amount <= write_bytes_max);
    const std::string_view view(static_cast<const char*>(bytes), static_cast<std::size_t>(amount));
    switch (of(file).disk->write(*of(file).file, static_cast<std::uint64_t>(offset), view)) {
        case DiskResult::ok: return SQLITE_OK;
        case DiskResult::no_space: return SQLITE_FULL;
        case DiskResult::io:
        case DiskResult::dead: break;
    }
    return SQLITE_IOERR_WRITE;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    const DiskResult result = of(file).disk->truncate(*of(file).file, static_cast<std::uint64_t>(size));
    return result == DiskResult::ok ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int sync_file(sqlite3_file* file, int) {
    OpenFile& open = of(file);
    if (open.disk->sync(*open.file) != DiskResult::ok) return SQLITE_IOERR_FSYNC;
    if (open.sync_directory && open.disk->sync_directory() != DiskResult::ok) return SQLITE_IOERR_DIR_FSYNC;
    open.sync_directory = false;
    return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(Disk::size(*of(file).file));
    return of(file).disk->is_dead() ? SQLITE_IOERR_FSTAT : SQLITE_OK;
}

// One process at a time, one connection in it: every lock is free.
int lock_file(sqlite3_file*, int) {
    return SQLITE_OK;
}

int check_lock(sqlite3_file*, int* is_reserved) {
    *is_reserved = 0;
    return SQLITE_OK;
}

int control_file(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file*) {
    return 4096;
}
// As the system's VFS says of every disk: a write that dies harms no byte beside it.
int characteristics(sqlite3_file*) {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

const sqlite3_io_methods methods = [] {
    sqlite3_io_methods io{};
    io.iVersion = 1;
    io.xClose = close_file;
    io.xRead = read_file;
    io.xWrite = write_file;
    io.xTruncate = truncate_file;
    io.xSync = sync_file;
    io.xFileSize = file_size;
    io.xLock = lock_file;
    io.xUnlock = lock_file;
    io.xCheckReservedLock = check_lock;
    io.xFileControl = control_file;
    io.xSectorSize = sector_size;
    io.xDeviceCharacteristics = characteristics;
    return io;
}();

template <class Inside>
Inside& inside_of(sqlite3_vfs* vfs) {
    return *static_cast<Inside*>(vfs->pAppData);
}

template <class Inside>
int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* room, int flags, int* out_flags) {
    room->pMethods = nullptr;
    Disk& disk = inside_of<Inside>(vfs).disk;
    const bool create = (flags & SQLITE_OPEN_CREATE) != 0;
    Disk::FileRef file = name == nullptr ? Disk::nameless() : disk.open(name, create);
    if (!file) return SQLITE_CANTOPEN;
    auto* open = new (room) OpenFile;
    open->disk = &disk;
    open->file = std::move(file);
    open->name = name == nullptr ? "" : name;
    // As the system's VFS does it: whether it was there or not.
    open->sync_directory =
        create && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL)) != 0;
    open->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    open->base.pMethods = &methods;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
}

template <class Inside>
int delete_file(sqlite3_vfs* vfs, const char* name, int sync_directory) {
    Disk& disk = inside_of<Inside>(vfs).disk;
    if (!disk.is_dead() && !disk.exists(name)) return SQLITE_IOERR_DELETE_NOENT;
    if (disk.remove(name) != DiskResult::ok) return SQLITE_IOERR_DELETE;
    if (sync_directory != 0 && disk.sync_directory() != DiskResult::ok) return SQLITE_IOERR_DIR_FSYNC;
    return SQLITE_OK;
}

template <class Inside>
int access_file(sqlite3_vfs* vfs, const char* name, int, int* result) {
    Disk& disk = inside_of<Inside>(vfs).disk;
    *result = disk.exists(name) ? 1 : 0;
    return disk.is_dead() ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

int full_name(sqlite3_vfs*, const char* name, int room, char* out) {
    if (std::strlen(name) >= static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
    std::strcpy(out, name);
    return SQLITE_OK;
}

template <class Inside>
int randomness(sqlite3_vfs* vfs, int amount, char* out) {
    const std::string bytes = inside_of<Inside>(vfs).random.bytes(static_cast<std::size_t>(amount));
    std::memcpy(out, bytes.data(), bytes.size());
    return amount;
}

int sleep_not(sqlite3_vfs*, int microseconds) {
    return microseconds;
}
int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

template <class Inside>
int current_time_ms(sqlite3_vfs* vfs, sqlite3_int64* julian_ms) {
    constexpr sqlite3_int64 unix_epoch_ms = 210866760000000;
    *julian_ms = unix_epoch_ms + inside_of<Inside>(vfs).clock.now().ms();
    return SQLITE_OK;
}

template <class Inside>
int current_time(sqlite3_vfs* vfs, double* julian_days) {
    sqlite3_int64 ms = 0;
    current_time_ms<Inside>(vfs, &ms);
    *julian_days = static_cast<double>(ms) / 86400000.0;
    return SQLITE_OK;
}

template <class Inside>
void fill(Inside& inside) {
    sqlite3_vfs& vfs = inside.registered;
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.mxPathname = 512;
    vfs.zName = inside.name.c_str();
    vfs.pAppData = &inside;
    vfs.xOpen = open_file<Inside>;
    vfs.xDelete = delete_file<Inside>;
    vfs.xAccess = access_file<Inside>;
    vfs.xFullPathname = full_name;
    vfs.xRandomness = randomness<Inside>;
    vfs.xSleep = sleep_not;
    vfs.xCurrentTime = current_time<Inside>;
    vfs.xGetLastError = last_error;
    vfs.xCurrentTimeInt64 = current_time_ms<Inside>;
}

}  // namespace

Vfs::Vfs(std::string name, Disk& disk, const MadeUpClock& clock, SeededRandom random)
    : inside_(new Inside{std::move(name), disk, clock, random, {}}) {
    ASSERT(sqlite3_initialize() == SQLITE_OK);
    fill(*inside_);
    ASSERT(sqlite3_vfs_register(&inside_->registered, 1) == SQLITE_OK);
    sqlite3_randomness(0, nullptr);  // draws its seed anew, from here
}

Vfs::~Vfs() {
    sqlite3_vfs_unregister(&inside_->registered);
}

const std::string& Vfs::name() const {
    return inside_->name;
}

}  // namespace belfry::sim
