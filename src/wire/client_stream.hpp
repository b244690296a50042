#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "wire/endpoint.hpp"
#include "wire/interrupt.hpp"

namespace belfry::wire {

using Deadline = std::chrono::steady_clock::time_point;
Deadline deadline_in(base::Duration time);

// A connection that was made, as bytes in both directions. Calls block until the deadline (code timeout) or until the
// interrupt is raised (code timeout too, "interrupted"). After an error only destruction is of use.
class ClientStream {
public:
    virtual ~ClientStream() = default;

    // At least one byte, or 0 where the peer ended in order; outcome_unknown where the connection broke.
    virtual base::Result<std::size_t> read(char* to, std::size_t bytes_max, Deadline deadline) = 0;
    virtual base::Result<void> write(std::string_view bytes, Deadline deadline) = 0;
    // Nothing waits to be read, not even the end: what a kept connection must be before it is used again.
    [[nodiscard]] virtual bool is_quiet() const = 0;
};

struct ConnectOptions {
    base::Duration time_max = base::seconds(5);
    std::string tls_ca_file;               // trusted besides the system's; empty: only those
    const Interrupt* interrupt = nullptr;  // none: cannot be interrupted
};

// unavailable where nobody listens, with the address and the system's words.
base::Result<std::unique_ptr<ClientStream>> connect_stream(const Endpoint& endpoint, const ConnectOptions& options);

// TLS over a stream that is connected: checks the certificate against the trusted ones and the host's name.
base::Result<std::unique_ptr<ClientStream>> start_tls(std::unique_ptr<ClientStream> plain, const Endpoint& endpoint,
                                                      const ConnectOptions& options, Deadline deadline);

}  // namespace belfry::wire
