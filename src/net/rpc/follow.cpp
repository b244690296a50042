#include "net/rpc/follow.hpp"

#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "model/notification_json.hpp"
#include "model/run.hpp"
#include "net/rpc/params.hpp"
#include "net/service.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net {
namespace {

using codec::JsonReader;

base::Result<std::int64_t> read_positive(JsonReader& reader) {
    TRY_ASSIGN(const std::int64_t number, reader.read_integer());
    if (number <= 0) return reader.invalid("must be a positive integer");
    return number;
}

base::Result<std::string> read_id(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    if (text.empty() || text.size() > base::limits::scope_id_bytes_max) {
        return reader.invalid("must have 1 to " + std::to_string(base::limits::scope_id_bytes_max) + " bytes");
    }
    return std::string(text);
}

struct RunWish {
    model::RunId run_id = 0;
    model::Sequence after = 0;
    bool live = false;
};

base::Result<RunWish> read_run(std::string_view params) {
    RunWish wish;
    TRY(read_params(params, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
        if (name == "run_id") {
            TRY_ASSIGN(wish.run_id, read_positive(reader));
        } else if (name == "after") {
            TRY_ASSIGN(const std::int64_t after, reader.read_integer());
            if (after < 0) return reader.invalid("must not be negative");
            wish.after = static_cast<model::Sequence>(after);
        } else if (name == "from") {
            TRY_ASSIGN(const std::string_view from, reader.read_string());
            if (from != "start" && from != "live") return reader.invalid("must be start or live");
            wish.live = from == "live";
        } else {
            return reader.invalid("is not known");
        }
        return {};
    }));
    if (wish.run_id == 0) return missing_param("run_id");
    return wish;
}

void subscribe(RpcLink& link, const RpcTo& to, std::unique_ptr<RpcSubscription> subscription,
               const std::function<void(RpcSubscription&)>& first) {
    RpcSubscription& kept = *subscription;
    const std::uint64_t number = link.subscribe(std::move(subscription));
    if (number == 0) {
        return link.refuse(
            to, codec::rpc_error_of(base::error(
                    base::Code::overloaded,
                    "a connection may follow " + std::to_string(base::limits::rpc_subscriptions_max) + " streams")));
    }
    link.together([&] {
        link.succeed(to, "{\"subscription\":" + std::to_string(number) + "}");
        if (first) first(kept);
        link.serve();
    });
}

// What waits, oldest first, then a line that says so.
void tell_waiting(RpcLink& link, const RpcSubscription& subscription, const ports::OpenedInbox& opened) {
    const auto tell = [&](std::string_view method, std::string_view params) { link.notify(method, params); };
    std::string line;
    for (const model::Notification& notification : opened.waiting) {
        line.clear();
        model::append_interface_json(line, notification);
        subscription.tell_event(tell, 0, line);
    }
    for (const model::Interaction& question : opened.questions) {
        line.clear();
        model::append_interaction_line(line, question);
        subscription.tell_event(tell, 0, line);
    }
    line.clear();
    model::JsonWriter writer(line);
    writer.begin_object().field("type", "caught_up");
    writer.field("waiting", static_cast<long long>(opened.waiting.size()));
    writer.name("more").boolean(opened.more).field("as_of", static_cast<long long>(opened.as_of)).end_object();
    subscription.tell_event(tell, opened.as_of, line);
}

std::function<void()> close_inbox(Service& service, const model::Principal& principal, ConnectionId link,
                                  std::string user_id) {
    return [service = &service, principal, link, user_id = std::move(user_id)] {
        auto close = std::make_unique<ports::CloseInbox>();
        close->principal = principal;
        close->producer = link;
        close->lane = ports::Lane::control;
        close->bytes = sizeof(ports::CloseInbox);
        close->user_id = user_id;
        service->send_surely(std::move(close));
    };
}

