#include <algorithm>
#include <charconv>
#include <span>

#include "base/message_limits.hpp"
#include "engine/notify.hpp"
#include "engine/wakes.hpp"
#include "rules/agent.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/effect_id.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/wake.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::WakeReason;
using model::WakeState;
constexpr std::string_view notifications_rule =
    "notifications";  // every agent's own: it is woken for what is its to say

// A body that is too large, or none, is told by the key alone, and by what ends a chain.
model::RawJson kept(std::string_view body, std::int64_t depth) {
    const bool is_kept = !body.empty() && body.size() <= limits::wake_signal_bytes_max;
    if (is_kept) return model::RawJson::trusted(std::string(body));
    if (depth == 0) return {};
    std::string rest;
    model::JsonWriter(rest).begin_object().field(chain_depth_member, depth).end_object();
    return model::RawJson::trusted(std::move(rest));
}

std::int64_t depth_said(model::JsonView json) {
    const auto said = json.member(chain_depth_member);
    std::int64_t depth = 0;
    if (said) std::from_chars(said->text.data(), said->text.data() + said->text.size(), depth);
    return std::max<std::int64_t>(depth, 0);
}

// Members of an event get its depth. What it says of that itself counts where it is deeper.
void say_depth(std::string& members, std::int64_t depth) {
    const std::string whole = '{' + members + '}';
    members.clear();
    model::JsonWalker walker(model::JsonView{whole});
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        if (name == chain_depth_member) continue;
        members.append("\"").append(name).append("\":").append(value->text).append(",");
    }
    depth = std::max(depth, depth_said(model::JsonView{whole}));
    members.append("\"").append(chain_depth_member).append("\":").append(std::to_string(depth));
}

}  // namespace

base::Result<void> Wakes::notice(const model::Event& event, std::string_view body, std::string_view person,
                                 Unit& unit) {
    TRY(refresh(unit));
    if (rules_.is_empty()) return {};
    const std::string event_id = base::format_uuid(event.id.uuid);
    for (const WakeRule* const rule : rules_.matches(event, person)) {
        const model::WakeSubscription& subscription = rule->subscription;
        Signal cause;
        cause.reason_id = base::format_uuid(subscription.id.uuid);
        cause.run_key = rules::event_run_key(subscription.agent_id, cause.reason_id, std::span(&event_id, 1));
        cause.key = event_id;
        cause.body = body;
        cause.window = subscription.window;
        cause.priority = subscription.priority;
        cause.depth = depth_said(model::JsonView{body});
        TRY(signal(subscription.agent_id, rule->user_id, cause, unit));
    }
    return {};
}

const model::Wake* Wakes::joinable(const std::string& agent_id, const std::string& session_id,
                                   bool wakes_others) const {
    for (const model::WakeId id : book_.of_agent(agent_id)) {
        const WakeBook::Entry& entry = *book_.find(id);
        const model::Wake& wake = entry.wake;
        // It would wait for a run of another device, which does not know of the signal.
        if (entry.rests && entry.rests_for_devices && !wakes_others) continue;
        const bool is_signalled = wake.reason != WakeReason::manual && wake.reason != WakeReason::user_initiated;
        const bool is_fresh = wake.state == WakeState::queued && wake.attempts == 0;
        if (is_signalled && is_fresh && wake.session_id == session_id) return &wake;
    }
    return nullptr;
}

base::Result<void> Wakes::add_signal(model::Wake& wake, const Signal& cause, Unit& unit) {
    ++wake.signals;
    book_.carry(wake.id, cause.first_changes);
    // What would wake nobody by itself does not make those deeper that there is another cause for.
    const std::int64_t depth = cause.depth <= limits::chain_depth_max ? cause.depth : 0;
    bool is_kept = wake.signals <= limits::wake_signals_max;
    if (!is_kept && depth > 0) {
        // One that goes deeper than all before it is kept nevertheless: after a crash only the kept ones tell.
        TRY_ASSIGN(const std::int64_t before, deepest_signal(wake, unit));
        is_kept = depth > before;
    }
    book_.deepen(wake.id, depth);
    if (!is_kept) return {};
    model::WakeSignal row;
    row.wake_id = wake.id;
    row.ordinal = wake.signals;
    row.kind = cause.kind;
    row.key = cause.key;
    if (cause.kind != model::SignalKind::manual && cause.kind != model::SignalKind::user) row.rule = cause.reason_id;
    row.body = kept(cause.body, cause.depth);
    row.came_at = unit.now;
    book_.add_signal(std::move(row));
    return {};
}

