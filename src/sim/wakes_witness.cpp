#include "sim/wakes_witness.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "ports/commands/timers.hpp"

namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::AgentLifecycle;
using model::AgentMode;
using model::WakeReason;
using model::WakeState;

std::string name_of(model::WakeId id) {
    return "wake " + std::to_string(id);
}

bool takes(AgentMode mode, WakeReason reason) {
    if (reason == WakeReason::manual || mode == AgentMode::hybrid) return true;
    return (mode == AgentMode::interactive) == (reason == WakeReason::user_initiated);
}

bool is_kept_from(const model::AgentRecord& agent, WakeReason reason, base::Timestamp now) {
    return agent.agent.lifecycle == AgentLifecycle::destroyed || agent.agent.lifecycle == AgentLifecycle::dormant ||
           (agent.state.sleep_until && *agent.state.sleep_until > now) || !takes(agent.agent.mode, reason);
}

bool matches(const model::WakeSubscription& rule, const std::string& type) {
    return rule.active && std::ranges::any_of(rule.types, [&](const std::string& pattern) {
               const bool is_pattern = pattern.ends_with(".*");
               return is_pattern ? type.starts_with(pattern.substr(0, pattern.size() - 1)) : type == pattern;
           });
}

template <class... Replies>
bool is_refused_as(const ports::Command& command, base::Code code) {
    const auto asks = [&]<class R>(const ports::CommandOf<R>* one) {
        return one != nullptr && !one->result().ok() && one->result().error().code == code;
    };
    return (asks(dynamic_cast<const ports::CommandOf<Replies>*>(&command)) || ...);
}

// The commit neither succeeded nor failed.
bool is_unknown(const ports::Command& command) {
    return is_refused_as<ports::AddedWake, ports::ClaimReply, model::Wake, model::Run, ports::EmitReply,
                         ports::AppendedMessages, ports::StoredPlan, ports::CreatedAgent, model::AgentRecord,
                         model::WakeSubscription, ports::Nothing, ports::AddedTimer, model::ShownTimer>(
        command, base::Code::outcome_unknown);
}

}  // namespace

model::Wake* WakesWitness::find(model::WakeId id) {
    const auto at = open_.find(id);
    return at == open_.end() ? nullptr : &at->second;
}

base::Timestamp WakesWitness::lease_end(const model::Wake& wake) const {
    const auto shift = set_back_.find(wake.id);
    return *wake.lease_until - (shift == set_back_.end() ? base::Duration{} : shift->second);
}

base::Timestamp WakesWitness::lease_end_latest(const model::Wake& wake) const {
    return *wake.lease_until + (was_set_back_ ? jumped_ : base::Duration{});
}

void WakesWitness::restarted() {
    is_certain_ = false;
    is_restarted_ = true;
    wishes_.restarted();
}

void WakesWitness::opened(base::Timestamp now) {
    opened_at_ = now;
    is_restarted_ = true;
    wishes_.restarted();
    wishes_.called(now);
}

void WakesWitness::clock_was_set_back(base::Duration by) {
    opened_at_ = opened_at_ - by;
    changed_at_ = changed_at_ - by;
    timers_.clock_was_set_back();
    wishes_.clock_was_set_back(by);
    was_set_back_ = true;
    for (const auto& [id, wake] : open_) set_back_[id] = set_back_[id] + by;
}

void WakesWitness::clock_was_set_ahead(base::Duration by) {
    if (!was_set_back_) return;
    jumped_ = jumped_ + by;
    wishes_.clock_was_set_ahead(by);
}

