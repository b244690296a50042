#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "rules/message_fork.hpp"

// Where threads end, as far as that is not simply their newest message: after a fork, and where something came before
// what it follows. Kept on this device only, and only while there is anything to keep.
namespace belfry::engine {

// Nothing: the newest one is the end.
base::Result<std::optional<rules::ThreadEnds>> find_ends(const std::string& thread_id, Unit& unit);
// `newest`: of the thread, by its place here.
base::Result<void> keep_ends(const std::string& thread_id, const std::string& user_id, const rules::ThreadEnds& ends,
                             const std::optional<base::Uuid>& newest, Unit& unit);

}  // namespace belfry::engine
