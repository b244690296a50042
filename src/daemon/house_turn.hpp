#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/engine_door.hpp"
#include "daemon/run_text.hpp"
#include "ports/clock.hpp"
#include "ports/commands/tools.hpp"
#include "ports/workflow.hpp"

namespace belfry::daemon {

// An attempt at a wake that Belfry makes itself: what its workflow says and does, told to the engine.
class HouseTurn final : public ports::Turn {
public:
    HouseTurn(EngineDoor& door, const ports::Clock& clock, ports::WakeGrant grant);

    // Begins the turn in its session, if there is one, and pulls what waits there.
    base::Result<void> begin();
    // Ends the turn and the wake.
    base::Result<void> finish(ports::TurnEnd end);
    // The claim is held a little longer; where it is not held any more, the turn is over.
    void renew();
    // From any thread.
    void give_up();

    [[nodiscard]] const ports::WakeGrant& grant() const override { return grant_; }
    [[nodiscard]] const std::optional<ports::PullReply>& handed() const override { return handed_; }
    [[nodiscard]] base::Timestamp now() const override { return clock_.now(); }
    [[nodiscard]] std::span<const model::PlanNow> rounds() const override { return rounds_; }
    base::Result<void> plan(std::vector<model::PlannedAction> actions) override;
    base::Result<void> act() override;
    void begin_text() override;
    void add_text(std::string_view piece) override { text_.add(piece); }
    base::Result<void> end_text() override { return text_.end(); }
    void count_tokens(std::int64_t tokens) override { tokens_ += tokens; }
    [[nodiscard]] bool is_over() const override;
    void set_on_over(std::function<void()> on_over) override;

    static constexpr base::Duration lease = base::seconds(30);

private:
    base::Result<void> act_round(model::PlanNow& round);
    // Until there is a result. One that was begun before and ended while it was waited for is new to whoever waited.
    base::Result<ports::CalledTool> call_until_done(const std::string& operation_id);
    void report_call(const model::PlannedAction& action, const model::AgentMessage& result, base::Duration took);
    base::Result<void> end_turn(const ports::TurnEnd& end);
    // True if the agent has dealt with the item: it may be acknowledged.
    static bool is_dealt_with(const ports::PulledItem& item, const ports::TurnEnd& end);
    // The session in which the turn takes place; empty: none.
    [[nodiscard]] const std::string& session_id() const;
    [[nodiscard]] std::optional<base::Timestamp> sleep_until() const;
    // False: the turn was over before the pause was.
    [[nodiscard]] bool rest(base::Duration pause);
    // A moment's pause before something is asked again.
    [[nodiscard]] std::function<bool()> goes_on();

    EngineDoor& door_;
    const ports::Clock& clock_;
    ports::WakeGrant grant_;
    std::optional<ports::PullReply> handed_;
    std::vector<model::PlanNow> rounds_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
    std::function<void()> on_over_;
    RunText text_;
    std::int64_t texts_ = 0;
    std::int64_t tokens_ = 0;
    std::int64_t calls_ = 0;
};

}  // namespace belfry::daemon
