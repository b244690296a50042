#include <algorithm>
#include <array>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sync_limits.hpp"
#include "host/files.hpp"
#include "host/process.hpp"

namespace belfry::host {
namespace {

std::string name_in_system(unsigned user) {
    std::array<char, 16'384> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
    return found != nullptr && found->pw_name != nullptr ? found->pw_name : std::string();
}

}  // namespace

std::int64_t process_id() {
    return ::getpid();
}

unsigned process_user() {
    return ::geteuid();
}

std::string login_name(const Environment& environment) {
    if (std::string name = name_in_system(process_user()); !name.empty()) return name;
    for (const char* variable : {"USER", "LOGNAME"}) {
        if (auto name = environment.get(variable)) return *name;
    }
    return "user" + std::to_string(process_user());
}

std::string machine_name() {
    std::array<char, 256> buffer{};
    if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return "belfry";
    std::string name = buffer.data();
    name.resize(std::min(name.find('.'), name.size()));
    const auto is_plain = [](char c) { return c > ' ' && c < 127; };
    return !name.empty() && name.size() <= base::limits::peer_name_bytes_max && std::ranges::all_of(name, is_plain)
               ? name
               : "belfry";
}

std::string user_name(unsigned user) {
    std::string name = name_in_system(user);
    return name.empty() ? std::to_string(user) : name;
}

bool can_read_as(const FileFacts& whose, const std::string& path) {
    if (process_user() != 0) return true;
    const std::string name = name_in_system(whose.uid);
    const pid_t child = ::fork();
    if (child == 0) {
        const int grouped = name.empty() ? ::setgroups(0, nullptr) : ::initgroups(name.c_str(), whose.gid);
        const bool became = grouped == 0 && ::setgid(whose.gid) == 0 && ::setuid(whose.uid) == 0;
        ::_exit(became && ::open(path.c_str(), O_RDONLY | O_CLOEXEC) >= 0 ? 0 : 1);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::uint64_t open_files_limit_max() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

void give_large_memory_back() {
    // Larger than what a commit of many events takes and gives back: that is to come from memory that is there, or each
    // of its pages is a fault of its own. Naming the first limit alone would leave the second at 128 KB.
    constexpr int large_bytes = 2 << 20;
    constexpr int spare_bytes = 8 << 20;
    ::mallopt(M_MMAP_THRESHOLD, large_bytes);  // else it grows with what is freed
    ::mallopt(M_TRIM_THRESHOLD, spare_bytes);
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
