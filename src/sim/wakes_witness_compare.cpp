#include <algorithm>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "sim/wakes_witness.hpp"

// What the store holds of wakes, against what is known of them.
namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::AgentLifecycle;
using model::RunState;
using model::WakeReason;
using model::WakeState;

std::string name_of(const model::Wake& wake) {
    return "wake " + std::to_string(wake.id);
}

// What never changes from its making to its end.
bool is_same_wake(const model::Wake& a, const model::Wake& b) {
    return a.run_key == b.run_key && a.agent_id == b.agent_id && a.user_id == b.user_id && a.reason == b.reason &&
           a.reason_id == b.reason_id && a.catch_up == b.catch_up && a.thread_id == b.thread_id &&
           a.session_id == b.session_id && a.input == b.input && a.created_at == b.created_at &&
           (a.run_id == 0 || a.run_id == b.run_id) && (!a.started_at || a.started_at == b.started_at);
}

RunState run_end_of(WakeState state) {
    if (state == WakeState::completed) return RunState::completed;
    return state == WakeState::failed || state == WakeState::no_turn ? RunState::failed : RunState::cancelled;
}

bool is_signalled(WakeReason reason) {
    return reason != WakeReason::manual && reason != WakeReason::user_initiated;
}

}  // namespace

base::Duration WakesWitness::jump_max(base::Timestamp now) const {
    // A start compares the clock with the time that was noted last, some seconds before the last commit at the
    // earliest.
    const base::Duration since = is_restarted_ ? now - changed_at_ + limits::clock_note_pause : base::Duration{};
    const bool is_jump = was_set_back_ && since >= limits::clock_jump_min;
    return std::max(jumped_, is_jump ? since : base::Duration{});
}

// After the clock was set back, stored times of a wake that no wait explains are earlier. If the clock jumps ahead
// afterwards, the engine takes it for one that was behind, and waits go on with the time that they had left (decision
// 0033). Nothing else is changed by that, no wait becomes longer than its kind allows, and no lease ends before the
// time that was left of it.
bool WakesWitness::is_moved_by_clock(const model::Wake& before, const model::Wake& wake, base::Timestamp now) const {
    if (!was_set_back_) return false;
    model::Wake same = wake;
    same.due_at = before.due_at;
    same.lease_until = before.lease_until;
    same.deadline = before.deadline;
    if (same != before) return false;
    const base::Duration later = jump_max(now);
    if (wake.due_at > before.due_at + later) return false;
    if (!wake.lease_until) return true;
    if (*wake.lease_until > *before.lease_until + later || *wake.deadline > *before.deadline + later) return false;
    const bool is_longer = *wake.lease_until > *before.lease_until;
    // A jump across a start is counted from the time that was noted last, some seconds before the lease began.
    const base::Duration noted = is_restarted_ ? limits::clock_note_pause : base::Duration{};
    if (is_longer && *wake.lease_until > now + limits::wake_lease_max + noted) return false;
    return *wake.lease_until >= std::min(lease_end(before), now + limits::wake_lease_max);
}

void WakesWitness::take(model::Wake wake) {
    if (keys_.emplace(wake.run_key, wake.id).second) ++sums_.wakes;
    const auto before = open_.find(wake.id);
    if (before == open_.end() || before->second != wake) {
        is_changed_ = true;
        // The engine that runs goes by the times that it has in memory: the shorter lease, and the rest of a window.
        const bool holds =
            before != open_.end() && set_back_.contains(wake.id) && is_moved_by_clock(before->second, wake, latest_);
        if (!holds) set_back_.erase(wake.id);
        else if (wake.lease_until) set_back_[wake.id] = *wake.lease_until - lease_end(before->second);
    }
    if (!model::is_ended(wake.state)) {
        open_.insert_or_assign(wake.id, std::move(wake));
        return;
    }
    ended(wake);
}

void WakesWitness::ended(const model::Wake& wake) {
    if (wake.state == WakeState::completed) {
        ++sums_.completed;
        if (!completed_.insert(wake.run_key).second) complain("run " + wake.run_key + " was completed twice");
    }
    ended_now_.push_back(wake.id);
    ended_.insert_or_assign(wake.id, wake);
    open_.erase(wake.id);
}