void WakesWitness::heard(const ports::Command& command, base::Timestamp now) {
    latest_ = std::max(latest_, now);
    wishes_.called(now);
    if (is_unknown(command)) return unheard(command);
    if (const auto* one = dynamic_cast<const ports::WakeAgent*>(&command)) heard(*one, now);
    if (const auto* one = dynamic_cast<const ports::ClaimWake*>(&command)) heard(*one, now);
    if (const auto* one = dynamic_cast<const ports::RenewWake*>(&command)) heard(*one, now);
    if (const auto* one = dynamic_cast<const ports::EndWake*>(&command)) heard(*one, now);
    if (const auto* one = dynamic_cast<const ports::CancelWake*>(&command)) heard(*one);
    if (const auto* one = dynamic_cast<const ports::CancelRun*>(&command)) heard(*one);
    if (const auto* one = dynamic_cast<const ports::EmitEvents*>(&command)) heard(*one);
    if (const auto* one = dynamic_cast<const ports::AppendAgentMessages*>(&command)) {
        if (is_held("messages", *one, one->id, now)) memory_.heard(*one, open_.at(one->id).thread_id);
    }
    if (const auto* one = dynamic_cast<const ports::StorePlan*>(&command)) {
        if (is_held("a plan", *one, one->id, now)) memory_.heard(*one, open_.at(one->id).run_key, complaints_);
    }
    heard_of_agents(command, now);
    timers_.heard(command, now, complaints_);
}

void WakesWitness::unheard(const ports::Command& command) {
    is_certain_ = false;
    if (dynamic_cast<const ports::ClaimWake*>(&command) != nullptr) claims_ = true;
    if (const auto* one = dynamic_cast<const ports::WakeAgent*>(&command)) {
        wakes_by_hand_ = true;
        folds_ = folds_ || one->reason == WakeReason::manual;
    }
    if (const auto* one = dynamic_cast<const ports::RenewWake*>(&command)) words_[one->id].renewed = true;
    if (const auto* one = dynamic_cast<const ports::EndWake*>(&command)) {
        const model::Wake* const wake = find(one->id);
        if (wake != nullptr && wake->fence == one->fence) {
            Words& words = words_[one->id];
            (one->error ? words.ended_badly : words.ended_well) = true;
            words.gave_up = words.gave_up || (one->error && !one->may_mend);
        }
    }
    if (const auto* one = dynamic_cast<const ports::CancelWake*>(&command)) words_[one->id].cancelled = true;
    if (const auto* one = dynamic_cast<const ports::CancelRun*>(&command)) {
        for (const auto& [id, wake] : open_) {
            if (wake.run_id == one->run_id) words_[id].cancelled = true;
        }
    }
    if (const auto* one = dynamic_cast<const ports::ChangeAgent*>(&command)) unsure_agents_.insert(one->agent_id);
    if (const auto* one = dynamic_cast<const ports::DestroyAgent*>(&command)) unsure_agents_.insert(one->agent_id);
    if (const auto* one = dynamic_cast<const ports::AppendAgentMessages*>(&command)) memory_.unheard(*one);
    timers_.unheard(command);
}

void WakesWitness::tended(base::Timestamp now, bool is_done) {
    latest_ = std::max(latest_, now);
    timers_.tended(now);
    wishes_.tended(now);
    was_tended_ = is_done;
    if (!is_done) is_certain_ = false;
}

template <class C>
bool WakesWitness::is_held(const char* what, const C& command, model::WakeId id, base::Timestamp now) {
    const auto& result = command.ports::template CommandOf<typename C::Reply>::result();
    const model::Wake* const wake = find(id);
    const bool is_last = wake != nullptr && wake->state == WakeState::running && wake->fence == command.fence;
    const bool is_his = is_last && lease_end_latest(*wake) > now;
    if (result.ok()) {
        const auto agent = wake != nullptr ? agents_.find(wake->agent_id) : agents_.end();
        if (agent != agents_.end() && agent->second.agent.lifecycle == AgentLifecycle::destroyed) {
            complain(std::string(what) + " for " + name_of(id) + " was taken though its agent is destroyed");
        }
        if (!is_his) complain(std::string(what) + " for " + name_of(id) + " was taken from one who does not hold it");
        return is_his;
    }
    if (result.error().reason != "stale_claim") return false;
    ++sums_.stale;
    const bool is_surely_his = is_last && lease_end(*wake) > now && !blurred_.contains(id);
    if (is_surely_his) complain(name_of(id) + " was refused to the one who holds it");
    return false;
}

void WakesWitness::agent_is(const model::AgentRecord& record) {
    is_changed_ = true;
    agents_[record.agent.id] = record;
    seen_[record.agent.id].push_back(record);
}

