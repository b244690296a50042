#include "net/links.hpp"

#include <utility>

namespace belfry::net {
namespace {

// Where a browser on this machine finds the server.
std::string own_address(const ServerOptions& options) {
    std::string host = options.host;
    if (host.empty() || host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    if (host.find(':') != std::string::npos && !host.starts_with('[')) host = "[" + host + "]";
    return (options.tls_certificate.empty() ? "http://" : "https://") + host + ":" + std::to_string(options.port);
}

}  // namespace

base::Result<Link> make_link(Service& service, SharedCaller issuer) {
    TRY_ASSIGN(std::string code, service.links.issue(std::move(issuer), service.ports.clock.monotonic()));
    std::string url = own_address(service.options) + "/#link=" + code;
    return Link{std::move(code), std::move(url)};
}

}  // namespace belfry::net
