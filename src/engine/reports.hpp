#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/capability.hpp"
#include "engine/hand_over.hpp"
#include "engine/intake.hpp"
#include "engine/sessions.hpp"
#include "engine/tools.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/sessions.hpp"
#include "rules/monitor.hpp"

namespace belfry::engine {

// What an agent's runtime reports: turns, tool calls, notes to itself. Each report becomes an event, and so does what
// Belfry concludes from it: a budget that runs out, a circle, a reminder that has come due.
class Reports final : public Capability {
public:
    Reports(SessionBook& book, Sessions& sessions, Intake& intake, HandOver& hand_over, const Tools& tools,
            Wakes& wakes, rules::MonitorOptions options)
        : book_(book),
          sessions_(sessions),
          intake_(intake),
          hand_over_(hand_over),
          tools_(tools),
          wakes_(wakes),
          options_(options) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return next_timeout_; }
    base::Result<void> tend(Unit& unit) override;

private:
    base::Result<void> turn(ports::ReportTurn& command, Unit& unit);
    // The same for a visitor of the session (`rules::is_visitor`).
    base::Result<void> visit(ports::ReportTurn& command, model::Session& session, const rules::HoldProof& proof,
                             Unit& unit);
    base::Result<void> tool_call(ports::ReportToolCall& command, Unit& unit);
    base::Result<void> notify_self(ports::NotifySelf& command, Unit& unit);
    base::Result<void> remind_later(ports::NotifySelf& command, const model::Session& session, model::RawJson payload,
                                    Unit& unit);
    base::Result<ports::Admitted> take_checked(model::Event event, const model::Principal& by, Unit& unit);
    // What follows from the session's progress as it is now: events, appended to the reply.
    base::Result<void> conclude(model::Session& session, ports::ReportReply& reply, Unit& unit);
    base::Result<void> tell(const model::Session& session, const rules::Finding& finding, const char* source,
                            ports::ReportReply& reply, Unit& unit);
    base::Result<void> remind(const model::Session& session, ports::ReportReply& reply, Unit& unit);

    SessionBook& book_;
    Sessions& sessions_;
    Intake& intake_;
    HandOver& hand_over_;
    const Tools& tools_;
    Wakes& wakes_;
    rules::MonitorOptions options_;
    std::optional<base::Timestamp> next_timeout_;
    std::optional<base::Timestamp> pending_timeout_;
    bool timeouts_changed_ = false;
};

}  // namespace belfry::engine
