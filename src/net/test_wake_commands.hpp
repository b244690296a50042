#pragma once

#include <set>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/timers.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::net::test {

inline model::Wake test_wake(model::WakeId id, model::WakeState state = model::WakeState::queued) {
    model::Wake wake;
    wake.id = id;
    wake.agent_id = "a";
    wake.user_id = "ada";
    wake.fence = 1;
    wake.state = state;
    return wake;
}

// What the test's gateway answers to those who have a word in agents and wakes; false where it is no such command. Wake
// 9 is somebody else's; `due` are the agents for which there is something to do.
inline bool decide_wake_command(ports::Command& command, std::set<std::string>& due) {
    const auto answer = [](auto& wish, model::WakeState state) {
        if (wish.id == 9) wish.refuse(base::error(base::Code::conflict, "not yours", "fence", "stale_claim"));
        else wish.settle(test_wake(wish.id, state));
    };
    if (auto* create = dynamic_cast<ports::CreateAgent*>(&command)) {
        ports::CreatedAgent created;
        created.record.agent = create->draft;
        created.is_new = create->draft.id != "again";
        create->settle(std::move(created));
    } else if (auto* change = dynamic_cast<ports::ChangeAgent*>(&command)) {
        change->settle(model::AgentRecord{});
    } else if (auto* own = dynamic_cast<ports::ChangeOwnState*>(&command)) {
        own->settle(model::AgentRecord{});
    } else if (auto* destroy = dynamic_cast<ports::DestroyAgent*>(&command)) {
        destroy->settle(model::AgentRecord{});
    } else if (auto* subscribe = dynamic_cast<ports::PutWakeSubscription*>(&command)) {
        subscribe->settle(subscribe->draft);
    } else if (auto* unsubscribe = dynamic_cast<ports::DeleteWakeSubscription*>(&command)) {
        unsubscribe->settle(ports::Nothing{});
    } else if (auto* wake = dynamic_cast<ports::WakeAgent*>(&command)) {
        ports::AddedWake added{test_wake(7), wake->request_id != "again"};
        if (wake->reason == model::WakeReason::user_initiated) added.wake.run_id = 7;
        wake->settle(std::move(added));
    } else if (auto* claim = dynamic_cast<ports::ClaimWake*>(&command)) {
        ports::ClaimReply reply;
        reply.users = {"ada"};
        if (due.erase(claim->agents.front()) > 0) {
            reply.grant.emplace();
            reply.grant->wake = test_wake(7, model::WakeState::running);
            reply.grant->signals.emplace_back().key = "e1";
        }
        claim->settle(std::move(reply));
    } else if (auto* renew = dynamic_cast<ports::RenewWake*>(&command)) {
        answer(*renew, model::WakeState::running);
    } else if (auto* end = dynamic_cast<ports::EndWake*>(&command)) {
        answer(*end, end->error ? model::WakeState::queued : model::WakeState::completed);
    } else if (auto* append = dynamic_cast<ports::AppendAgentMessages*>(&command)) {
        if (append->id == 9) append->refuse(base::error(base::Code::conflict, "not yours", "fence", "stale_claim"));
        else append->settle(ports::AppendedMessages{append->drafts, append->id == 8 ? 0 : append->drafts.size()});
    } else if (auto* plan = dynamic_cast<ports::StorePlan*>(&command)) {
        ports::StoredPlan stored;
        stored.plan.plan.actions = plan->actions;
        stored.plan.progress.resize(plan->actions.size());
        stored.is_new = plan->id != 8;
        plan->settle(std::move(stored));
    } else if (auto* call = dynamic_cast<ports::CallTool*>(&command)) {
        ports::CalledTool called;
        called.action.metadata.operation_id = call->operation_id;
        if (call->id == 9) called.waits_for = ports::ToolWait{ports::ToolWait::For::person, "q"};
        else called.result.emplace();
        call->settle(std::move(called));
    } else if (auto* cancel = dynamic_cast<ports::CancelWake*>(&command)) {
        answer(*cancel, model::WakeState::cancelled);
    } else if (auto* add = dynamic_cast<ports::AddTimer*>(&command)) {
        ports::AddedTimer added;
        added.shown.timer.name = add->name;
        added.is_new = add->name != "again" && !add->dry_run;
        add->settle(std::move(added));
    } else if (auto* put = dynamic_cast<ports::ChangeTimer*>(&command)) {
        put->settle(model::ShownTimer{});
    } else if (auto* remove = dynamic_cast<ports::DeleteTimer*>(&command)) {
        remove->settle(ports::Nothing{});
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
