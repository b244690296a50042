#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "net/connections.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

struct Service;

struct OpenedSession {
    std::unique_ptr<ports::Cursor> cursor;
    model::Sequence had = 0;  // entries up to here may come again and are not for the reader
};

enum class SessionReading : std::uint8_t {
    page,    // what there is after the reader's place
    onward,  // and what comes. One who has the last one is to be told that it was the last: it is looked at again
};

// A place in the stream of the session that `wish.stream` names by its id. A session that nothing was said of since its
// daemon tells of sessions has no stream yet: it is made. `done` is called once, at once or later.
void open_session(Service& service, ConnectionId producer, ports::OpenStream wish, SessionReading reading,
                  std::function<void(base::Result<OpenedSession>)> done);

}  // namespace belfry::net
