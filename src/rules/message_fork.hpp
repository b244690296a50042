#pragma once

#include <span>
#include <vector>

#include "model/agent_message.hpp"

// Devices that were apart go on with a thread each in its own way: it forks. The next message that is added where both
// ends are known comes after all of them, and says so; from there on the thread is one again.
namespace belfry::rules {

// The ends that a message comes after beside the one before it.
[[nodiscard]] std::vector<base::Uuid> also_after(const model::AgentMessage& message);

// It comes after all of these, of which the newest is the one before it: the same everywhere, whatever their order.
void put_after(model::AgentMessage& message, std::vector<model::AgentMessage> ends);

// Returns the extension that the message was given, without what Belfry wrote there: forks, and the host.
[[nodiscard]] model::RawJson given_extension(const model::AgentMessage& message);

// The ends of a thread as they are known here, and what is known to come before something without being here yet.
struct ThreadEnds {
    std::vector<base::Uuid> ends;
    std::vector<base::Uuid> awaited;

    // A message that came: `is_here` tells whether one is here already.
    template <class IsHere>
    void add(const model::AgentMessage& message, IsHere&& is_here) {
        std::vector<base::Uuid> before = also_after(message);
        if (message.prev_message_id) before.push_back(*message.prev_message_id);
        for (const base::Uuid& one : before) {
            if (std::erase(ends, one) == 0 && !is_here(one)) awaited.push_back(one);
        }
        if (std::erase(awaited, message.id) == 0) ends.push_back(message.id);
    }
};

}  // namespace belfry::rules
