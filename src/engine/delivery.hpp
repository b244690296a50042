#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "engine/read_marks.hpp"
#include "engine/session_book.hpp"
#include "engine/wakes.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/subscribers.hpp"

namespace belfry::engine {

// The delivery protocol as its participants speak it: programs that emit, interfaces that show, agents that narrate,
// and whoever sends a dead letter again.
class Delivery final : public Capability {
public:
    Delivery(SessionBook& sessions, Ledger& ledger, Wakes& wakes, ReadMarks& marks,
             const ports::Subscribers& subscribers)
        : sessions_(sessions), ledger_(ledger), wakes_(wakes), marks_(marks), subscribers_(subscribers) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    // Interfaces that this transaction lets come or go; they count once it is committed.
    struct Change {
        std::string user_id;
        std::string session_id;  // empty: an interface of all that is the user's
        bool comes = true;
    };

    base::Result<void> emit(ports::EmitNotification& command, Unit& unit);
    static base::Result<std::optional<model::Notification>> find_before(const std::string& user_id,
                                                                        const std::string& key,
                                                                        std::optional<std::int64_t> lease, Unit& unit);
    base::Result<base::Result<void>> prepare(const ports::EmitNotification& command, NewNotification& wish, Unit& unit);
    base::Result<base::Result<void>> trace(const ports::EmitNotification& command, NewNotification& wish, Unit& unit);
    base::Result<void> emit_again(ports::EmitNotification& command, NewNotification wish, model::Notification row,
                                  Unit& unit);
    base::Result<void> make(ports::EmitNotification& command, NewNotification wish, Unit& unit);
    template <class Command>
    base::Result<std::optional<model::Notification>> find_for_person(Command& command, Unit& unit);
    base::Result<void> ack(ports::AckNotification& command, Unit& unit);
    base::Result<void> mark(ports::MarkNotification& command, Unit& unit);
    base::Result<void> narrate(ports::NarrateNotification& command, Unit& unit);
    base::Result<base::Result<std::int64_t>> lease_of(const ports::NarrateNotification& command,
                                                      const model::Notification& row, Unit& unit);
    base::Result<base::Result<std::vector<model::Notification>>> find_others(const ports::NarrateNotification& command,
                                                                             const model::Notification& first,
                                                                             Unit& unit);
    base::Result<void> retry(ports::RetryNotification& command, Unit& unit);
    base::Result<void> open(ports::OpenInbox& command, Unit& unit);
    base::Result<void> go_on(ports::ContinueInbox& command, Unit& unit);
    base::Result<ports::InboxPortion> portion(ports::NotificationTable::InterfaceQuestion question,
                                              const std::string& by, Unit& unit);
    base::Result<void> sent_to_interface(model::Notification& row, const std::string& by, Unit& unit);
    base::Result<void> close(ports::CloseInbox& command, Unit& unit);
    base::Result<void> say_in_session(const model::Notification& row, Unit& unit);

    SessionBook& sessions_;
    Ledger& ledger_;
    Wakes& wakes_;
    ReadMarks& marks_;
    const ports::Subscribers& subscribers_;
    std::vector<Change> interfaces_;
    std::uint64_t acknowledged_ = 0;
};

}  // namespace belfry::engine
