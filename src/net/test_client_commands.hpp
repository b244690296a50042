#pragma once

#include "net/test_queries.hpp"
#include "ports/commands/change_sets.hpp"
#include "ports/commands/client_messages.hpp"
#include "ports/commands/interactions.hpp"

namespace belfry::net::test {

// What the test's gateway answers to clients and about questions; false where it is no such command. The session
// `nobody` is not there.
inline bool decide_client_command(ports::Command& command) {
    if (auto* said = dynamic_cast<ports::SendClientMessage*>(&command)) {
        if (said->message.session_id == "nobody") {
            said->refuse(base::error(base::Code::not_found, "Session ID not found or invalid", "session_id",
                                     "session_not_found"));
        } else {
            said->settle(ports::ClientReceipt{"Message received", test_uuid(5)});
        }
    } else if (auto* ask = dynamic_cast<ports::AskInteraction*>(&command)) {
        model::Interaction made = ask->draft;
        made.id.uuid = test_uuid(7);
        made.expires_at = made.created_at + ask->time;
        ask->settle(std::move(made));
    } else if (auto* answer = dynamic_cast<ports::AnswerInteraction*>(&command)) {
        model::Interaction found;
        found.id = answer->id;
        found.state = model::InteractionState::answered;
        answer->settle(std::move(found));
    } else if (auto* take_back = dynamic_cast<ports::TakeBackAllowance*>(&command)) {
        model::Interaction found;
        found.id = take_back->id;
        found.state = model::InteractionState::answered;
        take_back->settle(std::move(found));
    } else if (auto* withdraw = dynamic_cast<ports::WithdrawInteraction*>(&command)) {
        model::Interaction found;
        found.id = withdraw->id;
        found.state = model::InteractionState::withdrawn;
        if (found.id.uuid == test_uuid(7)) withdraw->settle(std::move(found));
        else withdraw->refuse(base::error(base::Code::conflict, "No pending confirmation", "id", "not_pending"));
    } else if (auto* decide = dynamic_cast<ports::DecideChanges*>(&command)) {
        model::ProposedChanges found;
        found.set.id = decide->id;
        found.items.resize(1);
        found.items[0].number = decide->number.value_or(0);
        found.items[0].state = decide->accept ? model::ChangeItemState::accepted : model::ChangeItemState::rejected;
        if (decide->number == 9) decide->refuse(base::error(base::Code::conflict, "it was", "number", "decided"));
        else decide->settle(std::move(found));
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
