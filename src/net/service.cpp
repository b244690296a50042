#include "net/service.hpp"

#include <utility>

#include "base/limits.hpp"
#include "net/interaction_waits.hpp"
#include "net/outside_call_waits.hpp"
#include "net/wake_waits.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t input_bytes = 64 << 10;
constexpr std::size_t parsers_kept_max = 16;
constexpr wire::RequestLimits request_limits{base::limits::http_header_bytes_max, base::limits::http_header_fields_max,
                                             base::limits::http_target_bytes_max, base::limits::http_body_bytes_max};
}  // namespace

Service::Service(const ServerOptions& server_options, const Ports& the_ports,
                 std::function<void(std::function<void()>)> run)
    : options(server_options),
      ports(the_ports),
      soon(std::move(run)),
      fanout(*this),
      interaction_waits(std::make_unique<InteractionWaits>(*this)),
      tickets(the_ports.random, base::limits::ticket_life),
      links(the_ports.random, base::limits::link_life),
      input(input_bytes),
      wake_waits(std::make_unique<WakeWaits>(*this)),
      outside_call_waits(std::make_unique<OutsideCallWaits>(*this)) {}

Service::~Service() = default;

void Service::send_surely(ports::AnyCommand command) {
    const auto taken = ports.gateway.submit(command);
    if (!taken.ok() && taken.error().code == base::Code::overloaded) unsent.push_back(std::move(command));
}

void Service::send_unsent() {
    for (ports::AnyCommand& command : std::exchange(unsent, {})) send_surely(std::move(command));
}

std::unique_ptr<wire::RequestParser> Service::take_parser() {
    if (parsers.empty()) return std::make_unique<wire::RequestParser>(request_limits);
    auto parser = std::move(parsers.back());
    parsers.pop_back();
    return parser;
}

void Service::give_back(std::unique_ptr<wire::RequestParser> parser) {
    if (parsers.size() >= parsers_kept_max) return;
    parser->reset();
    parsers.push_back(std::move(parser));
}

}  // namespace belfry::net
