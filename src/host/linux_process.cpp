#include <algorithm>
#include <array>
#include <charconv>
#include <malloc.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/files.hpp"
#include "host/process.hpp"

namespace belfry::host {

std::int64_t process_id() {
    return ::getpid();
}

unsigned process_user() {
    return ::geteuid();
}

std::string login_name(const Environment& environment) {
    std::array<char, 16 * 1024> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(process_user(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr && found->pw_name != nullptr && *found->pw_name != '\0') return found->pw_name;
    for (const char* variable : {"USER", "LOGNAME"}) {
        if (auto name = environment.get(variable)) return *name;
    }
    return "user" + std::to_string(process_user());
}

std::int64_t resident_bytes() {
    const base::Result<std::string> statm = read_file("/proc/self/statm", 4096);
    if (!statm.ok()) return 0;
    // "total resident shared …", in pages
    const std::size_t space = statm->find(' ');
    if (space == std::string::npos) return 0;
    std::int64_t pages = 0;
    std::from_chars(statm->data() + space + 1, statm->data() + statm->size(), pages);
    return pages * ::sysconf(_SC_PAGESIZE);
}

std::uint64_t open_files_limit_max() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

void give_large_memory_back() {
    constexpr int large_bytes = 1 << 20;
    ::mallopt(M_MMAP_THRESHOLD, large_bytes);  // else it grows with what is freed
}

std::uint64_t raise_open_files_limit(std::uint64_t wanted) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    if (limit.rlim_cur >= wanted) return limit.rlim_cur;
    const rlimit raised{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

void keep_new_files_private() {
    ::umask(S_IRWXG | S_IRWXO);
}

}  // namespace belfry::host
