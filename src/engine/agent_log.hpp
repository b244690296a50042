#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/agent_message.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/read_context.hpp"

namespace belfry::engine {

// Where messages of agents are added, each in its place: after the last one of its thread, and as the newest of its
// agent; and where they are read again, as the agent is told of them. What either costs does not depend on how many
// there are.
class AgentLog {
public:
    // `count`: how many tokens a text takes in the window of a model.
    AgentLog(AgentBook& agents, ChangeLog& changes, rules::CountTokens count)
        : agents_(agents), changes_(changes), count_(std::move(count)) {}

    // Adds them in their order to the end of a thread; id (where it has none), time, place and links are given here.
    // `by` is whose changes they are, but for what a person says.
    base::Result<void> append(model::AgentRecord& agent, const std::string& thread_id,
                              std::span<model::AgentMessage> messages, const model::ChangeOrigin& by, Unit& unit);
    // The same for what was said elsewhere, with the ids and times that it has: other devices are told of it, nobody is
    // woken by it, and nothing is folded for it.
    base::Result<void> adopt(model::AgentRecord& agent, const std::string& thread_id,
                             std::span<model::AgentMessage> messages, Unit& unit);
    // What another device tells that was said there: as it was said, with what it follows, and in the order in which it
    // came here. It is nobody's change, nothing is folded for it, and the agent's state is told apart.
    base::Result<void> take_in(model::AgentRecord& agent, const std::string& thread_id,
                               std::span<model::AgentMessage> messages, Unit& unit);
    // One that is told otherwise than it is here, under the same id, stands in its place from now on.
    base::Result<void> put_instead(const model::AgentRecord& agent, const model::AgentMessage& old,
                                   model::AgentMessage& message, Unit& unit);
    // A summary in the place of one that was taken away: `like` is what that was.
    base::Result<void> replace(const model::AgentRecord& agent, model::AgentMessage& message,
                               const model::AgentMessage& like, Unit& unit);

    // The rounds of a run, with what has come of them.
    static base::Result<std::vector<model::PlanNow>> plans(const std::string& run_key, Unit& unit);
    static base::Result<model::PlanNow> progress_of(model::AgentPlan plan, Unit& unit);
    // What a worker is given to begin with: what its agent remembers, in the bounds that the agent has chosen, and at
    // most so many messages of the thread. What it was woken for has its share of the budget first.
    base::Result<ports::WakeContext> context(const model::Wake& wake, const model::AgentRecord& agent,
                                             std::span<const model::WakeSignal> signals, std::size_t messages,
                                             Unit& unit) const;

    // The threads in which something was said in this transaction; once.
    std::set<std::string> take_spoken() { return std::exchange(spoken_, {}); }
    // The agents that have another summary of something, likewise.
    void note_summary(const std::string& agent_id) { summarized_.insert(agent_id); }
    std::set<std::string> take_summarized() { return std::exchange(summarized_, {}); }

    void dropped() {
        last_.reset();
        spoken_.clear();
        summarized_.clear();
    }

private:
    base::Result<std::int64_t> next_position(Unit& unit);
    // The end of a thread that the next message follows, or its ends.
    base::Result<std::vector<model::AgentMessage>> ends_of(const std::string& thread_id, Unit& unit);
    // Each message of an agent has a time of its own, so that the order by time is the order of coming, whatever the
    // clock does.
    static base::Result<base::Timestamp> next_time(const model::AgentRecord& agent, const std::string& thread_id,
                                                   Unit& unit);
    base::Result<void> put_down(model::AgentRecord& agent, const std::string& thread_id,
                                std::span<model::AgentMessage> messages, Unit& unit);
    // Raw messages of a thread are counted, and found by their words.
    base::Result<void> remember(const model::Agent& agent, const std::string& thread_id,
                                std::span<const model::AgentMessage> messages, Unit& unit);
    static base::Result<void> add_summaries(rules::MemorySource& source, const rules::ContextReads& reads, Unit& unit);

    AgentBook& agents_;
    ChangeLog& changes_;
    rules::CountTokens count_;
    std::optional<std::int64_t> last_;  // position; nothing: it is not known
    std::set<std::string> spoken_;
    std::set<std::string> summarized_;
};

// What a message that was added touches.
[[nodiscard]] std::vector<model::ChangeToken> message_tokens(const model::AgentMessage& message);

}  // namespace belfry::engine
