#include "net/rpc/methods.hpp"

#include <array>
#include <utility>

#include "codec/client_message.hpp"
#include "codec/json.hpp"
#include "net/guard.hpp"
#include "net/rpc/follow.hpp"
#include "net/rpc/params.hpp"
#include "net/rpc/worker.hpp"
#include "net/service.hpp"
#include "ports/commands/client_messages.hpp"

namespace belfry::net {
namespace {

using codec::RpcCall;
using codec::RpcCode;
using codec::RpcError;

constexpr std::string_view kaiak_user_message = "kaiak/client/user_message";

RpcError error_of(const base::Error& error) {
    RpcError out = codec::rpc_error_of(error);
    // A question that is not pending is, for whoever names it, a parameter that is none.
    if (error.reason == "not_pending") out.code = RpcCode::invalid_params;
    return out;
}

void ping(Service&, RpcLink& link, const RpcTo& to, const RpcCall&) {
    link.succeed(to, "{\"pong\":true}");
}

std::string describe(const model::Principal& principal) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("principal", principal.id).field("role", model::role_name(principal.role));
    writer.name("user_id");
    principal.user_id.empty() ? writer.null() : writer.text(principal.user_id);
    writer.end_object();
    return out;
}

void authenticate(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    std::string token;
    auto read =
        read_params(call.params, {"token"}, [&](codec::JsonReader& reader, std::string_view) -> base::Result<void> {
            TRY_ASSIGN(token, reader.read_string());
            return {};
        });
    if (read.ok() && token.empty()) read = missing_param("token");
    if (!read.ok()) return link.refuse(to, error_of(read.error()));
    auto principal = service.ports.access.authenticate(token);
    if (!principal) return link.refuse(to, error_of(failed_login(service, link.peer(), std::move(principal).error())));
    if (principal->role == model::Role::emitter) {
        return link.refuse(to, error_of(base::error(base::Code::forbidden, "the role emitter may not do this")));
    }
    const std::string result = describe(*principal);
    link.become(std::make_shared<const Caller>(Caller{std::move(principal).value(), token}));
    link.succeed(to, result);
}

std::string receipt_json(const ports::ClientReceipt& receipt) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().name("success").boolean(true).field("message", receipt.message);
    writer.field("notification_id", base::format_uuid(receipt.id)).end_object();
    return out;
}

// What is refused counts, too. A request is not looked at before its bucket is asked.
void user_message(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    const base::Duration wait = service.rpc.buckets.take(link.client_key(), service.ports.clock.monotonic());
    if (wait.us > 0 && !to.id.empty()) return link.refuse(to, codec::rpc_rate_limited((wait.us + 999) / 1000));
    auto command = std::make_unique<ports::SendClientMessage>();
    if (call.method == kaiak_user_message) command->message.method = model::ClientMethod::kaiak_alias;
    const auto read = codec::read_client_message(call.params, command->message);
    RpcTo answer_to = to;
    if (to.id.empty()) {  // the refusal of a notification says which one it was
        answer_to.session_id = command->message.session_id;
        answer_to.message_type = command->message.message_type;
    }
    if (wait.us > 0) return link.refuse(answer_to, codec::rpc_rate_limited((wait.us + 999) / 1000));
    if (!read.ok()) return link.refuse(answer_to, error_of(read.error()));
    command->principal = link.caller()->principal;
    command->producer = link.id();
    command->lane = ports::Lane::control;
    command->bytes = sizeof(ports::SendClientMessage) + call.params.size();
    command->done = [service = &service, answer_to](const base::Result<ports::ClientReceipt>& result) {
        RpcLink* const home = service->rpc.find(answer_to.link);
        if (home == nullptr) return;
        if (result.ok()) home->succeed(answer_to, receipt_json(*result));
        else home->refuse(answer_to, error_of(result.error()));
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service.ports.gateway.submit(any); !taken.ok()) link.refuse(answer_to, error_of(taken.error()));
}

struct Method {
    std::string_view name;
    void (*call)(Service&, RpcLink&, const RpcTo&, const RpcCall&);
};

constexpr std::array<Method, 15> methods{{{"authenticate", authenticate},
                                          {"ping", ping},
                                          {"client/user_message", user_message},
                                          {kaiak_user_message, user_message},
                                          {"run/follow", follow_run},
                                          {"inbox/follow", follow_inbox},
                                          {"session/follow", follow_session},
                                          {"unfollow", unfollow},
                                          {"wake/claim", claim_wake},
                                          {"wake/renew", renew_wake},
                                          {"wake/messages", append_agent_messages},
                                          {"wake/plan", store_plan},
                                          {"wake/call", call_tool},
                                          {"wake/state", change_own_state},
                                          {"wake/end", end_wake}}};

}  // namespace

void call_method(Service& service, RpcLink& link, const RpcTo& to, const RpcCall& call) {
    if (!link.caller() && call.method != "authenticate") {
        return link.refuse(
            to, {RpcCode::unauthenticated, "say first who you are: authenticate {token}", "", "unauthenticated"});
    }
    for (const Method& method : methods) {
        if (method.name == call.method) return method.call(service, link, to, call);
    }
    // What editors' protocols leave to the other side to know or not.
    if (to.id.empty() && call.method.starts_with("$/")) return link.succeed(to, "null");
    link.refuse(to, {RpcCode::method_not_found, "there is no method " + call.method});
}

}  // namespace belfry::net
