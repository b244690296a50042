#pragma once

#include <cstdint>
#include <string>

#include "host/environment.hpp"
#include "host/files.hpp"

namespace belfry::host {

std::int64_t process_id();
// The user id that the process acts under.
unsigned process_user();
// Their login name; where the system has none, what the environment calls it (USER, LOGNAME), else `user<id>`.
std::string login_name(const Environment& environment);
// How the machine is called, without its domain; `belfry` where it has no name that could be shown.
std::string machine_name();
// The login name of a user id; the number where the system has none.
std::string user_name(unsigned user);
// Whether the user who owns `whose` may read a file, tried as that user. Only root can try; `true` for anybody else.
bool can_read_as(const FileFacts& whose, const std::string& path);

// How far the limit of open files could be raised.
std::uint64_t open_files_limit_max();

// Raises the limit of open files to `wanted`, or as far as the system lets us, and tells what it is now. Readers of
// streams need one each.
std::uint64_t raise_open_files_limit(std::uint64_t wanted);

// From now on, large pieces of memory go back to the system when they are given up: a burst of large answers is not
// kept for the next one.
void give_large_memory_back();

// From now on, whatever this process creates is its owner's alone, also where a library makes the file.
void keep_new_files_private();

}  // namespace belfry::host