base::Result<void> WakesWitness::meet(store::SqlStore& store, WakeLook& look, std::vector<model::Wake>& found) {
    TRY_ASSIGN(const model::WakeId last, store.wakes().last_id());
    std::set<model::WakeId> ids;
    for (const auto& [id, wake] : open_) ids.insert(id);
    for (model::WakeId id = looked_to_ + 1; id <= last; ++id) ids.insert(id);
    looked_to_ = std::max(looked_to_, last);
    for (const auto& [id, wake] : look.open) ids.insert(id);
    for (const model::WakeId id : ids) {
        const auto open = look.open.find(id);
        if (open != look.open.end()) {
            found.push_back(open->second);
            continue;
        }
        TRY_ASSIGN(auto wake, store.wakes().find(id));
        if (wake) found.push_back(std::move(*wake));
        else if (open_.contains(id)) complain("wake " + std::to_string(id) + " was accepted and is gone");
    }
    return {};
}

void WakesWitness::compare_new(const model::Wake& wake) {
    if (keys_.contains(wake.run_key)) complain(name_of(wake) + " has the key of another: " + wake.run_key);
    if (!is_signalled(wake.reason) && !wakes_by_hand_) complain(name_of(wake) + " came from nowhere");
    if (wake.fence != wake.attempts || wake.fence > (claims_ ? 1 : 0)) complain(name_of(wake) + " is new and has run");
    if (wake.signals < 1) complain(name_of(wake) + " has no reason");
    if (wake.state == WakeState::completed) complain(name_of(wake) + " was completed by nobody");
}

void WakesWitness::compare_wake(const model::Wake& before, const model::Wake& wake, const WakeLook& look) {
    const std::string name = name_of(wake);
    if (!is_same_wake(before, wake)) complain(name + " has become another one");
    if (wake.fence < before.fence || wake.fence != wake.attempts) complain(name + " has an older fence than it had");
    if (wake.signals < before.signals) complain(name + " has lost signals");
    if (before == wake) return;
    const auto said = words_.find(wake.id);
    const Words words = said == words_.end() ? Words{} : said->second;
    const bool was_running = before.state == WakeState::running;
    const bool has_run_out = was_running && lease_end(before) <= look.now;
    if (wake.fence != before.fence && !claims_) complain(name + " was claimed by nobody");
    if (wake.state == WakeState::queued && was_running) {
        const bool is_lost = has_run_out && (was_tended_ || !look.is_certain);
        if (!is_lost && !words.ended_badly) complain(name + " was taken from the one who holds it");
        const bool is_pardoned = wake.error && wake.error->type == "down";
        if (!is_pardoned) failed(wake.agent_id);
        // Whether a claim had run out at the opening is not certain where the clock was set back: what an engine knew
        // of that is gone with it, unless the wake was written since.
        const bool is_told_by_either = (lease_end(before) <= opened_at_) != (*before.lease_until <= opened_at_);
        const bool was_out = lease_end(before) <= opened_at_;
        if (is_lost && look.is_certain && !is_told_by_either && is_pardoned != was_out) {
            complain(name + (is_pardoned ? " is lost and blames nobody" : " is blamed for what Belfry did not hear"));
        }
    } else if (wake.state == WakeState::queued) {
        const bool is_joined = wake.signals > before.signals && before.attempts == 0;
        if (!is_joined && !is_moved_by_clock(before, wake, look.now))
            complain(name + " waits otherwise, and nothing has come");
        const bool is_longer = wake.due_at > before.due_at + jump_max(look.now);
        if (is_longer) complain(name + " waits longer for what has joined it");
    } else if (wake.state == WakeState::running) {
        const bool is_claimed = wake.fence == before.fence + 1 && claims_;
        if (!is_claimed && !words.renewed && !is_moved_by_clock(before, wake, look.now))
            complain(name + " runs otherwise, and nobody said so");
    } else {
        compare_end(before, wake, look);
    }
}

