#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "host/environment.hpp"

namespace belfry::cli {

// What a settings file was before Belfry's hooks came in, so that they can go as if they had never been there. Kept in
// Belfry's own data folder, readable by its owner only.
struct HookRecord {
    std::optional<std::string> before;  // nothing: there was no file
    std::string after_sha256;           // of what was written
    bool made_folder = false;           // the folder around it was made for it
};

std::string record_file(const host::Environment& environment, const std::string& settings_path);
std::string sha256_text(std::string_view bytes);

// Nothing where there is none, or none that can be read.
std::optional<HookRecord> read_record(const std::string& path);
base::Result<void> write_record(const std::string& path, const std::string& settings_path, const HookRecord& record);

}  // namespace belfry::cli
