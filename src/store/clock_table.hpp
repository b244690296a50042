#pragma once

#include "ports/store_clock.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlClockTable final : public ports::ClockTable {
public:
    explicit SqlClockTable(Database& database) : database_(database) {}

    base::Result<ports::ClockState> state() override;
    base::Result<void> put_state(const ports::ClockState& state) override;
    base::Result<void> add(const ports::ClockCorrection& correction) override;
    base::Result<std::vector<ports::ClockCorrection>> corrections() override;
    base::Result<std::vector<TimerSpans>> spans(std::span<const model::TimerId> timers) override;
    base::Result<void> put_spans(std::span<const TimerSpans> spans) override;
    base::Result<std::vector<model::TimerId>> timers_ahead(base::Timestamp now, const model::TimerId& after,
                                                           std::size_t limit) override;
    base::Result<std::vector<ports::SaidTimes>> said_ahead(base::Timestamp now, std::string_view after,
                                                           std::size_t limit) override;
    base::Result<std::vector<ports::SaidTimes>> said_behind(const ports::ClockJump& jump, std::string_view after,
                                                            std::size_t limit) override;
    base::Result<void> put_moved(std::span<const ports::SaidTimes> moved) override;
    base::Result<void> drop_moved() override;
    base::Result<void> carry_on_moved(const ports::ClockJump& jump) override;
    base::Result<base::Timestamp> moved_sleep(std::string_view agent_id, base::Timestamp until) override;
    base::Result<std::vector<std::string>> ended_sleeps(base::Timestamp now, std::size_t limit) override;
    base::Result<void> note_said(std::string_view agent_id, ports::SaidBy wake, ports::SaidBy sleep) override;
    base::Result<std::int64_t> bring_back_deadlines(base::Timestamp now) override;
    base::Result<void> carry_on_waits(const ports::ClockJump& jump) override;
    base::Result<void> carry_on_records(const ports::ClockJump& jump) override;

private:
    Database& database_;
};

}  // namespace belfry::store
