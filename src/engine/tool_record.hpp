#pragma once

#include <string>
#include <vector>

#include "engine/agent_log.hpp"
#include "engine/house_tools.hpp"
#include "engine/runs.hpp"
#include "engine/wakes.hpp"

namespace belfry::engine {

// Which call is meant, where it is told of.
struct CallName {
    const std::string& operation_id;
    const std::string& tool_name;
};

// What a tool has refused, in an agent's words.
struct ToolFault {
    std::string code;
    std::string message;
};
[[nodiscard]] ToolFault fault_of(const base::Error& why);

// What an agent called and what came of it, as messages of its thread and for whoever watches its run.
class ToolRecord {
public:
    ToolRecord(AgentLog& log, Wakes& wakes, Runs& runs) : log_(log), wakes_(wakes), runs_(runs) {}

    // The message of a result, or of a refusal.
    static model::AgentMessage draft(const std::string& operation_id, base::Result<ToolEffect> effect);
    // Adds messages of one call to the thread: each as it is there then, in their order.
    base::Result<std::vector<model::AgentMessage>> append(const ToolActor& actor,
                                                          std::vector<model::AgentMessage> drafts, Unit& unit);
    // It is at work.
    void hear(const model::Wake& wake, Unit& unit) { runs_.hear(wake.run_id, unit.now); }
    void show_call(const model::Wake& wake, const CallName& call, const model::RawJson& arguments, Unit& unit);
    void show_result(const model::Wake& wake, const CallName& call, const model::AgentMessage& result, Unit& unit);

private:
    AgentLog& log_;
    Wakes& wakes_;
    Runs& runs_;
};

}  // namespace belfry::engine
