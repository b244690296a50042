#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/environment.hpp"

namespace belfry::host {

// Where Belfry keeps things, by the XDG rules. Only names: nothing is created here. Relative paths in the XDG variables
// do not count, as their specification says.
struct Folders {
    // Configuration files in the order in which they are looked for; the first that exists is read.
    std::vector<std::string> config_files;  // $XDG_CONFIG_HOME/belfry/belfry.toml, /etc/belfry/belfry.toml
    std::string data;                       // $XDG_STATE_HOME/belfry or ~/.local/state/belfry
    std::string runtime;                    // $XDG_RUNTIME_DIR/belfry; empty: none, the data folder serves
};

Folders standard_folders(const Environment& environment);

// Files inside the data folder.
std::string database_file(const std::string& data_dir);
std::string admin_token_file(const std::string& data_dir);
std::string lock_file(const std::string& data_dir);
std::string peer_key_file(const std::string& data_dir);

// The socket's path that is used unless the configuration names one. A daemon with a data folder of its own choice has
// its socket inside that, so that two daemons do not meet in the runtime folder.
std::string default_socket(const Folders& folders, const std::string& data_dir);

// Makes what a daemon needs before it can lock, store and listen: the data folder and the folder of its socket, each
// 0700 where it is new. An empty `socket` means none.
base::Result<void> make_daemon_folders(const std::string& data_dir, const std::string& socket);

}  // namespace belfry::host
