#include "sim/calls_world.hpp"

#include <algorithm>
#include <cstdio>

#include "base/limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/journal.hpp"
#include "sim/expected_journal.hpp"

namespace belfry::sim {
namespace {

constexpr const char* agent_id = "coach";
constexpr int rest_rounds_max = 4000;
constexpr std::int64_t attempts_in_trouble = 2;  // then the agent would soon rest for its failures

// A run is short: what is to happen to it happens soon.
Weather harsh(SeededRandom& random, std::uint64_t seed) {
    Weather weather(random, seed, false);
    weather.dies_in_operation = random.one_in(4) ? 0 : random.below(250);
    weather.dies_after_step = random.one_in(4) ? 0 : random.below(200);
    weather.restarts = random.below(80);
    weather.retention = {};
    return weather;
}

engine::EngineOptions options_of(MadeUpZones& zones) {
    engine::EngineOptions options;
    options.zones = &zones;
    return options;
}

template <class C>
ports::AnyCommand by_house(std::unique_ptr<C> command) {
    command->principal = model::house_principal();
    return command;
}

std::vector<std::string> all_capabilities() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model::agent_capability_count; ++i) {
        names.emplace_back(model::agent_capability_name(static_cast<model::AgentCapability>(i)));
    }
    return names;
}

// Belfry could not say what became of it.
bool is_in_doubt(const base::Error& why) {
    using base::Code;
    return why.code == Code::unavailable || why.code == Code::outcome_unknown || why.code == Code::io ||
           why.code == Code::overloaded;
}

}  // namespace

CallsWorld::CallsWorld(std::uint64_t seed, bool verbose)
    : verbose_(verbose),
      random_(seed),
      weather_(harsh(random_, seed)),
      machine_(seed, random_.fork(), weather_, clock_, subscribers_, options_of(zones_)),
      wishes_(random_.fork()),
      worker_dies_(random_.one_in(4) ? 0 : random_.below(300)) {}

CallsWorld::Tally& CallsWorld::Tally::operator+=(const Tally& other) {
    using Count = std::uint64_t Tally::*;
    for (const Count count : {&Tally::applied, &Tally::sweeps, &Tally::asked, &Tally::unheard, &Tally::claims,
                              &Tally::workers_lost, &Tally::power_losses, &Tally::process_losses, &Tally::restarts,
                              &Tally::commits_failed, &Tally::commits_unknown, &Tally::disk_operations}) {
        this->*count += other.*count;
    }
    using Sum = std::uint64_t CallsWitness::Sums::*;
    using Sums = CallsWitness::Sums;
    for (const Sum sum : {&Sums::calls, &Sums::succeeded, &Sums::refused, &Sums::repeats, &Sums::mutations}) {
        sums.*sum += other.sums.*sum;
    }
    return *this;
}

void CallsWorld::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

Complaints CallsWorld::run(std::uint64_t steps) {
    start();
    while (step_ < steps && complaints_.empty() && !has_ended_) {
        ++step_;
        one_step();
        if (machine_.disk().is_dead()) die();
    }
    if (complaints_.empty()) come_to_rest();
    if (complaints_.empty()) compare_end();
    tally_.disk_operations = machine_.disk().operations();
    tally_.sums = witness_.sums();
    return complaints_;
}

// What there is, who works on it, and why: as often as it takes until it was heard.
void CallsWorld::make_beginning() {
    auto records = std::make_unique<ports::ImportJournal>();
    records->user_id = "ada";
    for (model::JournalRecord& record : ExpectedJournal::beginning()) records->items.emplace_back(std::move(record));
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->draft.id = agent_id;
    agent->draft.user_id = "ada";
    agent->draft.allowed_category_ids = {"gym", "home"};
    agent->draft.capabilities = all_capabilities();
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = agent_id;
    wake->request_id = "run";
    std::vector<ports::AnyCommand> group;
    group.push_back(by_house(std::move(records)));
    group.push_back(by_house(std::move(agent)));
    group.push_back(by_house(std::move(wake)));
    send_group(std::move(group));
}

