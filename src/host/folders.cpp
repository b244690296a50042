#include "host/folders.hpp"

#include "host/files.hpp"

namespace belfry::host {
namespace {

// An absolute path from the environment, or nothing.
std::optional<std::string> absolute(const Environment& environment, std::string_view name) {
    std::optional<std::string> path = environment.get(name);
    if (path && path->front() != '/') path.reset();
    return path;
}

std::string under_home(const Environment& environment, std::string_view variable, std::string_view below_home) {
    if (const auto set = absolute(environment, variable)) return join_path(*set, "belfry");
    if (const auto home = absolute(environment, "HOME")) return join_path(join_path(*home, below_home), "belfry");
    return {};
}

}  // namespace

Folders standard_folders(const Environment& environment) {
    Folders folders;
    const std::string config = under_home(environment, "XDG_CONFIG_HOME", ".config");
    if (!config.empty()) folders.config_files.push_back(join_path(config, "belfry.toml"));
    folders.config_files.emplace_back("/etc/belfry/belfry.toml");
    folders.data = under_home(environment, "XDG_STATE_HOME", ".local/state");
    // A process without a home is a service: the file system standard names its place.
    if (folders.data.empty()) folders.data = "/var/lib/belfry";
    if (const auto runtime = absolute(environment, "XDG_RUNTIME_DIR")) folders.runtime = join_path(*runtime, "belfry");
    return folders;
}

std::string database_file(const std::string& data_dir) {
    return join_path(data_dir, "belfry.db");
}
std::string admin_token_file(const std::string& data_dir) {
    return join_path(data_dir, "admin.token");
}
std::string lock_file(const std::string& data_dir) {
    return join_path(data_dir, "belfry.lock");
}
std::string peer_key_file(const std::string& data_dir) {
    return join_path(data_dir, "peer.key");
}

std::string default_socket(const Folders& folders, const std::string& data_dir) {
    const bool standard = data_dir == folders.data && !folders.runtime.empty();
    return join_path(standard ? folders.runtime : data_dir, "belfry.sock");
}

base::Result<void> make_daemon_folders(const std::string& data_dir, const std::string& socket) {
    TRY(make_folder(data_dir, mode_private_folder));
    if (!socket.empty()) TRY(make_folder(parent_folder(socket), mode_private_folder));
    return {};
}

}  // namespace belfry::host
