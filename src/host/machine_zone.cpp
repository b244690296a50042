#include "host/machine_zone.hpp"

#include <filesystem>
#include <string_view>

#include "host/files.hpp"

namespace belfry::host {
namespace {

// Europe/Berlin of /usr/share/zoneinfo/Europe/Berlin; any other text as it is.
std::string name_of(std::string_view text) {
    constexpr std::string_view folder = "/zoneinfo/";
    const std::size_t at = text.find(folder);
    return std::string(at == std::string_view::npos ? text : text.substr(at + folder.size()));
}

}  // namespace

MachineZone machine_zone(ports::Zones& zones, const Environment& environment, const std::string& settings_folder) {
    const auto is_zone = [&zones](const std::string& name) { return zones.find(name).ok(); };
    if (const auto typed = environment.get("TZ")) {
        const std::string name = name_of(typed->starts_with(':') ? typed->substr(1) : *typed);
        return is_zone(name) ? MachineZone{name, "TZ"} : MachineZone{};
    }
    std::error_code ignored;
    const std::string localtime = join_path(settings_folder, "localtime");
    const std::string linked = name_of(std::filesystem::read_symlink(localtime, ignored).string());
    if (is_zone(linked)) return {linked, localtime};
    const std::string timezone = join_path(settings_folder, "timezone");
    if (const auto content = read_file(timezone, 1024); content.ok()) {
        const std::string line = content->substr(0, content->find('\n'));
        if (is_zone(line)) return {line, timezone};
    }
    return {};
}

}  // namespace belfry::host
