#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/tool_limits.hpp"
#include "net/waiting_lines.hpp"
#include "ports/commands/outside_calls.hpp"

namespace belfry::net {

// What a worker asks for: the next call of these tools.
struct OutsideClaimWish {
    std::vector<std::string> tools;
    std::string holder;
    base::Duration lease = base::limits::tool_lease_default;
};

// Whoever waits for a call of a tool that he could claim. The streams `tool:<name>` tell of every call that waits for a
// worker.
class OutsideCallWaits final : public WaitingLines {
public:
    explicit OutsideCallWaits(Service& service);
    ~OutsideCallWaits() override;

    // Answered with a call, or with nothing where there is none until `until`.
    void claim(std::unique_ptr<Asker> to, SharedCaller caller, OutsideClaimWish wish, base::Duration until);

private:
    void send(Number number, const Waiter& waiter) override;
    void forget(Number number) override;
    void hear(Number number, const base::Result<ports::ClaimedOutsideCall>& result);

    std::map<Number, OutsideClaimWish> wishes_;
};

// The answer to a request about one.
std::string outside_call_json(const model::OutsideCall& call);

}  // namespace belfry::net
