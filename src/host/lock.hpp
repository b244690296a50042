#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/descriptor.hpp"

namespace belfry::host {

struct LockHolder {
    std::int64_t pid = 0;
    std::string since;  // when it took the lock, RFC 3339
};

// The right to use a data folder, held by one process: a lock of the kernel on `<data>/belfry.lock`, which ends with
// the process however that ends. The file's content only tells who holds it and is never trusted for more.
class FolderLock {
public:
    // conflict where another process holds it; the message names it. The folder must exist.
    static base::Result<FolderLock> take(const std::string& data_dir, base::Timestamp now);

    // Who holds the folder now; nothing where nobody does. Takes nothing.
    static base::Result<std::optional<LockHolder>> holder(const std::string& data_dir);

private:
    explicit FolderLock(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

}  // namespace belfry::host
