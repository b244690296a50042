#include "cli/input.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "host/files.hpp"

namespace belfry::cli {

base::Result<std::string> read_input(const std::string& path, std::size_t bytes_max) {
    if (!path.empty() && path != "-") return host::read_file(path, bytes_max);
    std::string text;
    std::array<char, 1 << 16> part;
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return base::error(base::Code::io, std::string("standard input: ") + std::strerror(errno));
        if (got == 0) return text;
        text.append(part.data(), static_cast<std::size_t>(got));
        if (text.size() > bytes_max) {
            return base::error(base::Code::too_large,
                               "standard input is longer than " + std::to_string(bytes_max) + " bytes");
        }
    }
}

}  // namespace belfry::cli
