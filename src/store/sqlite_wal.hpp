#pragma once

#include <string>

#include "base/result.hpp"

namespace belfry::store {

// Writes the write-ahead log of the database at `path` over itself and syncs it, before anybody reads from it.
//
// A sync that failed leaves pages in the cache that look written and never reach the disk: the kernel holds them for
// clean, and later syncs do not try them again. Whoever opens the database then would find a commit there that the next
// power loss takes back, and with it every later one. Written once more, what can be read is on the disk or the opening
// fails. Its name is saved too: whoever made it may have died before that was on the disk. It stays the file that it
// is, because readers may have it open. Nothing to do where there is no such file.
base::Result<void> renew_wal(const std::string& path, const std::string& vfs);

}  // namespace belfry::store
