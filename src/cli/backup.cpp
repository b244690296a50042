#include <filesystem>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/sizes.hpp"
#include "model/raw_json.hpp"
#include "store/sqlite_check.hpp"
#include "store/sqlite_copy.hpp"

namespace belfry::cli {
namespace {

struct Copied {
    std::int64_t bytes = 0;
    std::int64_t schema_version = 0;
};

base::Result<std::string> database_to_copy(const host::Config& config) {
    if (config.store.backend != host::StoreBackend::sqlite) {
        return base::error(base::Code::unsupported, "the store is PostgreSQL: copy it with pg_dump");
    }
    const std::string path = host::database_file(config.store.data_dir);
    TRY_ASSIGN(const auto facts, host::file_facts(path));
    if (!facts) return base::error(base::Code::not_found, "there is no database at " + path + "; is --data right?");
    return path;
}

base::Result<Copied> copy_and_look(const std::string& from, const std::string& to, bool force) {
    TRY_ASSIGN(const store::DatabaseFacts facts, store::check_database(from, store::Integrity::none));
    auto made = store::copy_database(from, to, force ? store::Existing::replaced : store::Existing::refused);
    if (!made.ok() && made.error().code == base::Code::malformed) {
        return base::error(base::Code::io,
                           "the copy is not sound: " + made.error().message + "; run `belfry doctor` on the database");
    }
    TRY(std::move(made));
    TRY_ASSIGN(const auto copy, host::file_facts(to));
    return Copied{copy ? copy->bytes : 0, facts.schema_version};
}

base::Result<Copied> back_up(const host::Config& config, const std::string& to, bool force) {
    TRY_ASSIGN(const std::string from, database_to_copy(config));
    TRY_ASSIGN(const auto there, host::file_facts(to));
    if (there && there->is_folder) return base::error(base::Code::invalid, to + " is a folder; name a file");
    if (there && !force) {
        return base::error(base::Code::conflict, to + " is there already; --force replaces it");
    }
    std::error_code ignored;
    if (std::filesystem::equivalent(from, to, ignored)) {
        return base::error(base::Code::invalid, to + " is the database itself");
    }
    return copy_and_look(from, to, force);
}

Exit run_backup(Context& context, const Arguments& arguments) {
    const auto loaded = load_config(context, arguments);
    if (!loaded.ok()) {
        return usage_error(context, arguments, loaded.error());
    }
    const std::string to = arguments.positional(0);
    const auto copied = back_up(loaded->config, to, arguments.has("force"));
    if (!copied.ok()) return fail(context, arguments, copied.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("file", to).field("bytes", static_cast<long long>(copied->bytes));
        writer.field("schema_version", static_cast<long long>(copied->schema_version)).end_object();
        context.console.out.line(host::escape_json_controls(json));
    } else {
        context.console.out.line(host::printable(to));
        remark(context, "copied and checked: " + host::about_bytes(copied->bytes) + ", schema " +
                            std::to_string(copied->schema_version));
    }
    return Exit::ok;
}

}  // namespace

Command backup_command() {
    Command command;
    command.name = "backup";
    command.summary = "copy the database to a file, while the daemon runs or not";
    command.detail =
        "The copy is of one moment, checked for soundness and on the disk before its name appears. It holds\n"
        "everything, also the hashes of access tokens: keep it as safe as the data folder (its mode is 0600).\n"
        "The file's name goes to standard output.";
    command.options = {{"force", "", "replace a file that is there"}};
    command.positionals = {{"FILE", "where to"}};
    command.examples = {{"belfry backup --data /var/lib/belfry /var/backups/belfry-$(date +%F).db", "every night"},
                        {"belfry backup --data /srv/belfry copy.db --json", "of another daemon's folder"}};
    command.run = run_backup;
    return command;
}

}  // namespace belfry::cli
