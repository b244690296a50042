#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "model/agent_message.hpp"

namespace belfry::host {

enum class StoreBackend : std::uint8_t { sqlite, postgres };

// Everything that an operator may choose. A field `port` of `server` is `[server] port` in the TOML file,
// BELFRY_SERVER_PORT in the environment and (where config_fields gives it one) a flag.
struct Config {
    struct Server {
        std::string host = "127.0.0.1";
        std::uint16_t port = 7117;  // 0: any free one
        std::string socket;         // the Unix socket's path; empty: none (written `off`)
        std::vector<std::string> allowed_hosts;
        std::vector<std::string> allowed_origins;
        std::string tls_certificate;  // PEM files; empty: no TLS
        std::string tls_key;
        std::int64_t connections_max = static_cast<std::int64_t>(base::limits::http_connections_max);
        bool journal = true;
    };
    struct Rpc {
        std::string socket;  // the Unix socket's path; empty: none (written `off`)
        std::string listen;  // host:port; empty: no TCP (written `off`)
    };
    // Other devices of the same people.
    struct Sync {
        std::string listen;  // host:port where they may call; empty: nowhere (written `off`)
        std::string name;    // how this one calls itself
    };
    struct Store {
        StoreBackend backend = StoreBackend::sqlite;
        std::string data_dir;
        std::string postgres_url;
    };
    struct Retention {
        base::Duration events = base::limits::events_kept;
        std::int64_t events_bytes = base::limits::events_bytes_kept;
        base::Duration audit = base::limits::audit_kept;
    };
    struct Log {
        LogLevel level = LogLevel::info;
        LogFormat format = LogFormat::text;
    };
    struct Limits {
        std::int64_t events_per_second = base::limits::events_per_second_default;  // per access token; 0: none
    };

    struct Notifications {
        std::string subscribers;  // the folder of the user's own subscriber files; empty: none (written `off`)
        std::string sinks;        // the folder of sink files; empty: none (written `off`)
        std::string owner;        // whose it is where an event names nobody
    };
    // When a session's budget monitor warns, and what its loop detector calls a loop.
    struct Monitor {
        std::int64_t tokens_percent = base::limits::tokens_warning_percent;
        std::int64_t iterations_percent = base::limits::iterations_warning_percent;
        std::int64_t timeout_percent = base::limits::timeout_warning_percent;
        std::int64_t context_percent = base::limits::context_warning_percent;
        std::int64_t loop_repetitions = base::limits::loop_repetitions;
        base::Duration loop_window = base::limits::loop_window;
    };

    struct Runs {
        std::int64_t capacity = base::limits::runs_capacity_default;
        base::Duration retention = base::limits::runs_kept;
        base::Duration silence = base::limits::runs_silence_default;  // zero: any
        std::int64_t events_kept = base::limits::run_events_kept_default;
    };

    struct Agents {
        std::int64_t wakes_at_once = base::limits::wakes_running_default;
    };

    // What agents remember.
    struct Memory {
        std::string tokenizer;  // a file of ranks by which tokens are counted; empty: they are estimated
        std::map<model::AgentMessageKind, base::Duration> kept;  // of what a summary covers; not named: for ever
    };

    Server server;
    Rpc rpc;
    Sync sync;
    Store store;
    Retention retention;
    Log log;
    Limits limits;
    Notifications notifications;
    Monitor monitor;
    Runs runs;
    Agents agents;
    Memory memory;
};

enum class ConfigSource : std::uint8_t { standard, file, environment, flag };  // a later one wins

// A value as it was decided, for `belfry config`.
struct ConfigEntry {
    std::string name;  // server.port
    std::string json;  // the value as JSON; passwords are masked
    ConfigSource source = ConfigSource::standard;
    std::string where;  // "default", "/etc/belfry/belfry.toml:3", "BELFRY_SERVER_PORT", "--port"
};

struct ConfigFlag {
    std::string name;   // server.port
    std::string value;  // as it was typed
    std::string flag;   // --port
};

struct ConfigSources {
    // Must exist where it is given (or BELFRY_CONFIG is); else the first of the standard places that does is read.
    std::optional<std::string> file;
    std::vector<ConfigFlag> flags;
    Environment environment;
};

struct LoadedConfig {
    Config config;
    std::string file;  // that was read; empty: none
    std::vector<ConfigEntry> entries;
};

// Defaults, then the file, then the environment, then flags. What is unknown, of the wrong type or out of its range is
// an error (code invalid, `field` the setting) that names the place, the setting and the limit:
// `/etc/belfry/belfry.toml:3: server.port must be a whole number from 0 to 65535, not "http"`.
// Relative paths in the file count from its folder, all others from the working folder.
base::Result<LoadedConfig> load_config(const ConfigSources& sources);

// `127.0.0.1:7118`, `[::1]:7118` as host and port; nothing for anything else.
std::optional<std::pair<std::string, std::uint16_t>> split_address(std::string_view text);

// The settings in their order, for help texts and for a command that takes them as flags.
struct ConfigFieldInfo {
    std::string_view name;
    std::string_view flag;         // without dashes; every setting has one
    std::string_view placeholder;  // PORT
    std::string_view help;
};
std::vector<ConfigFieldInfo> config_fields();
std::string environment_name(std::string_view field);  // BELFRY_SERVER_PORT

}  // namespace belfry::host