void WakesWitness::compare_end(const model::Wake& before, const model::Wake& wake, const WakeLook& look) {
    const std::string name = name_of(wake);
    const auto said = words_.find(wake.id);
    const Words words = said == words_.end() ? Words{} : said->second;
    // One whose claim ran out while the engine was down waits again, and may end with what its agent is at once.
    const bool has_run = before.state == WakeState::running;
    const bool is_pardoned = has_run && wake.error && wake.error->type == "down" && lease_end(before) <= opened_at_;
    const bool was_running = has_run && !is_pardoned;
    const auto was_ever = [&](auto is) {
        return unsure_agents_.contains(wake.agent_id) || std::ranges::any_of(seen_[wake.agent_id], is);
    };
    bool is_right = false;
    switch (wake.state) {
        case WakeState::completed: is_right = words.ended_well; break;
        case WakeState::failed: {
            const bool is_lost = was_running && lease_end(before) <= look.now;
            const bool is_last = streaks_[wake.agent_id] + 1 >= limits::wake_failures_max;
            is_right = words.gave_up || ((is_lost || words.ended_badly) && is_last);
            failed(wake.agent_id);
            break;
        }
        case WakeState::cancelled: is_right = words.cancelled || cancelled_.contains(wake.id); break;
        case WakeState::coalesced:
            is_right = folds_ && !was_running && before.attempts == 0 && is_signalled(wake.reason) &&
                       wake.coalesced_into > wake.id;
            break;
        case WakeState::sleeping: {
            const auto latest = wishes_.latest_sleep(wake.agent_id, look.now, jump_max(look.now));
            const bool may_sleep_longer = latest && *latest > *wake.ended_at;
            is_right = !was_running && (may_sleep_longer || was_ever([&](const model::AgentRecord& agent) {
                                            return agent.state.sleep_until && *agent.state.sleep_until > *wake.ended_at;
                                        }));
            break;
        }
        case WakeState::dormant:
        case WakeState::destroyed: {
            const auto as = wake.state == WakeState::dormant ? AgentLifecycle::dormant : AgentLifecycle::destroyed;
            is_right = (!was_running || as == AgentLifecycle::destroyed) &&
                       was_ever([&](const model::AgentRecord& agent) { return agent.agent.lifecycle == as; });
            break;
        }
        case WakeState::refused:
            is_right = !was_running && was_ever([&](const model::AgentRecord& agent) {
                return agent.agent.mode != model::AgentMode::hybrid;
            });
            break;
        default: break;
    }
    if (is_right) return;
    complain(name + " has ended as " + std::string(model::wake_state_name(wake.state)) +
             ", and there was no reason: " + (wake.error ? wake.error->message : std::string()));
}

void WakesWitness::compare_flight(const WakeLook& look) {
    std::set<std::string> busy;
    for (const auto& [id, wake] : look.open) {
        const auto agent = look.agents.find(wake.agent_id);
        if (agent == look.agents.end() || agent->second.agent.lifecycle == AgentLifecycle::destroyed) {
            complain(name_of(wake) + " is there for an agent that is not");
        }
        if (wake.state != WakeState::running) continue;
        if (!busy.insert(wake.agent_id).second) complain(wake.agent_id + " works on two wakes at once");
        if (look.was_tended && *wake.lease_until <= look.now) {
            complain(name_of(wake) + " is kept by one who is gone");
        }
    }
    if (static_cast<std::int64_t>(busy.size()) > running_max_) complain("more wakes run at once than may");
}

void WakesWitness::compare_agents(const WakeLook& look) {
    for (const auto& [id, known] : agents_) {
        const auto agent = look.agents.find(id);
        if (agent == look.agents.end()) {
            complain("agent " + id + " is gone");
            continue;
        }
        const model::AgentRecord& now = agent->second;
        if (known.agent.lifecycle == AgentLifecycle::destroyed && now.agent.lifecycle != AgentLifecycle::destroyed) {
            complain("agent " + id + " has come back");
        }
        if (now.state.revision < known.state.revision) complain("the state of " + id + " went back");
        if (unsure_agents_.contains(id) || !look.is_certain) continue;
        if (now.runtime.failure_streak != streaks_[id]) {
            complain(id + " has failed " + std::to_string(streaks_[id]) + " times in a row, and counts " +
                     std::to_string(now.runtime.failure_streak));
        }
        if (now.agent.lifecycle != known.agent.lifecycle) complain(id + " leads another life than it was told to");
    }
    streaks_.clear();
    for (const auto& [id, agent] : look.agents) streaks_[id] = agent.runtime.failure_streak;
}

