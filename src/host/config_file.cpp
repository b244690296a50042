#include "host/config_file.hpp"

#include "base/limits.hpp"
#include "codec/toml.hpp"
#include "host/files.hpp"

namespace belfry::host {
namespace {

ConfigInput input_of(const codec::TomlValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return *list;
    return std::monostate{};  // no setting is a fraction
}

}  // namespace

base::Result<std::vector<FileSetting>> read_config_file(const std::string& path) {
    TRY_ASSIGN(const std::string content, read_file(path, base::limits::toml_bytes_max));
    TRY_ASSIGN(const codec::TomlTable table, codec::parse_toml(content, path));
    std::vector<FileSetting> settings;
    for (const codec::TomlEntry& entry : table.entries) {
        settings.push_back({entry.key, input_of(entry.value), entry.line});
    }
    return settings;
}

}  // namespace belfry::host