// The first signal waits out its window; later ones join it and never make it wait longer.
base::Result<void> Wakes::signal(const std::string& agent_id, const std::string& user_id, const Signal& cause,
                                 Unit& unit) {
    if (const model::Wake* const waiting = joinable(agent_id, cause.session_id, cause.wakes_others)) {
        model::Wake joined = *waiting;
        joined.due_at = std::min(joined.due_at, unit.now + cause.window);
        joined.priority = std::max(joined.priority, cause.priority);
        TRY(add_signal(joined, cause, unit));
        book_.put(std::move(joined));
        return {};
    }
    model::Wake fresh;
    fresh.run_key = cause.run_key;
    fresh.agent_id = agent_id;
    fresh.user_id = user_id;
    fresh.reason = cause.reason;
    fresh.reason_id = cause.reason_id;
    fresh.catch_up = cause.catch_up;
    fresh.session_id = cause.session_id;
    fresh.thread_id = cause.session_id.empty() ? rules::run_thread_id(agent_id, cause.run_key)
                                               : rules::session_thread_id(agent_id, cause.session_id);
    fresh.priority = cause.priority;
    fresh.due_at = unit.now + cause.window;
    TRY_ASSIGN(auto before, find_key(fresh.run_key, unit));
    // The session was another agent's for a while.
    while (before && cause.kind == model::SignalKind::user && before->state == WakeState::not_needed) {
        fresh.run_key = rules::turn_run_key(agent_id, cause.session_id, fresh.run_key);
        TRY_ASSIGN(before, find_key(fresh.run_key, unit));
    }
    if (before) return {};  // it was woken for this already
    TRY_ASSIGN(model::Wake made, enqueue(std::move(fresh), unit));
    TRY(add_signal(made, cause, unit));
    book_.put(made);
    if (cause.depth <= limits::chain_depth_max) return {};
    model::RunError why{"chain_too_long", "agents caused one another " + std::to_string(limits::chain_depth_max) +
                                              " times in a row: the chain ends here"};
    return close(std::move(made), WakeState::refused, std::move(why), unit);
}

base::Result<std::optional<model::Wake>> Wakes::find_key(const std::string& run_key, Unit& unit) {
    if (book_.was_made_now(run_key)) TRY(book_.flush(unit));
    return unit.store.wakes().find_key(run_key);
}

base::Result<model::Wake> Wakes::enqueue(model::Wake fresh, Unit& unit) {
    fresh.state = WakeState::queued;
    fresh.created_at = unit.now;
    model::Wake made = book_.add(std::move(fresh));
    TRY(tell(made, false, unit));
    return made;
}

// What waited is done along with it.
base::Result<void> Wakes::fold(const model::Wake& waiting, model::Wake& into, Unit& unit) {
    TRY_ASSIGN(const std::int64_t depth, deepest_signal(waiting, unit));
    book_.deepen(into.id, depth);
    TRY(book_.write_signals(unit));
    TRY(unit.store.wakes().move_signals(waiting.id, into.id, into.signals));
    book_.carry(into.id, book_.find(waiting.id)->carries);
    into.signals += waiting.signals;
    into.priority = std::max(into.priority, waiting.priority);
    model::Wake folded = waiting;
    folded.coalesced_into = into.id;
    return close(std::move(folded), WakeState::coalesced, std::nullopt, unit);
}

