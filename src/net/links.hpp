#pragma once

#include <string>

#include "net/service.hpp"

namespace belfry::net {

// A one-time link to the web app. The code stands behind the hash, so that it is in no log of requests.
struct Link {
    std::string code;
    std::string url;
};
base::Result<Link> make_link(Service& service, SharedCaller issuer);

}  // namespace belfry::net
