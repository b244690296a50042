#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "host/config.hpp"

// The table of all settings; only host/config* knows it.
namespace belfry::host {

// What somebody wrote for a setting: texts come from every source, the rest only from TOML.
using ConfigInput = std::variant<std::string, std::int64_t, bool, std::vector<std::string>, std::monostate>;

struct TextSlot {
    std::string& (*at)(Config&);
    enum class Kind : std::uint8_t { plain, path, secret_url } kind;
};
struct NumberSlot {
    std::int64_t (*get)(const Config&);
    void (*set)(Config&, std::int64_t);
    std::int64_t min;
    std::int64_t max;
    enum class Kind : std::uint8_t { plain, bytes, duration } kind;
};
struct ListSlot {
    std::vector<std::string>& (*at)(Config&);
};
struct ChoiceSlot {
    std::span<const std::string_view> names;
    std::size_t (*get)(const Config&);
    void (*set)(Config&, std::size_t);
};

struct ConfigField {
    ConfigFieldInfo info;
    std::variant<TextSlot, NumberSlot, ListSlot, ChoiceSlot> slot;
};

std::span<const ConfigField> all_config_fields();
// The field of that name, or nullptr.
const ConfigField* find_config_field(std::string_view name);
// "server.port" for "server.prot"; empty where nothing is near.
std::string nearest_config_field(std::string_view name);

// Sets the field, or says what it must be: "must be a whole number from 0 to 65535, not \"x\"". Relative paths count
// from `folder`.
base::Result<void> apply_config(const ConfigField& field, const ConfigInput& input, const std::string& folder,
                                Config& config);
std::string show_config(const ConfigField& field, const Config& config);

}  // namespace belfry::host
