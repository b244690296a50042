#include <array>
#include <unistd.h>

#include "host/program.hpp"

namespace belfry::host {

std::string own_program() {
    std::array<char, 4096> path{};
    const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size());
    if (bytes <= 0 || static_cast<std::size_t>(bytes) == path.size()) return {};
    return {path.data(), static_cast<std::size_t>(bytes)};
}

}  // namespace belfry::host
