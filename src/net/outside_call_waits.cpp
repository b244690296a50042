#include "net/outside_call_waits.hpp"

#include <utility>

#include "net/service.hpp"

namespace belfry::net {

namespace limits = base::limits;

OutsideCallWaits::OutsideCallWaits(Service& service)
    : WaitingLines(service, {limits::tool_waiters_max, limits::tool_waiters_per_principal_max, "a call"}) {}
OutsideCallWaits::~OutsideCallWaits() = default;

std::string outside_call_json(const model::OutsideCall& call) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_outside_call(writer, call);
    return body;
}

void OutsideCallWaits::claim(std::unique_ptr<Asker> to, SharedCaller caller, OutsideClaimWish wish,
                             base::Duration until) {
    std::string line = line_of(*caller, wish.tools);
    const Number number = add(std::move(to), std::move(caller), std::move(line), until);
    if (number == 0) return;
    wishes_.emplace(number, std::move(wish));
    ask(number);
}

void OutsideCallWaits::send(Number number, const Waiter& waiter) {
    const OutsideClaimWish& wish = wishes_.at(number);
    auto command = std::make_unique<ports::ClaimOutsideCall>();
    command->tools = wish.tools;
    command->holder = wish.holder;
    command->lease = wish.lease;
    command->principal = waiter.caller->principal;
    command->producer = waiter.to->connection();
    command->bytes = sizeof(ports::ClaimOutsideCall);
    for (const std::string& tool : command->tools) command->bytes += tool.size();
    command->done = [service = &service_, number](const base::Result<ports::ClaimedOutsideCall>& result) {
        service->outside_call_waits->hear(number, result);
    };
    submit(number, std::move(command));
}

void OutsideCallWaits::hear(Number number, const base::Result<ports::ClaimedOutsideCall>& result) {
    const auto wish = wishes_.find(number);
    if (wish == wishes_.end()) return;
    Heard heard;
    if (!result.ok()) {
        heard.error = result.error();
    } else if (result->call) {
        heard.json = outside_call_json(*result->call);
        auto release = std::make_unique<ports::EndOutsideCall>();
        release->id = result->call->id;
        release->fence = result->call->fence;
        release->release = true;
        release->bytes = sizeof(ports::EndOutsideCall);
        heard.release = std::move(release);
    } else {
        for (const std::string& tool : wish->second.tools) heard.streams.push_back("tool:" + tool);
    }
    hear_claim(number, std::move(heard));
}

void OutsideCallWaits::forget(Number number) {
    wishes_.erase(number);
}

}  // namespace belfry::net
