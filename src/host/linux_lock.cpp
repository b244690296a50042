#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/lock.hpp"

namespace belfry::host {
namespace {

constexpr std::size_t lock_file_bytes_max = 4096;

// "pid 4711\nsince 2026-11-15T05:00:00Z\n"
LockHolder parse_holder(std::string_view content) {
    LockHolder holder;
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        const std::string_view line = content.substr(0, end);
        if (line.starts_with("pid ")) std::from_chars(line.data() + 4, line.data() + line.size(), holder.pid);
        if (line.starts_with("since ")) holder.since = line.substr(6);
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return holder;
}

LockHolder read_holder(const std::string& path) {
    const base::Result<std::string> content = read_file(path, lock_file_bytes_max);
    return content.ok() ? parse_holder(*content) : LockHolder{};
}

base::Error held_by(const std::string& data_dir, const LockHolder& holder) {
    std::string message = "the data folder " + data_dir + " is in use by another Belfry";
    if (holder.pid != 0) message += " (process " + std::to_string(holder.pid) + ", since " + holder.since + ")";
    message += "; stop it, or choose another folder with --data";
    return base::error(base::Code::conflict, std::move(message));
}

base::Result<void> write_holder(const Descriptor& file, const std::string& path, base::Timestamp now) {
    const std::string content = "pid " + std::to_string(::getpid()) + "\nsince " + base::format_timestamp(now) + "\n";
    if (::ftruncate(file.get(), 0) != 0) return system_error("cannot write", path);
    if (::pwrite(file.get(), content.data(), content.size(), 0) != static_cast<ssize_t>(content.size())) {
        return system_error("cannot write", path);
    }
    return {};
}

}  // namespace

base::Result<FolderLock> FolderLock::take(const std::string& data_dir, base::Timestamp now) {
    const std::string path = lock_file(data_dir);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_private_file));
    if (!file.is_open()) return system_error("cannot open", path);
    // flock belongs to the open file, not to the process: a library that opens and closes the same path cannot drop it.
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return held_by(data_dir, read_holder(path));
        return system_error("cannot lock", path);
    }
    TRY(write_holder(file, path, now));
    return FolderLock(std::move(file));
}

base::Result<std::optional<LockHolder>> FolderLock::holder(const std::string& data_dir) {
    const std::string path = lock_file(data_dir);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) {
        if (errno == ENOENT) return std::optional<LockHolder>{};
        return system_error("cannot open", path);
    }
    if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::optional<LockHolder>{};
    if (errno != EWOULDBLOCK) return system_error("cannot lock", path);
    return std::optional<LockHolder>(read_holder(path));
}

}  // namespace belfry::host
