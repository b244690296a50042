#include "cli/doctor_access.hpp"

#include <algorithm>
#include <filesystem>

#include "host/files.hpp"
#include "host/process.hpp"

namespace belfry::cli {
namespace {

// The folder itself comes first, where it is there.
void add_files(const std::string& folder, std::vector<std::string>& paths) {
    std::error_code failed;
    if (folder.empty() || !std::filesystem::is_directory(folder, failed)) return;
    paths.push_back(folder);
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
    }
}

std::vector<std::string> files_of_daemon(const host::LoadedConfig& loaded) {
    std::vector<std::string> paths;
    const auto& server = loaded.config.server;
    for (const std::string& path : {loaded.file, server.tls_certificate, server.tls_key}) {
        if (!path.empty()) paths.push_back(path);
    }
    add_files(loaded.config.notifications.subscribers, paths);
    add_files(loaded.config.notifications.sinks, paths);
    return paths;
}

}  // namespace

void check_access(const host::LoadedConfig& loaded, std::vector<Finding>& findings) {
    const auto folder = host::file_facts(loaded.config.store.data_dir);
    if (host::process_user() != 0 || !folder.ok() || !*folder || (*folder)->uid == 0) return;
    const std::string user = host::user_name((*folder)->uid);
    const std::string words = " be read by " + user + ", whose the data folder is";
    const std::size_t before = findings.size();
    for (const std::string& path : files_of_daemon(loaded)) {
        if (host::can_read_as(**folder, path)) continue;
        std::string detail = path;
        std::string advice = "chown ";
        detail.append(" cannot").append(words);
        advice.append(user).append(" ").append(path);
        findings.push_back({"access", Finding::State::bad, std::move(detail), std::move(advice)});
    }
    if (findings.size() > before) return;
    findings.push_back({"access", Finding::State::good, "all files can" + words, {}});
}

}  // namespace belfry::cli
