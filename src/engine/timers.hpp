#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/peer_book.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/timers.hpp"
#include "ports/store_clock.hpp"
#include "ports/zones.hpp"
#include "rules/counted_spans.hpp"

namespace belfry::engine {

// What wakes agents by the clock: their timers, and their own wishes to be woken. The wake and the timer's next firing
// are one commit, so that it fires once. Nothing of what is not due is in memory but when the first of it is.
class Timers final : public Capability {
public:
    // Without zones there is only UTC.
    Timers(AgentBook& agents, Wakes& wakes, ChangeLog& log, const PeerBook& peers, ports::Zones* zones)
        : agents_(agents), wakes_(wakes), log_(log), peers_(peers), zones_(zones) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return next_due_; }
    base::Result<void> tend(Unit& unit) override;

    // Its timers do not fire any more.
    base::Result<void> agent_destroyed(const std::string& agent_id, Unit& unit);
    // As other devices know it by now: what comes of it is computed here. Of an agent that was destroyed it rests.
    base::Result<void> take(model::AgentTimer timer, const model::AgentTimer* before, Unit& unit);
    // It was deleted elsewhere.
    base::Result<void> take_removal(const model::TimerId& id, Unit& unit);
    // Computes again, after the clock was set back, the next firing of timers that count from a time ahead, and the
    // times at which agents wanted to be woken or to sleep until. Adds to the correction how many there were.
    base::Result<void> recount(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit);
    // Wake times that agents said while the clock was behind keep their distance.
    base::Result<void> carry_on_wishes(ports::ClockTable& clock, const ports::ClockJump& jump, Unit& unit);
    // Stored wake times were changed.
    void wishes_were_moved() { changed_ = true; }
    // A slice of a user's timers; how many rows, 0 when there are none left.
    base::Result<std::uint64_t> erase_user(const std::string& user_id, Unit& unit);

private:
    using Zone = base::Result<std::shared_ptr<const model::Zone>>;
    // The agent that may have timers of this principal's, or why not. The outer result is the store's.
    using FoundAgent = base::Result<const model::AgentRecord*>;
    base::Result<FoundAgent> find_agent(const model::Principal& who, const std::string& id, Unit& unit);
    using FoundTimer = base::Result<model::AgentTimer>;
    base::Result<FoundTimer> find_timer(const model::Principal& who, const std::string& agent_id,
                                        const model::TimerId& id, Unit& unit);

    base::Result<void> add(ports::AddTimer& command, Unit& unit);
    base::Result<void> change(ports::ChangeTimer& command, Unit& unit);
    base::Result<void> remove(ports::DeleteTimer& command, Unit& unit);
    base::Result<model::AgentTimer> draft_of(const ports::AddTimer& command, Unit& unit);
    base::Result<void> put(const ports::ChangeTimer& command, model::AgentTimer& timer, rules::CountedTimes& counted,
                           Unit& unit);
    // Starts the timer by its schedule, from now on.
    base::Result<void> begin(model::AgentTimer& timer, rules::CountedTimes& counted, Unit& unit);
    // The timer has another schedule from now on.
    void change_schedule(rules::CountedTimes& counted, const model::AgentTimer& before, const model::AgentTimer& timer);
    base::Result<void> write(const model::AgentTimer& timer, Unit& unit);
    // Other devices are told of it.
    void note(const model::AgentTimer* before, const model::AgentTimer& after);
    base::Result<void> bury(const model::AgentTimer& timer, Unit& unit);
    // Of two that were given the same name the one with the smaller id has it here.
    base::Result<void> settle_name(model::AgentTimer& timer, Unit& unit);
    base::Result<void> fire(model::AgentTimer& timer, rules::CountedTimes& counted, Unit& unit);
    base::Result<void> recount_wishes(ports::ClockTable& clock, ports::ClockCorrection& correction, Unit& unit);
    // The times for which these timers were counted on this device, in the order of the timers.
    base::Result<std::vector<rules::CountedTimes>> load_spans(std::span<const model::AgentTimer> timers, Unit& unit);
    static base::Result<void> write_spans(std::span<const model::AgentTimer> timers,
                                          std::span<const rules::CountedTimes> spans, Unit& unit);
    base::Result<void> fulfil(const ports::WakeWish& wish, Unit& unit);
    // Agents are awake whose sleep was moved and is over: other devices learn it from the record.
    base::Result<void> end_moved_sleeps(Unit& unit);

    Zone zone_of(const model::Schedule& schedule);
    model::ShownTimer shown(model::AgentTimer timer);

    AgentBook& agents_;
    Wakes& wakes_;
    ChangeLog& log_;
    const PeerBook& peers_;
    ports::Zones* zones_;
    std::optional<base::Timestamp> next_due_;
    std::optional<base::Timestamp> pending_due_;
    bool changed_ = false;
};

}  // namespace belfry::engine