// Each signal is there once, in one wake; what is folded into another moves with it.
base::Result<void> WakesWitness::read_signals(store::SqlStore& store, const model::Wake& wake, WakeLook& look) {
    std::int64_t& read = signals_read_[wake.id];
    if (wake.signals <= read || wake.state == WakeState::coalesced) return {};
    TRY_ASSIGN(const auto some, store.wakes().signals(wake.id, read, static_cast<std::size_t>(wake.signals)));
    for (const model::WakeSignal& signal : some) {
        if (signal.ordinal != ++read) complain(name_of(wake) + " has a gap in its signals");
        look.woken[wake.id] = wake.agent_id;
        const auto [at, is_new] = signals_.emplace(SignalName{wake.agent_id, signal.rule, signal.key}, wake.id);
        if (is_new) {
            look.signals.push_back(signal);
            continue;
        }
        const auto folded = ended_.find(at->second);
        const bool is_moved = folded != ended_.end() && folded->second.coalesced_into == wake.id;
        if (!is_moved) complain(name_of(wake) + " has a signal that there was already: " + signal.key);
        at->second = wake.id;
        look.moved.push_back(signal);
    }
    if (read != wake.signals) complain(name_of(wake) + " counts signals that are not there");
    return {};
}

base::Result<void> WakesWitness::compare_run(store::SqlStore& store, const model::Wake& wake) {
    if (wake.run_id == 0) {
        if (wake.attempts > 0) complain(name_of(wake) + " was begun and is no run");
        return {};
    }
    TRY_ASSIGN(const auto runs, store.runs().find(std::span(&wake.run_id, 1)));
    if (runs.empty()) {
        complain(name_of(wake) + " has no run");
        return {};
    }
    const RunState state = runs.front().state;
    if (runs.front().run_key != wake.run_key) complain(name_of(wake) + " has the run of another");
    bool is_right = !model::is_ended(state);
    if (wake.state == WakeState::running) is_right = state == RunState::running;
    if (model::is_ended(wake.state)) is_right = state == run_end_of(wake.state);
    if (is_right) return {};
    complain(name_of(wake) + " is " + std::string(model::wake_state_name(wake.state)) + " and its run " +
             std::string(model::run_state_name(state)));
    return {};
}

// All wakes that are new, were open when they were last seen, or have ended since; each is known afterwards.
base::Result<void> WakesWitness::compare_wakes(store::SqlStore& store, WakeLook& look) {
    std::vector<model::Wake> found;
    TRY(meet(store, look, found));
    for (const model::Wake& wake : found) {
        const auto before = open_.find(wake.id);
        const auto over = ended_.find(wake.id);
        if (over != ended_.end()) {
            if (over->second != wake) complain(name_of(wake) + " has ended, and changed since");
            continue;
        }
        if (before == open_.end()) compare_new(wake);
        else compare_wake(before->second, wake, look);
        take(wake);
    }
    std::set<model::WakeId> ids(ended_now_.begin(), ended_now_.end());
    for (const auto& [id, wake] : open_) ids.insert(id);
    ended_now_.clear();
    // Those that were folded are known before the signals that they gave away are read.
    for (const model::WakeId id : ids) {
        const model::Wake& wake = open_.contains(id) ? open_.at(id) : ended_.at(id);
        TRY(read_signals(store, wake, look));
        TRY(compare_run(store, wake));
    }
    return {};
}

void WakesWitness::compare_rules(const WakeLook& look) {
    const auto is_gone = [&](const auto& one) {
        const auto agent = look.agents.find(one.second.agent_id);
        return agent != look.agents.end() && agent->second.agent.lifecycle == AgentLifecycle::destroyed;
    };
    auto stored = look.rules;
    std::erase_if(rules_, is_gone);
    std::erase_if(stored, is_gone);
    if (look.is_certain && rules_ != stored) complain("rules for being woken are others than were asked for");
}

