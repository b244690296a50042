#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

#include "host/files.hpp"
#include "host/watch.hpp"

namespace belfry::host {
namespace {

constexpr std::uint32_t inside =
    IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t above = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
// Kubernetes mounts files as links into a folder that this link names, and turns it when they change.
constexpr std::string_view mounted = "..data";
constexpr std::uint32_t gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED;

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

std::string last_part(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

base::Result<FolderWatch> FolderWatch::open(std::string folder) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    Descriptor queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!queue.is_open()) return system_error("cannot watch", folder);
    FolderWatch watch(std::move(queue), std::move(folder));
    watch.place();
    if (watch.places_.empty()) return system_error("cannot watch", watch.folder_);
    return watch;
}

bool FolderWatch::take() {
    bool changed = false;
    alignas(inotify_event) char buffer[16 * 1024];
    for (;;) {
        const ssize_t got = ::read(queue_.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (const char* at = buffer; at < buffer + got;) {
            inotify_event event;
            std::memcpy(&event, at, sizeof event);
            const char* name = at + sizeof event;
            changed = matters(event.wd, event.mask, {name, ::strnlen(name, event.len)}) || changed;
            at = name + event.len;
        }
    }
    if (!changed && !is_blind_) return false;
    // A folder may have been replaced by another of its name; what is watched is always the folder itself.
    const bool was_blind = is_blind_;
    place();
    return changed || (was_blind && !is_blind_);
}

bool FolderWatch::matters(int watch, unsigned mask, std::string_view name) const {
    if ((mask & IN_Q_OVERFLOW) != 0) return true;
    const auto at = std::ranges::find(places_, watch, &Place::watch);
    if (at == places_.end()) return false;
    if ((mask & gone) != 0) return true;
    if (!at->awaited.empty()) return name == at->awaited;
    return !name.starts_with('.') || name == mounted;
}

// What is watched already stays so: a watch that is taken away says so, and would be heard as a change of its own.
void FolderWatch::place() {
    const std::vector<Place> before = std::exchange(places_, {});
    is_blind_ = false;
    look();
    for (const Place& place : before) {
        if (std::ranges::find(places_, place.watch, &Place::watch) != places_.end()) continue;
        ::inotify_rm_watch(queue_.get(), place.watch);
    }
}

void FolderWatch::look() {
    // From above: whoever makes a folder while we look at its parent is heard by the watch on that parent.
    std::string path = folder_;
    std::vector<std::string> missing;
    while (!exists(path) && path != parent_folder(path)) {
        missing.push_back(last_part(path));
        path = parent_folder(path);
    }
    while (!missing.empty()) {
        const std::string next = join_path(path, missing.back());
        if (!add(path, missing.back()) || !exists(next)) return;
        path = next;
        missing.pop_back();
    }
    add(parent_folder(folder_), last_part(folder_));
    add(folder_, "");
    add(join_path(folder_, "templates"), "");
}

bool FolderWatch::add(const std::string& path, std::string awaited) {
    const std::uint32_t mask = (awaited.empty() ? inside : above) | IN_ONLYDIR;
    const int watch = ::inotify_add_watch(queue_.get(), path.c_str(), mask);
    if (watch < 0) {
        // Of the folder above only the coming and going of this one would be heard; many may not read theirs.
        is_blind_ = is_blind_ || (awaited.empty() && errno != ENOENT && errno != ENOTDIR);
        return false;
    }
    places_.push_back({watch, std::move(awaited)});
    return true;
}

}  // namespace belfry::host