void CallsWorld::one_step() {
    machine_.bring_trouble(step_);
    pass_time();
    loses_answers_ = has_begun_ && wake_->attempts < attempts_in_trouble && random_.one_in(12);
    const std::uint64_t draw = random_.below(1000);
    if (draw < 150 || !machine_.is_up()) {
        tend();
    } else if (draw < 150 + weather_.checkpoints && machine_.is_up()) {
        (void)machine_.store().database().script("PRAGMA wal_checkpoint(TRUNCATE)");
    } else if (has_begun_) {
        work();
    } else {
        make_beginning();
    }
    if (machine_.disk().is_dead()) return;
    if (random_.below(1000) < worker_dies_ || loses_answers_) lose_worker();
    if (random_.below(1000) < weather_.dies_after_step) {
        machine_.disk().die();
    } else if (random_.below(1000) < weather_.restarts) {
        say("stop and start");
        ++tally_.restarts;
        machine_.stop();
        start();
    } else if (random_.one_in(4)) {
        look();
    }
}

void CallsWorld::pass_time() {
    clock_.advance(base::microseconds(static_cast<std::int64_t>(1 + random_.below(200'000))));
    if (!machine_.is_up()) return clock_.advance(base::limits::reopen_pause_max);
    const bool may_lose = wake_ && wake_->attempts < attempts_in_trouble;
    if (may_lose && random_.one_in(40)) clock_.advance(base::seconds(static_cast<std::int64_t>(random_.below(90))));
}

// Whoever comes after him knows nothing of what he did.
void CallsWorld::lose_worker() {
    if (!worker_.claim || worker_.is_healthy) return;
    say("the worker dies");
    ++tally_.workers_lost;
    lost_claim_ = std::move(worker_.claim);
    worker_ = {};
}

void CallsWorld::work() {
    if (!worker_.claim) return send(claim());
    if (worker_.rounds == 0) return send(plan_of_round(1));
    if (!open_calls().empty() || random_.one_in(8)) return call_some();
    if (worker_.rounds < rounds_wanted()) return send(plan_of_round(worker_.rounds + 1));
    send(end());
}

// One after the other, or several at once; some of them again, and some by one who does not know that he has lost.
void CallsWorld::call_some() {
    std::vector<ports::AnyCommand> group;
    std::vector<ports::AnyCommand> open = open_calls();
    const std::size_t count = random_.one_in(3) ? 1 + random_.below(3) : 1;
    for (std::size_t i = 0; i < std::min(count, open.size()); ++i) {
        const auto& next = static_cast<const ports::CallTool&>(*open[i]);
        if (random_.one_in(6)) group.push_back(call_of(*worker_.claim, next.operation_id, next.call));
        if (lost_claim_ && random_.one_in(6)) group.push_back(call_of(*lost_claim_, next.operation_id, next.call));
        group.push_back(std::move(open[i]));
    }
    if (random_.one_in(6)) group.push_back(repeated_call());
    std::erase(group, nullptr);
    if (!group.empty()) send_group(std::move(group));
}

ports::AnyCommand CallsWorld::claim() {
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = {agent_id};
    command->holder = "worker " + std::to_string(tally_.claims);
    const bool is_sure = is_resting_ || (wake_ && wake_->attempts >= attempts_in_trouble);
    const auto seconds = static_cast<std::int64_t>(1 + random_.below(60));
    command->lease = is_sure ? base::limits::wake_lease_max : base::seconds(seconds);
    return by_house(std::move(command));
}

// A worker who comes later has other ideas, which come too late.
ports::AnyCommand CallsWorld::plan_of_round(std::int64_t round) {
    auto command = std::make_unique<ports::StorePlan>();
    command->id = worker_.claim->id;
    command->fence = worker_.claim->fence;
    command->round = round;
    std::vector<ports::ToolWish> wishes = round == 1 ? wishes_.first : wishes_.second(worker_.preview_token);
    if (round == 1 && !wishes_.concludes && random_.one_in(3)) std::ranges::reverse(wishes);
    for (ports::ToolWish& wish : wishes) {
        model::PlannedAction& action = command->actions.emplace_back();
        action.tool_name = std::move(wish.tool_name);
        action.arguments = std::move(wish.arguments);
    }
    return by_house(std::move(command));
}

ports::AnyCommand CallsWorld::end() const {
    auto command = std::make_unique<ports::EndWake>();
    command->id = worker_.claim->id;
    command->fence = worker_.claim->fence;
    return by_house(std::move(command));
}

ports::AnyCommand CallsWorld::call_of(const model::Wake& claim, std::string operation,
                                      std::optional<ports::ToolWish> wish) const {
    auto command = std::make_unique<ports::CallTool>();
    command->id = claim.id;
    command->fence = claim.fence;
    command->operation_id = std::move(operation);
    command->call = std::move(wish);
    return by_house(std::move(command));
}

std::vector<ports::AnyCommand> CallsWorld::open_calls() const {
    std::vector<ports::AnyCommand> calls;
    for (const model::PlannedAction& action : worker_.planned) {
        if (!worker_.done.contains(action.operation_id))
            calls.push_back(call_of(*worker_.claim, action.operation_id, {}));
    }
    if (worker_.rounds < rounds_wanted()) return calls;
    for (const ToolWishes::Own& own : wishes_.unplanned) {
        if (!worker_.done.contains(own.operation_id)) {
            calls.push_back(call_of(*worker_.claim, own.operation_id, own.wish));
        }
    }
    return calls;
}

ports::AnyCommand CallsWorld::repeated_call() {
    if (worker_.done.empty()) return nullptr;
    const auto at = std::next(worker_.done.begin(), static_cast<std::ptrdiff_t>(random_.below(worker_.done.size())));
    const auto own = std::ranges::find(wishes_.unplanned, *at, &ToolWishes::Own::operation_id);
    if (own == wishes_.unplanned.end()) return call_of(*worker_.claim, *at, {});
    return call_of(*worker_.claim, *at, own->wish);
}

std::vector<std::string> CallsWorld::own_operations() const {
    std::vector<std::string> names;
    for (const ToolWishes::Own& own : wishes_.unplanned) names.push_back(own.operation_id);
    return names;
}

void CallsWorld::send(ports::AnyCommand command) {
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(command));
    send_group(std::move(group));
}

void CallsWorld::send_group(std::vector<ports::AnyCommand> commands) {
    if (machine_.is_up()) tally_.applied += commands.size();
    const engine::Effects effects = machine_.engine().step(clock_.now(), std::move(commands));
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    const bool is_unheard = machine_.disk().is_dead() || loses_answers_;
    for (const ports::AnyCommand& command : effects.answered) {
        const bool is_call = dynamic_cast<const ports::CallTool*>(command.get()) != nullptr;
        tally_.asked += is_call ? 1 : 0;
        if (!is_unheard) hear(*command);
        else tally_.unheard += is_call ? 1 : 0;
    }
}

void CallsWorld::hear(ports::Command& any) {
    if (auto* called = dynamic_cast<ports::CallTool*>(&any)) return hear_call(*called);
    if (auto* claimed = dynamic_cast<ports::ClaimWake*>(&any)) {
        return claimed->result().ok() ? hear_claim(*claimed->result()) : hear_error(claimed->result().error(), 0);
    }
    if (auto* planned = dynamic_cast<ports::StorePlan*>(&any)) {
        return planned->result().ok() ? hear_plan(*planned->result())
                                      : hear_error(planned->result().error(), planned->fence);
    }
    if (auto* ended = dynamic_cast<ports::EndWake*>(&any)) {
        const base::Result<model::Wake>& result = ended->ports::CommandOf<model::Wake>::result();
        if (!result.ok()) return hear_error(result.error(), ended->fence);
        wake_ = *result;
        has_ended_ = true;
        return;
    }
    if (auto* woken = dynamic_cast<ports::WakeAgent*>(&any)) {
        if (!woken->result().ok()) return;
        wake_ = woken->result()->wake;
        has_begun_ = has_records_;
    }
    if (auto* imported = dynamic_cast<ports::ImportJournal*>(&any)) {
        has_records_ = imported->result().ok();
        if (has_records_ && !imported->result()->conflicts.empty()) {
            complaints_.push_back("the beginning is refused: " + imported->result()->conflicts.front().message);
        }
    }
}

void CallsWorld::hear_claim(const ports::ClaimReply& reply) {
    if (!reply.grant) return look_whether_ended();
    ++tally_.claims;
    worker_ = {};
    worker_.claim = wake_ = reply.grant->wake;
    worker_.is_healthy = is_resting_ || wake_->attempts >= attempts_in_trouble;
    say("claimed, attempt " + std::to_string(wake_->attempts));
}

// He believes what the plan tells of itself, or he calls everything once more.
void CallsWorld::hear_plan(const ports::StoredPlan& reply) {
    witness_.planned(reply);
    const model::PlanNow& now = reply.plan;
    worker_.rounds = now.plan.round;
    const bool believes = random_.one_in(2);
    for (std::size_t i = 0; i < now.plan.actions.size(); ++i) {
        worker_.planned.push_back(now.plan.actions[i]);
        if (!believes || !now.progress[i].result) continue;
        worker_.done.insert(now.plan.actions[i].operation_id);
        hear_result(*now.progress[i].result);
    }
}

void CallsWorld::hear_call(const ports::CallTool& command) {
    if (!command.result().ok()) return hear_error(command.result().error(), command.fence);
    const ports::CalledTool& reply = *command.result();
    say(reply.action.action->tool_name + ' ' + command.operation_id.substr(0, 8) + (reply.is_new ? " done" : " known"));
    witness_.called(command.operation_id, reply);
    if (!reply.result) return;
    worker_.done.insert(command.operation_id);
    hear_result(*reply.result);
}

void CallsWorld::hear_result(const model::AgentMessage& result) {
    const auto token = result.content.member("previewToken");
    const auto told = result.content.member("result");
    if (token && told && told->member("followUpTask")) worker_.preview_token = token->as_text();
}

void CallsWorld::hear_error(const base::Error& why, std::int64_t fence) {
    if (is_in_doubt(why)) return say("nobody knows: " + why.message);
    if (why.reason != "stale_claim") {
        complaints_.push_back("refused: " + why.reason + ' ' + why.message);
        return;
    }
    if (!worker_.claim || worker_.claim->fence != fence) return;
    say("the claim is lost");
    worker_ = {};
}

void CallsWorld::look_whether_ended() {
    clock_.advance(base::seconds(static_cast<std::int64_t>(1 + random_.below(20))));  // others have it, or it waits
    machine_.clear_read_errors();
    const auto found = machine_.store().wakes().find(wake_->id);
    if (machine_.disk().is_dead() || !found.ok() || !*found) return;
    wake_ = **found;
    has_ended_ = model::is_ended(wake_->state);
}

void CallsWorld::start() {
    if (machine_.start(clock_.now())) look();
    else say("could not open");
}

void CallsWorld::die() {
    do {
        const bool only_process = machine_.die();
        ++(only_process ? tally_.process_losses : tally_.power_losses);
        say(only_process ? "the process dies" : "the power goes");
        start();
    } while (machine_.disk().is_dead());
}

void CallsWorld::tend() {
    if (machine_.is_up()) ++tally_.sweeps;
    const engine::Effects effects = machine_.engine().tend(clock_.now());
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
}

void CallsWorld::look() {
    if (!machine_.is_up() || machine_.disk().is_dead() || !complaints_.empty() || !has_begun_) return;
    machine_.clear_read_errors();  // those who look are not part of the world
    const auto compared = witness_.compare(machine_.store(), *wake_);
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

// The disk works again, and a worker who is well brings the run to its end.
void CallsWorld::come_to_rest() {
    say("coming to rest");
    is_resting_ = true;
    loses_answers_ = false;
    machine_.clear_troubles();
    machine_.disk().set_capacity(std::nullopt);
    for (int round = 0; complaints_.empty() && round < rest_rounds_max; ++round) {
        clock_.advance(machine_.is_up() ? base::milliseconds(200) : base::seconds(11));
        tend();
        if (machine_.disk().is_dead()) die();
        if (!machine_.is_up()) continue;
        if (has_ended_) return;
        if (has_begun_) work();
        else make_beginning();
    }
    if (complaints_.empty()) complaints_.push_back("the run does not come to its end");
}

void CallsWorld::compare_end() {
    if (wake_->state != model::WakeState::completed) {
        complaints_.push_back("the run ended as " + std::string(model::wake_state_name(wake_->state)));
        return;
    }
    const auto compared = witness_.compare_end(machine_.store(), *wake_, own_operations());
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

}  // namespace belfry::sim
