#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "net/connections.hpp"
#include "net/fanout.hpp"
#include "net/options.hpp"
#include "net/rates.hpp"
#include "net/rpc/links.hpp"
#include "net/tickets.hpp"
#include "ports/clock.hpp"
#include "ports/commands/command.hpp"
#include "ports/metrics.hpp"
#include "ports/pairing.hpp"
#include "ports/queries.hpp"
#include "ports/random.hpp"
#include "ports/streams.hpp"
#include "wire/http_request.hpp"

namespace belfry::net {

class InteractionWaits;
class OutsideCallWaits;
class WakeWaits;

// The ports through which requests reach the rest of the house.
struct Ports {
    ports::Gateway& gateway;
    ports::Streams& streams;
    ports::Queries& queries;
    ports::Access& access;
    ports::Random& random;
    ports::Clock& clock;
    ports::Metrics& metrics;
    ports::Pairing* pairing = nullptr;  // nobody: this device is paired with none
};

// What all connections share. Everything of it is used on the network's thread alone, so nothing has a lock.
struct Service {
    Service(const ServerOptions& server_options, const Ports& the_ports,
            std::function<void(std::function<void()>)> run);
    ~Service();

    ServerOptions options;
    Ports ports;
    std::function<void(std::function<void()>)> soon;  // runs something on the network's thread after what runs now

    Fanout fanout;
    Connections connections;  // after Fanout, from which readers take their leave when they end
    RpcLinks rpc;
    std::unique_ptr<InteractionWaits> interaction_waits;
    Tickets tickets;
    Tickets links;  // to the web app: whoever redeems one gets an access token
    EventRates event_rates;
    FailedLogins failed_logins;
    bool stopping = false;
    std::size_t unfinished_bytes = 0;  // that connections hold of requests that are not whole
    std::size_t untaken_bytes = 0;     // and of answers that their peers have not taken
    bool makes_room = false;           // some of those will be ended soon

    base::Duration tick;  // the time of the last sweep: exact enough for time limits
    std::string date;     // as the Date field has it, likewise

    // Working memory that connections share because they use it one after the other: a connection that waits for its
    // peer holds none of it.
    std::vector<char> input;
    std::string output;
    const Connection* output_owner = nullptr;
    std::vector<std::unique_ptr<wire::RequestParser>> parsers;

    // Commands that nobody waits for and that must not be lost: a full queue is tried again with every sweep.
    std::vector<ports::AnyCommand> unsent;
    void send_surely(ports::AnyCommand command);
    void send_unsent();

    std::unique_ptr<wire::RequestParser> take_parser();
    void give_back(std::unique_ptr<wire::RequestParser> parser);

    std::unique_ptr<WakeWaits> wake_waits;
    std::unique_ptr<OutsideCallWaits> outside_call_waits;
};

}  // namespace belfry::net
