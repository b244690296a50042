#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "model/wake.hpp"
#include "net/waiting_lines.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::net {

// What a worker asks for: the next job of these agents.
struct ClaimWish {
    std::vector<std::string> agents;
    std::string holder;
    base::Duration lease = base::limits::wake_lease_default;
    std::optional<std::size_t> context_messages;  // nothing: no context is wanted
};

// Whoever waits for a job that he could claim, or for the end of one. The streams `agent:<user>` tell of every change
// of a job.
class WakeWaits final : public WaitingLines {
public:
    explicit WakeWaits(Service& service);
    ~WakeWaits() override;

    // Answered with a grant, or with nothing where there is none until `until`.
    void claim(std::unique_ptr<Asker> to, SharedCaller caller, ClaimWish wish, base::Duration until);
    // `seen` is what it was a moment ago, not ended; answered with what it is when it ends or `until` has come.
    void look(std::unique_ptr<Asker> to, SharedCaller caller, const model::Wake& seen, base::Duration until);

private:
    void send(Number number, const Waiter& waiter) override;
    void answer_empty(Number number) override;
    void forget(Number number) override;
    void hear_grant(Number number, const base::Result<ports::ClaimReply>& result);
    void hear_look(Number number, const base::Result<model::Wake>& result);

    std::map<Number, ClaimWish> wishes_;    // of those who claim
    std::map<Number, model::Wake> looked_;  // by those who look
};

// The answer to a request about one.
std::string wake_json(const model::Wake& wake);
void answer_wake(const Reply& to, int status, const model::Wake& wake);

}  // namespace belfry::net
