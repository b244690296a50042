#pragma once

#include <memory>
#include <string>

#include "sim/clock.hpp"
#include "sim/disk.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// SQLite's file system over a made-up disk. Registered under a name of its own for as long as it lives, and as SQLite's
// default, because SQLite's own random numbers are drawn through the default and must repeat too. There is no shared
// memory: connections open with SqliteOptions::exclusive. No connection may outlive it.
class Vfs {
public:
    Vfs(std::string name, Disk& disk, const MadeUpClock& clock, SeededRandom random);
    ~Vfs();
    Vfs(const Vfs&) = delete;
    Vfs& operator=(const Vfs&) = delete;

    [[nodiscard]] const std::string& name() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace belfry::sim
