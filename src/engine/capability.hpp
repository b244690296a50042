#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/effects.hpp"
#include "engine/stream_book.hpp"
#include "ports/commands/command.hpp"
#include "ports/random.hpp"
#include "ports/store.hpp"

namespace belfry::engine {

// One transaction, as capabilities see it: the time, the store, the log, and the effects that leave after the commit.
struct Unit {
    base::Timestamp now;
    ports::Store& store;
    StreamBook& streams;
    ports::Random& random;
    Effects& effects;

    // A line in the audit stream: who did what. `detail` is members of a JSON object, or nothing.
    void audit(std::string_view action, const model::Principal& by, std::string_view detail);
};

// One thing that the engine can do. Its memory follows the commit: `apply` and `flush` only prepare, `committed` makes
// it so, `dropped` forgets, and `rebuild` starts over from the store.
class Capability {
public:
    virtual ~Capability() = default;

    // The types of command that come here.
    [[nodiscard]] virtual std::vector<std::type_index> handles() const = 0;

    virtual base::Result<void> rebuild(Unit& unit) = 0;
    // Reads in bulk what the commands of the group name.
    virtual base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) {
        (void)commands;
        (void)unit;
        return {};
    }
    // Decides one command and settles it. Later commands see what earlier ones decided. An error is the store's, not
    // the command's: it ends the transaction. So does a conflict with a reason, of a row that was changed since it was
    // read: the group is run again one by one, and a command that loses once more is answered with it.
    virtual base::Result<void> apply(ports::Command& command, Unit& unit) = 0;
    // The answer of a decided command as it is stored under the command's idempotency key; nothing: it is not stored.
    [[nodiscard]] virtual std::optional<std::string> stored_answer(const ports::Command& command) const {
        std::optional<std::string> answer = command.stored_answer();
        if (answer) answer->insert(answer->begin(), ports::personal_answer);
        return answer;
    }
    // Settles the command with an answer that was stored by `stored_answer`.
    virtual base::Result<void> replay(ports::Command& command, std::string stored) {
        command.replay(stored.substr(1));
        return {};
    }
    // Writes in bulk what was decided.
    virtual base::Result<void> flush(Unit& unit) {
        (void)unit;
        return {};
    }
    virtual void committed(Effects& effects) = 0;
    virtual void dropped() = 0;

    // Work that the clock brings: when it is due, and one slice of it in a transaction of its own.
    [[nodiscard]] virtual std::optional<base::Timestamp> next_due() const { return std::nullopt; }
    virtual base::Result<void> tend(Unit& unit) {
        (void)unit;
        return {};
    }
    // The clock was set back by so much: pauses of its own are not longer for that.
    virtual void clock_was_set_back(base::Duration by) { (void)by; }
    // The clock has gone ahead while no time passed for this process: the machine was asleep, or the clock was set.
    virtual void clock_jumped_ahead() {}
};

}  // namespace belfry::engine
