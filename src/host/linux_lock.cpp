#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/lock.hpp"

namespace belfry::host {
namespace {

constexpr std::size_t lock_file_bytes_max = 4096;

// "pid 4711\nsince 2026-11-15T05:00:00Z\naddress http://127.0.0.1:7117\nsocket /run/belfry/belfry.sock\n". A line
// without its end is still being written.
LockHolder parse_holder(std::string_view content) {
    LockHolder holder;
    for (std::size_t end = content.find('\n'); end != std::string_view::npos; end = content.find('\n')) {
        const std::string_view line = content.substr(0, end);
        if (line.starts_with("pid ")) std::from_chars(line.data() + 4, line.data() + line.size(), holder.pid);
        if (line.starts_with("since ")) holder.since = line.substr(6);
        if (line.starts_with("address ")) holder.doors.address = line.substr(8);
        if (line.starts_with("socket ")) holder.doors.socket = line.substr(7);
        content.remove_prefix(end + 1);
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

// The whole file. The lock belongs to the open file, not to the process: a library that opens and closes the same path
// cannot drop it.
struct flock whole_file(short kind) {
    struct flock region{};
    region.l_type = kind;
    region.l_whence = SEEK_SET;
    return region;
}

// What was there stays where there is no room for the new.
base::Result<void> write_content(const Descriptor& file, const std::string& path, const std::string& content) {
    const auto size = static_cast<ssize_t>(content.size());
    if (::pwrite(file.get(), content.data(), content.size(), 0) != size || ::ftruncate(file.get(), size) != 0) {
        return system_error("cannot write", path);
    }
    return {};
}

}  // namespace

base::Result<FolderLock> FolderLock::take(const std::string& data_dir, base::Timestamp now) {
    const std::string path = lock_file(data_dir);
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_private_file));
    if (!file.is_open()) return system_error("cannot open", path);
    struct flock ours = whole_file(F_WRLCK);
    if (::fcntl(file.get(), F_OFD_SETLK, &ours) != 0) {
        if (errno == EAGAIN || errno == EACCES) return held_by(data_dir, read_holder(path));
        return system_error("cannot lock", path);
    }
    std::string head = "pid " + std::to_string(::getpid()) + "\nsince " + base::format_timestamp(now) + "\n";
    // Nothing of an earlier holder may stand under the name of this one.
    if (::ftruncate(file.get(), 0) != 0) return system_error("cannot write", path);
    TRY(write_content(file, path, head));
    return FolderLock(std::move(file), path, std::move(head));
}

base::Result<void> FolderLock::tell(const Doors& doors) {
    std::string content = head_;
    if (!doors.address.empty()) content += "address " + doors.address + "\n";
    // One that cannot be written in a line is not told; the address is enough.
    const bool fits = !doors.socket.empty() && doors.socket.find('\n') == std::string::npos;
    if (fits) content += "socket " + doors.socket + "\n";
    return write_content(file_, path_, content);
}

base::Result<std::optional<LockHolder>> FolderLock::holder(const std::string& data_dir) {
    const std::string path = lock_file(data_dir);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) {
        if (errno == ENOENT) return std::optional<LockHolder>{};
        return system_error("cannot open", path);
    }
    struct flock theirs = whole_file(F_RDLCK);
    if (::fcntl(file.get(), F_OFD_GETLK, &theirs) != 0) return system_error("cannot look at the lock of", path);
    if (theirs.l_type == F_UNLCK) return std::optional<LockHolder>{};
    return std::optional<LockHolder>(read_holder(path));
}

}  // namespace belfry::host