void WakesWitness::heard(const ports::WakeAgent& command, base::Timestamp now) {
    if (!command.result().ok()) return;
    const model::Wake& wake = command.result()->wake;
    const auto known = keys_.find(wake.run_key);
    if (!command.result()->is_new) {
        if (known == keys_.end() || known->second != wake.id) complain("a request is told of a wake that is not its");
        return;
    }
    if (known != keys_.end()) return complain("the same request woke twice: " + wake.run_key);
    const auto agent = agents_.find(wake.agent_id);
    const bool is_kept = agent != agents_.end() && is_kept_from(agent->second, wake.reason, now);
    // Its sleep may have been moved just before.
    const bool may_be_awake = wishes_.may_have_moved() && agent != agents_.end() && agent->second.state.sleep_until;
    if (!may_be_awake && is_kept == (wake.state == WakeState::queued)) {
        complain(name_of(wake.id) + " does not heed what its agent is");
    }
    if (wake.reason == WakeReason::manual) blur_waiting(wake.agent_id);
    take(wake);
}

// Those that something may have joined, or that were folded into another.
void WakesWitness::blur_waiting(const std::string& agent_id) {
    folds_ = true;
    for (const auto& [id, wake] : open_) {
        if (wake.agent_id == agent_id && wake.state == WakeState::queued) blurred_.insert(id);
    }
}

void WakesWitness::heard(const ports::ClaimWake& command, base::Timestamp now) {
    if (command.result().ok() && command.result()->grant) granted(*command.result()->grant, command, now);
}

void WakesWitness::granted(const ports::WakeGrant& grant, const ports::ClaimWake& command, base::Timestamp now) {
    const model::Wake& wake = grant.wake;
    const std::string name = name_of(wake.id);
    model::Wake* const before = find(wake.id);
    if (before == nullptr) return complain(name + " was granted, and there is none that waits");
    if (before->state != WakeState::queued) complain(name + " was granted while somebody has it");
    if (wake.run_key != before->run_key || wake.thread_id != before->thread_id) complain(name + " has another key");
    if (wake.fence != before->fence + 1 || wake.attempts != before->attempts + 1) {
        complain(name + " was granted under an old fence");
    }
    // Its time has come, though the clock was set back since.
    const auto shift = set_back_.find(wake.id);
    const base::Duration shorter = shift == set_back_.end() ? base::Duration{} : shift->second;
    if (wake.due_at - shorter > latest_) complain(name + " was granted before its time");
    if (before->run_id != 0 && wake.run_id != before->run_id) complain(name + " runs as another run");
    if (wake.lease_until != std::min(now + command.lease, now + limits::wake_time_max))
        complain(name + " has no lease");
    const auto agent = agents_.find(wake.agent_id);
    const bool may_be_awake = wishes_.may_have_moved() && agent != agents_.end() && agent->second.state.sleep_until;
    if (!may_be_awake && (agent == agents_.end() || is_kept_from(agent->second, wake.reason, now))) {
        complain(name + " was granted though its agent is not to work");
    }
    std::int64_t running = 1;
    for (const auto& [id, other] : open_) {
        if (other.state != WakeState::running || blurred_.contains(id) || id == wake.id) continue;
        ++running;
        if (other.agent_id == wake.agent_id) complain(wake.agent_id + " works on two wakes at once");
    }
    if (running > running_max_) complain("more wakes run at once than may");
    if (!blurred_.contains(wake.id) && static_cast<std::int64_t>(grant.signals.size()) != before->signals &&
        before->signals <= static_cast<std::int64_t>(limits::wake_signals_granted_max)) {
        complain(name + " was granted without all of its signals");
    }
    if (wake.attempts > 1) ++sums_.retried;
    agent_is(grant.agent);
    take(wake);
}

void WakesWitness::heard(const ports::RenewWake& command, base::Timestamp now) {
    if (!is_held("a renewal", command, command.id, now)) return;
    const model::Wake& wake = *command.result();
    if (wake.lease_until > wake.deadline || *wake.deadline > *open_.at(command.id).deadline + jumped_) {
        complain(name_of(wake.id) + " may take longer than an attempt may");
    }
    take(wake);
}

void WakesWitness::failed(const std::string& agent_id) {
    const std::int64_t failures = ++streaks_[agent_id];
    const auto agent = agents_.find(agent_id);
    if (failures < limits::wake_failures_max || agent == agents_.end()) return;
    agent->second.agent.lifecycle = AgentLifecycle::dormant;
    seen_[agent_id].push_back(agent->second);
    ++sums_.dormant;
}

