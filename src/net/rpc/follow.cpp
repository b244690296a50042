#include "net/rpc/follow.hpp"

#include <utility>

#include "base/limits.hpp"
#include "model/run.hpp"
#include "net/rpc/params.hpp"
#include "net/run_opening.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

using codec::JsonReader;

base::Result<std::int64_t> read_positive(JsonReader& reader) {
    TRY_ASSIGN(const std::int64_t number, reader.read_integer());
    if (number <= 0) return reader.invalid("must be a positive integer");
    return number;
}

struct Wish {
    model::RunId run_id = 0;
    RunWish run;
};

base::Result<Wish> read_run(std::string_view params) {
    Wish wish;
    TRY(read_params(params, {"run_id", "after", "from", "tree", "agent"},
                    [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
                        if (name == "run_id") {
                            TRY_ASSIGN(wish.run_id, read_positive(reader));
                        } else if (name == "after") {
                            TRY_ASSIGN(const std::int64_t after, reader.read_integer());
                            if (after < 0) return reader.invalid("must not be negative");
                            wish.run.after = static_cast<model::Sequence>(after);
                        } else if (name == "from") {
                            TRY_ASSIGN(const std::string_view from, reader.read_string());
                            if (from != "start" && from != "live") return reader.invalid("must be start or live");
                            wish.run.live = from == "live";
                        } else if (name == "tree") {
                            TRY_ASSIGN(wish.run.tree, reader.read_bool());
                        } else {
                            TRY_ASSIGN(wish.run.agent_id, read_id_param(reader));
                        }
                        return {};
                    }));
    if (wish.run_id == 0) return missing_param("run_id");
    return wish;
}

void begin_run(Service& service, RpcLink& link, const RpcTo& to, const SharedCaller& caller, const model::Run& run,
               const RunWish& wish) {
    auto opened = open_run(service.ports.streams, caller->principal, run, wish, RunReading::onward);
    if (!opened.ok()) return link.refuse(to, codec::rpc_error_of(opened.error()));
    StreamPlace place(std::move(opened->cursor), opened->had, opened->ends_here);
    subscribe(link, to, std::make_unique<RpcSubscription>(service, "run", caller, std::move(place)), {}, opened->had);
}

}  // namespace

void subscribe(RpcLink& link, const RpcTo& to, std::unique_ptr<RpcSubscription> subscription,
               const std::function<void(RpcSubscription&)>& first, std::optional<model::Sequence> after) {
    RpcSubscription& kept = *subscription;
    const std::uint64_t number = link.subscribe(std::move(subscription));
    if (number == 0) {
        return link.refuse(
            to, codec::rpc_error_of(base::error(
                    base::Code::overloaded,
                    "a connection may follow " + std::to_string(base::limits::rpc_subscriptions_max) + " streams")));
    }
    link.together([&] {
        const std::string place = after ? ",\"after\":" + std::to_string(*after) : "";
        link.succeed(to, "{\"subscription\":" + std::to_string(number) + place + "}");
        if (first) first(kept);
        link.serve();
    });
}

void follow_run(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    const auto wish = read_run(call.params);
    if (!wish.ok()) return link.refuse(to, codec::rpc_error_of(wish.error()));
    service.ports.queries.run(
        link.caller()->principal, wish->run_id,
        [service = &service, to, caller = link.caller(), wish = wish->run](const base::Result<model::Run>& run) {
            RpcLink* const home = service->rpc.find(to.link);
            if (home == nullptr) return;
            if (!run.ok()) return home->refuse(to, codec::rpc_error_of(run.error()));
            begin_run(*service, *home, to, caller, *run, wish);
        });
}

void unfollow(Service&, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    std::int64_t number = 0;
    auto read =
        read_params(call.params, {"subscription"}, [&](JsonReader& reader, std::string_view) -> base::Result<void> {
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
