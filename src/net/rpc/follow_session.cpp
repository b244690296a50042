#include <memory>
#include <utility>

#include "net/rpc/follow.hpp"
#include "net/rpc/params.hpp"
#include "net/service.hpp"
#include "net/session_opening.hpp"

namespace belfry::net {
namespace {

using codec::JsonReader;

base::Result<ports::OpenStream> read_wish(std::string_view params) {
    ports::OpenStream wish;
    bool has_after = false;
    TRY(read_params(params, {"session_id", "after", "from"},
                    [&](JsonReader& reader, std::string_view name) -> base::Result<void> {
                        if (name == "session_id") {
                            TRY_ASSIGN(wish.stream, read_id_param(reader));
                        } else if (name == "after") {
                            TRY_ASSIGN(const std::int64_t after, reader.read_integer());
                            if (after < 0) return reader.invalid("must not be negative");
                            wish.after = static_cast<model::Sequence>(after);
                            has_after = true;
                        } else {
                            TRY_ASSIGN(const std::string_view from, reader.read_string());
                            if (from != "start" && from != "live") return reader.invalid("must be start or live");
                            if (from == "start") wish.start = ports::StartAt::beginning;
                        }
                        return {};
                    }));
    if (wish.stream.empty()) return missing_param("session_id");
    if (has_after) wish.start = ports::StartAt::after;
    return wish;
}

}  // namespace

void follow_session(Service& service, RpcLink& link, const RpcTo& to, const codec::RpcCall& call) {
    auto wish = read_wish(call.params);
    if (!wish.ok()) return link.refuse(to, codec::rpc_error_of(wish.error()));
    wish->principal = link.caller()->principal;
    open_session(service, link.id(), std::move(wish).value(), SessionReading::onward,
                 [service = &service, to, caller = link.caller()](base::Result<OpenedSession> opened) {
                     RpcLink* const home = service->rpc.find(to.link);
                     if (home == nullptr) return;
                     if (!opened.ok()) return home->refuse(to, codec::rpc_error_of(opened.error()));
                     StreamPlace place(std::move(opened->cursor), opened->had);
                     subscribe(*home, to,
                               std::make_unique<RpcSubscription>(*service, "session", caller, std::move(place)), {});
                 });
}

}  // namespace belfry::net
