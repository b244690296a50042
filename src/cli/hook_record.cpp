#include "cli/hook_record.hpp"

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/json.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {

std::string sha256_text(std::string_view bytes) {
    const base::Sha256 hash = base::sha256(bytes);
    return base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

std::string record_file(const host::Environment& environment, const std::string& settings_path) {
    const std::string folder = host::join_path(host::standard_folders(environment).data, "hooks");
    return host::join_path(folder, "claude-code-" + sha256_text(settings_path).substr(0, 16) + ".json");
}

std::optional<HookRecord> read_record(const std::string& path) {
    const auto text = host::read_file(path, 8 * base::limits::hook_settings_bytes_max);
    if (!text.ok()) return std::nullopt;
    const auto json = codec::validate(*text);
    if (!json.ok() || json->view().kind() != model::JsonKind::object) return std::nullopt;
    const auto after = json->member("after_sha256");
    const auto before = json->member("before");
    if (!after || !before) return std::nullopt;
    HookRecord record;
    record.after_sha256 = after->as_text();
    if (before->kind() == model::JsonKind::string) record.before = before->as_text();
    const auto made = json->member("made_folder");
    record.made_folder = made && made->text == "true";
    return record;
}

base::Result<void> write_record(const std::string& path, const std::string& settings_path, const HookRecord& record) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("settings", settings_path).field("after_sha256", record.after_sha256).name("before");
    record.before ? writer.text(*record.before) : writer.null();
    writer.name("made_folder").boolean(record.made_folder);
    writer.end_object();
    TRY(host::make_folder(host::parent_folder(path), host::mode_private_folder));
    return host::write_file_atomically(path, json + "\n", host::mode_private_file);
}

}  // namespace belfry::cli
