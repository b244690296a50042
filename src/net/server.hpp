#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.hpp"
#include "net/options.hpp"
#include "ports/clock.hpp"
#include "ports/commands/command.hpp"
#include "ports/metrics.hpp"
#include "ports/pairing.hpp"
#include "ports/queries.hpp"
#include "ports/random.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// The HTTP server: one thread, which is the network's thread of the ports. Whoever owns it calls `listen`, then `run`
// on that thread; answers of commands, queries and streams must be given on it, through `post`.
class Server {
public:
    Server(const ServerOptions& options, ports::Gateway& gateway, ports::Streams& streams, ports::Queries& queries,
           ports::Access& access, ports::Random& random, ports::Clock& clock, ports::Metrics& metrics);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Opens port and socket. Connections are taken from here on and served by `run`.
    base::Result<void> listen();
    // The TCP port, which may have been chosen by the machine.
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::uint16_t rpc_port() const;  // 0: there is none

    // Before `listen`: who pairs this device with others. It is asked on the network's thread; nobody: all of it is
    // refused.
    void set_pairing(ports::Pairing* pairing);

    // From any thread: the address of a one-time link to the web app, in the house's name, on the network's thread.
    void make_link(std::function<void(base::Result<std::string>)> done);

    // Serves until `quit`.
    void run();

    // From any thread: runs `work` on the network's thread, in the order of the calls.
    void post(std::function<void()> work);
    // From any thread: takes no more connections, finishes the requests under way, closes streams with the reason
    // `stopping`, then calls `done` on the network's thread, after limits::http_stop_max at the latest. `run` goes on,
    // so that what was promised can still be answered.
    void stop(std::function<void()> done);
    // From any thread: `run` returns.
    void quit();

    // On the network's thread.
    base::Result<void> reload_certificate();
    // Ends what took too long and sends heartbeats, by the clock. Called every second by itself.
    void sweep();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace belfry::net
