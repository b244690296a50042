#include "daemon/serve.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/connection.hpp"
#include "daemon/activity.hpp"
#include "daemon/daemon.hpp"
#include "daemon/example_subscribers.hpp"
#include "host/config.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"

namespace belfry::daemon {
namespace {

std::vector<cli::OptionSpec> options() {
    std::vector<cli::OptionSpec> specs;
    for (const host::ConfigFieldInfo& field : host::config_fields()) {
        if (field.flag == "data") continue;  // every command has it
        specs.push_back({std::string(field.flag), std::string(field.placeholder), std::string(field.help)});
    }
    specs.push_back({"no-journal", "", "as --journal off"});
    specs.push_back({"dev", "", "temporary store and example activity, without the user's own sinks and subscribers"});
    return specs;
}

std::vector<host::ConfigFlag> typed_settings(const cli::Arguments& arguments) {
    std::vector<host::ConfigFlag> flags;
    for (const host::ConfigFieldInfo& field : host::config_fields()) {
        if (field.flag == "data") continue;
        if (const auto value = arguments.value(field.flag)) {
            flags.push_back({std::string(field.name), *value, "--" + std::string(field.flag)});
        }
    }
    if (arguments.has("no-journal")) flags.push_back({"server.journal", "off", "--no-journal"});
    return flags;
}

// A folder that goes with the process.
class TemporaryFolder {
public:
    static base::Result<std::unique_ptr<TemporaryFolder>> make() {
        std::string path = (std::filesystem::temp_directory_path() / "belfry-dev-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) {
            return base::error(base::Code::io, "cannot make a temporary folder like " + path);
        }
        return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

// Through the Unix socket; the token makes it nobody else than an administrator.
client::Options own_door(const host::Config& config, const Daemon& daemon) {
    client::Options options;
    options.endpoint.scheme = wire::Endpoint::Scheme::unix_socket;
    options.endpoint.socket_path = config.server.socket;
    options.token = daemon.admin_token();
    return options;
}

bool is_typed(const host::LoadedConfig& loaded, std::string_view name) {
    return std::ranges::any_of(loaded.entries, [&](const host::ConfigEntry& entry) {
        return entry.name == name && entry.source == host::ConfigSource::flag;
    });
}

// Returns the configuration of `--dev`: everything lies in `folder`, and the example alarms ring nothing of the user's.
// A folder or an address counts only if a flag of this command line names it.
base::Result<host::Config> isolated_config(const host::LoadedConfig& loaded, const std::string& folder) {
    host::Config config = loaded.config;
    config.store.data_dir = folder;
    config.store.backend = host::StoreBackend::sqlite;
    config.server.socket = host::join_path(folder, "belfry.sock");
    config.rpc.socket = host::join_path(folder, "belfry-rpc.sock");
    config.log.level = std::max(config.log.level, host::LogLevel::warning);
    if (!is_typed(loaded, "notifications.sinks")) config.notifications.sinks.clear();
    if (!is_typed(loaded, "sync.listen")) config.sync.listen.clear();
    if (!is_typed(loaded, "rpc.listen")) config.rpc.listen.clear();
    if (!is_typed(loaded, "notifications.subscribers")) {
        config.notifications.subscribers = host::join_path(folder, "subscribers");
        TRY(write_example_subscribers(config.notifications.subscribers));
    }
    return config;
}

cli::Exit serve_dev(cli::Context& context, const cli::Arguments& arguments, const host::LoadedConfig& loaded,
                    host::Signals& signals) {
    auto folder = TemporaryFolder::make();
    if (!folder.ok()) return cli::fail(context, arguments, folder.error());
    auto isolated = isolated_config(loaded, (*folder)->path());
    if (!isolated.ok()) return cli::fail(context, arguments, isolated.error());
    const host::Config config = std::move(isolated).value();

    auto wall = cli::LocalClock::of(context, arguments);
    if (!wall.ok()) return cli::fail(context, arguments, wall.error());
    const host::SystemClock clock;
    host::Logger log(clock, config.log.level, config.log.format);
    Daemon daemon(config, context.environment, log);
    if (auto started = daemon.start(); !started.ok()) return cli::fail(context, arguments, started.error());
    const std::string scheme = config.server.tls_certificate.empty() ? "http://" : "https://";
    auto link = daemon.make_link();
    if (!link.ok()) return cli::fail(context, arguments, link.error());
    Activity::greet(context, scheme + daemon.address(), *link, daemon.admin_token());
    Activity activity(own_door(config, daemon), std::move(wall).value());
    activity.start();
    daemon.run(signals);
    activity.stop();
    return cli::Exit::ok;
}

// For a person who looks on; a log is no place for a link that lets in.
void greet(cli::Context& context, Daemon& daemon) {
    const auto link = daemon.make_link();
    if (!link.ok()) return;
    context.console.err.line("look: " + *link + " (works once, for ten minutes; later `belfry open`)");
    context.console.err.flush();
}

cli::Exit serve(cli::Context& context, const cli::Arguments& arguments) {
    auto loaded = cli::load_config(context, arguments, typed_settings(arguments));
    if (!loaded.ok()) {
        cli::fail(context, arguments, loaded.error());
        return cli::Exit::usage;
    }
    auto signals = host::Signals::open();
    if (!signals.ok()) return cli::fail(context, arguments, signals.error());
    if (arguments.has("dev")) return serve_dev(context, arguments, *loaded, *signals);

    const host::SystemClock clock;
    host::Logger log(clock, loaded->config.log.level, loaded->config.log.format);
    Daemon daemon(loaded->config, context.environment, log);
    if (auto started = daemon.start(); !started.ok()) return cli::fail(context, arguments, started.error());
    if (context.console.err_is_terminal) greet(context, daemon);
    daemon.run(*signals);
    return cli::Exit::ok;
}

}  // namespace

cli::Command serve_command() {
    cli::Command command;
    command.name = "serve";
    command.summary = "run the daemon";
    command.detail =
        "Listens on 127.0.0.1 and on a Unix socket, keeps its store in the data folder, and runs until it is\n"
        "asked to stop (SIGTERM, Ctrl-C): then it finishes what it has taken and loses nothing. SIGHUP reads\n"
        "subscribers, sinks and the TLS certificate again. At the first start an admin token is written to\n"
        "<data>/admin.token, readable for its own user only; the other commands find it by themselves.";
    command.options = options();
    command.examples = {
        {"belfry serve", "with the embedded store in the standard folder"},
        {"belfry serve --dev", "just to look: everything is gone afterwards"},
        {"belfry serve --port 8080 --data /srv/belfry", "another port, another folder"},
        {"belfry serve --backend postgres --postgres-url postgresql://belfry@db/belfry", "with PostgreSQL"},
    };
    command.exits = {{cli::Exit::unreachable, "PostgreSQL cannot be reached"}};
    command.run = serve;
    return command;
}

}  // namespace belfry::daemon
