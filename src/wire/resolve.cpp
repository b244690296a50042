#include "wire/resolve.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <poll.h>
#include <system_error>
#include <thread>
#include <utility>

namespace belfry::wire {
namespace {

using std::chrono::steady_clock;

base::Result<Addresses> ask(const std::string& host, const std::string& port, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
    if (failed != 0) return base::error(base::Code::unavailable, ::gai_strerror(failed));
    return Addresses(found, &::freeaddrinfo);
}

// Shared by the asker and the thread: whoever is last ends it.
struct Inquiry {
    std::mutex mutex;
    std::optional<base::Result<Addresses>> found;
    std::unique_ptr<Interrupt> answered;
};

bool wait_for(const Inquiry& inquiry, Deadline deadline, const Interrupt* interrupt) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0 || (interrupt != nullptr && interrupt->is_raised())) return false;
        pollfd entries[2] = {{inquiry.answered->descriptor(), POLLIN, 0},
                             {interrupt != nullptr ? interrupt->descriptor() : -1, POLLIN, 0}};
        ::poll(entries, 2, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        if (entries[0].revents != 0) return true;
    }
}

}  // namespace

base::Result<Addresses> look_up(const std::string& host, const std::string& port) {
    return ask(host, port, 0);
}

base::Result<Addresses> resolve(const std::string& host, const std::string& port, Deadline deadline,
                                const Interrupt* interrupt, const Lookup& lookup) {
    if (auto plain = ask(host, port, AI_NUMERICHOST); plain.ok()) return plain;
    auto inquiry = std::make_shared<Inquiry>();
    TRY_ASSIGN(inquiry->answered, Interrupt::make());
    try {
        std::thread([inquiry, host, port, lookup] {
            auto found = lookup(host, port);
            const std::lock_guard lock(inquiry->mutex);
            inquiry->found.emplace(std::move(found));
            inquiry->answered->raise();
        }).detach();
    } catch (const std::system_error& no_thread) {
        return base::error(base::Code::unavailable, no_thread.what());
    }
    if (!wait_for(*inquiry, deadline, interrupt)) {
        const bool is_stopped = interrupt != nullptr && interrupt->is_raised();
        return base::error(base::Code::timeout, is_stopped ? "interrupted" : "its name was not found in time");
    }
    const std::lock_guard lock(inquiry->mutex);
    return std::move(*inquiry->found);
}

}  // namespace belfry::wire
