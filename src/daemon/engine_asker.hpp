#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "model/principal.hpp"
#include "ports/commands/command.hpp"

namespace belfry::daemon {

// The engine as a thread asks it that must not wait: the answer comes back to that thread. What a full queue does not
// take is kept and put in again with `try_again`, in order. Once this is destroyed nobody is called back. Belongs to
// one thread.
class EngineAsker {
public:
    using Post = std::function<void(std::function<void()>)>;  // onto the thread that asks; from any thread

    // `producer`: its commands stay in their order; 0: they need not.
    EngineAsker(ports::Gateway& gateway, Post post, std::uint64_t producer = 0)
        : gateway_(gateway), post_(std::move(post)), producer_(producer) {}

    template <class C>
    void ask(std::unique_ptr<C> command, std::function<void(base::Result<typename C::Reply>)> then,
             std::size_t bytes = 1024) {
        using Reply = base::Result<typename C::Reply>;
        command->principal = model::house_principal();
        command->producer = producer_;
        command->bytes = bytes;
        command->done = [post = post_, alive = std::weak_ptr(alive_), then = std::move(then)](Reply reply) {
            auto shared = std::make_shared<Reply>(std::move(reply));
            post([alive, then, shared] {
                if (!alive.expired()) then(std::move(*shared));
            });
        };
        waiting_.push_back(std::move(command));
        if (waiting_.size() == 1) try_again();
    }

    // What is refused for good (Belfry is stopping) is answered so.
    void try_again() {
        while (!waiting_.empty()) {
            ports::AnyCommand& first = waiting_.front();
            auto taken = gateway_.submit(first);
            if (!taken.ok() && taken.error().code == base::Code::overloaded) return;
            if (!taken.ok()) {
                first->refuse(std::move(taken).error());
                first->deliver();
            }
            waiting_.pop_front();
        }
    }

private:
    ports::Gateway& gateway_;
    Post post_;
    std::uint64_t producer_;
    std::deque<ports::AnyCommand> waiting_;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace belfry::daemon
