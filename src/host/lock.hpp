#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/descriptor.hpp"

namespace belfry::host {

// Where the holder of a folder listens; empty where it does not.
struct Doors {
    std::string address;  // http://host:port, as it was bound
    std::string socket;   // the path of its Unix socket
};

struct LockHolder {
    std::int64_t pid = 0;
    std::string since;  // when it took the lock, RFC 3339
    Doors doors;
};

// The right to use a data folder, held by one process: a lock of the kernel on `<data>/belfry.lock`, which ends with
// the process however that ends. The file's content tells who holds it and where that one listens. Only those who may
// write into the folder can hold the lock or write the file, and the content counts only as long as the lock is held.
class FolderLock {
public:
    // conflict where another process holds it; the message names it. The folder must exist.
    static base::Result<FolderLock> take(const std::string& data_dir, base::Timestamp now);

    // Who holds the folder now; nothing where nobody does. Takes no lock, so nobody is kept out by it.
    static base::Result<std::optional<LockHolder>> holder(const std::string& data_dir);

    // Says where this process listens from now on: after it has begun to, and with nothing before it ends that.
    base::Result<void> tell(const Doors& doors);

private:
    FolderLock(Descriptor file, std::string path, std::string head)
        : file_(std::move(file)), path_(std::move(path)), head_(std::move(head)) {}
    Descriptor file_;
    std::string path_;
    std::string head_;  // who we are and since when
};

}  // namespace belfry::host
