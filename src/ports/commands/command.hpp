#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/result.hpp"
#include "model/principal.hpp"

namespace belfry::ports {

// Control (revoking a token, a cancel, a confirmation, an ACK) overtakes the data of other producers, never earlier
// commands of its own producer.
enum class Lane : std::uint8_t { data, control };

// The `Idempotency-Key` of a request. A repeat by the same principal gets the stored answer and changes nothing.
struct IdempotencyKey {
    std::string text;
    std::array<std::uint8_t, 16> fingerprint{};  // of the request; tells a repeat from a reuse of the key
};

// A wish to change something, on its way to the engine. The engine settles it while it decides; the answer goes out
// (`deliver`) only after the commit that makes it true.
class Command {
public:
    virtual ~Command() = default;

    model::Principal principal;
    Lane lane = Lane::data;
    std::uint64_t producer = 0;  // the connection or worker that sent it; its commands stay in order. 0: nobody's
    std::size_t bytes = 0;       // about what it holds in memory, for the bounds of queue and group
    std::optional<IdempotencyKey> idempotency;

    // Settles it with an error, replacing any earlier decision.
    virtual void refuse(base::Error error) = 0;
    [[nodiscard]] virtual bool is_settled() const = 0;
    // Forgets the decision, so that it can be applied once more.
    virtual void unsettle() = 0;
    // Returns the answer in the form in which it is stored under the idempotency key. Returns nothing for an answer
    // that is not stored: an error changed nothing, and the corrected request may use the key again.
    [[nodiscard]] virtual std::optional<std::string> stored_answer() const = 0;
    // Settles the command with the answer that an earlier request stored.
    virtual void replay(std::string stored) = 0;
    // Hands the answer to whoever waits. Called once, by whoever runs the engine's effects.
    virtual void deliver() = 0;
};

template <class R>
class CommandOf : public Command {
public:
    using Reply = R;
    using Done = std::function<void(base::Result<R>)>;

    using Store = std::function<std::optional<std::string>(const base::Result<R>&)>;
    using Replayed = std::function<void(std::string)>;

    Done done;
    // For a command with an idempotency key. `store` is called on the engine's thread.
    Store store;
    Replayed replayed;

    void settle(base::Result<R> result) {
        unsettle();
        result_.emplace(std::move(result));
    }
    void refuse(base::Error error) override { settle(std::move(error)); }
    [[nodiscard]] bool is_settled() const override { return result_.has_value() || stored_.has_value(); }
    void unsettle() override {
        result_.reset();
        stored_.reset();
    }
    [[nodiscard]] const base::Result<R>& result() const { return *result_; }
    [[nodiscard]] std::optional<std::string> stored_answer() const override {
        return store ? store(*result_) : std::nullopt;
    }
    void replay(std::string stored) override {
        unsettle();
        stored_.emplace(std::move(stored));
    }
    void deliver() override {
        ASSERT(is_settled());
        if (stored_) {
            if (replayed) replayed(std::move(*stored_));
        } else if (done) {
            done(std::move(*result_));
        }
    }

private:
    std::optional<base::Result<R>> result_;
    std::optional<std::string> stored_;
};

using AnyCommand = std::unique_ptr<Command>;

// Where producers put commands. Never blocks: a full queue gives the command back, and the producer says 503.
class Gateway {
public:
    virtual ~Gateway() = default;
    // Takes the command, or leaves it where it is and says why (overloaded, or stopping).
    virtual base::Result<void> submit(AnyCommand& command) = 0;
};

}  // namespace belfry::ports
