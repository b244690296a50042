#pragma once

#include <functional>
#include <memory>
#include <netdb.h>
#include <string>

#include "base/result.hpp"
#include "wire/client_stream.hpp"
#include "wire/interrupt.hpp"

namespace belfry::wire {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Asks the system; may block as long as its name servers like.
base::Result<Addresses> look_up(const std::string& host, const std::string& port);

// The addresses of a host, by the deadline and until interrupted. The system's own question has neither: it is asked on
// a thread of its own, which is left behind where it takes too long and ends when its answer comes. `unavailable` where
// the system has no thread or no descriptor left.
using Lookup = std::function<base::Result<Addresses>(const std::string& host, const std::string& port)>;
base::Result<Addresses> resolve(const std::string& host, const std::string& port, Deadline deadline,
                                const Interrupt* interrupt, const Lookup& lookup = look_up);

}  // namespace belfry::wire