base::Result<std::int64_t> Wakes::deepest_signal(const model::Wake& wake, Unit& unit) {
    const WakeBook::Entry* const entry = book_.find(wake.id);  // null: it has ended
    if (entry != nullptr && entry->depth) return *entry->depth;
    TRY(book_.write_signals(unit));
    std::int64_t deepest = 0;
    std::size_t found = limits::sweep_slice_rows;
    for (std::int64_t after = 0; found == limits::sweep_slice_rows && deepest < limits::chain_depth_max;) {
        TRY_ASSIGN(const auto some, unit.store.wakes().signals(wake.id, after, limits::sweep_slice_rows));
        found = some.size();
        for (const model::WakeSignal& signal : some) {
            after = signal.ordinal;
            const std::int64_t depth = depth_said(signal.body.view());
            if (depth <= limits::chain_depth_max) deepest = std::max(deepest, depth);
        }
    }
    if (entry != nullptr) book_.set_depth(wake.id, deepest);
    return deepest;
}

base::Result<std::int64_t> Wakes::depth_of(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const std::int64_t deepest, deepest_signal(wake, unit));
    if (wake.session_id.empty()) return deepest;
    TRY_ASSIGN(const auto held, unit.store.notifications().depth_held(wake.session_id));
    return std::max(deepest, held.value_or(0));
}

// Belfry itself works for many at once, and what it says for one of them it says with its depth.
base::Result<std::optional<std::int64_t>> Wakes::depth_under(const model::Principal& who, std::string_view user_id,
                                                             std::string_view session_id, Unit& unit) {
    TRY(refresh(unit));
    const bool is_house = who.id == model::house_principal().id;
    std::optional<std::int64_t> deepest;
    for (const model::WakeId id : book_.running_ids()) {
        const WakeBook::Entry& entry = *book_.find(id);
        if (entry.wake.user_id != user_id) continue;
        // Of whoever was not heard of since Belfry started it is known only that he may work for the user.
        const bool may_be_his =
            who.role == model::Role::agent && rules::may_work_for(who, user_id, entry.wake.agent_id).ok();
        const bool is_his = !is_house && (entry.worker.empty() ? may_be_his : entry.worker == who.id);
        const bool is_there = !session_id.empty() && entry.wake.session_id == session_id;
        if (!is_his && !is_there) continue;
        TRY_ASSIGN(const std::int64_t depth, depth_of(entry.wake, unit));
        deepest = std::max(deepest, std::optional(depth));
    }
    return deepest;
}

base::Result<model::ChangeOrigin> Wakes::origin_of(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const std::int64_t depth, depth_of(wake, unit));
    return model::ChangeOrigin{model::ChangeOrigin::Kind::agent, wake.agent_id, depth + 1};
}

base::Result<void> Wakes::trace(model::Event& event, std::string_view person, const model::Principal& by, Unit& unit) {
    std::optional<std::int64_t> depth;
    if (by.role == model::Role::agent) {
        TRY_ASSIGN(depth, unit.store.notifications().depth_held_by(by.id));
    }
    if (event.run_id != 0 || !event.agent_id.empty()) {
        TRY(refresh(unit));
        auto id = book_.of_run(event.run_id);
        if (!id) id = book_.running_of(event.agent_id);
        const model::Wake* const wake = id ? &book_.find(*id)->wake : nullptr;
        if (wake != nullptr && wake->state == WakeState::running && wake->user_id == person) {
            TRY_ASSIGN(const std::int64_t of_wake, depth_of(*wake, unit));
            depth = std::max(depth, std::optional(of_wake));
        }
    }
    if (depth) say_depth(event.extensions, *depth + 1);
    return {};
}

