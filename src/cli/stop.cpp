#include "cli/stop.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"

namespace belfry::cli {

base::Result<Stop> Stop::open() {
    TRY_ASSIGN(host::Signals signals, host::Signals::open());
    return Stop(std::move(signals));
}

// Nobody takes the signal out, so that everybody sees it.
bool Stop::wait(base::Duration time) const {
    pollfd entry{descriptor(), POLLIN, 0};
    const std::int64_t ms = std::clamp<std::int64_t>((time.us + 999) / 1000, 0, 3'600'000);
    return ::poll(&entry, 1, static_cast<int>(ms)) > 0;
}

StopWatch::StopWatch(const Stop& stop, std::function<void()> on_stop) {
    ASSERT(::pipe(end_) == 0);
    thread_ = std::thread([raised = stop.descriptor(), end = end_[0], on_stop = std::move(on_stop)] {
        pollfd entries[2] = {{raised, POLLIN, 0}, {end, POLLIN, 0}};
        while (::poll(entries, 2, -1) < 0 && errno == EINTR) {
        }
        if (entries[0].revents != 0) on_stop();
    });
}

StopWatch::~StopWatch() {
    ::close(end_[1]);  // the other end becomes readable
    thread_.join();
    ::close(end_[0]);
}

}  // namespace belfry::cli
