#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/capability.hpp"
#include "engine/notify.hpp"
#include "engine/session_book.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/intake.hpp"

namespace belfry::engine {

// Takes events in: each is checked, given its id and sequence, recorded, and shown to the subscribers; a repeat of one
// that was taken before gets the answer of then.
class Intake final : public Capability {
public:
    Intake(SessionBook& sessions, Notify& notify, Wakes& wakes, std::string owner)
        : sessions_(sessions), notify_(notify), wakes_(wakes), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    [[nodiscard]] std::optional<std::string> stored_answer(const ports::Command& command) const override;
    base::Result<void> replay(ports::Command& command, std::string stored) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    // Checks an event of Belfry's own making, or one that was reported, like any other, and fills in what it leaves
    // out. Changes nothing else, so that a report is rejected before it has an effect.
    static base::Result<void> check(model::Event& event, const model::Principal& by, base::Timestamp now);
    // Records an event that `check` has accepted for `by`.
    base::Result<ports::Admitted> take_checked(model::Event event, const model::Principal& by, Unit& unit);
    // Both of them. The outer result is the store's, the inner one the event's.
    base::Result<ports::Admission> take_in(model::Event event, const model::Principal& by, Unit& unit);

private:
    base::Result<ports::Admission> admit_entry(const ports::EmitEvents& command, ports::EventDraft& draft, Unit& unit);
    base::Result<ports::Admitted> record(model::Event& event, const model::Principal& by, Unit& unit);
    // Who may read it, and with whom it is erased: its user, else its session's, else the daemon's owner.
    base::Result<std::string_view> person_of(const model::Event& event, Unit& unit);
    // The answer that was given under this key, now or earlier; conflict where it was for another body.
    base::Result<const ports::RememberedAnswer*> recall(const std::string& key, std::string_view fingerprint) const;
    void remember(std::string key, std::string_view fingerprint, const std::vector<ports::Admission>& entries);

    SessionBook& sessions_;
    Notify& notify_;
    Wakes& wakes_;
    std::string owner_;
    std::unordered_map<std::string, ports::RememberedAnswer> known_;  // of this group: loaded, and decided since
    std::vector<std::string> fresh_;                                  // keys of those to be written
    Figures figures_;
    std::string body_;  // scratch
};

}  // namespace belfry::engine
