#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "ports/commands/interactions.hpp"

namespace belfry::engine {

// Questions of agents to people: asked, answered, withdrawn, or answered by the clock. Whoever follows the person's
// inbox, or the run that it belongs to, hears of each in the commit that makes it so.
class Interactions final : public Capability {
public:
    Interactions(SessionBook& sessions, Ledger& ledger, Runs& runs)
        : sessions_(sessions), ledger_(ledger), runs_(runs) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override {
        if (next_sweep_) next_sweep_ = *next_sweep_ - by;
    }

    // Whether a question in this session reaches this person.
    base::Result<bool> reaches(const std::string& session_id, const std::string& user_id, Unit& unit);
    // A question of the engine's own, under the id that it has chosen, in a session that is there. The inner error:
    // too many are open there. It may be answered already: where the person has allowed this tool there for good.
    using Answered = base::Result<model::Interaction>;
    base::Result<Answered> ask(model::Interaction question, Unit& unit);

    // An answer that came as a client's message into this session. The inner result is the answer's.
    base::Result<Answered> answer(const model::Principal& who, const std::string& session_id,
                                  model::InteractionKind kind, std::string_view id,
                                  const ports::InteractionAnswer& words, Unit& unit);
    // The session goes: what was asked in it is not asked any more.
    base::Result<void> leave(const model::Session& session, const model::Principal& by, Unit& unit);

private:
    base::Result<void> ask(ports::AskInteraction& command, Unit& unit);
    base::Result<Answered> raise(model::Interaction question, base::Duration time, Unit& unit);
    // True if the run that asks is of another agent than the session. A permission for a session holds for
    // the session's own agent, so the user is asked each time.
    base::Result<bool> is_of_a_visitor(const model::Interaction& question, Unit& unit);
    base::Result<Answered> settle(model::Interaction interaction, const model::Principal& who,
                                  const ports::InteractionAnswer& words, Unit& unit);
    base::Result<base::Result<void>> check_asker(const model::Interaction& found, const model::Principal& who,
                                                 Unit& unit);
    base::Result<void> withdraw(ports::WithdrawInteraction& command, Unit& unit);
    base::Result<void> take_back(ports::TakeBackAllowance& command, Unit& unit);
    // A run has ended: its tools are not called any more.
    base::Result<void> leave_run(model::RunId id, Unit& unit);
    base::Result<void> end(model::Interaction& interaction, std::string_view by, Unit& unit);
    // One that has come to its end, where it was pending until now.
    base::Result<void> write(const model::Interaction& ended, Unit& unit);
    base::Result<void> tell(const model::Interaction& interaction, Unit& unit);
    base::Result<void> tell_person(const model::Interaction& interaction, bool is_new, Unit& unit);
    base::Result<void> tell_as(const model::Interaction& interaction, bool is_new, Unit& unit);

    SessionBook& sessions_;
    Ledger& ledger_;
    Runs& runs_;
    std::optional<base::Timestamp> next_deadline_;
    std::optional<base::Timestamp> pending_deadline_;
    bool deadlines_changed_ = false;
    std::optional<base::Timestamp> next_sweep_;
    struct Asker {
        std::string user_id;
        std::string session_id;
    };
    std::unordered_map<model::RunId, Asker> askers_;  // runs that may have a question open
    std::vector<model::RunId> left_;                  // of them, that have ended in this transaction
    std::string body_;                                // scratch
};

}  // namespace belfry::engine
