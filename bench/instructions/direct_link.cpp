#include "instructions/direct_link.hpp"

#include <utility>

namespace belfry::bench {

DirectLink::DirectLink(InProcessDaemon& daemon, const wire::DeviceKey& far_key, bool is_by_us) : daemon_(daemon) {
    facts_.key = far_key.public_key();
    facts_.pin = far_key.pin();
    facts_.path = "/v1/sync";
    facts_.is_by_us = is_by_us;
}

void DirectLink::send(std::string message) {
    sent_ += message.size();
    far_end_->received_ += message.size();
    far_end_->arrived_.push_back(std::move(message));
    far_end_->daemon_.post([far_end = far_end_] { far_end->deliver(); });
}

void DirectLink::receive(std::size_t, OnMessage done) {
    wanted_ = std::move(done);
    daemon_.post([this] { deliver(); });
}

void DirectLink::deliver() {
    if (!wanted_ || arrived_.empty()) return;
    std::string message = std::move(arrived_.front());
    arrived_.pop_front();
    std::exchange(wanted_, nullptr)(std::move(message));
}

}  // namespace belfry::bench
