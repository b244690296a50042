#include "host/config.hpp"

#include <charconv>
#include <filesystem>

#include "base/characters.hpp"
#include "base/sync_limits.hpp"
#include "codec/utf8.hpp"
#include "host/config_fields.hpp"
#include "host/config_file.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/process.hpp"

namespace belfry::host {
namespace {

base::Error at_fault(std::string_view where, std::string_view name, std::string_view message) {
    std::string text(where);
    text += ": ";
    text += name;
    text += ' ';
    text += message;
    return base::error(base::Code::invalid, std::move(text), std::string(name));
}

base::Error unknown(std::string_view where, std::string_view name) {
    std::string message = "is no setting";
    if (const std::string near = nearest_config_field(name); !near.empty()) message += "; did you mean " + near + "?";
    else message += "; `belfry config` lists them all";
    return at_fault(where, name, message);
}

// Takes values from one source after the other and remembers where each came from.
class Builder {
public:
    Builder() {
        for (const ConfigField& field : all_config_fields()) {
            loaded.entries.push_back({std::string(field.info.name), {}, ConfigSource::standard, "default"});
        }
    }

    base::Result<void> take(std::string_view name, const ConfigInput& input, ConfigSource source, std::string where,
                            const std::string& folder) {
        const ConfigField* field = find_config_field(name);
        if (field == nullptr) return unknown(where, name);
        auto applied = apply_config(*field, input, folder, loaded.config);
        if (!applied.ok()) return at_fault(where, name, applied.error().message);
        ConfigEntry& entry = entry_of(name);
        entry.source = source;
        entry.where = std::move(where);
        return {};
    }

    [[nodiscard]] const ConfigEntry& origin(std::string_view name) { return entry_of(name); }

