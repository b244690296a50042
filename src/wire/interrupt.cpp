#include "wire/interrupt.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/assert.hpp"

namespace belfry::wire {

base::Result<std::array<int, 2>> Interrupt::open_pipe() {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return base::error(base::Code::unavailable, std::strerror(errno));
    for (const int end : pipe) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    return pipe;
}

Interrupt::Interrupt() {
    const auto pipe = open_pipe();
    ASSERT(pipe.ok());
    pipe_ = *pipe;
}

base::Result<std::unique_ptr<Interrupt>> Interrupt::make() {
    TRY_ASSIGN(const auto pipe, open_pipe());
    return std::unique_ptr<Interrupt>(new Interrupt(pipe));
}

Interrupt::~Interrupt() {
    for (const int end : pipe_) ::close(end);
}

void Interrupt::raise() {
    raised_.store(true);
    // A full pipe is readable already.
    [[maybe_unused]] const ssize_t wrote = ::write(pipe_[1], "!", 1);
}

bool Interrupt::wait(base::Duration time) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + std::chrono::microseconds(time.us);
    while (!is_raised()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (left <= 0) break;
        pollfd entry{pipe_[0], POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    }
    return is_raised();
}

}  // namespace belfry::wire
