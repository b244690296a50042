#pragma once

#include <memory>
#include <vector>

#include "host/log.hpp"
#include "ports/commands/command.hpp"
#include "ports/store.hpp"

namespace belfry::daemon {

// Carries out what is owed. It holds nothing that matters: what it loses at a crash is given out again by the engine.
// Lives on the network's thread.
class Performer {
public:
    Performer(ports::Gateway& gateway, host::Logger& log) : gateway_(gateway), log_(log) {}

    void perform(const std::vector<ports::Obligation>& owed);

private:
    void erase_next(const base::Uuid& id, std::int64_t fence);
    void postpone(const base::Uuid& id, std::int64_t fence, const std::string& why);

    ports::Gateway& gateway_;
    host::Logger& log_;
};

}  // namespace belfry::daemon