// The inbox is open from here on: whatever happens now, it is closed again.
void begin_inbox(Service& service, const RpcTo& to, const model::Principal& principal, const std::string& session_id,
                 const ports::OpenedInbox& opened) {
    const std::string user_id = opened.stream.substr(opened.stream.find(':') + 1);
    auto farewell = close_inbox(service, principal, to.link, user_id);
    RpcLink* const link = service.rpc.find(to.link);
    if (link == nullptr) return farewell();
    ports::OpenStream open;
    open.principal = principal;
    open.stream = opened.stream;
    open.filter.session_id = session_id;
    open.start = ports::StartAt::after;
    open.after = opened.as_of;
    auto cursor = service.ports.streams.open(open);
    if (!cursor.ok()) {
        farewell();
        return link->refuse(to, codec::rpc_error_of(cursor.error()));
    }
    subscribe(*link, to,
              std::make_unique<RpcSubscription>(service, "inbox", std::move(cursor).value(), std::move(farewell)),
              [&](RpcSubscription& subscription) { tell_waiting(*link, subscription, opened); });
}

// One who has the last one is to be told that it was the last: he begins by looking at it again.
void begin_run(Service& service, RpcLink& link, const RpcTo& to, const model::Principal& principal,
               const RunWish& wish) {
    ports::OpenStream open;
    open.principal = principal;
    open.stream = model::run_stream_name(wish.run_id);
    open.start = ports::StartAt::after;
    const model::Sequence had = wish.live ? service.ports.streams.head(open.stream) : wish.after;
    open.after = had == 0 ? 0 : had - 1;
    auto cursor = service.ports.streams.open(open);
    if (!cursor.ok()) return link.refuse(to, codec::rpc_error_of(cursor.error()));
    subscribe(link, to, std::make_unique<RpcSubscription>(service, "run", std::move(cursor).value(), nullptr, had), {});
}

}  // namespace

void follow_run(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    const auto wish = read_run(call.params);
    if (!wish.ok()) return link.refuse(to, codec::rpc_error_of(wish.error()));
    const model::Principal principal = link.caller()->principal;
    service.ports.queries.run(principal, wish->run_id,
                              [service = &service, to, principal, wish = *wish](const base::Result<model::Run>& run) {
                                  RpcLink* const home = service->rpc.find(to.link);
                                  if (home == nullptr) return;
                                  if (!run.ok()) return home->refuse(to, codec::rpc_error_of(run.error()));
                                  begin_run(*service, *home, to, principal, wish);
                              });
}

void follow_inbox(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    auto command = std::make_unique<ports::OpenInbox>();
    const auto read = read_params(call.params, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
        if (name == "user") {
            TRY_ASSIGN(command->user_id, read_id(reader));
        } else if (name == "session") {
            TRY_ASSIGN(command->session_id, read_id(reader));
        } else {
            return reader.invalid("is not known");
        }
        return {};
    });
    if (!read.ok()) return link.refuse(to, codec::rpc_error_of(read.error()));
    command->principal = link.caller()->principal;
    command->producer = link.id();
    command->bytes = sizeof(ports::OpenInbox) + call.params.size();
    command->done = [service = &service, to, principal = command->principal,
                     session = command->session_id](const base::Result<ports::OpenedInbox>& result) {
        if (result.ok()) {
            // What was said in the commit that opened it is published right after its answers.
            return service->soon([service, to, principal, session, opened = *result] {
                begin_inbox(*service, to, principal, session, opened);
            });
        }
        if (RpcLink* const home = service->rpc.find(to.link)) home->refuse(to, codec::rpc_error_of(result.error()));
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service.ports.gateway.submit(any); !taken.ok()) {
        link.refuse(to, codec::rpc_error_of(taken.error()));
    }
}

void unfollow(Service&, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    std::int64_t number = 0;
    auto read = read_params(call.params, [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
        if (name != "subscription") return reader.invalid("is not known");
        TRY_ASSIGN(number, read_positive(reader));
        return {};
    });
    if (read.ok() && number == 0) read = missing_param("subscription");
    if (read.ok() && !link.unsubscribe(static_cast<std::uint64_t>(number))) {
        read = base::error(base::Code::not_found, "there is no subscription " + std::to_string(number), "subscription");
    }
    if (!read.ok()) return link.refuse(to, codec::rpc_error_of(read.error()));
    link.succeed(to, "{}");
}

}  // namespace belfry::net
