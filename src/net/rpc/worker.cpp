#include "net/rpc/worker.hpp"

#include <limits>
#include <memory>
#include <utility>

#include "base/wake_limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/worker_words.hpp"
#include "net/service.hpp"
#include "net/wake_waits.hpp"

namespace belfry::net {
namespace {

using codec::RpcCall;
using handlers::WorkerWords;

// As a call has it: a whole sentence about a parameter.
codec::RpcError error_of(base::Error error) {
    if (error.field == "id") error.field = "wake_id";
    if (error.code == base::Code::invalid) {
        if (error.field.empty()) error.field = "params";
        error.message = error.field + " " + error.message;
    }
    return codec::rpc_error_of(error);
}

WorkerWords words_of(const RpcCall& call) {
    return {handlers::Way::call, call.params.empty() ? std::string_view("{}") : call.params};
}

class RpcAsker final : public Asker {
public:
    RpcAsker(Service& service, RpcTo to) : service_(service), to_(std::move(to)) {}

    [[nodiscard]] bool has_left() const override {
        const RpcLink* const link = service_.rpc.find(to_.link);
        return link == nullptr || link->has_peer_closed();
    }
    [[nodiscard]] ConnectionId connection() const override { return to_.link; }

    void answer(std::string_view json) const override {
        if (RpcLink* const link = service_.rpc.find(to_.link)) link->succeed(to_, json);
    }
    void answer_nothing() const override { answer("null"); }
    void fail(const base::Error& error) const override {
        if (RpcLink* const link = service_.rpc.find(to_.link)) link->refuse(to_, error_of(error));
    }

private:
    Service& service_;
    RpcTo to_;
};

// Sends it in the caller's name; `json` writes what came of it.
template <class C, class Json>
void submit(Service& service, RpcLink& link, const RpcTo& to, base::Result<std::unique_ptr<C>> wish, Json json) {
    if (!wish.ok()) return link.refuse(to, error_of(wish.error()));
    auto command = std::move(wish).value();
    command->principal = link.caller()->principal;
    command->producer = link.id();
    command->bytes += sizeof(C);
    command->done = [service = &service, to, json](const auto& result) {
        RpcLink* const home = service->rpc.find(to.link);
        if (home == nullptr) return;
        if (result.ok()) home->succeed(to, json(*result));
        else home->refuse(to, error_of(result.error()));
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service.ports.gateway.submit(any); !taken.ok()) link.refuse(to, error_of(taken.error()));
}

}  // namespace

void claim_wake(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    auto claim = handlers::read_claim(words_of(call), link.caller()->principal);
    if (!claim.ok()) return link.refuse(to, error_of(claim.error()));
    // Whoever is to work must hear at once of what it is granted.
    if (to.id.empty()) {
        return link.refuse(to, {codec::RpcCode::invalid_request, "a claim is answered: it must have an id", "id"});
    }
    const bool waits = !claim->wait || claim->wait->us > 0;
    if (waits && to.batch != 0) {
        return link.refuse(
            to, error_of(base::error(base::Code::invalid, "must be 0 in a batch, which is answered when all of it is",
                                     "wait_s")));
    }
    RpcTo answer_to = to;
    if (waits && !link.begin_wait(answer_to)) {
        return link.refuse(to, error_of(base::error(base::Code::rate_limited,
                                                    std::to_string(base::limits::wake_waiters_per_link_max) +
                                                        " claims of this connection wait already, as many as may")));
    }
    const base::Duration until = claim->wait ? service.ports.clock.monotonic() + *claim->wait
                                             : base::Duration{std::numeric_limits<std::int64_t>::max()};
    service.wake_waits->claim(std::make_unique<RpcAsker>(service, std::move(answer_to)), link.caller(),
                              std::move(claim->wish), until);
}

void renew_wake(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_renewal(words_of(call)), wake_json);
}

void append_agent_messages(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_agent_messages(words_of(call)), handlers::appended_json);
}

void store_plan(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_plan(words_of(call)), handlers::plan_json);
}

void call_tool(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_tool_call(words_of(call)), handlers::called_tool_json);
}

void change_own_state(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_own_state(words_of(call)), handlers::agent_json);
}

void end_wake(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    submit(service, link, to, handlers::read_end(words_of(call)), wake_json);
}

}  // namespace belfry::net
