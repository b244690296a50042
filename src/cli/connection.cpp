#include "cli/connection.hpp"

#include "host/files.hpp"
#include "host/folders.hpp"

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
Endpoint tcp_endpoint(const host::Config& config) {
    Endpoint endpoint;
    if (!config.server.tls_certificate.empty()) endpoint.scheme = Endpoint::Scheme::https;
    endpoint.host = config.server.host;
    if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
    if (endpoint.host == "::") endpoint.host = "::1";
    endpoint.port = config.server.port;
    return endpoint;
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

bool is_socket(const std::string& path) {
    const auto facts = host::file_facts(path);
    return facts.ok() && *facts && (*facts)->is_socket;
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
    const Endpoint local = tcp_endpoint(config);
    if (!is_chosen) {
        const bool has_socket = !config.server.socket.empty() && is_socket(config.server.socket);
        options.endpoint = has_socket ? unix_endpoint(config.server.socket) : local;
    }
    // The local admin token is for the local daemon: no other address ever gets to see it.
    if (options.token.empty() && options.endpoint == local) {
        const auto content = host::read_file(host::admin_token_file(config.store.data_dir), 4096);
        if (content.ok()) options.token = first_line(*content);
    }
    return options;
}

}  // namespace belfry::cli
