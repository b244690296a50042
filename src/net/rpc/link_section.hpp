#pragma once

#include <utility>

#include "net/rpc/link.hpp"

namespace belfry::net {

// While it lives, messages gather; the outermost one of a link lets it go on and writes.
class RpcLink::Section {
public:
    explicit Section(RpcLink& link) : link_(link), outermost_(!std::exchange(link.driving_, true)) {}
    ~Section() {
        if (!outermost_) return;
        link_.drive();
        link_.driving_ = false;
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

private:
    RpcLink& link_;
    bool outermost_;
};

}  // namespace belfry::net