    LoadedConfig loaded;

private:
    ConfigEntry& entry_of(std::string_view name) {
        for (ConfigEntry& entry : loaded.entries) {
            if (entry.name == name) return entry;
        }
        ASSERT(false);
    }
};

base::Result<void> take_file(Builder& builder, const std::string& path) {
    TRY_ASSIGN(const std::vector<FileSetting> settings, read_config_file(path));
    const std::string folder = std::filesystem::absolute(parent_folder(path)).string();
    for (const FileSetting& setting : settings) {
        TRY(builder.take(setting.name, setting.value, ConfigSource::file, path + ":" + std::to_string(setting.line),
                         folder));
    }
    builder.loaded.file = path;
    return {};
}

base::Result<void> find_and_take_file(Builder& builder, const ConfigSources& sources, const Folders& folders) {
    if (sources.file) return take_file(builder, *sources.file);
    if (const auto named = sources.environment.get("BELFRY_CONFIG")) return take_file(builder, *named);
    for (const std::string& path : folders.config_files) {
        TRY_ASSIGN(const std::optional<FileFacts> facts, file_facts(path));
        if (facts) return take_file(builder, path);
    }
    return {};
}

// A variable that begins like a section's settings and is none is a slip of the pen, not somebody else's variable.
base::Result<void> refuse_unknown_variables(const Environment& environment) {
    for (const auto& [variable, value] : environment.all()) {
        bool is_ours = false;
        bool is_known = false;
        for (const ConfigField& field : all_config_fields()) {
            const std::string name = environment_name(field.info.name);
            const std::string section = name.substr(0, name.find('_', 7) + 1);
            is_ours = is_ours || variable.starts_with(section);
            is_known = is_known || variable == name;
        }
        if (!is_ours || is_known) continue;
        std::string name;
        for (const char c : variable.substr(7)) name += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        if (const std::size_t end = name.find('_'); end != std::string::npos) name[end] = '.';
        return unknown(variable, name);
    }
    return {};
}

base::Result<void> take_environment(Builder& builder, const Environment& environment, const std::string& folder) {
    TRY(refuse_unknown_variables(environment));
    for (const ConfigField& field : all_config_fields()) {
        const std::string variable = environment_name(field.info.name);
        const auto value = environment.get(variable);
        if (value) TRY(builder.take(field.info.name, *value, ConfigSource::environment, variable, folder));
    }
    return {};
}

// The folder beside the file that was read, or beside the one that would have been looked for first.
std::string default_folder(const LoadedConfig& loaded, const Folders& folders, std::string_view name) {
    const std::string file = loaded.file.empty() ? folders.config_files.front() : loaded.file;
    return join_path(std::filesystem::absolute(parent_folder(file)).string(), name);
}

base::Result<void> finish_notifications(Builder& builder, const Folders& folders, const Environment& environment) {
    Config::Notifications& notifications = builder.loaded.config.notifications;
    std::string& subscribers = notifications.subscribers;
    if (subscribers.empty()) subscribers = default_folder(builder.loaded, folders, "subscribers");
    if (subscribers == "off") subscribers.clear();
    std::string& sinks = notifications.sinks;
    if (sinks.empty()) sinks = default_folder(builder.loaded, folders, "sinks");
    if (sinks == "off") sinks.clear();
    if (notifications.owner.empty()) notifications.owner = login_name(environment);
    if (notifications.owner.size() > base::limits::scope_id_bytes_max) {
        return at_fault(builder.origin("notifications.owner").where, "notifications.owner",
                        "must have at most " + std::to_string(base::limits::scope_id_bytes_max) + " bytes");
    }
    return {};
}

base::Result<void> finish_sync(Builder& builder) {
    Config::Sync& sync = builder.loaded.config.sync;
    if (sync.listen == "off") sync.listen.clear();
    if (!sync.listen.empty() && !split_address(sync.listen)) {
        return at_fault(builder.origin("sync.listen").where, "sync.listen",
                        "must be HOST:PORT, such as 127.0.0.1:7878");
    }
    if (sync.name.empty()) sync.name = machine_name();
    const bool is_name = sync.name.size() <= base::limits::peer_name_bytes_max && codec::is_utf8(sync.name) &&
                         !base::has_harmful(sync.name);
    if (is_name) return {};
    return at_fault(builder.origin("sync.name").where, "sync.name",
                    "must be a line of at most " + std::to_string(base::limits::peer_name_bytes_max) + " bytes");
}

// What depends on other values.
base::Result<void> finish(Builder& builder, const Folders& folders, const Environment& environment) {
    Config& config = builder.loaded.config;
    TRY(finish_notifications(builder, folders, environment));
    TRY(finish_sync(builder));
    if (config.store.data_dir.empty()) config.store.data_dir = folders.data;
    if (config.server.socket.empty()) config.server.socket = default_socket(folders, config.store.data_dir);
    if (config.server.socket == "off") config.server.socket.clear();
    if (config.rpc.socket.empty()) config.rpc.socket = join_path(config.store.data_dir, "belfry-rpc.sock");
    if (config.rpc.socket == "off") config.rpc.socket.clear();
    if (config.rpc.listen == "off") config.rpc.listen.clear();
    if (config.memory.tokenizer == "off") config.memory.tokenizer.clear();
    if (!config.rpc.listen.empty() && !split_address(config.rpc.listen)) {
        return at_fault(builder.origin("rpc.listen").where, "rpc.listen", "must be HOST:PORT, such as 127.0.0.1:7118");
    }
    if (config.server.host.empty()) {
        return at_fault(builder.origin("server.host").where, "server.host", "must not be empty");
    }
    if (config.server.tls_certificate.empty() != config.server.tls_key.empty()) {
        const char* present = config.server.tls_key.empty() ? "server.tls_certificate" : "server.tls_key";
        const char* absent = config.server.tls_key.empty() ? "server.tls_key" : "server.tls_certificate";
        return at_fault(builder.origin(present).where, absent, "must be set too: TLS needs certificate and key");
    }
    if (config.store.backend == StoreBackend::postgres && config.store.postgres_url.empty()) {
        return at_fault(builder.origin("store.backend").where, "store.postgres_url",
                        "must be set where store.backend is postgres");
    }
    for (ConfigEntry& entry : builder.loaded.entries) {
        entry.json = show_config(*find_config_field(entry.name), config);
    }
    return {};
}

}  // namespace

std::optional<std::pair<std::string, std::uint16_t>> split_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return std::pair{std::string(text.substr(0, colon)), port};
}

base::Result<LoadedConfig> load_config(const ConfigSources& sources) {
    Builder builder;
    const Folders folders = standard_folders(sources.environment);
    std::error_code ignored;
    const std::string working = std::filesystem::current_path(ignored).string();
    TRY(find_and_take_file(builder, sources, folders));
    TRY(take_environment(builder, sources.environment, working));
    for (const ConfigFlag& flag : sources.flags) {
        TRY(builder.take(flag.name, flag.value, ConfigSource::flag, flag.flag, working));
    }
    TRY(finish(builder, folders, sources.environment));
    return std::move(builder.loaded);
}

}  // namespace belfry::host
