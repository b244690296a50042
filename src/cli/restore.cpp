#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/lock.hpp"
#include "model/raw_json.hpp"
#include "store/schema.hpp"
#include "store/sqlite_check.hpp"
#include "store/sqlite_copy.hpp"

namespace belfry::cli {
namespace {

struct Restored {
    std::string database;
    std::string kept_aside;  // empty: there was none before
    std::int64_t schema_version = 0;
};

base::Result<std::int64_t> usable_version(const std::string& file) {
    TRY_ASSIGN(const store::DatabaseFacts facts, store::check_database(file, store::Integrity::full));
    if (!facts.damage.empty()) {
        return base::error(base::Code::invalid, file + " is damaged: " + facts.damage.front());
    }
    if (facts.schema_version < 1) return base::error(base::Code::invalid, file + " is no database of Belfry");
    const std::int64_t newest = store::newest_schema_version();
    if (facts.schema_version > newest) {
        return base::error(base::Code::unsupported, file + " has schema " + std::to_string(facts.schema_version) +
                                                        " and this program knows up to " + std::to_string(newest) +
                                                        "; use a newer Belfry");
    }
    return facts.schema_version;
}

// The old database under another name, with what lay in its write-ahead log. A log that stayed behind would be taken
// for the new file's own and ruin it.
base::Result<std::string> keep_aside(const std::string& database, base::Timestamp now) {
    TRY_ASSIGN(const auto old, host::file_facts(database));
    if (!old) return std::string();
    // With the fraction of the second, so that a second restore does not meet the file of the first.
    std::string stamp = base::format_timestamp(now);
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    const std::string aside = database + ".before-restore-" + stamp;
    // A damaged one is left as it is, with its log beside it: folding would write into it, or drop the log.
    const auto state = store::check_database(database, store::Integrity::quick);
    if (state.ok() && state->damage.empty()) TRY(store::fold_write_ahead_log(database));
    TRY(host::link_file(database, aside));
    TRY_ASSIGN(const auto log, host::file_facts(database + "-wal"));
    if (log && log->bytes > 0) TRY(host::link_file(database + "-wal", aside + "-wal"));
    TRY(host::remove_file(database + "-wal"));
    TRY(host::remove_file(database + "-shm"));
    return aside;
}

// Whose the database is: of whoever owned the one before, or else the folder, and not of root who puts it there.
base::Result<void> make_at_home(const std::string& fresh, const std::string& database, const std::string& folder) {
    TRY_ASSIGN(const auto before, host::file_facts(database));
    TRY_ASSIGN(const auto around, host::file_facts(folder));
    TRY(host::set_mode(fresh, before ? before->mode : host::mode_private_file));
    return host::set_owner(fresh, before ? *before : *around);
}

base::Result<Restored> restore(const host::Config& config, const std::string& file, base::Timestamp now) {
    if (config.store.backend != host::StoreBackend::sqlite) {
        return base::error(base::Code::unsupported, "the store is PostgreSQL: restore it with pg_restore");
    }
    TRY_ASSIGN(const auto there, host::file_facts(file));
    if (!there) return base::error(base::Code::not_found, "there is no file " + file);
    TRY(host::make_folder(config.store.data_dir, host::mode_private_folder));
    TRY_ASSIGN(const host::FolderLock lock, host::FolderLock::take(config.store.data_dir, now));
    // At once: a restore that fails must not leave a lock to root that the service cannot open.
    TRY_ASSIGN(const auto folder, host::file_facts(config.store.data_dir));
    TRY(host::set_owner(host::lock_file(config.store.data_dir), *folder));
    Restored restored;
    TRY_ASSIGN(restored.schema_version, usable_version(file));
    restored.database = host::database_file(config.store.data_dir);
    const std::string fresh = restored.database + ".restoring";
    for (const char* suffix : {"", "-wal", "-shm"}) TRY(host::remove_file(fresh + suffix));
    TRY(store::copy_database(file, fresh));
    TRY(store::fold_write_ahead_log(fresh));
    TRY(make_at_home(fresh, restored.database, config.store.data_dir));
    TRY(host::sync_file(fresh));
    TRY_ASSIGN(restored.kept_aside, keep_aside(restored.database, now));
    TRY(host::rename_file(fresh, restored.database));
    return restored;
}

Exit run_restore(Context& context, const Arguments& arguments) {
    const auto loaded = load_config(context, arguments);
    if (!loaded.ok()) {
        return usage_error(context, arguments, loaded.error());
    }
    const auto restored = restore(loaded->config, arguments.positional(0), context.now());
    if (!restored.ok()) return fail(context, arguments, restored.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("database", restored->database);
        if (restored->kept_aside.empty()) writer.name("kept_aside").null();
        else writer.field("kept_aside", restored->kept_aside);
        writer.field("schema_version", static_cast<long long>(restored->schema_version)).end_object();
        context.console.out.line(host::escape_json_controls(json));
        return Exit::ok;
    }
    context.console.out.line(host::printable(restored->database));
    remark(context, restored->kept_aside.empty() ? "there was no database here before"
                                                 : "the database before is kept as " + restored->kept_aside);
    remark(context, "start the daemon again: `systemctl start belfry`, or `belfry serve`");
    return Exit::ok;
}

}  // namespace

Command restore_command() {
    Command command;
    command.name = "restore";
    command.summary = "put a copy made by backup in the database's place; the daemon must be stopped";
    command.detail =
        "The copy is checked first (soundness, and that this program knows its schema). The old database is kept\n"
        "aside under a name with the time. At every moment, also after a power failure, there is either the old\n"
        "database or the new one. It gets the owner and the mode of the one before, or the owner of the data\n"
        "folder, so that root may restore for a service. Access tokens come with the copy; where none of them is the\n"
        "folder's own (admin.token), the daemon makes a new one at its next start. The database's path goes to\n"
        "standard output.";
    command.positionals = {{"FILE", "the copy"}};
    command.examples = {{"systemctl stop belfry && belfry restore --data /var/lib/belfry "
                         "/var/backups/belfry.db && systemctl start belfry",
                         "the service goes back to it"},
                        {"belfry restore belfry-2026-11-14.db", "your own daemon, which is stopped"}};
    command.exits = {{Exit::failure, "the copy is unusable, or the daemon still runs"}};
    command.run = run_restore;
    return command;
}

}  // namespace belfry::cli
