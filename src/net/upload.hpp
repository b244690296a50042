#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "net/tickets.hpp"

namespace belfry::net {

// A request whose body is taken in as it comes. It answers through its connection, in the end or as soon as it refuses
// what came. While it is busy nothing more is read from the peer: so much is kept of a fast one, and no more.
class Upload {
public:
    virtual ~Upload() = default;

    // The next piece of the body. Not called while it is busy.
    virtual void take(std::string_view piece) = 0;
    // The body is whole. It may still be busy.
    virtual void finish() = 0;
    // Until it calls `Connection::go_on`.
    [[nodiscard]] virtual bool is_busy() const = 0;
    // Takes no more, and answers with this and with what was taken before. Not called while it is busy.
    virtual void refuse(const base::Error& error) = 0;
    [[nodiscard]] virtual const SharedCaller& caller() const = 0;
    // Memory that it holds of what is not whole yet.
    [[nodiscard]] virtual std::size_t held() const = 0;
};

}  // namespace belfry::net
