#include "sim/wake_cast.hpp"

#include <algorithm>
#include <array>

#include "ports/commands/agents.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/timers.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t holds_max = 40;
constexpr std::array<const char*, 4> types{"ci.failed", "ci.passed", "mail.came", "door.opened"};

std::unique_ptr<ports::EndWake> end_of(model::WakeId id, std::int64_t fence) {
    auto command = std::make_unique<ports::EndWake>();
    command->id = id;
    command->fence = fence;
    return command;
}

template <class C>
ports::AnyCommand by_house(std::unique_ptr<C> command) {
    command->principal = model::house_principal();
    return command;
}

}  // namespace

WakeCast::WakeCast(SeededRandom random, const WakesWitness& book)
    : random_(random), book_(book), failing_(random_.below(60)), crashing_(random_.below(30)) {}

ports::AnyCommand WakeCast::act(base::Timestamp now) {
    return random_.percent(55) ? worker(now) : person(now);
}

ports::AnyCommand WakeCast::person(base::Timestamp now) {
    if (book_.agents().size() < 4) return create();
    const std::uint64_t draw = random_.below(1000);
    if (draw < 400) return emit();
    if (draw < 620) return wake();
    if (draw < 760) return change(now);
    if (draw < 820) return add_timer(now);
    if (draw < 850) return change_timer();
    if (draw < 900) return subscribe();
    if (draw < 915) return unsubscribe();
    if (draw < 975) return cancel();
    if (draw < 990) return create();
    auto command = std::make_unique<ports::DestroyAgent>();
    command->agent_id = some_agent();
    return by_house(std::move(command));
}

std::string WakeCast::some_agent() {
    const auto& all = book_.agents();
    if (all.empty() || random_.one_in(200)) return "nobody";
    std::vector<const std::string*> alive;
    for (const auto& [id, record] : all) {
        if (record.agent.lifecycle != model::AgentLifecycle::destroyed) alive.push_back(&id);
    }
    if (alive.empty() || random_.one_in(60))
        return std::next(all.begin(), static_cast<std::ptrdiff_t>(random_.below(all.size())))->first;
    return *alive[random_.below(alive.size())];
}

