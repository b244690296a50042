#include "daemon/house_turn.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/sessions.hpp"
#include "rules/house_tool.hpp"
#include "tools/registry.hpp"

namespace belfry::daemon {
namespace {

constexpr base::Duration ask_again_pause = base::milliseconds(200);
constexpr base::Duration wait_pause_max = base::seconds(2);  // while somebody else is to do something

// How Belfry's own tools are called where runtimes register theirs.
std::string registered_name(const std::string& tool) {
    return tools::find_contract(tool) != nullptr ? "belfry." + tool : tool;
}

model::RawJson call_payload(const model::PlannedAction& action, const model::AgentMessage& result,
                            base::Duration took) {
    std::string payload;
    model::JsonWriter writer(payload);
    writer.begin_object().field("tool_name", registered_name(action.tool_name)).field("call_id", action.operation_id);
    if (result.metadata.status == model::ToolStatus::success) {
        writer.field("duration_ms", took.us / 1000).name("result_summary").raw(result.content.bytes());
    } else {
        writer.field("error_type", result.metadata.error_code);
        writer.field("error_message", result.metadata.error_message);
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(payload));
}

}  // namespace

HouseTurn::HouseTurn(EngineDoor& door, const ports::Clock& clock, ports::WakeGrant grant)
    : door_(door),
      clock_(clock),
      grant_(std::move(grant)),
      text_(door.gateway(), grant_.wake.run_id, [this] { give_up(); }) {
    if (grant_.context) rounds_ = grant_.context->plans;
}

bool HouseTurn::rest(base::Duration pause) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, std::chrono::microseconds(pause.us), [this] { return is_over_; });
}

std::function<bool()> HouseTurn::goes_on() {
    return [this] { return rest(ask_again_pause); };
}

base::Result<void> HouseTurn::begin() {
    if (session_id().empty()) return {};
    TRY(door_.ask<ports::ReportTurn>([&](ports::ReportTurn& report) {
        report.principal = model::house_worker(grant_.wake.agent_id);
        report.session_id = session_id();
        report.agent_id = grant_.wake.agent_id;
    }));
    TRY_ASSIGN(handed_, door_.ask<ports::PullNotifications>([&](ports::PullNotifications& pull) {
        pull.principal = model::house_worker(grant_.wake.agent_id);
        pull.session_id = session_id();
        pull.except = grant_.reserved;
        const bool goes_on = !rounds_.empty();
        if (goes_on || !grant_.home_session.empty()) pull.only = grant_.notifications;
        // An attempt that goes on with a stored plan is given only what the plan was made for. A notification that came
        // since has a wake of its own.
        if (goes_on && pull.only.empty()) pull.only.push_back({});  // the id of none
    }));
    // Another session of the agent may hold them: without them there is nothing to plan for.
    const bool is_blind = !grant_.home_session.empty() && handed_->items.empty() && rounds_.empty() &&
                          grant_.notifications.size() == grant_.signals.size();
    if (is_blind)
        return base::error(base::Code::conflict, "another session of the agent holds the notifications of this wake");
    return {};
}

const std::string& HouseTurn::session_id() const {
    return grant_.home_session.empty() ? grant_.wake.session_id : grant_.home_session;
}

base::Result<void> HouseTurn::plan(std::vector<model::PlannedAction> actions) {
    TRY_ASSIGN(ports::StoredPlan stored, door_.insist<ports::StorePlan>(
                                             [&](ports::StorePlan& wish) {
                                                 wish.id = grant_.wake.id;
                                                 wish.fence = grant_.wake.fence;
                                                 wish.round = static_cast<std::int64_t>(rounds_.size()) + 1;
                                                 wish.actions = actions;
                                             },
                                             goes_on()));
    rounds_.push_back(std::move(stored.plan));
    return {};
}

base::Result<void> HouseTurn::act() {
    for (model::PlanNow& round : rounds_) TRY(act_round(round));
    return {};
}

base::Result<void> HouseTurn::act_round(model::PlanNow& round) {
    for (std::size_t i = 0; i < round.plan.actions.size(); ++i) {
        if (round.progress[i].result) continue;
        const model::PlannedAction& action = round.plan.actions[i];
        const base::Duration before = clock_.monotonic();
        TRY_ASSIGN(ports::CalledTool done, call_until_done(action.operation_id));
        if (done.is_new) report_call(action, *done.result, clock_.monotonic() - before);
        round.progress[i].result = std::move(done.result);
    }
    return {};
}

// Whoever it waits for may take as long as the attempt lasts: where that ends, so does the turn, and the next attempt
// asks for the same operation, whose question, or call, is still there.
base::Result<ports::CalledTool> HouseTurn::call_until_done(const std::string& operation_id) {
    const auto fill = [&](ports::CallTool& wish) {
        wish.id = grant_.wake.id;
        wish.fence = grant_.wake.fence;
        wish.operation_id = operation_id;
    };
    base::Duration pause = ask_again_pause;
    bool has_waited = false;
    for (;;) {
        TRY_ASSIGN(ports::CalledTool called, door_.insist<ports::CallTool>(fill, goes_on()));
        called.is_new = called.is_new || has_waited;
        if (called.result) return called;
        has_waited = true;
        if (!rest(pause)) return base::error(base::Code::conflict, "the turn has ended", {}, "stale_claim");
        pause = std::min(pause * 2, wait_pause_max);
    }
}

