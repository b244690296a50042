#include "net/wake_waits.hpp"

#include <utility>

#include "base/wake_limits.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

namespace limits = base::limits;

std::string grant_json(const ports::WakeGrant& grant) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("wake");
    model::append_wake(writer, grant.wake);
    writer.name("agent");
    model::append_agent(writer, grant.agent);
    writer.name("signals").begin_array();
    for (const model::WakeSignal& signal : grant.signals) model::append_wake_signal(writer, signal);
    writer.end_array();
    if (grant.context) {
        writer.name("messages").begin_array();
        for (const model::AgentMessage& message : grant.context->messages) model::append_agent_message(writer, message);
        writer.end_array().name("plans").begin_array();
        for (const model::PlanNow& plan : grant.context->plans) model::append_plan(writer, plan);
        writer.end_array().name("memory");
        model::append_assembled_memory(writer, grant.context->memory, false);
    }
    writer.end_object();
    return body;
}

}  // namespace

WakeWaits::~WakeWaits() = default;

std::string wake_json(const model::Wake& wake) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_wake(writer, wake);
    return body;
}

void answer_wake(const Reply& to, int status, const model::Wake& wake) {
    to.respond({status, "application/json", wake_json(wake), {}});
}

WakeWaits::WakeWaits(Service& service)
    : WaitingLines(service, {limits::wake_waiters_max, limits::wake_waiters_per_principal_max, "a job"}) {}

void WakeWaits::claim(std::unique_ptr<Asker> to, SharedCaller caller, ClaimWish wish, base::Duration until) {
    std::string line = line_of(*caller, wish.agents);
    const Number number = add(std::move(to), std::move(caller), std::move(line), until);
    if (number == 0) return;
    wishes_.emplace(number, std::move(wish));
    ask(number);
}

void WakeWaits::look(std::unique_ptr<Asker> to, SharedCaller caller, const model::Wake& seen, base::Duration until) {
    if (service_.stopping) return to->answer(wake_json(seen));
    const Number number = add(std::move(to), std::move(caller), {}, until);
    if (number == 0) return;
    looked_.emplace(number, seen);
    follow(number, {"agent:" + seen.user_id});
    ask(number);  // it may have ended since it was seen
}

void WakeWaits::send(Number number, const Waiter& waiter) {
    if (const auto seen = looked_.find(number); seen != looked_.end()) {
        return service_.ports.queries.wake(waiter.caller->principal, seen->second.id,
                                           [service = &service_, number](const base::Result<model::Wake>& result) {
                                               service->wake_waits->hear_look(number, result);
                                           });
    }
    const ClaimWish& wish = wishes_.at(number);
    auto command = std::make_unique<ports::ClaimWake>();
    command->agents = wish.agents;
    command->holder = wish.holder;
    command->lease = wish.lease;
    command->context_messages = wish.context_messages;
    command->principal = waiter.caller->principal;
    command->producer = waiter.to->connection();
    command->bytes = sizeof(ports::ClaimWake);
    for (const std::string& agent : command->agents) command->bytes += agent.size();
    command->done = [service = &service_, number](const base::Result<ports::ClaimReply>& result) {
        service->wake_waits->hear_grant(number, result);
    };
    submit(number, std::move(command));
}

void WakeWaits::hear_grant(Number number, const base::Result<ports::ClaimReply>& result) {
    Heard heard;
    if (!result.ok()) {
        heard.error = result.error();
    } else if (result->grant) {
        heard.json = grant_json(*result->grant);
        auto release = std::make_unique<ports::EndWake>();
        release->id = result->grant->wake.id;
        release->fence = result->grant->wake.fence;
        release->release = true;
        release->bytes = sizeof(ports::EndWake);
        heard.release = std::move(release);
    } else {
        for (const std::string& user : result->users) heard.streams.push_back("agent:" + user);
    }
    hear_claim(number, std::move(heard));
}

void WakeWaits::hear_look(Number number, const base::Result<model::Wake>& result) {
    if (find(number) == nullptr) return;
    if (!result.ok() || model::is_ended(result->state)) {
        const auto to = leave(number);
        return result.ok() ? to->answer(wake_json(*result)) : to->fail(result.error());
    }
    looked_.at(number) = *result;
    wait_on(number);
}

void WakeWaits::answer_empty(Number number) {
    const auto seen = looked_.find(number);
    if (seen == looked_.end()) return WaitingLines::answer_empty(number);
    const std::string json = wake_json(seen->second);
    leave(number)->answer(json);
}

void WakeWaits::forget(Number number) {
    wishes_.erase(number);
    looked_.erase(number);
}

}  // namespace belfry::net
