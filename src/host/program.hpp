#pragma once

#include <string>

namespace belfry::host {

// The path of the program that is running; empty where the system does not tell.
std::string own_program();

}  // namespace belfry::host