// After a step of the clock the engine may move the wake time of an agent and fire it in one step: the signal then
// names the moved time, which nobody has seen. One new signal of the agent's own wake time is still due.
bool WakesWitness::has_moved_wish(const SignalName& name, const WakeLook& look) const {
    const auto& [agent, rule, key] = name;
    if (!was_set_back_ || rule != TimersWitness::wish_rule) return false;
    return std::ranges::any_of(look.signals, [&](const model::WakeSignal& signal) {
        const auto known = signals_.find({agent, signal.rule, signal.key});
        return signal.rule == rule && known != signals_.end() && known->second == signal.wake_id;
    });
}

void WakesWitness::compare_reasons(const WakeLook& look) {
    wishes_.compare(look, complaints_);
    const std::vector<SignalName> fired = timers_.compare(look, agents_, complaints_);
    expected_.insert(fired.begin(), fired.end());
    for (const SignalName& name : expected_) {
        if (signals_.contains(name) || has_moved_wish(name, look)) continue;
        complain(std::get<0>(name) + " was to be woken by " + std::get<1>(name) + " for " + std::get<2>(name));
    }
    changes_.compare(look, agents_, rules_, complaints_);
    sums_.fired += fired.size();
    for (const model::WakeSignal& signal : look.signals) {
        const bool is_late = signal.body.bytes().find("\"timer_catchup\":true") != std::string_view::npos;
        sums_.catch_ups += is_late ? 1 : 0;
        sums_.changes_told += signal.kind == model::SignalKind::change ? 1 : 0;
        sums_.events_told += signal.kind == model::SignalKind::event ? 1 : 0;
    }
}

base::Result<void> WakesWitness::compare(store::SqlStore& store, base::Timestamp now) {
    TRY_ASSIGN(WakeLook look, look_at_wakes(store, now));
    look.is_certain = is_certain_;
    look.was_tended = was_tended_;
    for (const auto& [id, agent] : look.agents) seen_[id].push_back(agent);
    TRY(compare_wakes(store, look));
    compare_flight(look);
    compare_reasons(look);
    compare_agents(look);
    compare_rules(look);
    agents_ = std::move(look.agents);
    rules_ = std::move(look.rules);
    seen_.clear();
    for (const auto& [id, agent] : agents_) seen_[id].push_back(agent);
    expected_.clear();
    blurred_.clear();
    cancelled_.clear();
    words_.clear();
    unsure_agents_.clear();
    if (is_restarted_) set_back_.clear();            // what was not written is not known any more
    if (was_tended_ || is_restarted_) jumped_ = {};  // by now they have gone on
    if (std::exchange(is_changed_, false)) changed_at_ = now;
    is_certain_ = true;
    is_restarted_ = was_tended_ = folds_ = wakes_by_hand_ = claims_ = false;
    return {};
}

base::Result<void> WakesWitness::compare_all(store::SqlStore& store, base::Timestamp now) {
    for (const auto& [id, wake] : ended_) {
        TRY_ASSIGN(const auto stored, store.wakes().find(id));
        if (stored && *stored != wake) complain(name_of(wake) + " has ended, and changed since");
        const bool may_be_gone = wake.ended_at && now - *wake.ended_at > limits::wakes_kept;
        if (!stored && !may_be_gone) complain(name_of(wake) + " is not on record any more");
    }
    return memory_.compare(store, complaints_);
}

void WakesWitness::compare_due(std::optional<base::Timestamp> next_due, base::Timestamp behind_until) {
    const auto look_by = [&](base::Timestamp due, const std::string& what) {
        if (next_due && *next_due <= std::max(due, behind_until)) return;
        complain("the engine has forgotten when to look at " + what);
    };
    for (const auto& [id, wake] : open_) {
        if (wake.state == WakeState::running) look_by(*wake.lease_until, name_of(wake));
    }
    for (const auto& [id, timer] : timers_.rows()) {
        if (timer.active) look_by(*timer.due_at, "timer " + timer.name + " of " + timer.agent_id);
    }
    for (const auto& [id, agent] : agents_) {
        if (agent.state.next_wake_at) look_by(*agent.state.next_wake_at, "the wish of " + id);
    }
}

}  // namespace belfry::sim
