#include "cli/doctor_checks.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "cli/connection.hpp"
#include "cli/doctor_access.hpp"
#include "cli/doctor_clock.hpp"
#include "cli/doctor_postgres.hpp"
#include "cli/doctor_sinks.hpp"
#include "cli/subscriber_lint.hpp"
#include "codec/subscriber.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/lock.hpp"
#include "host/process.hpp"
#include "host/sizes.hpp"
#include "host/subscriber_folder.hpp"
#include "store/schema.hpp"
#include "store/sqlite_check.hpp"

namespace belfry::cli {
namespace {

using State = Finding::State;

constexpr std::int64_t free_bytes_low = 1LL << 30;
constexpr std::int64_t free_bytes_least = 100LL << 20;
constexpr std::size_t socket_path_max = 107;                  // of sockaddr_un
constexpr base::Timestamp not_before{1'767'225'600'000'000};  // 2026-01-01: this program did not exist
constexpr std::uint64_t descriptors_besides = 200;            // that are no connections

std::string octal(unsigned mode) {
    std::string digits;
    for (int shift = 9; shift >= 0; shift -= 3)
        digits += static_cast<char>('0' + (mode >> static_cast<unsigned>(shift) & 7U));
    return digits;
}

Finding check_configuration(const host::LoadedConfig& loaded) {
    const host::Config& config = loaded.config;
    const std::string file = loaded.file.empty() ? "no file, defaults" : loaded.file;
    const bool is_near =
        config.server.host == "127.0.0.1" || config.server.host == "::1" || config.server.host == "localhost";
    if (!is_near && config.server.tls_certificate.empty()) {
        return {"configuration", State::warning,
                file + "; listens on " + config.server.host + " without TLS: tokens travel readable",
                "set server.tls_certificate and server.tls_key, or server.host to 127.0.0.1"};
    }
    return {"configuration", State::good, file, {}};
}

Finding check_tls(const host::Config& config) {
    for (const std::string& path : {config.server.tls_certificate, config.server.tls_key}) {
        const auto content = host::read_file(path, 1 << 20);
        if (!content.ok()) {
            return {"TLS", State::bad, content.error().message, "make it readable for the daemon's user"};
        }
    }
    const auto key = host::file_facts(config.server.tls_key);
    if (key.ok() && *key && ((*key)->mode & 077U) != 0) {
        return {"TLS", State::warning, config.server.tls_key + " has mode " + octal((*key)->mode),
                "chmod 600 " + config.server.tls_key};
    }
    return {"TLS", State::good, "certificate and key are readable", {}};
}

void check_subscribers(const std::string& folder, std::vector<Finding>& findings) {
    constexpr std::size_t shown_max = 20;
    model::Catalogue catalogue = host::read_subscribers(folder);
    check_templates(catalogue);
    const std::string advice = "mend the file; `belfry subscriber lint` checks it, docs/subscribers.md has the fields";
    for (std::size_t i = 0; i < std::min(catalogue.problems.size(), shown_max); ++i) {
        const model::SubscriberProblem& problem = catalogue.problems[i];
        findings.push_back(
            {"subscribers", problem.fatal ? State::bad : State::warning, codec::problem_line(problem), advice});
    }
    if (catalogue.problems.size() > shown_max) {
        findings.push_back({"subscribers", State::warning,
                            std::to_string(catalogue.problems.size() - shown_max) + " further problems",
                            "`belfry subscriber lint` lists them all"});
    }
    if (!catalogue.problems.empty()) return;
    const auto own = std::ranges::count_if(
        catalogue.subscribers, [](const model::Subscriber& subscriber) { return subscriber.origin != "shipped"; });
    findings.push_back({"subscribers",
                        State::good,
                        std::to_string(catalogue.subscribers.size()) + ", " + std::to_string(own) + " of them from " +
                            (folder.empty() ? "files of your own" : folder),
                        {}});
}

// False where there is no folder to look into.
bool check_data_folder(const std::string& data, std::vector<Finding>& findings) {
    const auto facts = host::file_facts(data);
    if (!facts.ok()) {
        findings.push_back({"data folder", State::bad, facts.error().message, "give this user access to it"});
        return false;
    }
    if (!*facts) {
        findings.push_back({"data folder", State::warning, data + " is not there yet",
                            "the first `belfry serve` makes it; or name the right one with --data"});
        return false;
    }
    if (!(*facts)->is_folder) {
        findings.push_back({"data folder", State::bad, data + " is no folder", "name a folder with --data"});
        return false;
    }
    if (!host::can_write_folder(data)) {
        findings.push_back(
            {"data folder", State::bad, data + " cannot be written by this user", "run as its owner, or chown it"});
    } else if (((*facts)->mode & 077U) != 0) {
        findings.push_back({"data folder", State::warning,
                            data + " has mode " + octal((*facts)->mode) + ": others can look into it",
                            "chmod 700 " + data});
    } else {
        findings.push_back({"data folder", State::good, data, {}});
    }
    return true;
}

Finding check_disk(const std::string& data) {
    const auto space = host::disk_space(data);
    if (!space.ok()) return {"disk", State::bad, space.error().message, "look at the file system"};
    const std::string detail =
        host::about_bytes(space->free_bytes) + " free of " + host::about_bytes(space->total_bytes);
    const std::string advice = "free some space, or lower retention.events_bytes";
    if (space->free_bytes < free_bytes_least) return {"disk", State::bad, detail, advice};
    if (space->free_bytes < free_bytes_low) return {"disk", State::warning, detail, advice};
    return {"disk", State::good, detail, {}};
}

Finding check_clock(const Context& context, const std::string& database) {
    const base::Timestamp now = context.now();
    const std::string text = base::format_timestamp({now.us / 1'000'000 * 1'000'000});
    if (now < not_before) return {"clock", State::bad, "it is set to " + text, "set it, best with an NTP service"};
    const auto facts = host::file_facts(database);
    if (facts.ok() && *facts && (*facts)->modified > now + base::minutes(1)) {
        return {"clock", State::bad,
                "the database was written in the future: " + base::format_timestamp((*facts)->modified) +
                    ", now it is " + text,
                "the clock went back: set it, best with an NTP service"};
    }
    return {"clock", State::good, text, {}};
}

Finding check_admin_token(const std::string& data) {
    const std::string path = host::admin_token_file(data);
    const auto facts = host::file_facts(path);
    if (!facts.ok() || !*facts) {
        return {"admin token", State::good, "no " + path + "; the Unix socket or BELFRY_TOKEN serves", {}};
    }
    if (((*facts)->mode & 077U) != 0) {
        return {"admin token", State::bad, path + " has mode " + octal((*facts)->mode) + ": others can read it",
                "chmod 600 " + path + ", then revoke the token and make a new one"};
    }
    return {"admin token", State::good, path, {}};
}

Finding check_socket(const host::Config& config, bool is_held) {
    const std::string& path = config.server.socket;
    if (path.empty()) return {"socket", State::good, "turned off", {}};
    if (path.size() > socket_path_max) {
        return {"socket", State::bad, path + " is longer than " + std::to_string(socket_path_max) + " bytes",
                "set server.socket to a shorter path"};
    }
    const auto facts = host::file_facts(path);
    if (!facts.ok()) return {"socket", State::bad, facts.error().message, "give this user access to its folder"};
    if (!*facts && is_held) {
        return {"socket", State::warning, path + " is gone, and a daemon runs", "restart the daemon"};
    }
    if (!*facts) return {"socket", State::good, path + " (no daemon runs)", {}};
    if (!(*facts)->is_socket) return {"socket", State::bad, path + " is no socket", "remove it, or set server.socket"};
    if (((*facts)->mode & 077U) != 0) {
        return {"socket", State::bad, path + " has mode " + octal((*facts)->mode) + ": others can connect",
                "chmod 600 " + path};
    }
    return {"socket", State::good, path, {}};
}

Finding check_open_files(const host::Config& config) {
    const std::uint64_t limit = host::open_files_limit_max();
    const std::uint64_t wanted = static_cast<std::uint64_t>(config.server.connections_max) + descriptors_besides;
    if (limit >= wanted) return {"open files", State::good, "up to " + std::to_string(limit), {}};
    return {"open files", State::warning,
            "at most " + std::to_string(limit) + ", and server.connections_max is " +
                std::to_string(config.server.connections_max),
            "raise it (ulimit -Hn, or LimitNOFILE= of the service), or lower server.connections_max"};
}

Finding check_lock(const std::string& data, bool& is_held) {
    const auto holder = host::FolderLock::holder(data);
    if (!holder.ok()) return {"lock", State::bad, holder.error().message, "give this user access to the data folder"};
    is_held = holder->has_value();
    if (!is_held) return {"lock", State::good, "nobody uses the data folder", {}};
    return {
        "lock", State::good, "held by process " + std::to_string((*holder)->pid) + " since " + (*holder)->since, {}};
}

Finding check_daemon(const Context& context, const Arguments& arguments) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return {"daemon", State::bad, options.error().message, "mend the address"};
    client::Client client(*options);
    const auto status = client.status();
    if (!status.ok()) {
        const bool is_away = status.error().code == base::Code::unavailable;
        return {"daemon", State::bad, status.error().message,
                is_away ? "look at its log, and restart it" : "give an admin's token with BELFRY_TOKEN"};
    }
    if (status->readiness != "ready" && status->readiness != "standby") {
        return {"daemon", State::bad, "it is " + status->readiness, "look at its log"};
    }
    const std::string detail = status->readiness + ", version " + status->version + ", at " + client.endpoint().text();
    if (status->version != BELFRY_VERSION) {
        return {"daemon", State::warning, detail + "; this program is " BELFRY_VERSION, "restart it after an upgrade"};
    }
    return {"daemon", State::good, detail, {}};
}

void check_database(const std::string& path, bool skip_integrity, base::Timestamp now, std::vector<Finding>& findings) {
    const auto there = host::file_facts(path);
    if (there.ok() && !*there) {
        findings.push_back({"database", State::good, "no " + path + " yet", {}});
        return;
    }
    const auto facts = store::check_database(path, skip_integrity ? store::Integrity::none : store::Integrity::quick);
    if (!facts.ok()) {
        findings.push_back({"database", State::bad, facts.error().message,
                            "run as its owner; if it is damaged, `belfry restore` a copy"});
        return;
    }
    findings.push_back(schema_finding(facts->schema_version, "the next `belfry serve` migrates it, after a copy"));
    check_clock_steps(facts->clock_steps, now, findings);
    if (!facts->damage.empty()) {
        findings.push_back({"database", State::bad, "damaged: " + facts->damage.front(),
                            "stop the daemon, keep the file, and `belfry restore` the last copy"});
    } else {
        const std::string size = there.ok() && *there ? host::about_bytes((*there)->bytes) : std::string("?");
        findings.push_back(
            {"database", State::good, path + ", " + size + (skip_integrity ? ", not read" : ", sound"), {}});
    }
}

Finding check_write_ahead_log(const std::string& database) {
    const auto facts = host::file_facts(database + "-wal");
    const std::int64_t bytes = facts.ok() && *facts ? (*facts)->bytes : 0;
    const std::string detail = host::about_bytes(bytes);
    if (bytes <= base::limits::wal_bytes_max) return {"log file", State::good, "write-ahead log: " + detail, {}};
    return {"log file", State::warning, "the write-ahead log has grown to " + detail,
            "a reader may hold it open; restart the daemon if it does not shrink"};
}

}  // namespace

Finding schema_finding(std::int64_t version, std::string migrating) {
    const std::int64_t newest = store::newest_schema_version();
    const std::string versions = "schema " + std::to_string(version) + ", this program has " + std::to_string(newest);
    if (version > newest) return {"schema", State::bad, versions, "use a newer Belfry, or restore an older copy"};
    if (version < newest) return {"schema", State::warning, versions, std::move(migrating)};
    return {"schema", State::good, versions, {}};
}

std::vector<Finding> examine(Context& context, const Arguments& arguments, const host::LoadedConfig& loaded) {
    const host::Config& config = loaded.config;
    const std::string& data = config.store.data_dir;
    const std::string database = host::database_file(data);
    std::vector<Finding> findings{check_configuration(loaded)};
    if (!config.server.tls_certificate.empty()) findings.push_back(check_tls(config));
    findings.push_back(check_clock(context, database));
    findings.push_back(check_open_files(config));
    check_subscribers(config.notifications.subscribers, findings);
    check_sinks(config.notifications.sinks, context.environment, findings);
    const bool has_folder = check_data_folder(data, findings);
    bool is_held = false;
    if (has_folder) {
        check_access(loaded, findings);
        findings.push_back(check_disk(data));
        findings.push_back(check_admin_token(data));
        findings.push_back(check_lock(data, is_held));
        findings.push_back(check_socket(config, is_held));
        if (is_held) findings.push_back(check_daemon(context, arguments));
    }
    if (config.store.backend == host::StoreBackend::postgres) {
        check_postgres_store(config.store.postgres_url, is_held, context.now(), findings);
    } else if (has_folder) {
        check_database(database, arguments.has("skip-integrity"), context.now(), findings);
        findings.push_back(check_write_ahead_log(database));
    }
    return findings;
}

}  // namespace belfry::cli