void WakesWitness::heard(const ports::EndWake& command, base::Timestamp now) {
    if (!is_held("an end", command, command.id, now)) return;
    const model::Wake& wake = *command.ports::CommandOf<model::Wake>::result();
    model::AgentRecord& agent = agents_[wake.agent_id];
    if (command.sleep_until) agent.state.sleep_until = *command.sleep_until;
    if (command.next_wake_at) agent.state.next_wake_at = *command.next_wake_at;
    seen_[wake.agent_id].push_back(agent);
    if (command.error) {
        failed(wake.agent_id);
        const bool is_last = streaks_[wake.agent_id] >= limits::wake_failures_max || !command.may_mend;
        if (wake.state != (is_last ? WakeState::failed : WakeState::queued)) {
            complain(name_of(wake.id) + " has failed, and is " + std::string(model::wake_state_name(wake.state)));
        }
    } else {
        streaks_[wake.agent_id] = 0;
        if (wake.state != WakeState::completed) complain(name_of(wake.id) + " has ended well, and is not completed");
    }
    take(wake);
}

void WakesWitness::heard(const ports::CancelWake& command) {
    if (!command.result().ok()) {
        // One that waits may have ended when somebody wanted to claim it.
        const model::Wake* const wake = find(command.id);
        const bool is_held = wake != nullptr && wake->state == WakeState::running && !blurred_.contains(command.id);
        if (is_held && command.result().error().reason == "ended") complain(name_of(command.id) + " has not ended");
        return;
    }
    // One that nobody has told of yet may be cancelled, too.
    if (ended_.contains(command.id)) complain(name_of(command.id) + " was cancelled after its end");
    else take(*command.result());
}

// Its wake goes with it, at the end of the group.
void WakesWitness::heard(const ports::CancelRun& command) {
    if (!command.result().ok()) return;
    for (const auto& [id, wake] : open_) {
        if (wake.run_id != command.run_id) continue;
        blurred_.insert(id);
        cancelled_.insert(id);
    }
}

void WakesWitness::heard(const ports::EmitEvents& command) {
    if (!command.result().ok()) return;
    const std::vector<ports::Admission>& entries = command.result()->entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].ok()) continue;
        const model::Event& event = *command.entries[i].event;
        for (const auto& [id, rule] : rules_) {
            const auto agent = agents_.find(rule.agent_id);
            if (agent == agents_.end() || agent->second.agent.user_id != event.user_id) continue;
            if (agent->second.agent.lifecycle == AgentLifecycle::destroyed || !matches(rule, event.type)) continue;
            expected_.insert({rule.agent_id, base::format_uuid(id.uuid), base::format_uuid(entries[i]->id.uuid)});
            blur_waiting(rule.agent_id);
        }
    }
}

void WakesWitness::heard_of_agents(const ports::Command& command, base::Timestamp now) {
    if (const auto* one = dynamic_cast<const ports::CreateAgent*>(&command); one && one->result().ok()) {
        agent_is(one->result()->record);
    }
    if (const auto* one = dynamic_cast<const ports::ChangeAgent*>(&command); one && one->result().ok()) {
        if (one->patch.dormant == false) streaks_[one->agent_id] = 0;
        agent_is(*one->result());
    }
    if (const auto* one = dynamic_cast<const ports::ChangeOwnState*>(&command)) {
        if (is_held("a state", *one, one->wake_id, now)) agent_is(*one->result());
    }
    if (const auto* one = dynamic_cast<const ports::DestroyAgent*>(&command); one && one->result().ok()) {
        agent_is(*one->result());
        for (const auto& [id, wake] : open_) {
            if (wake.agent_id == one->agent_id) blurred_.insert(id);
        }
    }
    if (const auto* one = dynamic_cast<const ports::PutWakeSubscription*>(&command); one && one->result().ok()) {
        rules_[one->result()->id] = *one->result();
    }
    if (const auto* one = dynamic_cast<const ports::DeleteWakeSubscription*>(&command); one && one->result().ok()) {
        rules_.erase(one->id);
    }
}

}  // namespace belfry::sim
