#include "host/zones.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/nearest.hpp"
#include "codec/tzif.hpp"
#include "host/files.hpp"

namespace belfry::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_bytes_max = 64;
constexpr std::size_t names_max = 10'000;
constexpr std::string_view standard_folder = "/usr/share/zoneinfo";

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
           c == '-';
}

std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('/') + 1);
}

// IANA's names begin with a capital; what else lies in the folder (posix/…, right/…, tables) does not, or has a dot.
std::vector<std::string> all_names(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    fs::recursive_directory_iterator at(folder, failed);
    for (; !failed && at != fs::recursive_directory_iterator() && names.size() < names_max; at.increment(failed)) {
        const std::string name = fs::path(at->path()).lexically_relative(folder).generic_string();
        const bool is_ours = is_zone_name(name) && name.front() >= 'A' && name.front() <= 'Z';
        std::error_code ignored;
        const bool is_folder = at->is_directory(ignored);
        if (is_folder && (!is_ours || at.depth() >= 3)) at.disable_recursion_pending();
        if (!is_folder && is_ours) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

// The nearest name; or one whose city is the nearest, for who typed only that.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
    const std::vector<std::string_view> whole(names.begin(), names.end());
    std::string near = base::nearest(typed, whole);
    if (!near.empty()) return near;
    std::vector<std::string_view> cities;
    cities.reserve(whole.size());
    for (const std::string_view name : whole) cities.push_back(last_part(name));
    const std::string city = base::nearest(last_part(typed), cities);
    for (const std::string_view name : whole) {
        if (!city.empty() && last_part(name) == city) return std::string(name);
    }
    return {};
}

}  // namespace

bool is_zone_name(std::string_view name) {
    if (name.empty() || name.size() > name_bytes_max) return false;
    if (name.front() == '/' || name.back() == '/' || name.find("//") != std::string_view::npos) return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return is_name_character(c) || c == '/'; });
}

SystemZones::SystemZones(const Environment& environment)
    : folder_(environment.get("TZDIR").value_or(std::string(standard_folder))) {}

base::Error SystemZones::unknown(std::string_view name) const {
    const std::vector<std::string> names = all_names(folder_);
    if (names.empty()) {
        return base::error(base::Code::io, "there are no time zones in " + folder_ +
                                               ": install Debian's package tzdata, or say in TZDIR where they are");
    }
    const std::string near = nearest_name(name, names);
    return base::error(base::Code::not_found, "there is no zone \"" + std::string(name) + '"' +
                                                  (near.empty() ? "" : "; did you mean " + near + "?"));
}

base::Result<std::shared_ptr<const model::Zone>> SystemZones::find(std::string_view name) {
    if (!is_zone_name(name)) {
        return base::error(base::Code::invalid,
                           '"' + std::string(name) +
                               "\" is no name of a zone: they have letters, digits, _, + and -, in "
                               "parts divided by a slash, like Europe/Berlin");
    }
    const std::string path = join_path(folder_, name);
    TRY_ASSIGN(const auto facts, file_facts(path));
    if (!facts && name == "UTC") return std::make_shared<const model::Zone>(model::Zone{"UTC", 0, {}, {}});
    if (!facts || facts->is_folder) return unknown(name);
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(name);
    if (known != known_.end() && known->second.bytes == facts->bytes && known->second.modified == facts->modified) {
        return known->second.zone;
    }
    TRY_ASSIGN(const std::string bytes, read_file(path, codec::tzif_bytes_max));
    auto zone = codec::parse_tzif(bytes, std::string(name));
    if (!zone.ok()) return base::error(zone.error().code, path + ": " + zone.error().message);
    auto kept = std::make_shared<const model::Zone>(std::move(zone).value());
    known_.insert_or_assign(std::string(name), Known{kept, facts->bytes, facts->modified});
    return kept;
}

}  // namespace belfry::host
