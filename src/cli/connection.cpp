#include "cli/connection.hpp"

#include <algorithm>

#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/lock.hpp"

namespace belfry::cli {
namespace {

using wire::Endpoint;

Endpoint unix_endpoint(std::string path) {
    Endpoint endpoint;
    endpoint.scheme = Endpoint::Scheme::unix_socket;
    endpoint.socket_path = std::move(path);
    return endpoint;
}

// A daemon that listens everywhere is near on the loopback address.
Endpoint near(Endpoint endpoint) {
    if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
    if (endpoint.host == "::") endpoint.host = "::1";
    return endpoint;
}

Endpoint configured_endpoint(const host::Config& config) {
    Endpoint endpoint;
    if (!config.server.tls_certificate.empty()) endpoint.scheme = Endpoint::Scheme::https;
    endpoint.host = config.server.host;
    endpoint.port = config.server.port;
    return near(std::move(endpoint));
}

// Where the daemon that holds the data folder listens now, by its own word. The Unix socket first: nobody else can come
// to listen there in its place.
std::vector<Endpoint> held_endpoints(const std::string& data_dir) {
    std::vector<Endpoint> held;
    const auto holder = host::FolderLock::holder(data_dir);
    if (!holder.ok() || !*holder) return held;
    const host::Doors& doors = (*holder)->doors;
    if (doors.socket.starts_with('/')) held.push_back(unix_endpoint(doors.socket));
    if (const auto address = wire::parse_endpoint(doors.address); address.ok()) held.push_back(near(*address));
    return held;
}

bool is_held(const std::string& data_dir, const Endpoint& endpoint) {
    const std::vector<Endpoint> held = held_endpoints(data_dir);
    return std::ranges::find(held, endpoint) != held.end();
}

bool is_socket(const std::string& path) {
    const auto facts = host::file_facts(path);
    return facts.ok() && *facts && (*facts)->is_socket;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find_first_of("\r\n"));
}

base::Result<Endpoint> chosen_endpoint(const Arguments& arguments, const Context& context, bool& is_chosen) {
    is_chosen = true;
    const auto url = arguments.value("url");
    const auto socket = arguments.value("socket");
    if (url && socket) return base::error(base::Code::invalid, "--url and --socket exclude each other");
    if (url) return wire::parse_endpoint(*url);
    if (socket) return unix_endpoint(*socket);
    if (const auto from_environment = context.environment.get("BELFRY_URL")) {
        return wire::parse_endpoint(*from_environment);
    }
    is_chosen = false;
    return Endpoint{};
}

// The admin token is for the daemon of its folder. While that one is away anybody on the machine may listen in its
// place, so it is looked at before each request, also of a command that goes on for days.
void use_stored_token(client::Options& options, const std::string& data_dir) {
    const auto content = host::read_file(host::admin_token_file(data_dir), 4096);
    if (!content.ok()) return;
    options.token = first_line(*content);
    if (options.token.empty()) return;
    options.may_send = [data_dir, endpoint = options.endpoint]() -> base::Result<void> {
        if (is_held(data_dir, endpoint)) return {};
        return base::error(
            base::Code::unavailable,
            "cannot connect to " + endpoint.text() + ": no daemon of the data folder " + data_dir + " listens there");
    };
}

}  // namespace

base::Result<host::LoadedConfig> load_config(const Context& context, const Arguments& arguments,
                                             std::vector<host::ConfigFlag> further) {
    host::ConfigSources sources;
    sources.file = arguments.value("config");
    sources.environment = context.environment;
    sources.flags = std::move(further);
    if (const auto data = arguments.value("data")) sources.flags.push_back({"store.data_dir", *data, "--data"});
    return host::load_config(sources);
}

base::Result<client::Options> find_daemon(const Context& context, const Arguments& arguments) {
    client::Options options;
    options.tls_ca_file = arguments.value_or("ca-file", "");
    options.token = arguments.value_or("token", context.environment.get("BELFRY_TOKEN").value_or(""));
    bool is_chosen = false;
    TRY_ASSIGN(options.endpoint, chosen_endpoint(arguments, context, is_chosen));
    if (is_chosen && (!options.token.empty() || options.endpoint.scheme == Endpoint::Scheme::unix_socket)) {
        return options;
    }
    TRY_ASSIGN(const host::LoadedConfig loaded, load_config(context, arguments));
    const host::Config& config = loaded.config;
    if (!is_chosen) {
        if (!config.server.socket.empty() && is_socket(config.server.socket)) {
            options.endpoint = unix_endpoint(config.server.socket);
            return options;
        }
        std::vector<Endpoint> held = held_endpoints(config.store.data_dir);
        // Its socket may have gone from under it, with the folder of a session that ended, or be out of our reach.
        std::erase_if(held, [](const Endpoint& one) {
            return one.scheme == Endpoint::Scheme::unix_socket && !is_socket(one.socket_path);
        });
        options.endpoint = held.empty() ? configured_endpoint(config) : held.front();
    }
    if (!options.token.empty()) return options;
    if (!is_chosen || is_held(config.store.data_dir, options.endpoint))
        use_stored_token(options, config.store.data_dir);
    return options;
}

}  // namespace belfry::cli