base::Result<Wakes::Errands> Wakes::errands_of(const model::Wake& wake, Unit& unit) {
    Errands errands;
    TRY(book_.write_signals(unit));
    TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
    for (std::int64_t after = 0;;) {
        TRY_ASSIGN(const auto some, unit.store.wakes().signals(wake.id, after, limits::sweep_slice_rows));
        for (const model::WakeSignal& one : some) {
            after = one.ordinal;
            const bool is_words = one.kind == model::SignalKind::user;
            const bool is_errand = is_words || one.kind == model::SignalKind::notification;
            const auto id = is_errand ? base::parse_uuid(one.key) : std::nullopt;
            if (!id) continue;
            if (is_words) {
                TRY_ASSIGN(const auto words, unit.store.user_messages().place({*id}, unit.now));
                if (!words) continue;  // they came along with the wake itself
                ++errands.all;
                if (holder.is_visitor) continue;  // the session is another agent's by now, which is given the words
                const bool is_waiting = *words == ports::WordsPlace::waiting;
                errands.open += is_waiting ? 1 : 0;
                errands.words += is_waiting ? 1 : 0;
                errands.held += *words == ports::WordsPlace::handed ? 1 : 0;
                continue;
            }
            ++errands.all;
            TRY_ASSIGN(const auto row, unit.store.notifications().find({*id}));
            if (!row) continue;
            errands.open += rules::waits_for_agent(*row) ? 1 : 0;
            errands.escalated += row->handler == model::Handler::system ? 1 : 0;
        }
        if (some.size() < limits::sweep_slice_rows) return errands;
    }
}

// A turn was asked for. Where its agent is a record here, it is woken for it.
base::Result<void> Wakes::begin_turns(Unit& unit) {
    for (const TurnWish& wish : sessions_.take_turn_wishes()) TRY(begin_turn(wish, unit));
    return {};
}

base::Result<void> Wakes::begin_turn(const TurnWish& wish, Unit& unit) {
    std::string agent_id = wish.agent_id;
    if (agent_id.empty() && !wish.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(wish.session_id, unit));
        if (session != nullptr) agent_id = rules::agent_to_wake(*session);
    }
    if (agent_id.empty()) return {};
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id, unit));
    if (agent == nullptr || agent->agent.user_id != wish.user_id) return {};
    const bool is_persons = wish.cause == TurnWish::Cause::user_input;
    const WakeReason reason = is_persons ? WakeReason::user_initiated : WakeReason::subscription;
    if (!rules::takes(agent->agent.mode, reason)) return {};
    Signal cause;
    cause.key = base::format_uuid(wish.id);
    cause.reason = reason;
    cause.reason_id = is_persons ? cause.key : std::string(notifications_rule);
    cause.kind = is_persons ? model::SignalKind::user : model::SignalKind::notification;
    cause.run_key = is_persons ? rules::turn_run_key(agent_id, wish.session_id, cause.key)
                               : rules::event_run_key(agent_id, cause.reason_id, std::span(&cause.key, 1));
    cause.session_id = wish.session_id;
    cause.depth = wish.depth;
    TRY(refresh(unit));
    TRY(signal(agent_id, wish.user_id, cause, unit));
    return make_due_ready(agent_id, unit);
}

// What came without a window is due now.
base::Result<void> Wakes::make_due_ready(const std::string& agent_id, Unit& unit) {
    for (const model::WakeId id : book_.of_agent(agent_id)) {
        const WakeBook::Entry& entry = *book_.find(id);
        const bool is_due = entry.wake.state == WakeState::queued && !entry.is_ready && entry.wake.due_at <= unit.now;
        if (is_due) TRY(make_ready(id, unit));
    }
    return {};
}

base::Result<void> Wakes::ring(const Ring& ring, Unit& unit) {
    TRY(refresh(unit));
    Signal cause;
    cause.reason = ring.catch_up ? WakeReason::recovery_catchup : WakeReason::timer;
    cause.reason_id = ring.timer_id;
    cause.run_key = rules::timer_run_key(ring.agent_id, ring.timer_id, ring.scheduled_at);
    cause.kind = model::SignalKind::timer;
    cause.key = base::format_timestamp(ring.scheduled_at);
    cause.body = ring.body;
    cause.priority = ring.priority;
    cause.catch_up = ring.catch_up;
    cause.wakes_others = true;
    TRY(signal(ring.agent_id, ring.user_id, cause, unit));
    return make_due_ready(ring.agent_id, unit);
}

}  // namespace belfry::engine
