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
// then its TCP address. The token: --token, BELFRY_TOKEN, or for the configured TCP address the admin token that the
// daemon left in its data folder.
base::Result<client::Options> find_daemon(const Context& context, const Arguments& arguments);

}  // namespace belfry::cli
