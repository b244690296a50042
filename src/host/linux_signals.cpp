#include <cerrno>
#include <csignal>
#include <sys/signalfd.h>

#include "host/files.hpp"
#include "host/signals.hpp"

namespace belfry::host {

base::Result<Signals> Signals::open() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGTERM);
    ::sigaddset(&wanted, SIGINT);
    ::sigaddset(&wanted, SIGHUP);
    if (::pthread_sigmask(SIG_BLOCK, &wanted, nullptr) != 0) return system_error("cannot block", "signals");
    Descriptor file(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!file.is_open()) return system_error("cannot read", "signals");
    return Signals(std::move(file));
}

std::optional<Signal> Signals::take() {
    signalfd_siginfo info{};
    for (;;) {
        const ssize_t got = ::read(file_.get(), &info, sizeof(info));
        if (got < 0 && errno == EINTR) continue;
        if (got != static_cast<ssize_t>(sizeof(info))) return std::nullopt;
        return info.ssi_signo == static_cast<std::uint32_t>(SIGHUP) ? Signal::reload : Signal::stop;
    }
}

void ignore_broken_pipes() {
    ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace belfry::host
