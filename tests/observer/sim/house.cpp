#include "house.hpp"

#include <algorithm>

#include "edge.hpp"
#include "ports/commands/house_work.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"

namespace observer::sim {
namespace {

constexpr std::size_t context_messages = 20;

model::PlannedAction notify_action(const std::string& text) {
    model::PlannedAction action;
    action.tool_name = "notify_user";
    std::string arguments;
    model::JsonWriter(arguments).begin_object().field("text", text).end_object();
    action.arguments = model::RawJson::trusted(std::move(arguments));
    return action;
}

// True if something that the turn was given, or was woken for, is for the agent's decision.
bool has_decision(const ports::Turn& turn) {
    if (!turn.handed()) return true;
    const std::vector<ports::PulledItem>& items = turn.handed()->items;
    return items.empty() || std::ranges::any_of(items, [](const ports::PulledItem& item) {
               return item.notification.target == model::Target::agent;
           });
}

}  // namespace

// ---- agents that Belfry runs ----------------------------------------------------------------------------------------

base::Result<ports::TurnEnd> DiceModel::run(ports::Turn& turn) {
    if (turn.rounds().empty() && random_.one_in(2)) {
        // The user recognises what the agent tells by the texts that it quotes.
        std::string text = mark_ + " dice";
        if (turn.handed())
            for (const ports::PulledItem& item : turn.handed()->items) text += " " + item.notification.text;
        TRY(turn.plan({notify_action(text)}));
    }
    // A failure for good shows the user what the agent was to decide, and the observer does not see failures.
    const bool may_fail = !has_decision(turn);
    ports::TurnEnd end;
    if (may_fail && random_.one_in(6)) {
        end.error = model::RunError{"model", "the dice fell off the table"};
        end.may_mend = random_.one_in(2);
        return end;
    }
    TRY(turn.act());
    if (may_fail && random_.one_in(8)) {
        end.error = model::RunError{"model", "the dice fell off the table"};
        return end;
    }
    if (turn.handed())
        for (const ports::PulledItem& item : turn.handed()->items)
            if (random_.one_in(2)) end.heard.push_back(item.handle);
    end.all_heard = belfry::daemon::was_heard(turn.rounds()) && random_.one_in(2);
    end.all_decided = random_.one_in(2);
    return end;
}

House::House(Stage& stage, const std::string& name, SeededRandom random, std::string model_mark,
             std::function<void(std::int64_t)> act_for)
    : Party(stage, name, random),
      act_for_(std::move(act_for)),
      door_(*this),
      engine_(door_),
      model_(random_.fork(), std::move(model_mark)) {}

void House::lost() {
    for (belfry::daemon::HouseTurn* const turn : under_way_) turn->give_up();
}

void House::look_soon() {
    stage_.schedule.after(1000 + stage_.node.latency(10'000), [this] { look(); });
}

base::Result<void> House::submit(ports::AnyCommand& command) {
    const std::uint64_t life = stage_.node.lives();
    if (!under_way_.empty() && random_.one_in(2)) act_for_(stage_.node.latency(40'000));
    if (life != stage_.node.lives()) return base::error(base::Code::internal, "the process died");
    return stage_.node.submit(command);
}

void House::look() {
    if (!stage_.node.is_up() || under_way_.size() >= turns_max) return;
    const std::uint64_t life = stage_.node.lives();
    if (returned_in_ != life) {
        if (!engine_.ask<ports::ReturnWakes>([](ports::ReturnWakes&) {}).ok()) return;
        returned_in_ = life;
    }
    using model::WorkflowKind;
    const bool is_first = looks_++ % 2 == 0;
    const WorkflowKind first = is_first ? WorkflowKind::script : WorkflowKind::model;
    const WorkflowKind second = is_first ? WorkflowKind::model : WorkflowKind::script;
    if (look_for(first) || look_for(second)) look_soon();
}

bool House::look_for(model::WorkflowKind kind) {
    auto claimed = engine_.ask<ports::ClaimWake>([&](ports::ClaimWake& wish) {
        wish.workflow = kind;
        wish.holder = "belfry";
        wish.lease = belfry::daemon::HouseTurn::lease;
        wish.context_messages = context_messages;
    });
    if (!claimed.ok() || !claimed->grant) return false;
    belfry::daemon::HouseTurn turn(engine_, stage_.node.clock(), std::move(*claimed->grant));
    under_way_.insert(&turn);
    look_soon();  // there may be more, for another worker
    ports::Workflow& workflow = kind == model::WorkflowKind::script ? static_cast<ports::Workflow&>(script_) : model_;
    auto begun = turn.begin();
    auto end = begun.ok() ? workflow.run(turn) : base::Result<ports::TurnEnd>(std::move(begun).error());
    if (!turn.is_over() && (end.ok() || end.error().reason != "stale_claim")) {
        ports::TurnEnd how;
        if (end.ok()) how = std::move(*end);
        else how.error = model::RunError{base::code_name(end.error().code), end.error().message};
        (void)turn.finish(std::move(how));
    }
    under_way_.erase(&turn);
    return true;
}

// ---- agents that a worker runs --------------------------------------------------------------------------------------

void Worker::act() {
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = {agent_id_};
    command->holder = name_;
    command->lease = base::seconds(10);
    stage_.node.ask_surely<ports::ClaimWake>(
        std::move(command), agent_.token(), [this](const base::Result<ports::ClaimReply>* result) {
            if (result == nullptr || !result->ok() || !(*result)->grant) return later(50, 300, [this] { act(); });
            PullWish wish;
            wish.lease_s = 5;
            agent_.pull(session_, wish,
                        [this, wake = (*result)->grant->wake](const Pulled& pull) { work(wake, pull); });
        });
}

void Worker::work(const model::Wake& wake, const Pulled& pull) {
    const std::vector<PulledItem> items = matters_of(pull);
    // The tool is about what the wake is about, so it is used where the wake has one matter.
    if (items.size() != 1 || tools_.empty() || !random_.percent(80)) return end(wake, pull);
    use_tool(wake, items.front(), [this, wake, pull] { after(1000, [this, wake, pull] { end(wake, pull); }); });
}

void Worker::use_tool(const model::Wake& wake, const PulledItem& item, const std::function<void()>& then) {
    ToolCalled seen;
    seen.runtime = seen.token = name_;
    seen.user = agent_.user();
    seen.session = session_;
    seen.tool = tools_.back();
    tools_.pop_back();
    seen.status = "pending";
    seen.by_belfry = true;
    seen.handling.push_back({item.id, std::nullopt, std::nullopt});
    auto command = std::make_unique<ports::CallTool>();
    command->id = wake.id;
    command->fence = wake.fence;
    command->operation_id = "op-" + seen.tool;
    command->call = ports::ToolWish{seen.tool, {}};
    stage_.node.ask<ports::CallTool>(
        std::move(command), agent_.token(),
        [this, began = stage_.recorder.tick(), seen, then](const base::Result<ports::CalledTool>* result) mutable {
            seen.answer = answer_of(result);
            stage_.recorder.add(name_, seen, began);
            then();
        });
}

void Worker::end(const model::Wake& wake, const Pulled& pull) {
    const auto end_wake = [this, wake](std::int64_t) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->result = model::RawJson();
        stage_.node.ask_surely<ports::EndWake>(std::move(command), agent_.token(),
                                               [this](const auto*) { later(5, 50, [this] { act(); }); });
    };
    if (!pull.answer.is_accepted()) return end_wake(0);
    EndWish wish;
    wish.pull_id = pull.pull_id;
    if (random_.one_in(2)) wish.acknowledged = matters_of(pull);
    agent_.end(session_, wish, end_wake);
}

void ToolServer::act() {
    auto command = std::make_unique<ports::ClaimOutsideCall>();
    command->tools = tools_;
    command->holder = name_;
    command->lease = base::seconds(10);
    const auto again = [this] { stage_.schedule.after(200'000, [this] { act(); }); };
    stage_.node.ask_surely<ports::ClaimOutsideCall>(
        std::move(command), token_, [this, again](const base::Result<ports::ClaimedOutsideCall>* result) {
            if (result == nullptr || !result->ok() || !(*result)->call) return again();
            auto end = std::make_unique<ports::EndOutsideCall>();
            end->id = (*result)->call->id;
            end->fence = (*result)->call->fence;
            end->result = model::RawJson::trusted(R"({"done":true})");
            stage_.node.ask_surely<ports::EndOutsideCall>(std::move(end), token_, [again](const auto*) { again(); });
        });
}

}  // namespace observer::sim
