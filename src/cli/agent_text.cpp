#include "cli/agent_text.hpp"

#include "base/time.hpp"

namespace belfry::cli {
namespace {

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
    return all;
}

}  // namespace

std::string agent_line(const client::AgentNow& agent) {
    std::string line = "agent " + agent.id + " of " + agent.user_id + ": " + agent.lifecycle + ", " + agent.mode +
                       ", its work is done by a " + agent.workflow;
    if (!agent.sleep_until.empty()) line += ", sleeps until " + agent.sleep_until;
    if (!agent.next_wake_at.empty()) line += ", woken by the clock next at " + agent.next_wake_at;
    if (agent.failure_streak > 0) line += ", failed " + std::to_string(agent.failure_streak) + " times in a row";
    return line;
}

Table subscription_table(const std::vector<client::WakeSubscriptionNow>& subscriptions) {
    Table table({"SUBSCRIPTION", "ON", "SEVERITY", "WINDOW", "WHERE"});
    for (const client::WakeSubscriptionNow& one : subscriptions) {
        table.add({one.id, joined(one.types.empty() ? one.tokens : one.types), one.severity,
                   one.window_ms == 0 ? "at once" : base::format_duration(base::milliseconds(one.window_ms)),
                   one.predicate});
    }
    return table;
}

std::string wake_line(const client::WakeNow& wake) {
    std::string line = "wake " + std::to_string(wake.id) + " of " + wake.agent_id + ": " + wake.state;
    if (wake.coalesced_into != 0) line += " into wake " + std::to_string(wake.coalesced_into);
    if (wake.state == "queued") line += ", due " + wake.due_at;
    if (wake.run_id != 0) line += ", run " + std::to_string(wake.run_id);
    if (wake.error) line += "; " + wake.error->type + ": " + wake.error->message;
    return line;
}

}  // namespace belfry::cli
