#pragma once

#include "net/test_queries.hpp"
#include "ports/commands/agent_import.hpp"
#include "ports/commands/memory.hpp"

namespace belfry::net::test {

// What the test's gateway answers to those who have a word in the memory of agents; false where it is no such command.
// The agent `taken` is there already.
inline bool decide_memory_command(ports::Command& command) {
    if (auto* fold = dynamic_cast<ports::FoldNow*>(&command)) {
        fold->settle(fold->thread_id.empty() ? 2 : 1);
    } else if (auto* restart = dynamic_cast<ports::RestartFold*>(&command)) {
        model::FoldJob job;
        job.id = restart->id;
        restart->settle(std::move(job));
    } else if (auto* forget = dynamic_cast<ports::ForgetMemory*>(&command)) {
        forget->settle(ports::ForgottenMemory{3, 1, true});
    } else if (auto* import = dynamic_cast<ports::ImportAgent*>(&command)) {
        ports::ImportedAgent imported;
        if (import->draft) imported.record = *import->draft;
        imported.added = import->messages.size();
        if (import->agent_id == "taken") {
            import->refuse(base::error(base::Code::conflict, "another agent has this id", "id", "taken"));
        } else {
            import->settle(std::move(imported));
        }
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
