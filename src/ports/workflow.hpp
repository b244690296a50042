#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/agent_message.hpp"
#include "model/chat.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::ports {

// One attempt at a wake, as who does its work sees it. Used by one thread, but for what says otherwise.
class Turn {
public:
    virtual ~Turn() = default;

    // What it was woken for, with what its agent remembers.
    [[nodiscard]] virtual const WakeGrant& grant() const = 0;
    // The pull at the start of the turn: messages of the user, and notifications. Empty if the turn has no session and
    // no notification woke the agent.
    [[nodiscard]] virtual const std::optional<PullReply>& handed() const = 0;
    [[nodiscard]] virtual base::Timestamp now() const = 0;

    // The rounds that were planned, by an earlier attempt or by this one, with what has come of them.
    [[nodiscard]] virtual std::span<const model::PlanNow> rounds() const = 0;
    // Records what the next round is going to do, before anything of it is done.
    virtual base::Result<void> plan(std::vector<model::PlannedAction> actions) = 0;
    // Does what is planned and was not done yet, in its order. What a tool refuses is a result like any other.
    virtual base::Result<void> act() = 0;

    // What is said while it is made up, a piece at a time: readers of the run see it as it comes.
    virtual void begin_text() = 0;
    virtual void add_text(std::string_view piece) = 0;
    virtual base::Result<void> end_text() = 0;

    virtual void count_tokens(std::int64_t tokens) = 0;

    // Its claim is lost, its run was cancelled, or Belfry stops: whatever it does from now on is in vain. From any
    // thread. What is set is called when it comes to that, by whichever thread, or at once where it has; it must not
    // wait for anything. Once another one is set, or none, it is not called any more.
    [[nodiscard]] virtual bool is_over() const = 0;
    virtual void set_on_over(std::function<void()> on_over) = 0;
};

// How a turn has ended.
struct TurnEnd {
    std::optional<model::RunError> error = {};  // nothing: it went well
    bool may_mend = true;                       // of an error: another attempt may do better
    std::optional<model::RawJson> result = {};
    // What of the notifications that were handed over the person has heard, or the model has named: all of them, or
    // those of these handles.
    bool all_heard = false;
    std::vector<std::string> heard = {};
    bool all_decided = false;  // everything that was for the agent's decision was dealt with
};

// A way to do the work of agents. May be used by several threads at once.
class Workflow {
public:
    virtual ~Workflow() = default;
    // An error ends the attempt, as `TurnEnd::error` does.
    virtual base::Result<TurnEnd> run(Turn& turn) = 0;
};

}  // namespace belfry::ports
