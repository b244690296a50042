#include "host/config_fields.hpp"

#include <array>

namespace belfry::host {
namespace {

constexpr std::array<std::string_view, 2> backends{"sqlite", "postgres"};
constexpr std::array<std::string_view, 4> levels{"debug", "info", "warning", "error"};
constexpr std::array<std::string_view, 2> formats{"text", "json"};
constexpr std::array<std::string_view, 2> switches{"off", "on"};

using Text = TextSlot::Kind;
using Number = NumberSlot::Kind;
using Kind = model::AgentMessageKind;

// How long agents' messages of a kind stay; 0: for ever.
template <Kind kind>
NumberSlot kept_slot() {
    return {[](const Config& c) {
                const auto at = c.memory.kept.find(kind);
                return at == c.memory.kept.end() ? std::int64_t{0} : at->second.us;
            },
            [](Config& c, std::int64_t v) {
                if (v == 0) c.memory.kept.erase(kind);
                else c.memory.kept[kind] = {v};
            },
            0, base::days(36500).us, Number::duration};
}

const std::array<ConfigField, 43> table{{
    {{"server.host", "host", "ADDRESS", "address to listen on"},
     TextSlot{[](Config& c) -> std::string& { return c.server.host; }, Text::plain}},
    {{"server.port", "port", "PORT", "TCP port to listen on; 0: any free one"},
     NumberSlot{[](const Config& c) { return std::int64_t{c.server.port}; },
                [](Config& c, std::int64_t v) { c.server.port = static_cast<std::uint16_t>(v); }, 0, 65535,
                Number::plain}},
    {{"server.socket", "socket", "PATH", "Unix socket; off: none"},
     TextSlot{[](Config& c) -> std::string& { return c.server.socket; }, Text::path}},
    {{"server.allowed_hosts", "allowed-hosts", "NAMES", "further names that a Host header may have, comma separated"},
     ListSlot{[](Config& c) -> std::vector<std::string>& { return c.server.allowed_hosts; }}},
    {{"server.allowed_origins", "allowed-origins", "ORIGINS", "web origins that may call, comma separated"},
     ListSlot{[](Config& c) -> std::vector<std::string>& { return c.server.allowed_origins; }}},
    {{"server.tls_certificate", "tls-certificate", "FILE", "PEM file with the certificate chain; turns TLS on"},
     TextSlot{[](Config& c) -> std::string& { return c.server.tls_certificate; }, Text::path}},
    {{"server.tls_key", "tls-key", "FILE", "PEM file with the certificate's private key"},
     TextSlot{[](Config& c) -> std::string& { return c.server.tls_key; }, Text::path}},
    {{"server.connections_max", "connections-max", "N", "connections at once"},
     NumberSlot{[](const Config& c) { return c.server.connections_max; },
                [](Config& c, std::int64_t v) { c.server.connections_max = v; }, 1, 1'000'000, Number::plain}},
    {{"server.journal", "journal", "on|off", "whether there is a journal (docs/journal.md); --no-journal: off"},
     ChoiceSlot{switches, [](const Config& c) { return c.server.journal ? std::size_t{1} : std::size_t{0}; },
                [](Config& c, std::size_t v) { c.server.journal = v == 1; }}},
    {{"rpc.socket", "rpc-socket", "PATH", "Unix socket of JSON-RPC; off: none"},
     TextSlot{[](Config& c) -> std::string& { return c.rpc.socket; }, Text::path}},
    {{"rpc.listen", "rpc-listen", "HOST:PORT", "JSON-RPC over TCP; off unless given"},
     TextSlot{[](Config& c) -> std::string& { return c.rpc.listen; }, Text::plain}},
    {{"sync.listen", "sync-listen", "HOST:PORT", "where other devices may call (docs/sync.md); off unless given"},
     TextSlot{[](Config& c) -> std::string& { return c.sync.listen; }, Text::plain}},
    {{"sync.name", "sync-name", "NAME", "how this device calls itself to others"},
     TextSlot{[](Config& c) -> std::string& { return c.sync.name; }, Text::plain}},
    {{"store.backend", "backend", "NAME", "sqlite or postgres"},
     ChoiceSlot{backends, [](const Config& c) { return static_cast<std::size_t>(c.store.backend); },
                [](Config& c, std::size_t v) { c.store.backend = static_cast<StoreBackend>(v); }}},
    {{"store.data_dir", "data", "DIR", "folder of the database, the lock and the first admin token"},
     TextSlot{[](Config& c) -> std::string& { return c.store.data_dir; }, Text::path}},
    {{"store.postgres_url", "postgres-url", "URL", "where PostgreSQL is, as libpq writes it"},
     TextSlot{[](Config& c) -> std::string& { return c.store.postgres_url; }, Text::secret_url}},
    {{"retention.events", "keep-events", "TIME", "how long events stay"},
     NumberSlot{[](const Config& c) { return c.retention.events.us; },
                [](Config& c, std::int64_t v) { c.retention.events = {v}; }, base::minutes(1).us, base::days(36500).us,
                Number::duration}},
    {{"retention.events_bytes", "keep-events-bytes", "SIZE", "how much room events may take"},
     NumberSlot{[](const Config& c) { return c.retention.events_bytes; },
                [](Config& c, std::int64_t v) { c.retention.events_bytes = v; }, 1LL << 20, 1LL << 50, Number::bytes}},
    {{"retention.audit", "keep-audit", "TIME", "how long the audit stays"},
     NumberSlot{[](const Config& c) { return c.retention.audit.us; },
                [](Config& c, std::int64_t v) { c.retention.audit = {v}; }, base::minutes(1).us, base::days(36500).us,
                Number::duration}},
    {{"log.level", "log-level", "LEVEL", "debug, info, warning or error"},
     ChoiceSlot{levels, [](const Config& c) { return static_cast<std::size_t>(c.log.level); },
                [](Config& c, std::size_t v) { c.log.level = static_cast<LogLevel>(v); }}},
    {{"log.format", "log-format", "FORMAT", "text or json"},
     ChoiceSlot{formats, [](const Config& c) { return static_cast<std::size_t>(c.log.format); },
                [](Config& c, std::size_t v) { c.log.format = static_cast<LogFormat>(v); }}},
    {{"limits.events_per_second", "events-per-second", "N", "events a second of one access token; 0: no limit"},
     NumberSlot{[](const Config& c) { return c.limits.events_per_second; },
                [](Config& c, std::int64_t v) { c.limits.events_per_second = v; }, 0, 10'000'000, Number::plain}},
    {{"notifications.subscribers", "subscribers", "DIR", "folder of your own subscriber files; off: none"},
     TextSlot{[](Config& c) -> std::string& { return c.notifications.subscribers; }, Text::path}},
    {{"notifications.sinks", "sinks", "DIR", "folder of sink files: where else the inbox rings; off: none"},
     TextSlot{[](Config& c) -> std::string& { return c.notifications.sinks; }, Text::path}},
    {{"notifications.owner", "owner", "ID", "the user whose notifications are of events that name nobody"},
     TextSlot{[](Config& c) -> std::string& { return c.notifications.owner; }, Text::plain}},
    {{"monitor.tokens_percent", "tokens-percent", "N", "share of a token budget at which the agent is warned"},
     NumberSlot{[](const Config& c) { return c.monitor.tokens_percent; },
                [](Config& c, std::int64_t v) { c.monitor.tokens_percent = v; }, 1, 100, Number::plain}},
    {{"monitor.iterations_percent", "iterations-percent", "N",
      "share of an iteration budget at which the agent is warned"},
     NumberSlot{[](const Config& c) { return c.monitor.iterations_percent; },
                [](Config& c, std::int64_t v) { c.monitor.iterations_percent = v; }, 1, 100, Number::plain}},
    {{"monitor.timeout_percent", "timeout-percent", "N", "share of a time budget at which the agent is warned"},
     NumberSlot{[](const Config& c) { return c.monitor.timeout_percent; },
                [](Config& c, std::int64_t v) { c.monitor.timeout_percent = v; }, 1, 100, Number::plain}},
    {{"monitor.context_percent", "context-percent", "N", "share of the context at which the agent is warned"},
     NumberSlot{[](const Config& c) { return c.monitor.context_percent; },
                [](Config& c, std::int64_t v) { c.monitor.context_percent = v; }, 1, 100, Number::plain}},
    {{"monitor.loop_repetitions", "loop-repetitions", "N", "how often the same actions are a loop"},
     NumberSlot{[](const Config& c) { return c.monitor.loop_repetitions; },
                [](Config& c, std::int64_t v) { c.monitor.loop_repetitions = v; }, 2, 100, Number::plain}},
    {{"monitor.loop_window", "loop-window", "TIME", "the time inside which repeated actions are a loop"},
     NumberSlot{[](const Config& c) { return c.monitor.loop_window.us; },
                [](Config& c, std::int64_t v) { c.monitor.loop_window = {v}; }, base::seconds(1).us, base::hours(1).us,
                Number::duration}},
    {{"runs.capacity", "run-capacity", "N", "runs that run at once; the next ones wait for a place"},
     NumberSlot{[](const Config& c) { return c.runs.capacity; }, [](Config& c, std::int64_t v) { c.runs.capacity = v; },
                1, 100'000, Number::plain}},
    {{"runs.retention", "keep-runs", "TIME", "how long a run stays after its end"},
     NumberSlot{[](const Config& c) { return c.runs.retention.us; },
                [](Config& c, std::int64_t v) { c.runs.retention = {v}; }, base::seconds(1).us, base::days(30).us,
                Number::duration}},
    {{"runs.silence", "run-silence", "TIME", "a run of which nothing is heard for so long has failed; 0: never"},
     NumberSlot{[](const Config& c) { return c.runs.silence.us; },
                [](Config& c, std::int64_t v) { c.runs.silence = {v}; }, 0, base::days(365).us, Number::duration}},
    {{"runs.events_kept", "run-events-kept", "N", "the newest events of one run that can be read"},
     NumberSlot{[](const Config& c) { return c.runs.events_kept; },
                [](Config& c, std::int64_t v) { c.runs.events_kept = v; }, 10, 10'000'000, Number::plain}},
    {{"agents.wakes_at_once", "wakes-at-once", "N", "wakes of agents that are worked on at once; the next ones wait"},
     NumberSlot{[](const Config& c) { return c.agents.wakes_at_once; },
                [](Config& c, std::int64_t v) { c.agents.wakes_at_once = v; }, 1, 100, Number::plain}},
    {{"memory.tokenizer", "tokenizer", "FILE",
      "ranks of a real tokenizer, to count what agents are told; off: estimated"},
     TextSlot{[](Config& c) -> std::string& { return c.memory.tokenizer; }, Text::path}},
    {{"memory.keep_observation", "keep-memory-observation", "TIME",
      "how long observations stay that a summary covers; 0: for ever"},
     kept_slot<Kind::observation>()},
    {{"memory.keep_user", "keep-memory-user", "TIME",
      "how long what people said stay that a summary covers; 0: for ever"},
     kept_slot<Kind::user>()},
    {{"memory.keep_thought", "keep-memory-thought", "TIME",
      "how long thoughts stay that a summary covers; 0: for ever"},
     kept_slot<Kind::thought>()},
    {{"memory.keep_action", "keep-memory-action", "TIME", "how long actions stay that a summary covers; 0: for ever"},
     kept_slot<Kind::action>()},
    {{"memory.keep_tool_result", "keep-memory-tool-result", "TIME",
      "how long results of tools stay that a summary covers; 0: for ever"},
     kept_slot<Kind::tool_result>()},
    {{"memory.keep_system", "keep-memory-system", "TIME",
      "how long messages of the kind system stay that a summary covers; 0: for ever"},
     kept_slot<Kind::system>()},
}};

}  // namespace

std::span<const ConfigField> all_config_fields() {
    return table;
}

const ConfigField* find_config_field(std::string_view name) {
    for (const ConfigField& field : table) {
        if (field.info.name == name) return &field;
    }
    return nullptr;
}

std::vector<ConfigFieldInfo> config_fields() {
    std::vector<ConfigFieldInfo> infos;
    for (const ConfigField& field : table) infos.push_back(field.info);
    return infos;
}

std::string environment_name(std::string_view field) {
    std::string name = "BELFRY_";
    for (const char c : field) name += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    return name;
}

}  // namespace belfry::host
