#include "cli/reader_watch.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"

namespace belfry::cli {

ReaderWatch::ReaderWatch(int descriptor, std::function<void()> on_gone) {
    if (descriptor < 0) return;
    ASSERT(::pipe(stop_) == 0);
    thread_ = std::thread([descriptor, stop = stop_[0], on_gone = std::move(on_gone)] {
        for (;;) {
            // No event is asked for: errors are told all the same, and a closed reader is one.
            pollfd entries[2] = {{descriptor, 0, 0}, {stop, POLLIN, 0}};
            if (::poll(entries, 2, -1) < 0 && errno != EINTR) return;
            if (entries[1].revents != 0) return;
            if ((entries[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
                on_gone();
                return;
            }
        }
    });
}

ReaderWatch::~ReaderWatch() {
    if (!thread_.joinable()) return;
    ::close(stop_[1]);  // the other end becomes readable
    thread_.join();
    ::close(stop_[0]);
}

}  // namespace belfry::cli
