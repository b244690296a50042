#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "net/connection.hpp"
#include "net/service.hpp"
#include "net/stored_answer.hpp"
#include "ports/commands/command.hpp"
#include "wire/http_request.hpp"
#include "wire/target.hpp"

namespace belfry::net {

// Where an answer goes that comes later. The connection may be gone by then: the answer is dropped with it. Small and
// trivial, so that a callback that holds one needs no memory of its own.
class Reply {
public:
    Reply(Service& service, ConnectionId connection) : service_(&service), connection_(connection) {}
    // Writes the answer down instead of sending it; an error is not written down. Has no service and no connection.
    explicit Reply(std::optional<std::string>& stored) : service_(nullptr), stored_(&stored) {}

    void respond(const Answer& answer) const {
        if (service_ == nullptr) {
            if (answer.status < 400) *stored_ = write_stored_answer(answer);
            return;
        }
        if (Connection* connection = service_->connections.find(connection_)) connection->respond(answer);
    }
    void fail(const base::Error& error) const {
        if (service_ == nullptr) return;
        if (Connection* connection = service_->connections.find(connection_)) connection->fail(error);
    }
    // Nothing if the connection is gone, or if the answer is written down.
    [[nodiscard]] Connection* connection() const {
        return service_ == nullptr ? nullptr : service_->connections.find(connection_);
    }
    [[nodiscard]] ConnectionId connection_id() const { return connection_; }
    [[nodiscard]] Service& service() const { return *service_; }

private:
    Service* service_;  // null: the answer is written down
    union {
        ConnectionId connection_;
        std::optional<std::string>* stored_;
    };
};

// One request as its handler sees it. The request's views are valid until the handler returns.
struct Exchange {
    Service& service;
    Connection& connection;
    const wire::Request& request;
    SharedCaller caller;                // nothing on an open route
    std::vector<std::string> captures;  // what stood for the {…} of the route's path, decoded
    std::optional<ports::IdempotencyKey> idempotency{};

    [[nodiscard]] Reply reply() const { return {service, connection.id()}; }
    [[nodiscard]] const model::Principal& principal() const { return caller->principal; }

    void respond(int status, std::string_view json, std::string_view extra_fields = {}) const {
        connection.respond({status, "application/json", json, extra_fields});
    }
    void fail(const base::Error& error) const { connection.fail(error); }

    // Sends a command in the caller's name. `answer(to, result)` writes its answer to a Reply and depends on nothing
    // but its arguments and captures: for a request with an idempotency key the engine's thread calls it, too, to store
    // the answer in the transaction of the effect.
    template <class C, class Write>
    void submit(std::unique_ptr<C> command, Write answer) const {
        using Result = base::Result<typename C::Reply>;
        if (idempotency) {
            command->idempotency = idempotency;
            command->bytes += idempotency->text.size();
            command->store = [answer](const Result& result) {
                std::optional<std::string> stored;
                answer(Reply(stored), result);
                return stored;
            };
            command->replayed = [to = reply()](const std::string& stored) { respond_stored(to, stored); };
        }
        command->done = [to = reply(), answer](const Result& result) { answer(to, result); };
        send(std::move(command));
    }

    // The same for a command whose answer is not stored, with `done` set. Rejects a request that has an idempotency
    // key.
    template <class C>
    void submit(std::unique_ptr<C> command) const {
        if (idempotency && !command->idempotency) return fail(no_idempotency_key("its answer cannot be stored"));
        send(std::move(command));
    }

private:
    static void respond_stored(const Reply& to, const std::string& stored) {
        std::string fields;
        const auto answer = read_stored_answer(stored, fields);
        answer.ok() ? to.respond(*answer) : to.fail(answer.error());
    }

    // A refusal to take the command is answered at once.
    template <class C>
    void send(std::unique_ptr<C> command) const {
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