// So that its session's budgets and those who look for circles see it. What is lost of that is no harm.
void HouseTurn::report_call(const model::PlannedAction& action, const model::AgentMessage& result,
                            base::Duration took) {
    ++calls_;
    if (session_id().empty()) return;
    (void)door_.ask<ports::ReportToolCall>([&](ports::ReportToolCall& report) {
        report.principal = model::house_worker(grant_.wake.agent_id);
        report.session_id = session_id();
        if (handed_) report.pull_id = handed_->pull_id;
        report.agent_id = grant_.wake.agent_id;
        report.source = "belfry";
        const bool went_well = result.metadata.status == model::ToolStatus::success;
        report.status = went_well ? ports::ToolCallStatus::success : ports::ToolCallStatus::failure;
        report.tool_name = registered_name(action.tool_name);
        report.call_id = action.operation_id;
        report.arguments_fingerprint = action.arguments_hash;
        report.payload = call_payload(action, result, took);
    });
}

void HouseTurn::begin_text() {
    text_.begin("m" + std::to_string(grant_.wake.attempts) + "." + std::to_string(++texts_));
}

std::optional<base::Timestamp> HouseTurn::sleep_until() const {
    std::optional<base::Timestamp> until;
    for (const model::PlanNow& round : rounds_) {
        for (const model::PlannedAction& action : round.plan.actions) {
            if (action.tool_name != rules::house_tool_name(rules::HouseTool::sleep)) continue;
            const auto wish = rules::read_action(rules::HouseTool::sleep, action.arguments.view());
            if (wish.ok()) until = std::get<rules::SleepUntil>(*wish).until;
        }
    }
    return until;
}

// A user who is not in a conversation with the agent hears of a notification only through `notify_user`, and that has
// ended the notification already.
bool HouseTurn::is_dealt_with(const ports::PulledItem& item, const ports::TurnEnd& end) {
    if (!item.needs_answer || end.error) return false;
    const bool is_named = std::ranges::find(end.heard, item.handle) != end.heard.end();
    const bool is_heard = end.all_heard || is_named;
    if (item.notification.target == model::Target::agent) return is_heard || end.all_decided;
    return is_heard && item.notification.address == model::Address::session;
}

base::Result<void> HouseTurn::end_turn(const ports::TurnEnd& end) {
    if (session_id().empty()) return {};
    TRY(door_.ask<ports::ReportTurn>([&](ports::ReportTurn& report) {
        report.principal = model::house_worker(grant_.wake.agent_id);
        report.session_id = session_id();
        if (handed_) report.pull_id = handed_->pull_id;
        report.agent_id = grant_.wake.agent_id;
        report.edge = ports::TurnEdge::end;
        report.reason = end.error ? end.error->type : "done";
        report.tool_calls = calls_;
        report.tokens_used = tokens_;
        if (!handed_) return;
        for (const ports::PulledItem& item : handed_->items) {
            // Under the lease that the pull stands for: a row may have escalated or have been narrated since, and that
            // must not keep the others from their end.
            if (is_dealt_with(item, end)) report.acknowledged.push_back({item.handle, std::nullopt, std::nullopt});
        }
    }));
    return {};
}

base::Result<void> HouseTurn::finish(ports::TurnEnd end) {
    if (is_over()) return {};
    // After a failure there will be another attempt, which begins the turn anew: what waits is not let go of.
    const bool is_last_word = !end.error || !end.may_mend;
    // The end of a turn vetoes what the agent did not name; an agent that failed has not decided that.
    if (!end.error) {
        // The wake ends also if another runtime has taken the session over.
        const auto ended = end_turn(end);
        if (!ended.ok() && ended.error().code != base::Code::conflict) return ended;
    }
    TRY(door_.insist<ports::EndWake>(
        [&](ports::EndWake& wish) {
            wish.id = grant_.wake.id;
            wish.fence = grant_.wake.fence;
            wish.error = end.error;
            wish.may_mend = end.may_mend;
            wish.result = end.result;
            const auto until = sleep_until();
            if (!end.error && until) wish.sleep_until = until;
        },
        goes_on()));
    return end.error && is_last_word ? end_turn(end) : base::Result<void>{};
}

void HouseTurn::renew() {
    const auto renewed = door_.ask<ports::RenewWake>([&](ports::RenewWake& wish) {
        wish.id = grant_.wake.id;
        wish.fence = grant_.wake.fence;
        wish.lease = lease;
        wish.lane = ports::Lane::control;
    });
    const bool is_lost = !renewed.ok() && (renewed.error().code == base::Code::conflict ||
                                           renewed.error().code == base::Code::not_found);
    if (is_lost) give_up();
}

// Under the lock, so that nothing that it speaks of goes away meanwhile.
void HouseTurn::give_up() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    changed_.notify_all();
    if (on_over_) on_over_();
}

bool HouseTurn::is_over() const {
    const std::lock_guard lock(mutex_);
    return is_over_;
}

void HouseTurn::set_on_over(std::function<void()> on_over) {
    const std::lock_guard lock(mutex_);
    on_over_ = std::move(on_over);
    if (is_over_ && on_over_) on_over_();
}

}  // namespace belfry::daemon
