#include "common/fail.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace belfry::bench {

namespace {

constexpr std::size_t shown_bytes_max = 400;

}  // namespace

void fail(std::string_view what) {
    std::fprintf(stderr, "bench: %.*s\n", static_cast<int>(what.size()), what.data());
    std::exit(1);
}

void fail_errno(std::string_view what) {
    fail(std::string(what) + ": " + std::strerror(errno));
}

void fail_bytes(std::string_view what, std::string_view bytes) {
    std::string shown;
    for (const char c : bytes.substr(0, std::min(bytes.size(), shown_bytes_max))) {
        if (c == '\r') shown += "\\r";
        else if (c == '\n') shown += "\\n";
        else shown += static_cast<unsigned char>(c) < 0x20 ? '.' : c;
    }
    fail(std::string(what) + ": " + shown);
}

}  // namespace belfry::bench
