#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace belfry::store {

// Copies a database, also one that is being written to, into a file of its own: the state of one commit, checked,
// synced to the disk and readable by its owner only. The source is opened for reading. The copy grows under a name
// beside `to` and gets its own name at the end, so that `to` is whole or absent; an existing `to` is refused
// (`conflict`), unless it is to be replaced, which happens at the end too.
enum class Existing : std::uint8_t { refused, replaced };
base::Result<void> copy_database(const std::string& from, const std::string& to, Existing existing = Existing::refused);

// The number of the last commit that a database holds.
base::Result<std::int64_t> last_commit_in(const std::string& path);

}  // namespace belfry::store
