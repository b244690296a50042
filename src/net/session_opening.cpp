#include "net/session_opening.hpp"

#include <utility>

#include "model/session_stream.hpp"
#include "net/service.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net {
namespace {

base::Result<OpenedSession> try_open(Service& service, ports::OpenStream open, SessionReading reading) {
    OpenedSession opened;
    const bool has_place = open.start == ports::StartAt::after && open.after > 0;
    if (reading == SessionReading::onward && has_place && open.after <= service.ports.streams.head(open.stream)) {
        opened.had = open.after--;
    }
    TRY_ASSIGN(opened.cursor, service.ports.streams.open(open));
    return opened;
}

}  // namespace

void open_session(Service& service, ConnectionId producer, ports::OpenStream wish, SessionReading reading,
                  std::function<void(base::Result<OpenedSession>)> done) {
    const std::string session_id = std::exchange(wish.stream, model::session_stream_name(wish.stream));
    auto opened = try_open(service, wish, reading);
    if (opened.ok() || opened.error().code != base::Code::not_found) return done(std::move(opened));
    auto command = std::make_unique<ports::FollowSession>();
    command->principal = wish.principal;
    command->producer = producer;
    command->bytes = sizeof(ports::FollowSession) + session_id.size();
    command->session_id = session_id;
    command->done = [&service, wish = std::move(wish), reading, done](const base::Result<ports::Nothing>& made) {
        if (!made.ok()) return done(made.error());
        // The streams that a commit makes are known right after its answers.
        service.soon([&service, wish, reading, done] { done(try_open(service, wish, reading)); });
    };
    ports::AnyCommand any = std::move(command);
    if (auto taken = service.ports.gateway.submit(any); !taken.ok()) done(taken.error());
}

}  // namespace belfry::net