base::Timestamp WakeCast::soon(base::Timestamp now) {
    return now + base::microseconds(
                     static_cast<std::int64_t>(1 + random_.below(random_.one_in(3) ? 7'200'000'000 : 90'000'000)));
}

base::Uuid WakeCast::new_id() {
    base::Uuid id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
    return id;
}

ports::AnyCommand WakeCast::create() {
    auto command = std::make_unique<ports::CreateAgent>();
    std::size_t alive = 0;
    for (const auto& [id, record] : book_.agents()) {
        alive += record.agent.lifecycle != model::AgentLifecycle::destroyed ? 1 : 0;
    }
    command->draft.id = alive < 9 ? "a" + std::to_string(named_++) : some_agent();
    command->draft.user_id = some_user();
    command->draft.kind = random_.one_in(2) ? "student" : "coach";
    if (random_.one_in(5)) command->draft.mode = model::AgentMode::autonomous;
    else if (random_.one_in(8)) command->draft.mode = model::AgentMode::interactive;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::change(base::Timestamp now) {
    auto command = std::make_unique<ports::ChangeAgent>();
    command->agent_id = some_agent();
    const auto known = book_.agents().find(command->agent_id);
    const bool rests = known != book_.agents().end() && known->second.agent.lifecycle == model::AgentLifecycle::dormant;
    if (rests && !random_.one_in(3)) command->patch.dormant = false;
    else if (random_.one_in(25)) command->patch.dormant = true;
    else if (random_.one_in(12)) command->patch.mode = static_cast<model::AgentMode>(random_.below(3));
    else if (random_.one_in(10)) command->state.sleep_until = std::optional(soon(now));
    else if (random_.one_in(4)) command->state.next_wake_at = std::optional(soon(now));
    else if (random_.one_in(20)) command->state.sleep_until = std::optional<base::Timestamp>();
    else if (random_.one_in(3)) command->state.slots.emplace().primary_goal = "goal " + std::to_string(named_++);
    else command->patch.display_name = "name " + std::to_string(named_++);
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::subscribe() {
    auto command = std::make_unique<ports::PutWakeSubscription>();
    model::WakeSubscription& draft = command->draft;
    draft.agent_id = some_agent();
    if (random_.one_in(2)) draft.types = {random_.one_in(2) ? "ci.*" : types[random_.below(types.size())]};
    else if (random_.one_in(3)) draft.tokens = {"id:" + some_agent()};
    else if (random_.one_in(3)) draft.tokens = {"key:agentMessageAppended"};
    else draft.tokens = {random_.one_in(2) ? "key:agentChanged" : "sub:agent_state/student", "key:agentStateChanged"};
    constexpr std::array windows{0, 0, 2, 30, 120};
    draft.window = base::seconds(windows[random_.below(windows.size())]);
    draft.priority = static_cast<std::int64_t>(random_.below(3)) - 1;
    draft.active = !random_.one_in(10);
    std::ranges::sort(draft.tokens);
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::unsubscribe() {
    auto command = std::make_unique<ports::DeleteWakeSubscription>();
    const auto& rules = book_.rules();
    if (rules.empty()) return emit();
    const auto& [id, rule] = *std::next(rules.begin(), static_cast<std::ptrdiff_t>(random_.below(rules.size())));
    command->agent_id = rule.agent_id;
    command->id = id;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::add_timer(base::Timestamp now) {
    auto command = std::make_unique<ports::AddTimer>();
    command->agent_id = some_agent();
    command->name = "t" + std::to_string(random_.below(4));
    command->active = !random_.one_in(8);
    command->input = model::RawJson::trusted(R"({"do":"it"})");
    switch (random_.below(4)) {
        case 0:
            command->schedule.kind = "at";
            command->schedule.at = soon(now);
            break;
        case 1:
            command->schedule.kind = "every";
            command->schedule.interval = random_.one_in(2) ? "40s" : "7m";
            break;
        case 2:
            command->schedule.kind = "every";
            command->schedule.interval = "3h";
            break;
        default:
            command->schedule.kind = "daily";
            command->schedule.time = (random_.one_in(2) ? "0" : "1") + std::to_string(random_.below(10)) + ":30";
            command->zone = MadeUpZones::names[random_.below(2)];
            break;
    }
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::change_timer() {
    const model::AgentTimer* const timer = book_.timers().some(random_.next());
    if (timer == nullptr) return emit();
    if (random_.one_in(3)) {
        auto command = std::make_unique<ports::DeleteTimer>();
        command->agent_id = timer->agent_id;
        command->id = timer->id;
        return by_house(std::move(command));
    }
    auto command = std::make_unique<ports::ChangeTimer>();
    command->agent_id = timer->agent_id;
    command->id = timer->id;
    if (random_.one_in(2)) command->zone = MadeUpZones::names[random_.below(2)];
    else command->active = random_.one_in(2);
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::emit() {
    auto command = std::make_unique<ports::EmitEvents>();
    for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
        model::Event event;
        event.type = types[random_.below(types.size())];
        event.source = "t";
        event.user_id = some_user();
        event.payload = model::RawJson::trusted(R"({"message":"m"})");
        command->entries.push_back({std::move(event), {}});
    }
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::wake() {
    auto command = std::make_unique<ports::WakeAgent>();
    // Mostly a new request; else the last one once more, heard or not.
    if (asked_.agent_id.empty() || !random_.one_in(5)) {
        asked_ = {some_agent(), "r" + std::to_string(named_++), {}};
        if (random_.one_in(3)) {
            const auto known = book_.agents().find(asked_.agent_id);
            const std::string user = known == book_.agents().end() ? "ada" : known->second.agent.user_id;
            asked_.session_id = user + std::to_string(random_.below(2));
        }
    }
    command->agent_id = asked_.agent_id;
    command->request_id = asked_.request_id;
    command->session_id = asked_.session_id;
    if (!asked_.session_id.empty()) command->reason = model::WakeReason::user_initiated;
    if (random_.one_in(3)) command->input = model::RawJson::trusted(R"({"say":"hello"})");
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::cancel() {
    const auto& open = book_.open();
    if (open.empty()) return wake();
    const model::Wake& wake = std::next(open.begin(), static_cast<std::ptrdiff_t>(random_.below(open.size())))->second;
    if (wake.run_id != 0 && random_.one_in(2)) {
        auto command = std::make_unique<ports::CancelRun>();
        command->run_id = wake.run_id;
        return by_house(std::move(command));
    }
    auto command = std::make_unique<ports::CancelWake>();
    command->id = random_.one_in(6) ? 1 + static_cast<model::WakeId>(random_.below(20)) : wake.id;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::worker(base::Timestamp now) {
    std::vector<Hold*> busy;
    for (Hold& hold : holds_) {
        if (!hold.is_over) busy.push_back(&hold);
    }
    if (!holds_.empty() && random_.percent(8)) return late();
    if (busy.empty() || random_.percent(35)) return claim();
    Hold& hold = *busy[random_.below(busy.size())];
    if (random_.percent(crashing_)) {
        hold.is_over = true;  // whoever had it is not heard of any more, or much later
        return claim();
    }
    return work_on(hold, now);
}

ports::AnyCommand WakeCast::work_on(Hold& hold, base::Timestamp now) {
    const std::uint64_t draw = random_.below(100);
    if (draw < 35) return end(hold, now);
    if (draw < 60) {
        auto command = std::make_unique<ports::RenewWake>();
        command->id = hold.id;
        command->fence = hold.fence;
        command->lease = base::seconds(static_cast<std::int64_t>(1 + random_.below(600)));
        return by_house(std::move(command));
    }
    if (draw < 80) return say(hold);
    return draw < 92 ? plan(hold) : remember(hold, now);
}

// A word of one who was thought to be gone, or has said it before.
ports::AnyCommand WakeCast::late() {
    Hold& hold = holds_[random_.below(holds_.size())];
    if (random_.one_in(3)) return by_house(end_of(hold.id, hold.fence));
    if (random_.one_in(3)) return plan(hold);
    if (random_.one_in(3)) return say(hold);
    auto command = std::make_unique<ports::RenewWake>();
    command->id = hold.id;
    command->fence = random_.one_in(8) ? hold.fence + 1 : hold.fence;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::claim() {
    auto command = std::make_unique<ports::ClaimWake>();
    if (!random_.one_in(3)) {
        for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) command->agents.push_back(some_agent());
    }
    command->holder = "w" + std::to_string(random_.below(5));
    command->lease = base::seconds(static_cast<std::int64_t>(random_.one_in(3) ? 1 + random_.below(20) : 60));
    if (random_.one_in(3)) command->context_messages = 5;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::say(Hold& hold) {
    auto command = std::make_unique<ports::AppendAgentMessages>();
    command->id = hold.id;
    command->fence = hold.fence;
    if (!hold.said.empty() && random_.one_in(4)) {
        command->drafts = hold.said;  // it does not know whether that was heard
        return by_house(std::move(command));
    }
    model::AgentMessage message;
    message.id = new_id();
    if (!hold.open_operation.empty() && random_.one_in(2)) {
        message.kind = model::AgentMessageKind::tool_result;
        message.tool_result.emplace();
        message.metadata.operation_id = hold.open_operation;
        message.metadata.status = model::ToolStatus::success;
        hold.open_operation.clear();
    } else if (random_.one_in(3)) {
        hold.open_operation = "o" + std::to_string(named_++);
        message.kind = model::AgentMessageKind::action;
        message.action.emplace().tool_name = "mail";
        message.metadata.operation_id = hold.open_operation;
        message.content = model::RawJson::trusted(R"({"to":"ada"})");
    } else {
        message.kind = model::AgentMessageKind::thought;
        message.content = model::RawJson::trusted("\"thought " + std::to_string(named_++) + '"');
    }
    hold.said = {std::move(message)};
    command->drafts = hold.said;
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::plan(const Hold& hold) {
    auto command = std::make_unique<ports::StorePlan>();
    command->id = hold.id;
    command->fence = hold.fence;
    for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
        command->actions.emplace_back().tool_name = random_.one_in(2) ? "mail" : "phone";
    }
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::remember(const Hold& hold, base::Timestamp now) {
    auto command = std::make_unique<ports::ChangeOwnState>();
    command->wake_id = hold.id;
    command->fence = hold.fence;
    if (random_.one_in(3)) command->state.next_wake_at = std::optional(soon(now));
    else command->state.slots.emplace().primary_goal = "goal " + std::to_string(named_++);
    return by_house(std::move(command));
}

ports::AnyCommand WakeCast::end(Hold& hold, base::Timestamp now) {
    auto command = end_of(hold.id, hold.fence);
    if (random_.percent(failing_)) {
        command->error = model::RunError{"boom", "it broke"};
        command->may_mend = !random_.one_in(8);
    } else command->result = model::RawJson::trusted(R"({"done":true})");
    if (random_.one_in(30)) command->sleep_until = soon(now);
    if (random_.one_in(12)) command->next_wake_at = soon(now);
    hold.is_over = true;
    return by_house(std::move(command));
}

void WakeCast::heard(const ports::Command& command) {
    const auto* const claim = dynamic_cast<const ports::ClaimWake*>(&command);
    if (claim == nullptr || !claim->result().ok() || !claim->result()->grant) return;
    const model::Wake& wake = claim->result()->grant->wake;
    holds_.push_back({wake.id, wake.fence, wake.run_id, {}, {}, false});
    if (holds_.size() > holds_max) holds_.erase(holds_.begin());
}

ports::AnyCommand WakeCast::claim_any() {
    return by_house(std::make_unique<ports::ClaimWake>());
}

ports::AnyCommand WakeCast::end_well(const model::Wake& wake) {
    return by_house(end_of(wake.id, wake.fence));
}

}  // namespace belfry::sim
