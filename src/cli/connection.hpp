#pragma once

#include <memory>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "client/client.hpp"
#include "host/config.hpp"

namespace belfry::cli {

// The configuration with --config, --data and whatever other settings the command has as flags of their own.
base::Result<host::LoadedConfig> load_config(const Context& context, const Arguments& arguments,
                                             std::vector<host::ConfigFlag> further = {});

// Finds the daemon: --url or --socket, then BELFRY_URL, then the Unix socket of the configuration where there is one,
// then where the daemon of the data folder listens by its own word, then the configured TCP address. The token:
// --token, BELFRY_TOKEN, or the admin token that the daemon left in its data folder; that one is sent to nobody else
// than the daemon that holds the folder, and every request fails with unavailable while there is none.
base::Result<client::Options> find_daemon(const Context& context, const Arguments& arguments);

}  // namespace belfry::cli
