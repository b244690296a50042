#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

// Files and folders. Every error names the path, what was tried and what the system said.
namespace belfry::host {

// The reason of an error of the machine itself: no descriptor or memory was left, or the disk failed. It says nothing
// of what is there.
inline constexpr const char* could_not_look = "could_not_look";
bool is_of_the_machine(int system_code);

// Permissions as in chmod; what the umask would take away is set all the same.
inline constexpr unsigned mode_private_file = 0600;
inline constexpr unsigned mode_private_folder = 0700;

// The whole file, or too_large where it is longer than `bytes_max`, or not_found.
base::Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

// The file has either its old content or the new one, also after a power failure: written beside it, synced, renamed,
// and the folder synced.
base::Result<void> write_file_atomically(const std::string& path, std::string_view content, unsigned mode);

// Copies and syncs; refuses where `to` is there already.
base::Result<void> copy_file(const std::string& from, const std::string& to, unsigned mode);

// Gives a file a second name, or where the file system cannot, copies it.
base::Result<void> link_file(const std::string& from, const std::string& to);

// Renames, replacing what is there, and syncs the folder of `to`.
base::Result<void> rename_file(const std::string& from, const std::string& to);

// Removes a file; one that is not there is no error.
base::Result<void> remove_file(const std::string& path);

base::Result<void> sync_file(const std::string& path);
base::Result<void> sync_folder(const std::string& path);

// Makes the folder and those above it. Only the last one, and only when it is new, gets `mode`; those above get 0755
// less the umask.
base::Result<void> make_folder(const std::string& path, unsigned mode);

struct FileFacts {
    unsigned mode = 0;  // the permission bits
    unsigned uid = 0;
    unsigned gid = 0;
    std::int64_t bytes = 0;
    base::Timestamp modified;
    bool is_folder = false;
    bool is_socket = false;
};
// Nothing where there is no such file.
base::Result<std::optional<FileFacts>> file_facts(const std::string& path);

base::Result<void> set_mode(const std::string& path, unsigned mode);

// Gives a file the owner and the group that another has. Only root gives files away: what anybody else makes stays his.
base::Result<void> set_owner(const std::string& path, const FileFacts& like);

// Whether this process may make files in the folder.
bool can_write_folder(const std::string& path);

struct DiskSpace {
    std::int64_t free_bytes = 0;  // for us, not for root
    std::int64_t total_bytes = 0;
};
base::Result<DiskSpace> disk_space(const std::string& path);

// "/a/b" for "/a/b/c"; "." for a bare name.
std::string parent_folder(const std::string& path);
std::string join_path(std::string_view folder, std::string_view name);

// An error of code io (or not_found) for the present errno: "cannot open /x: Permission denied".
base::Error system_error(std::string_view what, std::string_view path);

}  // namespace belfry::host
