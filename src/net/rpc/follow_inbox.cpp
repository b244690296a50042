#include <memory>
#include <utility>

#include "base/limits.hpp"
#include "model/notification_json.hpp"
#include "net/handlers/inbox_guest.hpp"
#include "net/rpc/follow.hpp"
#include "net/rpc/params.hpp"
#include "net/service.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net {
namespace {

using codec::JsonReader;

// What waits is told in portions, each asked for when there is room for it; the stream itself comes after the last.
struct Snapshot {
    Service& service;
    SharedCaller caller;
    std::string user_id;
    std::string session_id;
    model::Sequence as_of = 0;
    std::int64_t until = 0;
    std::int64_t last = 0;  // the ordinal of the last one that was told
    std::size_t told = 0;
};
using SharedSnapshot = std::shared_ptr<Snapshot>;

void tell_portion(RpcLink& link, RpcSubscription& subscription, Snapshot& snapshot,
                  const ports::InboxPortion& portion) {
    const auto tell = [&](std::string_view method, std::string_view params) { link.tell(method, params); };
    std::string line;
    for (const model::Notification& notification : portion.waiting) {
        line.clear();
        model::append_interface_json(line, notification);
        subscription.tell_event(tell, 0, line);
        snapshot.last = notification.ordinal;
    }
    snapshot.told += portion.waiting.size();
    if (portion.more) return subscription.ask_again();
    line.clear();
    model::JsonWriter writer(line);
    writer.begin_object().field("type", "caught_up").field("waiting", static_cast<long long>(snapshot.told));
    writer.field("as_of", static_cast<long long>(snapshot.as_of)).end_object();
    subscription.tell_event(tell, snapshot.as_of, line);
    subscription.end_snapshot();
}

void hear_portion(const SharedSnapshot& snapshot, ConnectionId id, std::uint64_t number,
                  const base::Result<ports::InboxPortion>& result) {
    RpcLink* const link = snapshot->service.rpc.find(id);
    RpcSubscription* const subscription = link == nullptr ? nullptr : link->subscription(number);
    if (subscription == nullptr) return;
    link->together([&] {
        if (!result.ok()) return link->end_subscription(number, CloseReason::store);
        tell_portion(*link, *subscription, *snapshot, *result);
        link->serve();
    });
}

void ask_for_portion(const SharedSnapshot& snapshot, ConnectionId id, std::uint64_t number) {
    auto next = std::make_unique<ports::ContinueInbox>();
    next->principal = snapshot->caller->principal;
    next->producer = id;
    next->bytes = sizeof(ports::ContinueInbox);
    next->user_id = snapshot->user_id;
    next->session_id = snapshot->session_id;
    next->after = snapshot->last;
    next->until = snapshot->until;
    next->done = [snapshot, id, number](const base::Result<ports::InboxPortion>& result) {
        hear_portion(snapshot, id, number, result);
    };
    ports::AnyCommand any = std::move(next);
    auto taken = snapshot->service.ports.gateway.submit(any);
    if (taken.ok()) return;
    snapshot->service.soon(
        [snapshot, id, number, error = taken.error()] { hear_portion(snapshot, id, number, error); });
}

// The inbox is open from here on: whatever happens now, it is closed again.
void begin_inbox(const RpcTo& to, const SharedSnapshot& snapshot, const ports::OpenedInbox& opened) {
    Service& service = snapshot->service;
    auto farewell = [snapshot, link = to.link] {
        handlers::close_inbox(snapshot->service, snapshot->caller->principal, link, snapshot->user_id,
                              snapshot->session_id);
    };
    RpcLink* const link = service.rpc.find(to.link);
    if (link == nullptr) return farewell();
    ports::OpenStream open;
    open.principal = snapshot->caller->principal;
    open.stream = opened.stream;
    open.filter.session_id = snapshot->session_id;
    open.start = ports::StartAt::after;
    open.after = opened.as_of;
    auto cursor = service.ports.streams.open(open);
    if (!cursor.ok()) {
        farewell();
        return link->refuse(to, codec::rpc_error_of(cursor.error()));
    }
    auto made = std::make_unique<RpcSubscription>(service, "inbox", snapshot->caller,
                                                  StreamPlace(std::move(cursor).value()), std::move(farewell));
    made->begin_snapshot([snapshot](ConnectionId id, std::uint64_t number) { ask_for_portion(snapshot, id, number); });
    subscribe(*link, to, std::move(made), [&](RpcSubscription& subscription) {
        for (const model::Interaction& question : opened.questions) {
            std::string line;
            model::append_interaction_line(line, question);
            subscription.tell_event(
                [&](std::string_view method, std::string_view params) { link->tell(method, params); }, 0, line);
        }
        tell_portion(*link, subscription, *snapshot, opened);
    });
}

}  // namespace

void follow_inbox(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    auto command = std::make_unique<ports::OpenInbox>();
    const auto read = read_params(call.params, {"user", "session"},
                                  [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
                                      if (name == "user") {
                                          TRY_ASSIGN(command->user_id, read_id_param(reader));
                                      } else {
                                          TRY_ASSIGN(command->session_id, read_id_param(reader));
                                      }
                                      return {};
                                  });
    if (!read.ok()) return link.refuse(to, codec::rpc_error_of(read.error()));
    command->principal = link.caller()->principal;
    command->producer = link.id();
    command->bytes = sizeof(ports::OpenInbox) + call.params.size();
    auto snapshot = std::make_shared<Snapshot>(Snapshot{service, link.caller(), "", command->session_id});
    command->done = [to, snapshot](const base::Result<ports::OpenedInbox>& result) {
        if (result.ok()) {
            snapshot->user_id = result->stream.substr(result->stream.find(':') + 1);
            snapshot->as_of = result->as_of;
            snapshot->until = result->until;
            // What was said in the commit that opened it is published right after its answers.
            return snapshot->service.soon([to, snapshot, opened = *result] { begin_inbox(to, snapshot, opened); });
        }
        RpcLink* const home = snapshot->service.rpc.find(to.link);
        if (home != nullptr) home->refuse(to, codec::rpc_error_of(result.error()));
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service.ports.gateway.submit(any); !taken.ok()) {
        link.refuse(to, codec::rpc_error_of(taken.error()));
    }
}

}  // namespace belfry::net
