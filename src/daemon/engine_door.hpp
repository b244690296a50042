#pragma once

#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "base/time.hpp"
#include "model/principal.hpp"
#include "ports/commands/command.hpp"

namespace belfry::daemon {

// The engine as threads of Belfry's own ask it: they wait for the answer. Not for the engine's thread, nor for the
// network's, which brings the answers.
class EngineDoor {
public:
    explicit EngineDoor(ports::Gateway& gateway) : gateway_(gateway) {}

    // Asks in the name of the house; `fill` says what is asked for.
    template <class C, class Fill>
    base::Result<typename C::Reply> ask(Fill&& fill) {
        auto command = std::make_unique<C>();
        command->principal = model::house_principal();
        command->bytes = command_bytes;
        fill(*command);
        std::promise<base::Result<typename C::Reply>> answered;
        auto answer = answered.get_future();
        command->done = [&answered](base::Result<typename C::Reply> reply) { answered.set_value(std::move(reply)); };
        ports::AnyCommand any = std::move(command);
        if (auto taken = gateway_.submit(any); !taken.ok()) return std::move(taken).error();
        return answer.get();
    }

    // The same for what may be asked twice: where the store is away or the queue is full it is asked again, as long as
    // `goes_on` says so; it is to wait a moment.
    template <class C, class Fill>
    base::Result<typename C::Reply> insist(Fill&& fill, const std::function<bool()>& goes_on) {
        while (true) {
            auto reply = ask<C>(fill);
            if (reply.ok() || !is_passing(reply.error().code) || !goes_on()) return reply;
        }
    }

    [[nodiscard]] ports::Gateway& gateway() { return gateway_; }

    // About what a command of these holds in memory.
    static constexpr std::size_t command_bytes = 1024;

private:
    static bool is_passing(base::Code code) {
        return code == base::Code::overloaded || code == base::Code::unavailable || code == base::Code::outcome_unknown;
    }

    ports::Gateway& gateway_;
};

}  // namespace belfry::daemon
