#include "client/send_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace belfry::client {

base::Result<void> SendQueue::put(Outgoing message, base::Timestamp now) {
    if (waiting_.size() >= rules_.waiting_max) {
        return base::error(base::Code::overloaded,
                           std::to_string(rules_.waiting_max) + " messages wait already; no more may");
    }
    message.since = now;
    message.next_at = now;
    waiting_.push_back(std::move(message));
    return {};
}

const Outgoing* SendQueue::due(base::Timestamp now) const {
    return waiting_.empty() || waiting_.front().next_at > now ? nullptr : &waiting_.front();
}

std::optional<base::Timestamp> SendQueue::next_at() const {
    if (waiting_.empty()) return std::nullopt;
    // The first is the oldest: nobody's patience ends before its.
    return std::min(waiting_.front().next_at, waiting_.front().since + rules_.wait_max);
}

base::Duration SendQueue::patience(base::Timestamp now) const {
    ASSERT(!waiting_.empty());
    return waiting_.front().since + rules_.wait_max - now;
}

Outgoing SendQueue::take() {
    ASSERT(!waiting_.empty());
    Outgoing first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
}

std::optional<Outgoing> SendQueue::failed(base::Timestamp now) {
    ASSERT(!waiting_.empty());
    Outgoing& first = waiting_.front();
    if (first.failures >= rules_.pauses.size()) return take();
    first.next_at = now + rules_.pauses[first.failures++];
    return std::nullopt;
}

std::vector<std::string> SendQueue::tell() {
    std::vector<std::string> ids;
    for (Outgoing& message : waiting_) {
        if (!std::exchange(message.told, true)) ids.push_back(message.message_id);
    }
    return ids;
}

bool SendQueue::has_untold() const {
    return std::ranges::any_of(waiting_, [](const Outgoing& message) { return !message.told; });
}

std::vector<Outgoing> SendQueue::expired(base::Timestamp now) {
    std::vector<Outgoing> gone;
    while (!waiting_.empty() && now - waiting_.front().since >= rules_.wait_max) gone.push_back(take());
    return gone;
}

std::vector<Outgoing> SendQueue::clear() {
    std::vector<Outgoing> gone(std::move_iterator(waiting_.begin()), std::move_iterator(waiting_.end()));
    waiting_.clear();
    return gone;
}

}  // namespace belfry::client
