#include "host/files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/descriptor.hpp"

namespace belfry::host {
namespace {

base::Result<void> write_all(const Descriptor& file, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(file.get(), bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return system_error("cannot write", path);
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return {};
}

base::Result<void> sync(const Descriptor& file, const std::string& path) {
    if (::fsync(file.get()) != 0) return system_error("cannot sync", path);
    return {};
}

base::Result<Descriptor> create_file(const std::string& path, unsigned mode) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file.is_open()) return system_error("cannot create", path);
    if (::fchmod(file.get(), mode) != 0) return system_error("cannot set the permissions of", path);
    return file;
}

base::Result<void> write_and_sync(const std::string& path, std::string_view content, unsigned mode) {
    TRY_ASSIGN(const Descriptor file, create_file(path, mode));
    TRY(write_all(file, content, path));
    return sync(file, path);
}

base::Result<void> copy_bytes(const Descriptor& from, const std::string& from_path, const Descriptor& to,
                              const std::string& to_path) {
    std::array<char, 64 * 1024> buffer{};
    for (;;) {
        const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("cannot read", from_path);
        if (got == 0) break;
        TRY(write_all(to, {buffer.data(), static_cast<std::size_t>(got)}, to_path));
    }
    return sync(to, to_path);
}

}  // namespace

bool is_of_the_machine(int code) {
    return code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
}

base::Error system_error(std::string_view what, std::string_view path) {
    const int code = errno;
    std::string message(what);
    message += ' ';
    message += path;
    message += ": ";
    message += std::strerror(code);
    return base::error(code == ENOENT ? base::Code::not_found : base::Code::io, std::move(message), {},
                       is_of_the_machine(code) ? could_not_look : "");
}

std::string parent_folder(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string join_path(std::string_view folder, std::string_view name) {
    std::string path(folder);
    if (!path.empty() && path.back() != '/') path += '/';
    path += name;
    return path;
}

base::Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return system_error("cannot open", path);
    std::string content;
    std::array<char, 16 * 1024> buffer{};
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("cannot read", path);
        if (got == 0) return content;
        if (content.size() + static_cast<std::size_t>(got) > bytes_max) {
            return base::error(base::Code::too_large, path + " is longer than " + std::to_string(bytes_max) + " bytes");
        }
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

base::Result<void> write_file_atomically(const std::string& path, std::string_view content, unsigned mode) {
    const std::string beside = path + ".new." + std::to_string(::getpid());
    TRY(remove_file(beside));  // of an earlier process with our pid that died here
    base::Result<void> written = write_and_sync(beside, content, mode);
    if (written.ok()) written = rename_file(beside, path);
    if (!written.ok()) ::unlink(beside.c_str());
    return written;
}

base::Result<void> copy_file(const std::string& from, const std::string& to, unsigned mode) {
    const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.is_open()) return system_error("cannot open", from);
    base::Result<void> copied;
    {
        TRY_ASSIGN(const Descriptor target, create_file(to, mode));
        copied = copy_bytes(source, from, target, to);
    }
    if (!copied.ok()) {
        ::unlink(to.c_str());
        return copied;
    }
    return sync_folder(parent_folder(to));
}

base::Result<void> link_file(const std::string& from, const std::string& to) {
    if (::link(from.c_str(), to.c_str()) == 0) return sync_folder(parent_folder(to));
    if (errno != EPERM && errno != EXDEV && errno != EMLINK) return system_error("cannot keep aside", from);
    return copy_file(from, to, mode_private_file);
}

base::Result<void> rename_file(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return system_error("cannot rename " + from + " to", to);
    return sync_folder(parent_folder(to));
}

base::Result<void> remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("cannot remove", path);
    return {};
}

base::Result<void> sync_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return system_error("cannot open", path);
    return sync(file, path);
}

base::Result<void> sync_folder(const std::string& path) {
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) return system_error("cannot open", path);
    return sync(folder, path);
}

base::Result<void> make_folder(const std::string& path, unsigned mode) {
    TRY_ASSIGN(const std::optional<FileFacts> facts, file_facts(path));
    if (facts) {
        if (facts->is_folder) return {};
        return base::error(base::Code::io, path + " is not a folder");
    }
    const std::string parent = parent_folder(path);
    if (parent != "." && parent != "/") TRY(make_folder(parent, 0755));
    if (::mkdir(path.c_str(), mode) != 0) {
        if (errno == EEXIST) return {};  // somebody else was faster
        return system_error("cannot create the folder", path);
    }
    if (mode == mode_private_folder && ::chmod(path.c_str(), mode) != 0) {
        return system_error("cannot set the permissions of", path);
    }
    return {};
}

base::Result<std::optional<FileFacts>> file_facts(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return std::optional<FileFacts>{};
        return system_error("cannot look at", path);
    }
    FileFacts facts;
    facts.mode = status.st_mode & 07777U;
    facts.uid = status.st_uid;
    facts.gid = status.st_gid;
    facts.bytes = status.st_size;
    facts.modified = {static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000 + status.st_mtim.tv_nsec / 1000};
    facts.is_folder = S_ISDIR(status.st_mode);
    facts.is_socket = S_ISSOCK(status.st_mode);
    return std::optional<FileFacts>(facts);
}

base::Result<void> set_mode(const std::string& path, unsigned mode) {
    if (::chmod(path.c_str(), mode) != 0) return system_error("cannot set the permissions of", path);
    return {};
}

base::Result<void> set_owner(const std::string& path, const FileFacts& like) {
    if (::geteuid() != 0) return {};
    if (::chown(path.c_str(), like.uid, like.gid) != 0) return system_error("cannot set the owner of", path);
    return {};
}

bool can_write_folder(const std::string& path) {
    return ::access(path.c_str(), W_OK | X_OK) == 0;
}

base::Result<DiskSpace> disk_space(const std::string& path) {
    struct statvfs figures{};
    if (::statvfs(path.c_str(), &figures) != 0) return system_error("cannot ask for the free space at", path);
    const auto block = static_cast<std::int64_t>(figures.f_frsize);
    return DiskSpace{static_cast<std::int64_t>(figures.f_bavail) * block,
                     static_cast<std::int64_t>(figures.f_blocks) * block};
}

}  // namespace belfry::host
