#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "net/connection.hpp"
#include "net/service.hpp"
#include "ports/commands/command.hpp"
#include "wire/http_request.hpp"
#include "wire/target.hpp"

namespace belfry::net {

// Where an answer goes that comes later. The connection may be gone by then: the answer is dropped with it. Small and
// trivial, so that a callback that holds one needs no memory of its own.
class Reply {
public:
    Reply(Service& service, ConnectionId connection) : service_(&service), connection_(connection) {}

    void respond(const Answer& answer) const {
        if (Connection* connection = service_->connections.find(connection_)) connection->respond(answer);
    }
    void fail(const base::Error& error) const {
        if (Connection* connection = service_->connections.find(connection_)) connection->fail(error);
    }
    [[nodiscard]] Connection* connection() const { return service_->connections.find(connection_); }
    [[nodiscard]] ConnectionId connection_id() const { return connection_; }
    [[nodiscard]] Service& service() const { return *service_; }

private:
    Service* service_;
    ConnectionId connection_;
};

// One request as its handler sees it. The request's views are valid until the handler returns.
struct Exchange {
    Service& service;
    Connection& connection;
    const wire::Request& request;
    SharedCaller caller;                // nothing on an open route
    std::vector<std::string> captures;  // what stood for the {…} of the route's path, decoded

    [[nodiscard]] Reply reply() const { return {service, connection.id()}; }
    [[nodiscard]] const model::Principal& principal() const { return caller->principal; }

    void respond(int status, std::string_view json, std::string_view extra_fields = {}) const {
        connection.respond({status, "application/json", json, extra_fields});
    }
    void fail(const base::Error& error) const { connection.fail(error); }

    // Sends a command in the caller's name; a refusal to take it is answered at once.
    template <class C>
    void submit(std::unique_ptr<C> command) const {
        command->principal = principal();
        command->producer = connection.id();
        command->bytes += sizeof(C);
        ports::AnyCommand any = std::move(command);
        const Reply to = reply();
        if (auto taken = service.ports.gateway.submit(any); !taken.ok()) to.fail(taken.error());
    }
};

using Handler = void (*)(const Exchange& exchange);
// Of a route that takes bodies in as they come. Nothing: it was refused, and that is answered.
using Uploader = std::unique_ptr<Upload> (*)(const Exchange& exchange);

}  // namespace belfry::net
