#include "daemon/tool_caller.hpp"

#include <algorithm>
#include <utility>

#include "base/tool_limits.hpp"
#include "codec/standard_webhooks.hpp"
#include "codec/utf8.hpp"
#include "rules/effect_id.hpp"

namespace belfry::daemon {
namespace {

constexpr std::size_t calls_per_tool_max = base::limits::tool_threads / 2;
constexpr std::size_t answers_max = 10'000;

net::ToolAnswer unavailable(std::string why) {
    return {{}, ports::OutsideCallError{"tool_unavailable", std::move(why)}};
}

}  // namespace

void ToolCaller::perform(const ports::Obligation& owed) {
    if (const auto begun = calls_.find(owed.id); begun != calls_.end()) {
        begun->second.owed = owed;
        if (begun->second.answer) tell(owed.id);
        return;
    }
    const auto tool = owed.detail.member("tool");
    calls_[owed.id] = {owed, tool ? tool->as_text() : std::string(), std::nullopt};
    waiting_.push_back(owed.id);
    begin_next();
}

void ToolCaller::begin_next() {
    const auto may_begin = [this](const base::Uuid& id) {
        const auto busy = under_way_.find(calls_.at(id).tool);
        return busy == under_way_.end() || busy->second < calls_per_tool_max;
    };
    for (auto next = std::ranges::find_if(waiting_, may_begin); next != waiting_.end();
         next = std::ranges::find_if(waiting_, may_begin)) {
        const base::Uuid id = *next;
        waiting_.erase(next);
        ++under_way_[calls_.at(id).tool];
        look(id);
    }
}

void ToolCaller::ended(const std::string& tool) {
    const auto busy = under_way_.find(tool);
    if (--busy->second == 0) under_way_.erase(busy);
    begin_next();
}

void ToolCaller::look(const base::Uuid& id) {
    auto looked = std::make_shared<Looked>();
    tools_.beside.read(
        [looked, id, tool = calls_.at(id).tool](ports::Reading& reading) {
            looked->call = reading.outside_calls().find(model::OutsideCallId{id});
            looked->tool = reading.tool(tool);
        },
        [this, looked, id] { send(id, *looked); });
}

void ToolCaller::send(const base::Uuid& id, const Looked& looked) {
    const std::string tool = calls_.at(id).tool;
    if (!looked.call.ok() || !looked.tool.ok()) {
        postpone(id, (looked.call.ok() ? looked.tool.error() : looked.call.error()).message);
        return ended(tool);
    }
    if (!*looked.call || model::is_ended((*looked.call)->state)) {
        drop(id);
        return ended(tool);
    }
    const auto refuse = [&](std::string why) {
        report(id, unavailable(std::move(why)));
        ended(tool);
    };
    const std::optional<model::ToolInfo>& info = *looked.tool;
    if (!info || info->execution.by != model::ToolRunner::webhook) {
        return refuse(tool + " is not carried out by a webhook any more");
    }
    std::string secret;
    if (!info->execution.secret_env.empty()) {
        const auto text = tools_.environment.get(info->execution.secret_env);
        const auto parsed = text ? codec::parse_webhook_secret(*text) : std::nullopt;
        if (!parsed) return refuse(info->execution.secret_env + " is no whsec_… in the daemon's environment");
        secret = *parsed;
    }
    ask_server(id, info->execution, secret, **looked.call);
}

void ToolCaller::ask_server(const base::Uuid& id, const model::ToolExecution& execution, const std::string& secret,
                            const model::OutsideCall& call) {
    tools_.couriers.run([this, id, execution, secret, call](const wire::Interrupt& interrupt) {
        // Another device that goes through the same run asks with the same key.
        const std::string key = base::format_uuid(rules::outside_call_key(call.agent_id, call.operation_id));
        auto outcome = net::call_tool_server(execution, secret, key, call, tools_.clock.now(), interrupt);
        // What was cut off by our own end is no failure of the tool.
        if (!outcome.ok() && interrupt.is_raised()) return;
        tools_.post([this, id, tool = call.tool_name, outcome] {
            report(id, outcome);
            ended(tool);
        });
    });
}

void ToolCaller::report(const base::Uuid& id, const base::Result<net::ToolAnswer>& outcome) {
    if (!outcome.ok()) return postpone(id, outcome.error().message);
    calls_.at(id).answer = *outcome;
    tell(id);
    // Where nobody learned whether the engine took it, it may never ask again. The oldest have the least ids.
    if (calls_.size() > answers_max) {
        calls_.erase(std::ranges::find_if(calls_, [](const auto& one) { return one.second.answer.has_value(); }));
    }
}

void ToolCaller::tell(const base::Uuid& id) {
    const Call& call = calls_.at(id);
    auto command = std::make_unique<ports::EndOutsideCall>();
    command->principal = model::house_principal();
    command->id.uuid = id;
    command->fence = call.owed.fence;
    command->result = call.answer->result;
    command->error = call.answer->error;
    command->bytes = 256 + command->result.bytes().size();
    command->done = [this, id, fence = call.owed.fence](const base::Result<model::OutsideCall>& word) {
        heard(id, fence, word);
    };
    submit(std::move(command));
}

// A claim that is not held any more was given out again, and then it was renewed here; or there is nothing left to
// tell, because the call is gone.
void ToolCaller::heard(const base::Uuid& id, std::int64_t fence, const base::Result<model::OutsideCall>& word) {
    const auto call = calls_.find(id);
    if (call == calls_.end() || !call->second.answer) return;
    const bool is_refused =
        !word.ok() && (word.error().code == base::Code::conflict || word.error().code == base::Code::not_found);
    if (word.ok() || (is_refused && call->second.owed.fence == fence)) calls_.erase(call);
}

ports::Obligation ToolCaller::forget(const base::Uuid& id) {
    return std::move(calls_.extract(id).mapped().owed);
}

void ToolCaller::drop(const base::Uuid& id) {
    const ports::Obligation owed = forget(id);
    auto command = std::make_unique<ports::FinishObligation>();
    command->principal = model::house_principal();
    command->obligation = id;
    command->fence = owed.fence;
    command->end = ports::ObligationEnd::not_needed;
    command->bytes = 256;
    submit(std::move(command));
}

void ToolCaller::postpone(const base::Uuid& id, std::string_view said) {
    const std::string tool = calls_.at(id).tool;
    const ports::Obligation owed = forget(id);
    const std::string why = codec::to_utf8(said);
    tools_.log.warning("a tool could not be called", {{"tool", tool}, {"call", base::format_uuid(id)}, {"why", why}});
    auto later = std::make_unique<ports::PostponeObligation>();
    later->principal = model::house_principal();
    later->obligation = id;
    later->fence = owed.fence;
    later->reason = why;
    later->bytes = 256 + why.size();
    submit(std::move(later));
}

// A full queue is no failure: the claim runs out and the engine gives it out again.
void ToolCaller::submit(ports::AnyCommand command) {
    if (auto taken = tools_.gateway.submit(command); !taken.ok()) {
        tools_.log.warning("a tool's call waits", {{"why", taken.error().message}});
    }
}

}  // namespace belfry::daemon
