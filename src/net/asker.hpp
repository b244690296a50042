#pragma once

#include <string_view>

#include "base/result.hpp"
#include "net/connections.hpp"
#include "net/exchange.hpp"

namespace belfry::net {

// Whoever asked for something that may be long in coming: by a request of HTTP, or by a call of JSON-RPC. It is
// answered once; one that is not there any more hears nothing.
class Asker {
public:
    Asker() = default;
    virtual ~Asker() = default;
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;

    // It says nothing more: a program that has ended, as far as anybody can tell.
    [[nodiscard]] virtual bool has_left() const = 0;
    [[nodiscard]] virtual ConnectionId connection() const = 0;

    virtual void answer(std::string_view json) const = 0;
    virtual void answer_nothing() const = 0;  // there was nothing in its time
    virtual void fail(const base::Error& error) const = 0;
};

class HttpAsker final : public Asker {
public:
    explicit HttpAsker(const Reply& to) : to_(to) {}

    [[nodiscard]] bool has_left() const override {
        const Connection* const connection = to_.connection();
        return connection == nullptr || connection->has_peer_closed();
    }
    [[nodiscard]] ConnectionId connection() const override { return to_.connection_id(); }

    void answer(std::string_view json) const override { to_.respond({200, "application/json", json, {}}); }
    void answer_nothing() const override { to_.respond({204, "", "", {}}); }
    void fail(const base::Error& error) const override { to_.fail(error); }

private:
    Reply to_;
};

}  // namespace belfry::net
