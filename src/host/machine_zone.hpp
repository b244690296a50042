#pragma once

#include <string>

#include "host/environment.hpp"
#include "ports/zones.hpp"

namespace belfry::host {

// The zone that the machine's own clocks show, and where that is said.
struct MachineZone {
    std::string name = "UTC";
    std::string said_by;  // TZ or the path of a file; empty: nobody says it
};

// By TZ where that is set, else by what `localtime` in the folder of settings (/etc) links to, else by the first line
// of its `timezone`. Only what is a zone counts; a TZ that names none (`CET-1CEST`) is UTC, as it is to the C library.
MachineZone machine_zone(ports::Zones& zones, const Environment& environment, const std::string& settings_folder);

}  // namespace belfry::host
